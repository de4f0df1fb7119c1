"""Lists that mix dicts and litellm's message objects, as that library has them."""

from __future__ import annotations

from typing import Any

import pytest

from integration_libraries import library
from interleaf import place_context_blocks

litellm = library("litellm")
utils = library("litellm.types.utils")
validation = library("litellm.utils")

# The library imports most of itself when it is first used, and what it imports warns.
pytestmark = pytest.mark.filterwarnings("ignore")

CALL = {"id": "c1", "type": "function", "function": {"name": "look", "arguments": "{}"}}


def reply(**fields: Any) -> Any:
    return litellm.Message(**{"role": "assistant", "content": None, **fields})


def at_depth(depth: int, role: str = "system") -> dict[str, Any]:
    return {"id": f"d{depth}", "position": "at_depth", "depth": depth, "content": "It rains.", "role": role}


def test_a_call_object_stays_with_the_results_that_are_dicts() -> None:
    messages: list[Any] = [
        {"role": "user", "content": "Look."},
        reply(tool_calls=[CALL, {**CALL, "id": "c2"}]),
        {"role": "tool", "tool_call_id": "c1", "content": "mill"},
        {"role": "tool", "tool_call_id": "c2", "content": "pond"},
    ]
    blocks = [at_depth(depth) for depth in range(4)]
    result = place_context_blocks(messages, blocks, {"conversation": {"message_indices": [0, 1, 2, 3]}})
    assert [each.gap for each in result.placements] == [1, 1, 1, 4]
    assert all(any(new is old for new in result.messages) for old in messages)
    # The library's own check of a list, which also turns its objects into dicts.
    checked = validation.validate_and_fix_openai_messages(messages=result.messages)
    assert [each["role"] for each in checked] == [
        "user",
        "system",
        "system",
        "system",
        "assistant",
        "tool",
        "tool",
        "system",
    ]
    waiting = place_context_blocks(messages[:2], [at_depth(0)], {"conversation": {"message_indices": [0, 1]}})
    assert waiting.placements[0].gap == 1


@pytest.mark.parametrize(
    "fields", [{}, {"tool_calls": [CALL]}, {"reasoning_content": "Hm.", "provider_specific_fields": {"x": 1}}]
)
def test_a_message_object_as_host_keeps_every_field(fields: dict[str, Any]) -> None:
    message = reply(content="See {{outlet::lore}}", **fields)
    before = message.model_dump()
    block = {"id": "lore", "position": "outlet", "outlet_name": "lore", "content": "rain."}
    result = place_context_blocks([message, {"role": "user", "content": "a"}], [block], {"outlets": {"lore": 0}})
    changed = result.messages[0]
    assert type(changed) is type(message)
    assert changed.model_dump() == {**before, "content": "See rain."}
    assert message.model_dump() == before
    assert result.placements[0].role == "assistant"


def test_a_completion_goes_back_into_the_list_as_it_is() -> None:
    response = litellm.completion(
        model="gpt-4o", messages=[{"role": "user", "content": "a"}], mock_response="Hello.", api_key="none"
    )
    answer = response.choices[0].message
    messages: list[Any] = [{"role": "user", "content": "a"}, answer]
    result = place_context_blocks(messages, [at_depth(0), at_depth(1)], {"conversation": {"message_indices": [0, 1]}})
    assert [each.gap for each in result.placements] == [1, 2]
    assert result.messages[2] is answer
    again = litellm.completion(model="gpt-4o", messages=result.messages, mock_response="Yes.", api_key="none")
    assert again.choices[0].message.content == "Yes."
