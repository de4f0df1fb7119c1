"""The types of the anthropic library, and its top-level system field."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from integration_libraries import library
from interleaf import AdapterError, place_context_blocks
from interleaf.adapters import split_system

pydantic = library("pydantic")
types = library("anthropic.types")

MESSAGES = pydantic.TypeAdapter(list[types.MessageParam])
SYSTEM = pydantic.TypeAdapter(list[types.TextBlockParam])

CACHED = {"cache_control": {"type": "ephemeral"}}
CALL = {"type": "tool_use", "id": "t1", "name": "look", "input": {}}
ANSWER = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "mill", **CACHED}]}


def at_depth(depth: int, role: str = "user") -> dict[str, Any]:
    return {"id": f"d{depth}", "position": "at_depth", "depth": depth, "content": "It rains.", "role": role}


@pytest.mark.parametrize("as_objects", [False, True])
def test_a_call_and_its_result_stay_together(as_objects: bool) -> None:
    content: list[Any] = [{"type": "text", "text": "I look."}, CALL]
    if as_objects:
        # As the library tells to append a response.
        reply = {
            "id": "m",
            "type": "message",
            "role": "assistant",
            "model": "x",
            "content": content,
            "stop_reason": "tool_use",
        }
        content = types.Message.model_validate({**reply, "usage": {"input_tokens": 1, "output_tokens": 1}}).content
    messages: list[Any] = [{"role": "user", "content": "Look."}, {"role": "assistant", "content": content}, ANSWER]
    layout = {"conversation": {"message_indices": [0, 1, 2]}}
    result = place_context_blocks(messages, [at_depth(0), at_depth(1), at_depth(2)], layout)
    assert [each.gap for each in result.placements] == [1, 1, 3]
    assert all(any(new is old for new in result.messages) for old in messages)
    without_result = place_context_blocks(messages[:2], [at_depth(0)], {"conversation": {"message_indices": [0, 1]}})
    assert without_result.placements[0].gap == 1
    if not as_objects:
        MESSAGES.validate_python(result.messages, strict=True)


def test_a_message_object_is_read_like_its_dict() -> None:
    reply = types.Message.model_validate(
        {
            "id": "m",
            "type": "message",
            "role": "assistant",
            "model": "x",
            "content": [{"type": "text", "text": "Hm, {{outlet::lore}}"}, CALL],
            "usage": {"input_tokens": 1, "output_tokens": 1},
        }
    )
    blocks = [
        at_depth(1),
        {"id": "lore", "position": "outlet", "outlet_name": "lore", "content": "rain."},
        {"id": "tone", "position": "author_note_top", "content": "Softly."},
    ]
    layout = {"author_note": 0, "outlets": {"lore": 0}, "conversation": {"message_indices": [1]}}
    result = place_context_blocks([reply, ANSWER], blocks, layout)
    changed = result.messages[1]
    assert type(changed) is types.Message
    assert [type(part) for part in changed.content] == [types.TextBlock, types.TextBlock, types.ToolUseBlock]
    assert [part.text for part in changed.content[:2]] == ["Softly.\n", "Hm, rain."]
    assert changed.content[2] is reply.content[1]
    assert changed.usage is reply.usage
    assert result.messages[0]["content"] == "It rains."


def test_cache_control_is_kept_on_what_is_embedded_in() -> None:
    part = {"type": "text", "text": "See {{outlet::lore}}", **CACHED}
    other = {"type": "text", "text": "Kept.", **CACHED}
    blocks = [{"id": "lore", "position": "outlet", "outlet_name": "lore", "content": "rain."}]
    result = place_context_blocks([{"role": "user", "content": [part, other]}], blocks, {"outlets": {"lore": 0}})
    MESSAGES.validate_python(result.messages, strict=True)
    assert result.messages[0]["content"][0] == {"type": "text", "text": "See rain.", **CACHED}
    assert result.messages[0]["content"][1] is other


def test_leading_system_messages_become_the_system_field_with_their_cache_control() -> None:
    part = {"type": "text", "text": "Card.", **CACHED}
    user, late = {"role": "user", "content": "Hello."}, {"role": "system", "content": "Late."}
    messages: list[Any] = [
        {"role": "system", "content": "Be kind."},
        {"role": "developer", "content": "Be brief.", **CACHED},
        {"role": "system", "content": [part, {"type": "text", "text": ""}, {"type": "input_text", "text": "Typed."}]},
        {"role": "system", "content": ""},
        SimpleNamespace(role="system", content="Object."),
        user,
        late,
    ]
    system, others = split_system(messages)
    assert system == [
        {"type": "text", "text": "Be kind."},
        {"type": "text", "text": "Be brief.", **CACHED},
        part,
        {"type": "text", "text": "Typed."},
        {"type": "text", "text": "Object."},
    ]
    assert system[2] is part
    assert [id(each) for each in others] == [id(user), id(late)]
    assert len(messages) == 7
    SYSTEM.validate_python(system, strict=True)
    MESSAGES.validate_python(others, strict=True)


def test_no_system_message_gives_no_system_block() -> None:
    user = {"role": "user", "content": "Hello."}
    assert split_system(iter([user])) == ([], [user])
    assert split_system([]) == ([], [])


@pytest.mark.parametrize(
    ("messages", "code", "path"),
    [
        ([{"role": "system", "content": None}], "system_not_text", "messages[0]"),
        (
            [{"role": "system", "content": []}, {"role": "system", "content": [{"type": "image"}]}],
            "system_not_text",
            "messages[1]",
        ),
        (
            [{"role": "user", "content": "a"}, {"role": "developer", "content": "b"}],
            "system_not_a_message",
            "messages[1]",
        ),
        ([{"role": "user", "content": "a"}, 5], "unsupported_message", "messages[1]"),
    ],
)
def test_what_the_system_field_cannot_hold_is_refused(messages: list[Any], code: str, path: str) -> None:
    with pytest.raises(AdapterError, match=rf"^{path[:8]}\[{path[9]}\]: found") as caught:
        split_system(messages)
    assert (caught.value.code, caught.value.path) == (code, path)
