"""Messages of langchain-core."""

from __future__ import annotations

from typing import Any

import pytest

from integration_libraries import library
from interleaf import place_context_blocks
from interleaf.adapters import LangChainAdapter, MessageAdapter, merge_leading_system

lc = library("langchain_core.messages")
pydantic = library("pydantic")
openai_chat = library("openai.types.chat")

OPENAI = pydantic.TypeAdapter(list[openai_chat.ChatCompletionMessageParam])
CALL = {"name": "look", "args": {}, "id": "c1", "type": "tool_call"}


def at_depth(depth: int, role: str = "system") -> dict[str, Any]:
    return {"id": f"d{depth}", "position": "at_depth", "depth": depth, "content": "It rains.", "role": role}


def note(position: str = "author_note_bottom") -> dict[str, Any]:
    return {"id": position, "position": position, "content": "soft"}


def host(message: Any) -> Any:
    return place_context_blocks([message], [note()], {"author_note": 0})


def test_blocks_become_messages_and_a_call_stays_with_its_results() -> None:
    messages = [
        lc.SystemMessage("Note."),
        lc.HumanMessage("Look."),
        lc.AIMessage(
            "",
            tool_calls=[CALL, {**CALL, "id": "c2"}],
            usage_metadata={"input_tokens": 1, "output_tokens": 1, "total_tokens": 2},
        ),
        lc.ToolMessage("mill", tool_call_id="c1"),
        lc.ToolMessage("pond", tool_call_id="c2"),
    ]
    blocks = [
        note(),
        *(at_depth(depth, role) for depth, role in enumerate(["system", "developer", "user", "assistant"])),
    ]
    layout = {"author_note": 0, "conversation": {"message_indices": [1, 2, 3, 4]}}
    adapter = LangChainAdapter()
    _: MessageAdapter[Any] = adapter
    result = place_context_blocks(messages, blocks, layout, adapter=adapter)
    assert [each.gap for each in result.placements[1:]] == [2, 2, 2, 5]
    assert all(any(new is old for new in result.messages) for old in messages[1:])
    assert [type(each).__name__ for each in result.messages] == [
        "SystemMessage",
        "HumanMessage",
        "AIMessage",
        "HumanMessage",
        "SystemMessage",
        "AIMessage",
        "ToolMessage",
        "ToolMessage",
        "SystemMessage",
    ]
    converted = lc.convert_to_openai_messages(result.messages)
    OPENAI.validate_python(converted)
    assert [each["role"] for each in converted] == [
        "system",
        "user",
        "assistant",
        "user",
        "developer",
        "assistant",
        "tool",
        "tool",
        "system",
    ]
    assert converted[0]["content"] == "Note.\nsoft"


def test_without_an_adapter_the_messages_are_read_by_their_type_and_blocks_are_dicts() -> None:
    messages = [
        lc.HumanMessage("Look."),
        lc.AIMessage("", tool_calls=[CALL]),
        lc.ToolMessage("mill", tool_call_id="c1"),
    ]
    result = place_context_blocks(messages, [at_depth(1)], {"conversation": {"message_indices": [0, 1, 2]}})
    assert result.placements[0].gap == 1
    assert result.messages[1] == {"role": "system", "content": "It rains."}
    OPENAI.validate_python(lc.convert_to_openai_messages(result.messages))


@pytest.mark.parametrize(
    "call",
    [
        {"tool_calls": [CALL]},
        {"invalid_tool_calls": [{"name": "look", "args": "{", "id": "c1", "error": None}]},
        {"additional_kwargs": {"function_call": {"name": "look", "arguments": "{}"}}},
        {"additional_kwargs": {"tool_calls": [{"id": "c1"}]}},
        {"content": [{"type": "tool_use", "id": "c1", "name": "look", "input": {}}]},
    ],
)
@pytest.mark.parametrize("kind", ["AIMessage", "AIMessageChunk"])
def test_a_call_at_the_end_waits_for_its_result(kind: str, call: dict[str, Any]) -> None:
    messages = [lc.HumanMessage("a"), getattr(lc, kind)(**{"content": "", **call})]
    layout = {"conversation": {"message_indices": [0, 1]}}
    assert place_context_blocks(messages, [at_depth(0)], layout).placements[0].gap == 1
    messages[1] = getattr(lc, kind)(content="b")
    assert place_context_blocks(messages, [at_depth(0)], layout).placements[0].gap == 2


@pytest.mark.parametrize(
    "result",
    [
        lambda: lc.ToolMessage("b", tool_call_id="c1"),
        lambda: lc.ToolMessageChunk(content="b", tool_call_id="c1"),
        lambda: lc.FunctionMessage("b", name="look"),
        lambda: lc.ChatMessage("b", role="tool"),
        lambda: lc.HumanMessage([{"type": "tool_result", "tool_use_id": "c1"}]),
        lambda: {"role": "tool", "content": "b", "tool_call_id": "c1"},
    ],
)
def test_a_result_follows_its_call(result: Any) -> None:
    messages = [lc.HumanMessage("a"), {"role": "assistant", "tool_calls": [{}]}, result()]
    layout = {"conversation": {"message_indices": [0, 1, 2]}}
    assert place_context_blocks(messages, [at_depth(1)], layout).placements[0].gap == 1


def test_a_host_keeps_ids_usage_and_additional_fields() -> None:
    message = lc.AIMessage(
        "Hm.",
        id="m7",
        name="n",
        additional_kwargs={"refusal": None},
        response_metadata={"model": "x"},
        usage_metadata={"input_tokens": 1, "output_tokens": 1, "total_tokens": 2},
        tool_calls=[CALL],
    )
    before = message.model_dump()
    result = host(message)
    (changed,) = result.messages
    assert type(changed) is lc.AIMessage
    assert changed.model_dump() == {**before, "content": "Hm.\nsoft"}
    assert message.model_dump() == before
    assert result.placements[0].role == "assistant"
    lc.AIMessage.model_validate(changed.model_dump())


def test_list_content_may_hold_plain_texts_and_dicts() -> None:
    picture = {"type": "image_url", "image_url": {"url": "data:,"}}
    text = {"type": "text", "text": "Kept.", "cache_control": {"type": "ephemeral"}}
    message = lc.HumanMessage(["See {{outlet::lore}}", picture, text])
    blocks = [
        note("author_note_top"),
        note(),
        {"id": "lore", "position": "outlet", "outlet_name": "lore", "content": "rain."},
    ]
    result = place_context_blocks([message], blocks, {"author_note": 0, "outlets": {"lore": 0}})
    (changed,) = result.messages
    assert changed.content == ["soft\n", "See rain.", picture, text, "\nsoft"]
    assert changed.content[2] is message.content[1]
    assert message.content[0] == "See {{outlet::lore}}"
    only_dicts = host(lc.HumanMessage([text])).messages[0]
    assert only_dicts.content == [text, {"type": "text", "text": "\nsoft"}]
    OPENAI.validate_python(lc.convert_to_openai_messages([changed, only_dicts]))


@pytest.mark.parametrize(
    ("message", "role"),
    [
        (lambda: lc.SystemMessage("a"), "system"),
        (lambda: lc.SystemMessage("a", additional_kwargs={"__openai_role__": "developer"}), "developer"),
        (lambda: lc.HumanMessageChunk(content="a"), "user"),
        (lambda: lc.AIMessageChunk(content="a"), "assistant"),
        (lambda: lc.ChatMessage("a", role="critic"), "critic"),
        (lambda: lc.ToolMessage("a", tool_call_id="c1"), "tool"),
    ],
)
def test_the_placement_has_the_role_in_the_words_of_the_field(message: Any, role: str) -> None:
    assert host(message()).placements[0].role == role


def test_leading_system_messages_are_merged_into_the_first() -> None:
    first, user = lc.SystemMessage("Be kind.", id="m1"), lc.HumanMessage("Hello.")
    merged = merge_leading_system(
        [first, lc.SystemMessage("It rains."), {"role": "system", "content": "Softly."}, user]
    )
    assert merged == [lc.SystemMessage("Be kind.\n\nIt rains.\n\nSoftly.", id="m1"), user]
    assert merged[1] is user
    parts = merge_leading_system([first, lc.SystemMessage([{"type": "text", "text": "It rains.", "index": 1}]), user])
    assert parts[0].content == [
        {"type": "text", "text": "Be kind."},
        {"type": "text", "text": "\n\nIt rains.", "index": 1},
    ]
