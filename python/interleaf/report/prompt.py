"""The final prompt as something to look at: every message, who made each piece of it, and what it costs.

`explain` and the page both draw this; neither decides anything about placement.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from .message_text import MessagePart, message_parts, message_role

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from interleaf import BuiltContext, FragmentUsage, Layout, Placement, PlacementResult

__all__ = ["Entry", "Part", "Piece", "Prompt", "PromptMessage", "Share", "entry_of_usage", "prompt_of"]

CHAT: Final = "chat"
"""The group of text that no block and no fragment brought."""

SEPARATORS: Final = "separators"
ADDITIONAL: Final = "additional"


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


def prompt_of(
    result: PlacementResult[Any] | BuiltContext[Any],
    *,
    count: Callable[[str], int] | None = None,
    unit: str | None = None,
    limit: float | None = None,
) -> Prompt:
    """Arranges a result for looking at.

    Args:
        result: what `place_context_blocks` or `assemble_context_plan` returned.
        count: measures a text, a tokenizer for instance; code points if absent. Pieces are counted one by one, so the
            sum may differ a little from the count of the whole.
        unit: what `count` counts; `tokens` if absent.
        limit: a budget for the whole, in that unit; a plan brings its own.

    Returns:
        The prompt.

    Raises:
        TypeError: the result is of another type.
    """
    from interleaf import BuiltContext, PlacementResult

    if isinstance(result, PlacementResult):
        return _placement_prompt(result, count or len, unit or ("tokens" if count else "characters"), limit)
    if isinstance(result, BuiltContext):
        return _plan_prompt(result, count, unit, limit)
    raise TypeError(f"result must be a PlacementResult or a BuiltContext, not {type(result).__name__}")


def _placement_prompt(
    result: PlacementResult[Any], count: Callable[[str], int], unit: str, limit: float | None
) -> Prompt:
    makers: dict[int, int] = {}
    spans: dict[int, list[tuple[int | None, int, int, int]]] = {}
    for number, placement in enumerate(result.placements):
        for index in range(placement.message_index, placement.message_index + placement.message_count):
            makers[index] = number
        if placement.span is not None:
            spans.setdefault(placement.message_index, []).append((placement.part_index, *placement.span, number))
    anchors = _anchors(result.layout, len(result.messages))
    for placement in result.placements:
        if placement.position == "outlet":
            name = f"outlet {placement.outlet_name}"
            marks = anchors.setdefault(placement.message_index, [])
            if name not in marks:
                marks.append(name)

    messages = []
    sizes = [0] * len(result.placements)
    shares: dict[tuple[str, str], int] = {}
    origin = 0
    for index, message in enumerate(result.messages):
        maker = makers.get(index)
        view = _message(index, message, maker, None if maker is not None else origin, anchors, spans, count)
        origin += maker is None
        messages.append(view)
        for piece in (piece for part in view.parts for piece in part.pieces):
            size = count(piece.text)
            owner = maker if maker is not None else piece.entry
            if owner is None:
                share = (_region(view.anchors), CHAT)
            else:
                sizes[owner] += size
                position = result.placements[owner].position
                share = (position, position)
            shares[share] = shares.get(share, 0) + size
    entries = [_entry(placement, size) for placement, size in zip(result.placements, sizes, strict=True)]
    return Prompt(
        kind="placement",
        messages=tuple(messages),
        entries=tuple(entries),
        gap_marks=_gap_marks(result.layout),
        shares=tuple(Share(label, group, size) for (label, group), size in shares.items()),
        total=sum(shares.values()),
        limit=limit,
        unit=unit,
        unfilled_outlets=tuple(result.unfilled_outlets),
        facts=(),
    )


def _plan_prompt(
    result: BuiltContext[Any], count: Callable[[str], int] | None, unit: str | None, limit: float | None
) -> Prompt:
    units = {"codepoint": "characters", "utf16": "UTF-16 units", "utf8": "bytes"}
    shared: dict[int, int] = {}
    spans: dict[int, list[tuple[int | None, int, int, int]]] = {}
    for number, usage in enumerate(result.fragment_usage):
        shared[usage.message_index] = shared.get(usage.message_index, 0) + 1
        spans.setdefault(usage.message_index, []).append((None, *usage.span, number))
    messages = []
    sizes = [usage.chars for usage in result.fragment_usage]
    if count is not None:
        sizes = [0] * len(sizes)
    separators = additional = 0
    for index, message in enumerate(result.messages):
        numbers = [number for *_, number in spans.get(index, ())]
        maker = numbers[0] if len(numbers) == 1 else None
        origin = index - len(result.messages) if not numbers else None
        view = _message(index, message, maker, origin, {}, {} if maker is not None else spans, count or len)
        messages.append(view)
        if count is None:
            continue
        for piece in (piece for part in view.parts for piece in part.pieces):
            size = count(piece.text)
            owner = maker if maker is not None else piece.entry
            if owner is not None:
                sizes[owner] += size
            elif numbers:
                separators += size
            else:
                additional += size
    if count is None:
        separators, additional = result.separator_chars, result.additional_chars
    first_additional = 1 + max((usage.message_index for usage in result.fragment_usage), default=-1)
    messages = [
        message if message.origin is None else _renumbered(message, message.index - first_additional)
        for message in messages
    ]
    entries = [
        entry_of_usage(usage, size=size, limited=count is None, shared=shared[usage.message_index] > 1)
        for usage, size in zip(result.fragment_usage, sizes, strict=True)
    ]
    shares = _plan_shares(result.fragment_usage, sizes)
    if separators:
        shares.append(Share("separators", SEPARATORS, separators))
    if additional:
        shares.append(Share("additional messages", ADDITIONAL, additional))
    facts = [("static messages", str(result.static_messages)), ("session messages", str(result.session_messages))]
    if result.opaque_parts:
        facts.append(("parts that are no text", str(result.opaque_parts)))
    return Prompt(
        kind="plan",
        messages=tuple(messages),
        entries=tuple(entries),
        gap_marks=_cache_marks(result),
        shares=tuple(shares),
        total=sum(share.size for share in shares),
        limit=result.max_input_chars if count is None else limit,
        unit=unit or (units[result.unit] if count is None else "tokens"),
        unfilled_outlets=(),
        facts=tuple(facts),
    )


def entry_of_usage(
    usage: FragmentUsage, *, size: int | None = None, limited: bool = True, shared: bool = False
) -> Entry:
    """What one fragment used.

    Args:
        usage: its record.
        size: its size, if counted in another unit than the record's.
        limited: whether its budget is in the same unit.
        shared: whether other fragments stand in the same message.

    Returns:
        The entry.
    """
    facts = (("source", usage.source_id), ("trust", usage.trust), ("lifetime", usage.lifetime), ("role", usage.role))
    return Entry(
        id=usage.id,
        group=usage.trust,
        facts=facts,
        message_index=usage.message_index,
        embedded=shared,
        size=usage.chars if size is None else size,
        limit=usage.max_chars if limited else None,
    )


def _entry(placement: Placement, size: int) -> Entry:
    facts = [("position", placement.position), ("order", str(placement.order))]
    if placement.position == "at_depth":
        facts.append(("depth", str(placement.depth)))
    if placement.position == "outlet":
        facts.append(("outlet", str(placement.outlet_name)))
    if placement.role is not None:
        facts.append(("role", str(placement.role)))
    if placement.span is not None:
        where = f"{placement.span[0]}–{placement.span[1]}"
        facts.append(("span", where if placement.part_index is None else f"{where} of part {placement.part_index}"))
    if placement.gap is not None:
        facts.append(("gap", str(placement.gap)))
    if placement.moved:
        facts.append(("asked for gap", str(placement.requested_gap)))
    return Entry(
        id=placement.id,
        group=placement.position,
        facts=tuple(facts),
        message_index=placement.message_index,
        embedded=placement.span is not None,
        size=size,
        moved=placement.moved,
    )


def _message(
    index: int,
    message: object,
    maker: int | None,
    origin: int | None,
    anchors: dict[int, list[str]],
    spans: dict[int, list[tuple[int | None, int, int, int]]],
    count: Callable[[str], int],
) -> PromptMessage:
    here = spans.get(index, [])
    parts = tuple(Part(() if part.label else tuple(_pieces(part, here)), part.label) for part in message_parts(message))
    entries = tuple(number for *_, number in here) if maker is None else (maker,)
    return PromptMessage(
        index=index,
        role=message_role(message),
        parts=parts,
        made_by=maker,
        origin=origin,
        anchors=tuple(anchors.get(index, ())),
        entries=entries,
        size=sum(count(piece.text) for part in parts for piece in part.pieces),
    )


def _pieces(part: MessagePart, spans: Sequence[tuple[int | None, int, int, int]]) -> Iterable[Piece]:
    at = 0
    for _, start, end, number in sorted(
        (span for span in spans if span[0] == part.index), key=lambda span: (span[1], span[2])
    ):
        if at < start:
            yield Piece(part.text[at:start])
        # An empty span is kept: an empty block was placed, and that must be seen.
        yield Piece(part.text[start:end], number)
        at = end
    if at < len(part.text):
        yield Piece(part.text[at:])


def _anchors(layout: Layout, count: int) -> dict[int, list[str]]:
    anchors: dict[int, list[str]] = {}
    for name in ("character", "examples"):
        span = getattr(layout, name)
        for index in range(*span) if span is not None else ():
            anchors.setdefault(index, []).append(name)
    if layout.conversation is not None:
        indices = layout.conversation.message_indices
        for position, index in enumerate(indices):
            if index < count:
                anchors.setdefault(index, []).append(f"depth {len(indices) - position}")
    if layout.author_note is not None:
        anchors.setdefault(layout.author_note, []).append("author's note")
    for name, span in (layout.outlets or {}).items():
        index = span if isinstance(span, int) else span.message_index
        anchors.setdefault(index, []).append(f"outlet {name}, unfilled")
    return anchors


def _gap_marks(layout: Layout) -> dict[int, tuple[str, ...]]:
    marks: dict[int, tuple[str, ...]] = {}
    for name in ("character", "examples"):
        span = getattr(layout, name)
        if span is not None and span[0] == span[1]:
            marks[span[0]] = (*marks.get(span[0], ()), f"{name} (empty)")
    conversation = layout.conversation
    if conversation is not None and not conversation.message_indices and conversation.empty_index is not None:
        marks[conversation.empty_index] = (*marks.get(conversation.empty_index, ()), "conversation (empty)")
    return marks


def _cache_marks(result: BuiltContext[Any]) -> dict[int, tuple[str, ...]]:
    marks: dict[int, tuple[str, ...]] = {}
    for name, index in (("static", result.static_messages), ("session", result.session_messages)):
        if index:
            marks[index] = (*marks.get(index, ()), f"end of {name}")
    return marks


def _region(anchors: Sequence[str]) -> str:
    for name in ("character", "examples", "author's note"):
        if name in anchors:
            return name
    return "conversation" if any(anchor.startswith("depth ") for anchor in anchors) else "other messages"


def _plan_shares(usages: Sequence[FragmentUsage], sizes: Sequence[int]) -> list[Share]:
    shares: dict[tuple[str, str], int] = {}
    for usage, size in zip(usages, sizes, strict=True):
        key = (usage.source_id, usage.trust)
        shares[key] = shares.get(key, 0) + size
    return [Share(source, trust, size) for (source, trust), size in shares.items()]


def _renumbered(message: PromptMessage, origin: int) -> PromptMessage:
    from dataclasses import replace

    return replace(message, origin=origin)


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
