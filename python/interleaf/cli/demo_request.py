"""The requests of the demo: a small lorebook in two languages, and a plan around it.

The setting is our own: a harbour at the edge of the ice, and the keeper of its lamp.
"""

from __future__ import annotations

from typing import Any

__all__ = ["place_request", "plan_request"]


def place_request() -> dict[str, Any]:
    """A chat with a tool exchange and a note, ten blocks over all eight positions, and the layout.

    Returns:
        A new placement request, as `interleaf place` takes it.
    """
    return {
        "messages": [
            {
                "role": "system",
                "content": "You are Mara, keeper of the lamp at Grey Point. You speak briefly. Tonight: {{outlet::tonight}}",
            },
            {"role": "user", "content": "Mara, what do you do all day?"},
            {"role": "assistant", "content": "Trim the wick. Watch the water. The day is short here."},
            {"role": "system", "content": "Answer as Mara, in the language of the question."},
            {"role": "user", "content": "我们的船明早能出港吗?"},
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [
                    {"id": "call_1", "type": "function", "function": {"name": "read_tide_table", "arguments": "{}"}}
                ],
            },
            {"role": "tool", "tool_call_id": "call_1", "content": '{"high_water": "06:40", "ice": "thin"}'},
            {"role": "assistant", "content": "六点四十分满潮,冰很薄。可以走,但要趁早。"},
            {"role": "user", "content": "And if the fog comes in?"},
        ],
        "blocks": [
            {
                "id": "world/grey-point",
                "position": "before_character",
                "role": "system",
                "content": "Grey Point is the last harbour before the ice. 灰岬是冰原前的最后一个港口。",
            },
            {
                "id": "world/lamp",
                "position": "after_character",
                "role": "system",
                "content": "The lamp must burn from dusk to dawn; the keeper may not leave it.",
            },
            {
                "id": "style/before",
                "position": "before_examples",
                "role": "system",
                "content": "How Mara talks:",
            },
            {
                "id": "style/after",
                "position": "after_examples",
                "role": "system",
                "content": "The talk begins here. 以下是正式对话。",
            },
            {
                "id": "memory/tide",
                "position": "at_depth",
                "depth": 3,
                "role": "system",
                "content": "雾天出港的船要跟着钟声走:一声向左,两声向右。",
            },
            {
                "id": "rule/fog",
                "position": "at_depth",
                "depth": 0,
                "role": "system",
                "order": 10,
                "content": "In fog no boat leaves before the bell has answered twice.",
            },
            {
                "id": "memory/player",
                "position": "at_depth",
                "depth": 0,
                "role": "system",
                "order": -5,
                "content": "The visitor owes Mara a can of oil.",
            },
            {
                "id": "note/mood",
                "position": "author_note_top",
                "content": "Mara is tired and a little afraid of the fog.",
            },
            {
                "id": "note/length",
                "position": "author_note_bottom",
                "content": "Two sentences at most. 最多两句话。",
            },
            {
                "id": "outlet/weather",
                "position": "outlet",
                "outlet_name": "tonight",
                "content": "thin ice, no wind, 西边有雾。",
            },
        ],
        "layout": {
            "character": [0, 1],
            "examples": [1, 3],
            "author_note": 3,
            "conversation": {"message_indices": [4, 5, 6, 7, 8]},
            "outlets": {"tonight": 0},
        },
    }


def plan_request() -> dict[str, Any]:
    """A plan of five fragments by four sources, audited against its originals, one of which may change.

    Returns:
        A new plan, as `interleaf plan` takes it.
    """
    fragments = [
        _fragment(
            "policy", "house", "system", "static", "system", 200, "Stay in the story. Never claim to be a person."
        ),
        _fragment(
            "persona", "card", "developer", "static", "system", 200, "You are Mara, keeper of the lamp at Grey Point."
        ),
        _fragment(
            "summary", "memory", "tool", "session", "system", 120, "The visitor asked about the tide. 访客问过潮水。"
        ),
        _fragment("tide", "tide-table", "external", "turn", "user", 80, {"high_water": "06:40", "ice": "thin"}),
        _fragment("hint", "house", "system", "turn", "developer", 60, "Answer the last question only."),
    ]
    originals = [dict(fragment) for fragment in fragments]
    originals[2]["value"] = "The visitor asked about the tide."
    return {
        "fragments": fragments,
        "max_input_chars": 400,
        "additional_messages": [{"role": "user", "content": "And if the fog comes in?"}],
        "original_fragments": originals,
        "mutable_fragment_ids": ["summary"],
    }


def _fragment(
    fragment_id: str, source_id: str, trust: str, lifetime: str, role: str, max_chars: int, value: Any
) -> dict[str, Any]:
    return {
        "id": fragment_id,
        "source_id": source_id,
        "trust": trust,
        "lifetime": lifetime,
        "role": role,
        "max_chars": max_chars,
        "value": value,
    }
