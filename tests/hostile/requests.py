"""One request that uses everything: all positions, hosts of both kinds, tool exchanges, ties, callbacks, budgets and an audit."""

from __future__ import annotations

from typing import Any

from hostile.tripwire import Tripwire

MESSAGES: list[dict[str, Any]] = [
    {"role": "system", "content": "You are the guard. {{outlet::lore}} {{outlet::weather}}", "name": "card"},
    {
        "role": "system",
        "content": [{"type": "text", "text": "Example {{outlet::example}}"}, {"type": "image_url", "url": "x"}],
    },
    {"role": "user", "content": "Let me in, 守卫."},
    {"role": "assistant", "content": None, "tool_calls": [{"id": "1", "type": "function"}]},
    {"role": "tool", "tool_call_id": "1", "content": "closed"},
    {"role": "user", "content": "\ud800 and \U0001f409"},
    {"role": "system", "content": "A note."},
]
BLOCKS: list[dict[str, Any]] = [
    {"id": "z", "position": "before_character", "content": "first", "role": "system", "order": 4},
    {"id": "a", "position": "after_character", "content": "café", "role": "user"},
    {"id": "b", "position": "before_examples", "content": "龙", "role": "system", "order": -3},
    {"id": "c", "position": "after_examples", "content": "", "role": "developer", "metadata": {"k": [1]}},
    {"id": "d2", "position": "at_depth", "depth": 2, "content": "deep", "role": "assistant", "order": 1.5},
    {"id": "d1", "position": "at_depth", "depth": 2, "content": "moved", "role": "system", "order": 1.5},
    {"id": "d0", "position": "at_depth", "depth": 0, "content": "last", "role": "user"},
    {"id": "n1", "position": "author_note_top", "content": "top"},
    {"id": "n2", "position": "author_note_bottom", "content": "bottom"},
    {"id": "o1", "position": "outlet", "outlet_name": "lore", "content": "fog", "order": 2},
    {"id": "o2", "position": "outlet", "outlet_name": "lore", "content": "\U0001f32b", "order": 2},
    {"id": "o3", "position": "outlet", "outlet_name": "example", "content": "shown"},
]
LAYOUT: dict[str, Any] = {
    "character": [0, 1],
    "examples": [1, 2],
    "conversation": {"message_indices": [2, 3, 4, 5]},
    "author_note": 6,
    "outlets": {"lore": 0, "weather": {"message_index": 0, "start": 36, "end": 55}, "example": 1},
}
FRAGMENTS: list[dict[str, Any]] = [
    {
        "id": f"f{index}",
        "source_id": f"s{index % 2}",
        "trust": trust,
        "lifetime": lifetime,
        "role": role,
        "max_chars": 90,
        "value": value,
    }
    for index, (trust, lifetime, role, value) in enumerate(
        [
            ("system", "static", "system", "You are the guard."),
            ("system", "static", "system", {"rules": [1, 2.5, None, True, "龙"], "n": {}}),
            ("external", "session", "user", ["é", "\U0001f409"]),
            ("tool", "turn", "assistant", "closed"),
        ]
    )
]
PLAN: dict[str, Any] = {
    "fragments": FRAGMENTS,
    "max_input_chars": 500,
    "additional_messages": [{"role": "user", "content": [{"type": "text", "text": "hi"}, {"type": "image"}]}],
    "original_fragments": FRAGMENTS,
    "mutable_fragment_ids": ["f2"],
    "unit": "utf16",
    "merge_adjacent": True,
    "separator": "--",
}


def copied(value: Any) -> Any:
    """A deep copy that shares no container with the original and makes new strings too."""
    if isinstance(value, dict):
        return {key: copied(item) for key, item in value.items()}
    if isinstance(value, list):
        return [copied(item) for item in value]
    if isinstance(value, str) and len(value) > 1:
        return "".join(list(value))
    return value


def callbacks(wire: Tripwire) -> dict[str, Any]:
    """The callbacks of a placement, each of which touches the wire."""

    def create_message(message: dict[str, Any]) -> dict[str, Any]:
        wire.touch()
        return {"made": True, **message}

    def render_block(block: Any) -> str:
        wire.touch()
        return f"<{block['content']}>"

    return {"create_message": create_message, "render_block": render_block}


def message_callbacks(wire: Tripwire) -> dict[str, Any]:
    """The other way to make messages: several for each block."""

    def render_messages(block: Any, content: str) -> list[Any]:
        wire.touch()
        return [{"role": block["role"], "content": content}, {"role": "user", "content": "and more"}]

    return {"render_messages": render_messages}
