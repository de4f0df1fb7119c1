"""What `place_context_blocks` did, as a prompt to look at."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .message_view import Span, view_message
from .prompt import CHAT, Entry, Prompt, Share

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from interleaf import Layout, Placement, PlacementResult

__all__ = ["placement_prompt"]


def placement_prompt(
    result: PlacementResult[Any], count: Callable[[str], int], unit: str, limit: float | None
) -> Prompt:
    """Arranges the result of a placement.

    Args:
        result: what `place_context_blocks` returned.
        count: measures a text.
        unit: what it counts.
        limit: a budget for the whole, in that unit.

    Returns:
        The prompt.
    """
    makers: dict[int, int] = {}
    spans: dict[int, list[Span]] = {}
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
        view = view_message(
            index,
            message,
            made_by=maker,
            origin=None if maker is not None else origin,
            anchors=anchors.get(index, ()),
            spans=spans.get(index, ()),
            count=count,
        )
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


def _entry(placement: Placement, size: int) -> Entry:
    facts = [("position", placement.position), ("order", str(placement.order))]
    if placement.position == "at_depth":
        facts.append(("depth", str(placement.depth)))
    if placement.position == "outlet":
        facts.append(("outlet", str(placement.outlet_name)))
    if placement.role is not None:
        facts.append(("role", str(placement.role)))
    if placement.requested_role is not None and placement.requested_role != placement.role:
        facts.append(("asked for role", str(placement.requested_role)))
    if placement.span is not None:
        where = f"{placement.span[0]}–{placement.span[1]}"
        facts.append(("span", where if placement.part_index is None else f"{where} of part {placement.part_index}"))
    if placement.gap is not None:
        facts.append(("gap", str(placement.gap)))
    if placement.moved:
        facts.append(("moved from gap", str(placement.requested_gap)))
    return Entry(
        id=placement.id,
        group=placement.position,
        facts=tuple(facts),
        message_index=placement.message_index,
        embedded=placement.span is not None,
        size=size,
        moved=placement.moved,
    )


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


def _region(anchors: Sequence[str]) -> str:
    for name in ("character", "examples", "author's note"):
        if name in anchors:
            return name
    return "conversation" if any(anchor.startswith("depth ") for anchor in anchors) else "other messages"
