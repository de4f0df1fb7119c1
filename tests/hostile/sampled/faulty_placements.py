"""Random placements in which one thing is wrong."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hostile.sampled.calls import Call
from hostile.sampled.faults import with_one_fault, with_one_fault_inside
from hostile.sampled.placements import placement
from hostile.sampled.source import Source
from interleaf import OutletSpan
from interleaf.reference.words import (
    BLOCK_FIELDS,
    CONVERSATION_FIELDS,
    LAYOUT_FIELDS,
    OUTLET_SPAN_FIELDS,
    POSITIONS,
    ROLES,
)
from strategies import ODD_ITERABLES, ODD_VALUES, OUTLET_NAMES

# What is no mapping is a message of another library, which is for the adapters' own tests.
_ODD_MESSAGES = tuple(value for value in ODD_VALUES if not isinstance(value, (tuple, list, range)) or not value)
_ODD_ITEMS = tuple(value for value in ODD_VALUES if isinstance(value, dict))


def _messages(source: Source, call: Call) -> None:
    if source.chance(0.2):
        call.arguments[0] = source.one_of(_ODD_MESSAGES)
    else:
        at = source.below(len(call.arguments[0]) + 1)
        call.arguments[0] = [*call.arguments[0][:at], dict(source.one_of(_ODD_ITEMS)), *call.arguments[0][at:]]


def _content(source: Source, call: Call) -> None:
    """A marker may be gone, or be there twice; the content may be none."""
    messages = call.arguments[0]
    if not messages:
        return
    at = source.below(len(messages))
    changed = dict(messages[at])
    content = changed.get("content")
    kind = source.below(3)
    if kind == 0 or not isinstance(content, (str, list)):
        changed["content"] = source.one_of(ODD_VALUES)
    else:
        changed["content"] = content * 2 if kind == 1 else content[: len(content) // 2]
    call.arguments[0] = [*messages[:at], changed, *messages[at + 1 :]]


def _blocks(source: Source, call: Call) -> None:
    kind = source.random()
    blocks = call.arguments[1]
    if kind < 0.06:
        call.arguments[1] = source.one_of(ODD_ITERABLES)
    elif kind < 0.15:
        call.arguments[1] = [*blocks, *blocks[:1]]
    else:
        call.arguments[1] = with_one_fault_inside(source, blocks, BLOCK_FIELDS)


def _loose_block(source: Source, call: Call) -> None:
    """A block that may have no anchor."""
    loose = {
        "id": "loose",
        "position": source.one_of(POSITIONS),
        "content": source.text(),
        "role": source.one_of(ROLES),
        "depth": source.depth(),
        "outlet_name": source.one_of(OUTLET_NAMES),
    }
    call.arguments[1] = [*call.arguments[1], loose]


def _layout(source: Source, call: Call) -> None:
    if source.chance(0.15):
        call.arguments[2] = source.one_of(ODD_VALUES)
    else:
        call.arguments[2] = with_one_fault(source, call.arguments[2], LAYOUT_FIELDS)


def _range(source: Source, call: Call) -> None:
    count = len(call.arguments[0])
    bounds = (source.below(count + 3) - 1, source.below(count + 3) - 1)
    name = source.one_of(("character", "examples"))
    fault: Any = with_one_fault(source, {"start": bounds[0], "end": bounds[1]}, ("start", "end"))
    call.arguments[2] = {**call.arguments[2], name: fault if source.chance(0.3) else bounds}


def _conversation(source: Source, call: Call) -> None:
    layout = call.arguments[2]
    conversation = layout.get("conversation", {"message_indices": [0], "empty_index": 0})
    if not isinstance(conversation, dict):
        conversation = conversation.to_dict()
    if source.chance(0.5):
        changed = with_one_fault(source, conversation, CONVERSATION_FIELDS)
    else:
        key = "messageIndices" if "messageIndices" in conversation else "message_indices"
        indices = list(conversation[key])
        indices.insert(
            source.below(len(indices) + 1), source.one_of(range(-1, 11) if source.chance(0.7) else ODD_VALUES)
        )
        changed = {**conversation, key: indices}
    call.arguments[2] = {**layout, "conversation": changed}


def _outlet(source: Source, call: Call) -> None:
    layout = call.arguments[2]
    outlets = dict(layout.get("outlets") or {"lore": 0})
    if source.chance(0.15):
        # Names that are no names.
        name: Any = source.one_of(("", "a{{", "}}", 7, None, ("lore",)))
        outlets = {**outlets, name: 0} if source.chance(0.5) else {name: 0, **outlets}
    name = source.one_of((*outlets, *OUTLET_NAMES))
    anchor = outlets.get(name)
    if isinstance(anchor, OutletSpan):
        anchor = anchor.to_dict()
    if isinstance(anchor, dict):
        outlets[name] = with_one_fault(source, anchor, OUTLET_SPAN_FIELDS)
    else:
        outlets[name] = source.one_of((*ODD_VALUES, 0, 1, 2))
    call.arguments[2] = {**layout, "outlets": outlets}


def _option(source: Source, call: Call) -> None:
    odd = source.one_of(ODD_ITERABLES)
    kind = source.random()
    if kind < 0.15:
        # A block that is rendered to nothing would be gone.
        call.options["render_messages"] = lambda *_: []
    elif kind < 0.4:
        # A callback that returns what it must not.
        call.options[source.one_of(("render_block", "render_messages"))] = lambda *_: odd
    elif kind < 0.5:
        wrong: tuple[Any, ...] = ({"system": odd}, {"user": "usr"}, {7: "user"})
        call.options["mid_conversation_roles"] = source.one_of(wrong)
    else:
        name = source.one_of(
            (
                *("tool_exchanges", "unfilled_outlets", "separator", "mid_conversation_roles", "content_policy"),
                *("render_block", "render_messages", "create_message", "adapter"),
            )
        )
        # A class is callable, but makes something that differs each time.
        call.options[name] = None if odd is str else odd


_FAULTS: tuple[Callable[[Source, Call], None], ...] = (
    *(_blocks, _blocks, _blocks, _blocks, _blocks, _blocks, _loose_block, _loose_block),
    *(_layout, _layout, _range, _range, _conversation, _conversation, _outlet, _outlet, _outlet),
    *(_option, _option, _messages, _content, _content),
)


def faulty_placement(source: Source) -> Call:
    """Draw a placement with a fault, now and then with two: the first in the order of checks is the one that counts."""
    call = placement(source)
    source.one_of(_FAULTS)(source, call)
    if source.chance(0.15) and all(
        isinstance(one, kind) for one, kind in zip(call.arguments, (list, list, dict), strict=True)
    ):
        plain = all(isinstance(given, dict) for given in (*call.arguments[0], *call.arguments[1]))
        if plain and isinstance(call.arguments[2].get("outlets", {}), dict):
            _blocks(source, call)
    return call
