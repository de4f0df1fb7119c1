"""`interleaf plan`: a plan into model input, JSON in and out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import exit_codes
from .output import print_json
from .requests import read_plan_request

if TYPE_CHECKING:
    import argparse

__all__ = ["run"]


def run(arguments: argparse.Namespace) -> int:
    """Assembles the plan of a request and writes the result as JSON.

    Args:
        arguments: `request`, a path or `-`.

    Returns:
        The exit code.

    Raises:
        InterleafError: the plan was refused.
    """
    print_json(read_plan_request(arguments.request).run().to_dict())
    return exit_codes.OK
