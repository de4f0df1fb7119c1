"""`interleaf lorebook`: the entries of a lorebook or a card, and every decision made while reading it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from interleaf.lorebook import layout_for

from . import exit_codes
from .json_input import read_json
from .lorebook_input import read_book
from .output import print_json
from .requests import parse_layout
from .tables import Cell, Column, Table, print_heading, print_line, print_table

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from interleaf.lorebook import LayoutFit, Lorebook, LorebookEntry, Problem

__all__ = ["run"]

_TEXT_LIMIT = 300
"""Characters of an entry that are looked at for its first words."""


def run(arguments: argparse.Namespace) -> int:
    """Shows a book.

    Args:
        arguments: `file`, a path or `-`; `book`, `ties`; `find`, text to look for or None; `layout`, the path of a layout
            or a request or None; `blocks`, to print only what can be placed; `json`.

    Returns:
        The exit code: `REFUSED` if the layout has no anchor for an enabled entry.

    Raises:
        InterleafError: the file is no lorebook, or the layout was refused.
    """
    book = read_book(arguments.file, book=arguments.book, ties=arguments.ties)
    fit = None
    if arguments.layout is not None:
        fit = layout_for(book, parse_layout(read_json(arguments.layout)))
    if arguments.blocks:
        print_json([block.to_dict() for block in book.blocks()])
    elif arguments.json:
        fields = book.to_dict()
        print_json(fields if fit is None else fields | {"layout": fit.to_dict()})
    else:
        _draw(book, fit, arguments.find)
    return exit_codes.OK if fit is None or fit.fits else exit_codes.REFUSED


def _draw(book: Lorebook, fit: LayoutFit | None, wanted: str | None) -> None:
    enabled = sum(entry.enabled and entry.block is not None for entry in book.entries)
    disabled = sum(not entry.enabled and entry.block is not None for entry in book.entries)
    print_heading(f"{book.name} ({book.format})")
    print_line(
        f"{len(book.entries)} entries: {enabled} enabled, {disabled} disabled, {len(book.left_out)} left out; "
        f"{len(book.problems)} problems"
    )
    print_line()
    entries = [entry for entry in book.entries if wanted is None or _has(entry, wanted)]
    if wanted is not None:
        print_line(f"{len(entries)} of {len(book.entries)} entries have {wanted!r}")
        print_line()
    _draw_entries(entries)
    if fit is not None and not fit.fits:
        print_line()
        print_heading(f"the layout has no place for {len(fit.unanchored)} of the enabled entries")
        rows = tuple((Cell(each.id, "red"), Cell(each.position), Cell(each.missing)) for each in fit.unanchored)
        print_table(
            Table(
                (
                    Column("entry", shrinks=True, whole_in_pipes=True),
                    Column("position"),
                    Column("missing in the layout"),
                ),
                rows,
            )
        )
    shown = {entry.id for entry in entries}
    problems = [problem for problem in book.problems if wanted is None or problem.entry in shown]
    _draw_problems("left out", [problem for problem in problems if problem.left_out])
    _draw_problems("problems", [problem for problem in problems if not problem.left_out])


def _draw_entries(entries: Sequence[LorebookEntry]) -> None:
    columns = (
        Column("entry", shrinks=True, whole_in_pipes=True),
        Column("state"),
        Column("place"),
        Column("role"),
        Column("order", "right"),
        Column("keys", shrinks=True),
        Column("text", shrinks=True),
    )
    print_table(Table(columns, tuple(_entry_row(entry) for entry in entries)))


def _entry_row(entry: LorebookEntry) -> tuple[Cell, ...]:
    keys = Cell(", ".join(entry.keys))
    text = Cell(": ".join(part for part in (entry.comment, entry.content[:_TEXT_LIMIT]) if part))
    block = entry.block
    if block is None:
        return Cell(entry.id, "red"), Cell("LEFT OUT", "bold red"), Cell(""), Cell(""), Cell(""), keys, text
    style = "" if entry.enabled else "dim"
    state = ("constant" if entry.constant else "enabled") if entry.enabled else "disabled"
    place: str = block.position
    if place == "at_depth":
        place = f"depth {block.depth}"
    elif place == "outlet":
        place = f"outlet {block.outlet_name}"
    cells = (Cell(block.id, style), Cell(state, style), Cell(place, style), Cell(block.role or "", style))
    return *cells, Cell(str(block.order), style), Cell(keys.text, style), Cell(text.text, style)


def _draw_problems(heading: str, problems: Sequence[Problem]) -> None:
    if not problems:
        return
    print_line()
    print_heading(f"{heading}: {len(problems)}")
    rows = tuple(
        (Cell(problem.entry or "(the file)"), Cell(problem.field), Cell(problem.found), Cell(problem.done))
        for problem in problems
    )
    columns = (
        Column("entry", shrinks=True, whole_in_pipes=True),
        Column("field"),
        Column("found", shrinks=True),
        Column("done", shrinks=True),
    )
    print_table(Table(columns, rows))


def _has(entry: LorebookEntry, wanted: str) -> bool:
    texts = (entry.id, entry.comment, entry.content, *entry.keys, *entry.secondary_keys)
    return any(wanted.casefold() in text.casefold() for text in texts)
