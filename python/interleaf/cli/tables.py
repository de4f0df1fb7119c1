"""Tables on a terminal: drawn by rich where it is installed, and as plain text everywhere else."""

from __future__ import annotations

import shutil
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal

from .output import print_text, wants_colour
from .visible import columns, shortened, visible

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Cell", "Column", "Table", "bar", "print_heading", "print_line", "print_table"]

_PIPE_WIDTH: Final = 120
"""Columns of a table that no terminal limits."""

_LEAST: Final = 20
"""Columns that a shrinking column keeps on the narrowest terminal."""

_GAP: Final = "  "

_RICH_GAP: Final = "   "
"""What rich draws between two columns of a box without lines: one space of padding each, and the line that is none."""


@dataclass(frozen=True)
class Column:
    """One column.

    Attributes:
        title: its heading.
        align: `left`, or `right` for numbers.
        shrinks: whether it gives way when the table is too wide.
        whole_in_pipes: whether it does so on a terminal only: what `grep` may look for is never cut.
    """

    title: str
    align: Literal["left", "right"] = "left"
    shrinks: bool = False
    whole_in_pipes: bool = False


@dataclass(frozen=True)
class Cell:
    """One cell.

    Attributes:
        text: any text; it is shown on one line with controls as escapes.
        style: a style in rich's words, such as `bold red`; plain text ignores it.
    """

    text: str
    style: str = ""


@dataclass(frozen=True)
class Table:
    """One table.

    Attributes:
        columns: its columns.
        rows: its rows, each with a cell a column.
    """

    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]


def print_table(table: Table) -> None:
    """Draws a table on standard output.

    Args:
        table: what to draw.
    """
    if not table.rows:
        return
    rows = [[visible(cell.text) for cell in row] for row in table.rows]
    console = _console()
    if console is not None:
        # Rich would take from every column alike when there is too little room; an index of two digits is then gone.
        console.print(_rich_table(table, rows, _widths(table, rows, console.width, len(_RICH_GAP))))
    else:
        widths = _widths(table, rows, _width(), len(_GAP))
        print_text(_plain_table(table, rows, widths, _ellipsis()))


def print_heading(text: str) -> None:
    """Writes a line that stands out.

    Args:
        text: the line.
    """
    print_line(text, "bold")


def print_line(text: str = "", style: str = "") -> None:
    """Writes one line.

    Args:
        text: any text; controls are shown as escapes.
        style: a style in rich's words; plain text ignores it.
    """
    console = _console()
    if console is not None:
        from rich.text import Text

        console.print(Text(visible(text), style=style))
    else:
        print_text(visible(text) + "\n")


def bar(size: float, whole: float, width: int = 20) -> str:
    """A size as a bar.

    Args:
        size: what is measured; more than the whole is shown as more.
        whole: what a full bar stands for.
        width: columns of a full bar.

    Returns:
        The bar, in block characters or, where the output cannot hold them, in ASCII.

    >>> len(bar(3, 4, 8))
    8
    """
    full, empty, over = ("█", "░", "▓") if _holds("█░▓") else ("#", ".", "!")
    if whole <= 0:
        return (over if size > 0 else empty) * width
    if size > whole:
        return full * (width - 1) + over
    # What is there is seen, however little it is.
    filled = max(1, round(width * size / whole)) if size > 0 else 0
    return full * filled + empty * (width - filled)


def _console() -> Any:
    """Rich's console when standard output is a terminal and rich is installed; else None."""
    if not _is_terminal():
        return None
    try:
        from rich.console import Console
    except ImportError:
        return None
    return Console(no_color=not wants_colour(sys.stdout), highlight=False, soft_wrap=False)


def _widths(table: Table, rows: Sequence[Sequence[str]], width: int, gap: int) -> list[int]:
    """The width of each column, within the whole width as far as those that shrink allow it."""
    titles = [column.title for column in table.columns]
    widths = [max(columns(row[index]) for row in (titles, *rows)) for index in range(len(titles))]
    in_pipe = not _is_terminal()
    shrinking = sorted(
        (widths[index], index)
        for index, column in enumerate(table.columns)
        if column.shrinks and not (in_pipe and column.whole_in_pipes)
    )
    others = sum(widths) - sum(size for size, _ in shrinking)
    room = max(_LEAST * len(shrinking), width - others - gap * (len(titles) - 1))
    # The narrowest first, so that what it does not need is left for the wider ones.
    for done, (size, index) in enumerate(shrinking):
        widths[index] = min(size, room // (len(shrinking) - done))
        room -= widths[index]
    return widths


def _rich_table(table: Table, rows: Sequence[Sequence[str]], widths: Sequence[int]) -> Any:
    from rich import box
    from rich.table import Table as RichTable
    from rich.text import Text

    drawn = RichTable(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for column, width in zip(table.columns, widths, strict=True):
        drawn.add_column(column.title, justify=column.align, no_wrap=True, overflow="ellipsis", width=width)
    for row, texts in zip(table.rows, rows, strict=True):
        # Text, not markup: a cell with [bold] in it says [bold].
        cells = (
            Text(shortened(text, width), style=cell.style) for cell, text, width in zip(row, texts, widths, strict=True)
        )
        drawn.add_row(*cells)
    return drawn


def _plain_table(table: Table, rows: Sequence[Sequence[str]], widths: Sequence[int], ellipsis: str) -> str:
    titles = [column.title for column in table.columns]
    lines = [_plain_row(titles, widths, table.columns, ellipsis)]
    lines.append(_GAP.join("-" * size for size in widths))
    lines.extend(_plain_row(row, widths, table.columns, ellipsis) for row in rows)
    return "\n".join(line.rstrip() for line in lines) + "\n"


def _plain_row(row: Sequence[str], widths: Sequence[int], layout: Sequence[Column], ellipsis: str) -> str:
    cells = []
    for text, width, column in zip(row, widths, layout, strict=True):
        shown = shortened(text, width, ellipsis) if column.shrinks else text
        space = " " * (width - columns(shown))
        cells.append(space + shown if column.align == "right" else shown + space)
    return _GAP.join(cells)


def _is_terminal() -> bool:
    return sys.stdout is not None and sys.stdout.isatty()


def _width() -> int:
    if not _is_terminal():
        return _PIPE_WIDTH
    return shutil.get_terminal_size((_PIPE_WIDTH, 24)).columns


def _ellipsis() -> str:
    return "…" if _holds("…") else "..."


def _holds(text: str) -> bool:
    """Whether standard output can hold a text."""
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    try:
        text.encode(encoding)
    except (UnicodeEncodeError, LookupError):
        return False
    return True
