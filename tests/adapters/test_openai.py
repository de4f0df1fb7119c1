"""The types of the openai library: what comes out is validated by them."""

from __future__ import annotations

from typing import Any

import pytest

from integration_libraries import library
from interleaf import LayoutError, place_context_blocks

pydantic = library("pydantic")
chat = library("openai.types.chat")
responses = library("openai.types.responses")

CHAT = pydantic.TypeAdapter(list[chat.ChatCompletionMessageParam])
INPUT = pydantic.TypeAdapter(responses.ResponseInputParam)

CALL = {"id": "c1", "type": "function", "function": {"name": "look", "arguments": "{}"}}


def conversation(length: int) -> dict[str, Any]:
    return {"conversation": {"message_indices": list(range(length))}}


def at_depth(depth: int, role: str = "system") -> dict[str, Any]:
    return {"id": f"d{depth}", "position": "at_depth", "depth": depth, "content": "It rains.", "role": role}


def test_chat_messages_are_valid_and_a_call_stays_with_its_results() -> None:
    messages: list[Any] = [
        {"role": "developer", "content": [{"type": "text", "text": "Note."}]},
        {"role": "user", "content": "Look around."},
        {"role": "assistant", "content": None, "tool_calls": [CALL, {**CALL, "id": "c2"}]},
        {"role": "tool", "tool_call_id": "c1", "content": "mill"},
        {"role": "tool", "tool_call_id": "c2", "content": "pond"},
    ]
    blocks = [
        {"id": "tone", "position": "author_note_bottom", "content": "Softly."},
        *(at_depth(depth, role) for depth, role in enumerate(["system", "developer", "user", "assistant"])),
    ]
    layout = {"author_note": 0, "conversation": {"message_indices": [1, 2, 3, 4]}}
    result = place_context_blocks(messages, blocks, layout)
    CHAT.validate_python(result.messages, strict=True)
    assert [each.gap for each in result.placements if each.position == "at_depth"] == [2, 2, 2, 5]
    assert [each for each in result.messages if each in messages] == messages[1:]
    assert all(any(new is old for new in result.messages) for old in messages[1:])


def test_the_iterators_of_validated_messages_come_out_unread() -> None:
    validated = CHAT.validate_python(
        [
            {"role": "system", "content": "Note."},
            {"role": "user", "content": [{"type": "text", "text": "Look."}, {"type": "text", "text": "Well?"}]},
            {"role": "assistant", "content": [{"type": "text", "text": "I do."}], "tool_calls": [CALL]},
            {"role": "tool", "tool_call_id": "c1", "content": [{"type": "text", "text": "mill"}]},
        ]
    )
    # If these were lists, this test would show nothing.
    assert not isinstance(validated[1]["content"], list)
    assert not isinstance(validated[2]["tool_calls"], list)
    blocks = [{"id": "tone", "position": "author_note_top", "content": "Softly."}, *map(at_depth, range(4))]
    layout = {"author_note": 0, "conversation": {"message_indices": [1, 2, 3]}}
    result = place_context_blocks(validated, blocks, layout)
    assert all(any(new is old for new in result.messages) for old in validated[1:])
    assert [part["text"] for part in validated[1]["content"]] == ["Look.", "Well?"]
    assert [part["text"] for part in validated[2]["content"]] == ["I do."]
    assert [call["id"] for call in validated[2]["tool_calls"]] == ["c1"]
    assert [part["text"] for part in validated[3]["content"]] == ["mill"]
    assert result.placements[-1].gap == 4
    assert [each.gap for each in result.placements if each.depth in (1, 2)] == [2, 2]


def test_a_host_that_holds_an_iterator_is_refused_with_the_iterator_unread() -> None:
    (message,) = CHAT.validate_python([{"role": "user", "content": [{"type": "text", "text": "{{outlet::lore}}"}]}])
    with pytest.raises(LayoutError) as caught:
        place_context_blocks([message], [], {"outlets": {"lore": 0}})
    assert caught.value.code == "content_not_text"
    assert [part["text"] for part in message["content"]] == ["{{outlet::lore}}"]


def test_message_objects_of_responses_go_into_the_list_as_they_are() -> None:
    answer = chat.ChatCompletionMessage.model_validate({"role": "assistant", "content": None, "tool_calls": [CALL]})
    messages: list[Any] = [
        {"role": "user", "content": "Look."},
        answer,
        {"role": "tool", "tool_call_id": "c1", "content": "mill"},
    ]
    result = place_context_blocks(messages, [at_depth(1)], conversation(3))
    assert result.messages[2] is answer
    assert result.placements[0].gap == 1
    assert place_context_blocks(messages[:2], [at_depth(0)], conversation(2)).placements[0].gap == 1


def test_a_message_object_as_host_keeps_every_field() -> None:
    answer = chat.ChatCompletionMessage.model_validate(
        {"role": "assistant", "content": "Hm, {{outlet::lore}}", "annotations": [], "reasoning_content": "extra"}
    )
    block = {"id": "lore", "position": "outlet", "outlet_name": "lore", "content": "rain."}
    (changed,) = place_context_blocks([answer], [block], {"outlets": {"lore": 0}}).messages
    assert type(changed) is chat.ChatCompletionMessage
    assert changed.to_dict() == {**answer.to_dict(), "content": "Hm, rain."}
    assert answer.content == "Hm, {{outlet::lore}}"
    chat.ChatCompletionMessage.model_validate(changed.model_dump(), strict=True)


def test_responses_items_as_dicts_and_as_objects_keep_reasoning_calls_and_results_together() -> None:
    reasoning = responses.ResponseReasoningItem(id="r", summary=[], type="reasoning")
    calls = [
        responses.ResponseFunctionToolCall(call_id=name, name="look", arguments="{}", type="function_call")
        for name in "ab"
    ]
    outputs = [{"type": "function_call_output", "call_id": name, "output": "mill"} for name in "ab"]
    user = {"role": "user", "content": [{"type": "input_text", "text": "Note."}]}
    for items in ([reasoning, *calls], [each.to_dict() for each in (reasoning, *calls)]):
        messages = [user, *items, *outputs]
        result = place_context_blocks(messages, [at_depth(depth) for depth in range(1, 5)], conversation(6))
        assert {each.gap for each in result.placements} == {1}
        assert all(any(new is old for new in result.messages) for old in messages)
        assert place_context_blocks(messages[:4], [at_depth(0)], conversation(4)).placements[0].gap == 1
    blocks = [{"id": "tone", "position": "author_note_bottom", "content": "Softly."}, at_depth(0)]
    result = place_context_blocks(
        messages, blocks, {"author_note": 0, "conversation": {"message_indices": range(1, 6)}}
    )
    INPUT.validate_python(result.messages, strict=True)
    assert result.messages[0]["content"][1] == {"type": "input_text", "text": "\nSoftly."}
