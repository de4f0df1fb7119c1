"""The hook of Pydantic AI, in a run with a scripted model and a tool."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from integration_libraries import example, library

pydantic_ai = library("pydantic_ai")
messages = library("pydantic_ai.messages")
function = library("pydantic_ai.models.function")

# What the library warns of when it runs is not ours to mend.
pytestmark = pytest.mark.filterwarnings("ignore")


def test_the_model_gets_the_lore_outside_of_the_exchange() -> None:
    seen: list[Any] = []

    def reply(history: Any, _info: Any) -> Any:
        seen.append([[getattr(part, "content", part.part_kind) for part in each.parts] for each in history])
        part = messages.ToolCallPart("look", {}) if len(seen) == 1 else messages.TextPart("A mill.")
        return messages.ModelResponse(parts=[part])

    hooks = example("pydantic_ai_hook").hooks
    agent = pydantic_ai.Agent(function.FunctionModel(reply), capabilities=[hooks])

    @agent.tool_plain
    def look() -> str:
        return "mill"

    result = asyncio.run(agent.run("Where are we?"))
    assert result.output == "A mill."
    # The library itself joins neighbouring requests, and marks a system prompt that comes late.
    assert seen[0] == [["It rains.", "Where are we?"]]
    (question, lore), *exchange = seen[1]
    assert question == "Where are we?"
    assert "It rains." in lore
    assert exchange == [["tool-call"], ["mill"]]
    kept = [[part.part_kind for part in each.parts] for each in result.all_messages()]
    assert kept == [["user-prompt"], ["tool-call"], ["tool-return"], ["text"]]
