"""The rows of the page: messages with their long texts folded, entries, and the segments of the bar."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from .prompt import is_over

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from .comparison import Comparison
    from .prompt import Entry, Part, Piece, Prompt, PromptMessage

__all__ = ["EntryRow", "MessageRow", "PartRow", "Run", "Segment", "bar_segments", "entry_rows", "message_rows"]

_FOLDED_CHARS: Final = 1200
_FOLDED_LINES: Final = 18
"""What of a long text is shown at once."""

_WORTH_FOLDING: Final = 400
"""A fold that would hide fewer characters than this is not made."""

_RANGES: Final = ("character", "examples")


@dataclass(frozen=True)
class Run:
    """A run of text on the page.

    Attributes:
        text: the text.
        entry: the number of the entry embedded here; None for the message's own text.
        starts: whether the entry starts here; a fold may cut it in two.
        lost: whether a prefix cache is lost before this run.
    """

    text: str
    entry: int | None = None
    starts: bool = True
    lost: bool = False


@dataclass(frozen=True)
class PartRow:
    """One part of a message.

    Attributes:
        head: what is shown at once.
        rest: what is folded.
        rest_chars: how much that is.
        label: what to show for a part that is no text.
    """

    head: tuple[Run, ...]
    rest: tuple[Run, ...]
    rest_chars: int
    label: str


@dataclass(frozen=True)
class MessageRow:
    """One message.

    Attributes:
        message: the message.
        entry: the entry that made all of it; None if none did.
        parts: what it says.
        rail: the range or conversation whose rule runs along it in the margin; else empty.
        labels: the anchors written in the margin.
        marks: anchors that stand before it.
        cache: `kept`, `lost` (the first that is), `after`; empty without a previous prompt.
    """

    message: PromptMessage
    entry: Entry | None
    parts: tuple[PartRow, ...]
    rail: str
    labels: tuple[str, ...]
    marks: tuple[str, ...]
    cache: str


@dataclass(frozen=True)
class EntryRow:
    """One block or fragment in the table.

    Attributes:
        entry: the entry.
        target: the id of the element to jump to.
        facts: its facts by name.
        filled: how full its budget is, 0 to 100; None without one.
        over: whether it is over.
    """

    entry: Entry
    target: str
    facts: dict[str, str]
    filled: float | None
    over: bool


@dataclass(frozen=True)
class Segment:
    """One source in the bar.

    Attributes:
        label: its name.
        group: what its colour goes by.
        size: what it costs.
        start: where it begins, of 1,000.
        width: how wide it is, of 1,000.
        percent: its share.
    """

    label: str
    group: str
    size: int
    start: float
    width: float
    percent: float


def message_rows(prompt: Prompt, comparison: Comparison | None) -> list[MessageRow]:
    """The messages of the page.

    Args:
        prompt: the prompt.
        comparison: what changed since the previous one, if there is one.

    Returns:
        One row a message.
    """
    rows = []
    running = ""
    for message in prompt.messages:
        rail = next((name for name in _RANGES if name in message.anchors), "")
        if not rail and any(anchor.startswith("depth ") for anchor in message.anchors):
            rail = "conversation"
        # A range is named where it begins, or begins again after a block.
        labels = tuple(anchor for anchor in message.anchors if anchor not in _RANGES or anchor != running)
        running = rail
        cut = None
        cache = ""
        if comparison is not None:
            cache = _cache_state(message.index, comparison)
            cut = comparison.common_text if cache == "lost" else None
        rows.append(
            MessageRow(
                message=message,
                entry=prompt.entries[message.made_by] if message.made_by is not None else None,
                parts=tuple(_part_rows(message, cut)),
                rail=rail,
                labels=labels,
                marks=prompt.gap_marks.get(message.index, ()),
                cache=cache,
            )
        )
    return rows


def entry_rows(prompt: Prompt) -> list[EntryRow]:
    """The table of blocks or fragments.

    Args:
        prompt: the prompt.

    Returns:
        One row an entry, in the prompt's order.
    """
    rows = []
    for number, entry in enumerate(prompt.entries):
        filled = None
        if entry.limit is not None and not math.isinf(entry.limit):
            filled = min(100.0, 100 * entry.size / entry.limit) if entry.limit else (100.0 if entry.size else 0.0)
        rows.append(
            EntryRow(
                entry=entry,
                target=f"e{number}" if entry.embedded else f"m{entry.message_index}",
                facts=dict(entry.facts),
                filled=filled,
                over=is_over(entry.size, entry.limit),
            )
        )
    return rows


def bar_segments(prompt: Prompt) -> list[Segment]:
    """The bar of sources; with a budget that is not used up, a full bar is the budget.

    Args:
        prompt: the prompt.

    Returns:
        One segment a source.
    """
    whole = prompt.total
    if prompt.limit is not None and not math.isinf(prompt.limit):
        whole = max(whole, int(prompt.limit))
    segments = []
    start = 0.0
    for share in prompt.shares:
        width = 1000 * share.size / whole if whole else 0.0
        percent = 100 * share.size / prompt.total if prompt.total else 0.0
        segments.append(
            Segment(share.label, share.group, share.size, round(start, 2), round(width, 2), round(percent, 1))
        )
        start += width
    return segments


def _cache_state(index: int, comparison: Comparison) -> str:
    if index < comparison.equal_messages:
        return "kept"
    return "lost" if index == comparison.first_changed else "after"


def _part_rows(message: PromptMessage, cut: int | None) -> Iterable[PartRow]:
    at = 0
    for part in message.parts:
        runs = _runs(part, message.made_by)
        length = sum(len(run.text) for run in runs)
        if cut is not None and at < cut <= at + length:
            runs = _marked(runs, cut - at)
        at += length
        head, rest = _folded(runs, length)
        yield PartRow(tuple(head), tuple(rest), sum(len(run.text) for run in rest), part.label)


def _runs(part: Part, made_by: int | None) -> list[Run]:
    return [Run(piece.text, _owner(piece, made_by)) for piece in part.pieces]


def _owner(piece: Piece, made_by: int | None) -> int | None:
    return None if piece.entry == made_by else piece.entry


def _marked(runs: Sequence[Run], at: int) -> list[Run]:
    """The runs with a mark before the character where the cache is lost."""
    before, after = _split(runs, at)
    if not after:
        return [*before, Run("", lost=True)]
    first, *others = after
    return [*before, Run(first.text, first.entry, first.starts, lost=True), *others]


def _folded(runs: Sequence[Run], length: int) -> tuple[list[Run], list[Run]]:
    at = _fold_point("".join(run.text for run in runs) if length > _FOLDED_LINES else "", length)
    return (list(runs), []) if at is None else _split(runs, at)


def _fold_point(text: str, length: int) -> int | None:
    point = _FOLDED_CHARS
    line = -1
    for _ in range(_FOLDED_LINES):
        line = text.find("\n", line + 1)
        if line < 0:
            break
    if 0 < line < point:
        point = line + 1
    if length - point < _WORTH_FOLDING:
        return None
    # Not within a word if one ends nearby.
    space = max(text.rfind(" ", point - 80, point), text.rfind("\n", point - 80, point))
    return space + 1 if space >= 0 else point


def _split(runs: Sequence[Run], at: int) -> tuple[list[Run], list[Run]]:
    before: list[Run] = []
    after: list[Run] = []
    for run in runs:
        if at >= len(run.text) and not after:
            before.append(run)
        elif at <= 0:
            after.append(run)
        else:
            before.append(Run(run.text[:at], run.entry, run.starts, run.lost))
            after.append(Run(run.text[at:], run.entry, starts=False))
        at -= len(run.text)
    return before, after
