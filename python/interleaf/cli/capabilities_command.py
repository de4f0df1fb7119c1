"""`interleaf capabilities`: which positions and outlets a layout has anchors for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, get_args

from interleaf import get_placement_capabilities
from interleaf.types import Position

from . import exit_codes
from .json_input import read_json
from .output import print_json
from .requests import parse_layout
from .tables import Cell, Column, Table, print_line, print_table

if TYPE_CHECKING:
    import argparse

__all__ = ["run"]

_ANCHORS: Final = {
    "before_character": "character",
    "after_character": "character",
    "before_examples": "examples",
    "after_examples": "examples",
    "at_depth": "conversation",
    "author_note_top": "author_note",
    "author_note_bottom": "author_note",
    "outlet": "outlets",
}


def run(arguments: argparse.Namespace) -> int:
    """Tells what a layout declares.

    Args:
        arguments: `request`, the path of a layout or of a request with one, or `-`; `json`.

    Returns:
        The exit code.

    Raises:
        InterleafError: the layout was refused.
    """
    layout: Any = parse_layout(read_json(arguments.request))
    capabilities = get_placement_capabilities(layout)
    if arguments.json:
        print_json(capabilities.to_dict())
        return exit_codes.OK
    rows = []
    for position in get_args(Position):
        declared = position in capabilities.positions
        answer = Cell("yes", "green") if declared else Cell("no", "red")
        note = "" if declared else f"the layout has no {_ANCHORS[position]}"
        if declared and position == "outlet":
            note = ", ".join(capabilities.outlets)
        rows.append((Cell(position), answer, Cell(note)))
    print_table(Table((Column("position"), Column("has its anchor"), Column("", shrinks=True)), tuple(rows)))
    print_line()
    print_line("Bounds and markers are checked when blocks are placed.")
    return exit_codes.OK
