"""The final prompt as something to look at: every message, who made each piece of it, and what it costs.

`explain` and the page both draw this; neither decides anything about placement.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Final

__all__ = ["CHAT", "Entry", "Part", "Piece", "Prompt", "PromptMessage", "Share", "is_over"]

CHAT: Final = "chat"
"""The group of text that no block and no fragment brought."""


@dataclass(frozen=True)
class Piece:
    """A run of text with one origin.

    Attributes:
        text: the text.
        entry: the number of the entry that brought it; None for the message's own text.
    """

    text: str
    entry: int | None = None


@dataclass(frozen=True)
class Part:
    """One part of a message.

    Attributes:
        pieces: its text in order; empty for a part that is no text.
        label: what to show for a part that is no text.
    """

    pieces: tuple[Piece, ...]
    label: str = ""


@dataclass(frozen=True)
class PromptMessage:
    """One message of the final list.

    Attributes:
        index: its index.
        role: its role.
        parts: what it says.
        made_by: the number of the entry that made all of it; None for a message that was there before.
        origin: its index in the input messages; None if it was made here.
        anchors: the anchors that this message is or belongs to.
        entries: the numbers of the entries that have text in it, in reading order.
        size: its text, measured.
    """

    index: int
    role: str
    parts: tuple[Part, ...]
    made_by: int | None
    origin: int | None
    anchors: tuple[str, ...]
    entries: tuple[int, ...]
    size: int


@dataclass(frozen=True)
class Entry:
    """A block or a fragment, and where it ended up.

    Attributes:
        id: its id.
        group: what its colour goes by: the position of a block, the trust of a fragment.
        facts: the rest of what the record says, as name and value.
        message_index: the message it stands in.
        embedded: whether it stands inside a message that was there before, or that it shares.
        size: its text, measured.
        limit: its own budget; None if it has none.
        moved: whether a tool exchange pushed it from the gap it asked for.
    """

    id: str
    group: str
    facts: tuple[tuple[str, str], ...]
    message_index: int
    embedded: bool
    size: int
    limit: float | None = None
    moved: bool = False


@dataclass(frozen=True)
class Share:
    """One source's part of the whole.

    Attributes:
        label: its name.
        group: what its colour goes by.
        size: its text, measured.
    """

    label: str
    group: str
    size: int


@dataclass(frozen=True)
class Prompt:
    """All of it.

    Attributes:
        kind: `placement` or `plan`.
        messages: the final messages.
        entries: the blocks in prompt order, or the fragments in theirs.
        gap_marks: anchors that are no message, by the index of the message they stand before.
        shares: what each source costs.
        total: what all of it costs.
        limit: the budget of the whole; None if there is none.
        unit: what sizes are counted in, such as `characters`.
        unfilled_outlets: the outlets that no block fills.
        facts: what else the result says of the whole, as name and value.
    """

    kind: str
    messages: tuple[PromptMessage, ...]
    entries: tuple[Entry, ...]
    gap_marks: dict[int, tuple[str, ...]]
    shares: tuple[Share, ...]
    total: int
    limit: float | None
    unit: str
    unfilled_outlets: tuple[str, ...]
    facts: tuple[tuple[str, str], ...]


def is_over(size: int, limit: float | None) -> bool:
    """Whether a size is over a budget.

    Args:
        size: what was measured.
        limit: the budget; None or `math.inf` is no limit.

    Returns:
        Whether it is.

    >>> is_over(3, 2), is_over(3, None), is_over(3, float("inf"))
    (True, False, False)
    """
    return limit is not None and not math.isinf(limit) and size > limit
