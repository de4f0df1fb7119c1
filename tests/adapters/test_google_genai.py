"""Contents of google-genai."""

from __future__ import annotations

from typing import Any

import pytest

from integration_libraries import library
from interleaf import AdapterError, LayoutError, place_context_blocks
from interleaf.adapters import GoogleGenaiAdapter, MessageAdapter, merge_leading_system

types = library("google.genai.types")


def content(role: str, *parts: Any) -> Any:
    return types.Content(role=role, parts=[types.Part(text=part) if isinstance(part, str) else part for part in parts])


def call(**fields: Any) -> Any:
    return types.Part(function_call=types.FunctionCall(name="look", args={}), **fields)


def answer() -> Any:
    return types.Part(function_response=types.FunctionResponse(name="look", response={}))


def at_depth(depth: int, role: str = "user") -> dict[str, Any]:
    return {"id": f"d{depth}", "position": "at_depth", "depth": depth, "content": "It rains.", "role": role}


def note(position: str = "author_note_bottom") -> dict[str, Any]:
    return {"id": position, "position": position, "content": "soft"}


def gaps(messages: list[Any], *depths: int) -> list[Any]:
    layout = {"conversation": {"message_indices": list(range(len(messages)))}}
    result = place_context_blocks(messages, [at_depth(depth) for depth in depths], layout)
    assert all(any(new is old for new in result.messages) for old in messages)
    return [each.gap for each in result.placements]


def test_calls_and_responses_stay_together() -> None:
    messages = [
        content("user", "a"),
        content("model", call(thought_signature=b"s"), call()),
        content("user", answer(), answer()),
    ]
    assert gaps(messages, 0, 1, 2) == [1, 1, 3]
    assert gaps(messages[:2], 0) == [1]
    assert gaps([content("user", "a"), content("model", "b")], 0, 1) == [1, 2]
    assert gaps([types.Content(role="user"), types.Content(role="model")], 0, 1) == [1, 2]


def test_calls_that_the_server_answers_stay_together_across_contents() -> None:
    tool_call, tool_response = types.Part(tool_call=types.ToolCall()), types.Part(tool_response=types.ToolResponse())
    assert gaps([content("user", "a"), content("model", tool_call), content("user", tool_response)], 1) == [1]
    assert gaps([content("user", "a"), content("model", tool_call)], 0) == [1]
    assert gaps([content("user", "a"), content("model", tool_call, tool_response)], 0, 1) == [1, 2]


def test_a_host_keeps_its_signatures_and_other_parts() -> None:
    signed = types.Part(text="See {{outlet::lore}}", thought_signature=b"s1")
    thought = types.Part(text="{{outlet::lore}}?", thought=True, thought_signature=b"s2")
    picture = types.Part(inline_data=types.Blob(data=b"x", mime_type="image/png"))
    host = content("model", thought, signed, picture)
    blocks = [
        note("author_note_top"),
        note(),
        {"id": "lore", "position": "outlet", "outlet_name": "lore", "content": "rain."},
    ]
    result = place_context_blocks([host], blocks, {"author_note": 0, "outlets": {"lore": 0}})
    (changed,) = result.messages
    assert type(changed) is types.Content
    assert [part.text for part in changed.parts] == ["soft\n", "{{outlet::lore}}?", "See rain.", None, "\nsoft"]
    assert [part.thought_signature for part in changed.parts] == [None, b"s2", b"s1", None, None]
    assert changed.parts[1] is host.parts[0]
    assert changed.parts[3] is host.parts[2]
    assert host.parts[1].text == "See {{outlet::lore}}"
    assert [(each.role, each.part_index, each.span) for each in result.placements] == [
        ("model", 0, (0, 4)),
        ("model", 2, (4, 9)),
        ("model", 4, (1, 5)),
    ]
    types.Content.model_validate(changed.model_dump(), strict=True)


def test_a_part_with_a_signature_is_not_left_out_when_its_text_goes() -> None:
    host = content("model", types.Part(text="{{outlet::lore}}", thought_signature=b"s1"), "b")
    with pytest.raises(AdapterError, match=r"^messages\[0\]: found parts\[0\] with a thought signature") as caught:
        place_context_blocks([host], [], {"outlets": {"lore": 0}})
    assert (caught.value.code, caught.value.path) == ("unchangeable_message", "messages[0]")
    kept = place_context_blocks([host], [], {"outlets": {"lore": 0}}, unfilled_outlets="keep")
    assert kept.messages[0] is host


def test_a_host_without_parts_is_refused() -> None:
    with pytest.raises(LayoutError) as caught:
        place_context_blocks([types.Content(role="user")], [note()], {"author_note": 0})
    assert caught.value.code == "content_not_text"


def test_blocks_become_contents() -> None:
    adapter = GoogleGenaiAdapter()
    _: MessageAdapter[Any] = adapter
    blocks = [at_depth(1, "user"), at_depth(0, "assistant")]
    messages = [content("user", "a")]
    result = place_context_blocks(messages, blocks, {"conversation": {"message_indices": [0]}}, adapter=adapter)
    assert result.messages == [content("user", "It rains."), messages[0], content("model", "It rains.")]
    assert result.messages[1] is messages[0]


@pytest.mark.parametrize("role", ["system", "developer"])
def test_system_text_is_refused_with_where_it_goes(role: str) -> None:
    layout = {"conversation": {"message_indices": [0]}}
    with pytest.raises(AdapterError, match=r"^blocks\[1\]: .*system_instruction.*mid_conversation_roles") as caught:
        place_context_blocks(
            [content("user", "a")], [at_depth(1), at_depth(0, role)], layout, adapter=GoogleGenaiAdapter()
        )
    assert (caught.value.code, caught.value.path) == ("system_not_a_message", "blocks[1]")


def test_contents_have_no_leading_system_to_merge() -> None:
    messages = [content("user", "a"), content("model", "b")]
    assert [id(each) for each in merge_leading_system(messages)] == [id(each) for each in messages]
