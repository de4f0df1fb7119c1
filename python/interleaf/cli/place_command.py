"""`interleaf place`: blocks into a chat, JSON in and out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import exit_codes
from .output import print_json
from .requests import read_place_request

if TYPE_CHECKING:
    import argparse

__all__ = ["run"]


def run(arguments: argparse.Namespace) -> int:
    """Places the blocks of a request and writes the result as JSON.

    Args:
        arguments: `request`, a path or `-`.

    Returns:
        The exit code.

    Raises:
        InterleafError: the request was refused.
    """
    print_json(read_place_request(arguments.request).run().to_dict())
    return exit_codes.OK
