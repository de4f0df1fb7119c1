"""Messages of llama-index-core, whose text lives in blocks."""

from __future__ import annotations

from typing import Any

import pytest

from integration_libraries import library
from interleaf import LayoutError, place_context_blocks
from interleaf.adapters import LlamaIndexAdapter, MessageAdapter, merge_leading_system

llms = library("llama_index.core.llms")
types = library("llama_index.core.base.llms.types")


def at_depth(depth: int, role: str = "system") -> dict[str, Any]:
    return {"id": f"d{depth}", "position": "at_depth", "depth": depth, "content": "It rains.", "role": role}


def note(position: str = "author_note_bottom") -> dict[str, Any]:
    return {"id": position, "position": position, "content": "soft"}


def message(role: str, content: Any = "a", **fields: Any) -> Any:
    return llms.ChatMessage(role=role, content=content, **fields)


def test_the_block_changes_and_with_it_the_content() -> None:
    host = message("system", "See {{outlet::lore}}", additional_kwargs={"id": "m7"})
    blocks = [
        note("author_note_top"),
        note(),
        {"id": "lore", "position": "outlet", "outlet_name": "lore", "content": "rain."},
    ]
    result = place_context_blocks([host], blocks, {"author_note": 0, "outlets": {"lore": 0}})
    (changed,) = result.messages
    assert type(changed) is llms.ChatMessage
    assert changed.content == "soft\nSee rain.\nsoft"
    assert [block.text for block in changed.blocks] == ["soft\nSee rain.\nsoft"]
    assert changed.additional_kwargs == {"id": "m7"}
    assert host.content == "See {{outlet::lore}}"
    assert [(each.role, each.part_index, changed.content[slice(*each.span)]) for each in result.placements] == [
        ("system", None, "soft"),
        ("system", None, "rain."),
        ("system", None, "soft"),
    ]
    llms.ChatMessage.model_validate(changed.model_dump())


def test_several_blocks_are_parts_and_those_without_text_stay_the_same() -> None:
    picture = llms.ImageBlock(url="https://example.org/mill.png")
    host = message("user", [llms.TextBlock(text="See {{outlet::lore}}"), picture])
    blocks = [note("author_note_top"), {"id": "lore", "position": "outlet", "outlet_name": "lore", "content": "rain."}]
    result = place_context_blocks([host], blocks, {"author_note": 0, "outlets": {"lore": 0}})
    (changed,) = result.messages
    assert [getattr(block, "text", None) for block in changed.blocks] == ["soft\n", "See rain.", None]
    assert changed.blocks[2] is host.blocks[1]
    assert host.blocks[0].text == "See {{outlet::lore}}"
    assert [(each.part_index, each.span) for each in result.placements] == [(0, (0, 4)), (1, (4, 9))]
    llms.ChatMessage.model_validate(changed.model_dump())


def test_a_host_without_blocks_is_refused() -> None:
    with pytest.raises(LayoutError) as caught:
        place_context_blocks([message("user", None)], [note()], {"author_note": 0})
    assert caught.value.code == "content_not_text"


CALLS = [
    lambda: message("assistant", "", additional_kwargs={"tool_calls": [{"id": "c1"}]}),
    lambda: message("assistant", [types.ToolCallBlock(tool_call_id="c1", tool_name="look")]),
    lambda: message("assistant", "", additional_kwargs={"function_call": {"name": "look"}}),
]


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("role", ["tool", "function"])
def test_a_call_and_its_result_stay_together(call: Any, role: str) -> None:
    messages = [message("user"), call(), message(role, "mill", additional_kwargs={"tool_call_id": "c1"})]
    layout = {"conversation": {"message_indices": [0, 1, 2]}}
    result = place_context_blocks(messages, [at_depth(0), at_depth(1)], layout)
    assert [each.gap for each in result.placements] == [1, 3]
    assert all(any(new is old for new in result.messages) for old in messages)
    waiting = place_context_blocks(messages[:2], [at_depth(0)], {"conversation": {"message_indices": [0, 1]}})
    assert waiting.placements[0].gap == 1


def test_blocks_become_chat_messages() -> None:
    adapter = LlamaIndexAdapter()
    _: MessageAdapter[Any] = adapter
    roles = ["system", "developer", "user", "assistant"]
    blocks = [at_depth(depth, role) for depth, role in enumerate(roles)]
    result = place_context_blocks(
        [message("user")], blocks, {"conversation": {"message_indices": [0]}}, adapter=adapter
    )
    made = [each for each in result.messages if each.content == "It rains."]
    assert [each.role.value for each in made] == ["assistant", "user", "developer", "system"]
    assert all(type(each) is llms.ChatMessage for each in made)


def test_leading_system_messages_are_merged_into_the_first() -> None:
    user = message("user")
    first = message("system", "Be kind.", additional_kwargs={"id": "m1"})
    merged = merge_leading_system([first, message("system", "It rains."), user])
    assert [each.content for each in merged] == ["Be kind.\n\nIt rains.", "a"]
    assert merged[0].additional_kwargs == {"id": "m1"}
    assert merged[1] is user
    assert first.content == "Be kind."
