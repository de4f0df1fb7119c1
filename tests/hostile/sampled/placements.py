"""Random placements that are well formed: messages of all shapes, with a layout, blocks and options that fit them."""

from __future__ import annotations

import copy
from typing import Any

from hostile.sampled.calls import ITERABLES, PLACE, SEQUENCES, Call, callbacks
from hostile.sampled.source import Source
from interleaf import ContextBlock, Conversation, InterleafError, Layout, OutletSpan
from interleaf.reference.words import POSITIONS, ROLES, STANDALONE_POSITIONS
from strategies import EXCHANGE_MESSAGES, OUTLET_NAMES, marker, text_places

_OTHER_PARTS: tuple[Any, ...] = (
    *({"type": "image_url", "image_url": {"url": "x"}}, {"type": "text"}, {"type": "text", "text": None}),
    *({"type": "tool_result", "content": "rain"}, {"toolUse": {}}, {"functionResponse": 0}, 7, "text", {}, None),
)
_ROLE_CHANGES: tuple[Any, ...] = (
    None,
    {},
    {"system": "user"},
    {"system": "user", "user": "assistant", "developer": "developer"},
)


def _part(source: Source) -> Any:
    if source.chance(0.67):
        kind = source.one_of(("text", "input_text"))
        return {"type": kind, "text": source.text(), "cache": source.chance(0.5)}
    part = source.one_of(_OTHER_PARTS)
    return dict(part) if isinstance(part, dict) else part


def message(source: Source) -> dict[str, Any]:
    """Draw a message: a text, a list of parts, or a piece of a tool exchange as one of the providers writes it."""
    if source.chance(0.3):
        return copy.deepcopy(source.one_of(EXCHANGE_MESSAGES))
    content: Any = source.text()
    if source.chance(0.33):
        content = [_part(source) for _ in range(source.below(5))]
    made = {"role": source.one_of(ROLES), "content": content}
    return {"name": "é", **made, "extra": [1]} if source.chance(0.2) else made


def _ranges(source: Source, count: int) -> list[tuple[int, int] | None]:
    """Two ranges that may touch or be empty, in either order, or be absent."""
    points = sorted([source.below(count + 1) for _ in range(4)])
    pair: list[tuple[int, int] | None] = [(points[0], points[1]), (points[2], points[3])]
    if source.chance(0.5):
        pair.reverse()
    return [None if source.chance(0.25) else bounds for bounds in pair]


def _range_form(source: Source, bounds: tuple[int, int]) -> Any:
    start, end = bounds
    forms: tuple[Any, ...] = (bounds, [start, end], {"start": start, "end": end}, {"end": end, "start": start})
    return source.one_of(forms)


def _conversation(source: Source, count: int, ranges: list[tuple[int, int]], note: int | None) -> Any:
    free = [index for index in range(count) if index != note and not any(s <= index < e for s, e in ranges)]
    density = source.one_of((1.0, 1.0, 0.5, 0.0))
    indices = [index for index in free if source.random() < density]
    gaps = [gap for gap in range(count + 1) if not any(s < gap < e for s, e in ranges)]
    empty_index = source.one_of(gaps) if not indices or source.chance(0.5) else None
    listed: Any = indices if source.chance(0.5) else tuple(indices)
    if indices and indices == list(range(indices[0], indices[-1] + 1)) and source.chance(0.5):
        listed = range(indices[0], indices[-1] + 1)
    if source.chance(0.25):
        return Conversation(listed, empty_index)
    conversation = {source.spelling("message_indices"): listed}
    if empty_index is not None or source.chance(0.1):
        conversation[source.spelling("empty_index")] = empty_index
    return conversation


def _outlets(source: Source, messages: list[Any]) -> dict[str, Any]:
    """Put markers into messages (which changes them) and declare them, by index or by span."""
    hosts = [(index, places) for index, given in enumerate(messages) if (places := text_places(given))]
    if not hosts or source.chance(0.3):
        return {}
    found: dict[str, tuple[int, int | None, dict[str, Any], str]] = {}
    for name in source.several(OUTLET_NAMES, 3):
        index, places = source.one_of(hosts)
        part = source.one_of(places)
        holder, key = (messages[index], "content") if part is None else (messages[index]["content"][part], "text")
        text: str = "" if source.chance(0.25) else holder[key]
        at = source.below(len(text) + 1)
        if "{{outlet::" in text[:at] and source.chance(0.9):
            # Mostly not inside another marker, which would undo it.
            at = len(text)
        holder[key] = text[:at] + marker(name) + text[at:]
        found[name] = index, part, holder, key
    declared: dict[str, Any] = {}
    for name, (index, part, holder, key) in found.items():
        start = holder[key].find(marker(name))
        declared[name] = index
        if start >= 0 and source.chance(0.33):
            span = {"message_index": index, "start": start, "end": start + len(marker(name)), "part_index": part}
            declared[name] = source.one_of((span, OutletSpan(**span)))
    return declared


def _block(source: Source, identifier: str, positions: list[str], outlets: list[str]) -> dict[str, Any]:
    position = source.one_of(positions)
    block: dict[str, Any] = {"id": identifier, "position": position, "content": source.text()}
    if position in STANDALONE_POSITIONS or source.chance(0.25):
        block["role"] = source.one_of(ROLES)
    if source.chance(0.5):
        block["order"] = source.order()
    if position == "at_depth" or source.chance(0.17):
        block["depth"] = source.depth()
    if position == "outlet" or source.chance(0.17):
        block[source.spelling("outlet_name")] = source.one_of(outlets or OUTLET_NAMES)
    if source.chance(0.5):
        block["metadata"] = source.metadata()
    return block


def _options(source: Source, log: list[Any]) -> dict[str, Any]:
    options: dict[str, Any] = {}
    for name, values in (
        ("tool_exchanges", ("keep", "split", "split", None)),
        ("unfilled_outlets", ("remove", "keep", "keep", "error", None)),
        ("separator", (None, source.text())),
        ("mid_conversation_roles", _ROLE_CHANGES),
        ("content_policy", ("ignore", "report", "report", "refuse", None)),
    ):
        if source.chance(0.3):
            options[name] = source.one_of(values)
    if source.chance(0.5):
        made = callbacks(log, raise_at=source.below(12) if source.chance(0.15) else -1)
        options.update({name: made[name] for name in source.several(list(made), len(made))})
    return options


def placement(source: Source) -> Call:
    """Draw a placement with blocks and layout as mappings, to be put into another form by `with_native_objects`."""
    messages = [message(source) for _ in range(source.below(10))]
    count = len(messages)
    character, examples = _ranges(source, count)
    with_text = [index for index, given in enumerate(messages) if isinstance(given.get("content"), (str, list))]
    note = None
    if count and source.chance(0.5):
        # Any message can be declared; blocks can only be embedded in one that has text.
        note = source.one_of(with_text) if with_text else source.below(count)
    outlets = _outlets(source, messages)
    layout: dict[str, Any] = {}
    if character is not None:
        layout["character"] = _range_form(source, character)
    if examples is not None:
        layout["examples"] = _range_form(source, examples)
    if source.chance(0.75):
        ranges = [bounds for bounds in (character, examples) if bounds is not None]
        layout["conversation"] = _conversation(source, count, ranges, note)
    if note is not None:
        layout[source.spelling("author_note")] = note
    if outlets or source.chance(0.5):
        layout["outlets"] = outlets
    is_declared = {
        "character": character is not None,
        "examples": examples is not None,
        "at_depth": "conversation" in layout,
        "note": note in with_text,
        "outlet": bool(outlets),
    }
    positions = [
        position for position in POSITIONS if any(is_declared[word] for word in is_declared if word in position)
    ]
    if outlets:
        positions.append("outlet")
    blocks = [_block(source, identifier, positions, list(outlets)) for identifier in source.identifiers(9) if positions]
    log: list[Any] = []
    call = Call(PLACE, [messages, blocks, layout], _options(source, log), log=log)
    if source.chance(0.1):
        call.forms[0] = source.one_of(SEQUENCES)
    if source.chance(0.3):
        call.forms[1] = source.one_of(ITERABLES)
    return call


def with_native_objects(source: Source, call: Call) -> None:
    """Put some of the mappings into native form: those that can be built, for a native object checks itself."""
    messages, blocks, layout = call.arguments
    if isinstance(blocks, list):
        share = source.one_of((0.5, 1.0))
        blocks = [_native(ContextBlock, block) if source.random() < share else block for block in blocks]
    if source.chance(0.7):
        layout = _native(Layout, layout)
    call.arguments = [messages, blocks, layout]


def _native(native_class: Any, given: Any) -> Any:
    try:
        return native_class.from_dict(given)
    except (InterleafError, TypeError):
        return given
