"""A prompt on a terminal: the final list with its margin, what each source costs, and budgets as bars."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from interleaf.report.prompt import CHAT, is_over

from .tables import Cell, Column, Table, bar, print_heading, print_line, print_table
from .visible import shortened, visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from interleaf.report.prompt import Entry, Part, Prompt, PromptMessage

__all__ = ["draw_budgets", "draw_messages", "draw_shares"]

_GROUP_STYLES: Final = {
    "before_character": "cyan",
    "after_character": "cyan",
    "before_examples": "magenta",
    "after_examples": "magenta",
    "at_depth": "green",
    "author_note_top": "yellow",
    "author_note_bottom": "yellow",
    "outlet": "blue",
    "system": "cyan",
    "developer": "blue",
    "user": "green",
    "tool": "yellow",
    "external": "magenta",
}
_TEXT_LIMIT: Final = 600
"""Characters of a message that are looked at for its first words."""

_PIECE_COLUMNS: Final = 20
"""Columns of each piece of a message in which something is embedded."""


def draw_messages(prompt: Prompt) -> None:
    """Draws the final list: in the margin who made a message, its index, its role, its first words.

    Args:
        prompt: what to draw.
    """
    table = Table(
        (
            Column("made by", shrinks=True, whole_in_pipes=True),
            Column("#", "right"),
            Column("role"),
            Column("text", shrinks=True),
        ),
        tuple(_message_rows(prompt)),
    )
    print_table(table)


def draw_shares(prompt: Prompt) -> None:
    """Draws what each source costs, and the whole.

    Args:
        prompt: what to draw.
    """
    print_heading(f"{prompt.unit} by source")
    rows = [
        (
            Cell(share.label, _GROUP_STYLES.get(share.group, "")),
            Cell(f"{share.size:,}"),
            Cell(f"{share.size / prompt.total:.0%}" if prompt.total else ""),
            Cell(bar(share.size, prompt.total), _GROUP_STYLES.get(share.group, "")),
        )
        for share in prompt.shares
    ]
    rows.append(_total_row(prompt.total, prompt.limit))
    print_table(Table((Column("source"), Column("size", "right"), Column("share", "right"), Column("")), tuple(rows)))


def draw_budgets(entries: Sequence[Entry], unit: str, total: int, limit: float | None) -> None:
    """Draws each fragment's budget, and the whole.

    Args:
        entries: the fragments.
        unit: what sizes are counted in.
        total: what all of it costs.
        limit: the budget of the whole; None if there is none.
    """
    print_heading(f"budgets in {unit}")
    rows = [
        (
            Cell(entry.id, "red" if is_over(entry.size, entry.limit) else _GROUP_STYLES.get(entry.group, "")),
            *(Cell(value) for _, value in entry.facts[:3]),
            *_budget_cells(entry.size, entry.limit),
        )
        for entry in entries
    ]
    rows.append((Cell("total", "bold"), Cell(""), Cell(""), Cell(""), *_budget_cells(total, limit)))
    names = [name for name, _ in entries[0].facts[:3]] if entries else ["source", "trust", "lifetime"]
    columns = (
        Column("fragment", shrinks=True, whole_in_pipes=True),
        *(Column(name, shrinks=name == "source", whole_in_pipes=True) for name in names),
        Column("used", "right"),
        Column("of", "right"),
        Column(""),
        Column(""),
    )
    print_table(Table(columns, tuple(rows)))


def _budget_cells(size: int, limit: float | None) -> tuple[Cell, Cell, Cell, Cell]:
    if limit is None or math.isinf(limit):
        return Cell(f"{size:,}"), Cell("no limit"), Cell(""), Cell("")
    if is_over(size, limit):
        over = f"OVER by {size - int(limit):,}"
        return Cell(f"{size:,}", "red"), Cell(f"{int(limit):,}"), Cell(bar(size, limit), "red"), Cell(over, "bold red")
    return Cell(f"{size:,}"), Cell(f"{int(limit):,}"), Cell(bar(size, limit), "green"), Cell("")


def _total_row(total: int, limit: float | None) -> tuple[Cell, Cell, Cell, Cell]:
    if limit is None or math.isinf(limit):
        return Cell("total", "bold"), Cell(f"{total:,}", "bold"), Cell(""), Cell("")
    _, of, drawn, over = _budget_cells(total, limit)
    note = Cell(f"{drawn.text} of {of.text} {over.text}".rstrip(), over.style or drawn.style)
    return Cell("total", "bold"), Cell(f"{total:,}", "bold"), Cell(""), note


def _message_rows(prompt: Prompt) -> Iterator[tuple[Cell, Cell, Cell, Cell]]:
    for message in prompt.messages:
        yield from _mark_rows(prompt.gap_marks.get(message.index, ()))
        yield _message_row(prompt, message)
        for number in message.entries:
            if number != message.made_by:
                yield _embedded_row(prompt.entries[number], message, number)
    yield from _mark_rows(prompt.gap_marks.get(len(prompt.messages), ()))


def _mark_rows(marks: Iterable[str]) -> Iterator[tuple[Cell, Cell, Cell, Cell]]:
    for mark in marks:
        yield Cell(f"-- {mark}", "dim"), Cell(""), Cell(""), Cell("")


def _message_row(prompt: Prompt, message: PromptMessage) -> tuple[Cell, Cell, Cell, Cell]:
    number = Cell(str(message.index))
    role = Cell(message.role)
    text = Cell(_first_words(message))
    if message.made_by is not None:
        entry = prompt.entries[message.made_by]
        margin = Cell(f"+ {entry.id}  {_where(entry)}", _GROUP_STYLES.get(entry.group, ""))
    else:
        anchors = [anchor for anchor in message.anchors if not anchor.startswith("outlet ") or "unfilled" in anchor]
        name = f"{CHAT} {message.origin}" if message.origin is not None else "shared"
        margin = Cell("  " + ", ".join((name, *anchors)), "dim")
    return margin, number, role, text


def _embedded_row(entry: Entry, message: PromptMessage, number: int) -> tuple[Cell, Cell, Cell, Cell]:
    text = "".join(piece.text for part in message.parts for piece in part.pieces if piece.entry == number)
    style = _GROUP_STYLES.get(entry.group, "")
    return Cell(f"  ~ {entry.id}  {_where(entry)}", style), Cell(""), Cell(""), Cell(f"[[{text[:_TEXT_LIMIT]}]]", style)


def _where(entry: Entry) -> str:
    """Position and what decides within it, in a few words."""
    facts = dict(entry.facts)
    if entry.group == "at_depth":
        where = f"depth {facts['depth']}"
    elif entry.group == "outlet":
        where = f"outlet {facts['outlet']}"
    else:
        where = facts.get("position", "") or f"{facts['source']}, {facts['trust']}, {facts['lifetime']}"
    if facts.get("order", "0") != "0":
        where += f" order {facts['order']}"
    if entry.moved:
        where += f" (moved from gap {facts['moved from gap']})"
    return where


def _first_words(message: PromptMessage) -> str:
    """The beginning of a message on one line, embedded text in double brackets."""
    words = []
    length = 0
    for part in message.parts:
        text = _part_text(part, message)
        words.append(text)
        length += len(text)
        if length > _TEXT_LIMIT:
            break
    return " ".join(words)[:_TEXT_LIMIT]


def _part_text(part: Part, message: PromptMessage) -> str:
    if part.label:
        return f"<{part.label}>"
    # In a host each piece is cut short on its own, so that what stands behind a long one is seen, too.
    room = _TEXT_LIMIT if len(part.pieces) < 2 else _PIECE_COLUMNS
    words = []
    for piece in part.pieces:
        text = shortened(visible(piece.text[:_TEXT_LIMIT]), room)
        embedded = piece.entry is not None and piece.entry != message.made_by
        words.append(f"[[{text}]]" if embedded else text)
    return "".join(words)


def draw_summary(prompt: Prompt) -> None:
    """Writes in one line what was done, and what was not.

    Args:
        prompt: what to tell of.
    """
    embedded = sum(entry.embedded for entry in prompt.entries)
    what = "block" if prompt.kind == "placement" else "fragment"
    plural = "" if len(prompt.entries) == 1 else "s"
    line = f"{len(prompt.messages)} messages; {len(prompt.entries)} {what}{plural}"
    if prompt.kind == "placement":
        line += f", {embedded} of them inside other messages"
    moved = [entry.id for entry in prompt.entries if entry.moved]
    if moved:
        line += f"; kept out of tool exchanges: {', '.join(moved)}"
    if prompt.unfilled_outlets:
        line += f"; outlets that no block fills: {', '.join(prompt.unfilled_outlets)}"
    print_line(line)
