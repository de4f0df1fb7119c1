"""The input filter of the OpenAI Agents SDK, in a run with a scripted model and a tool."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from integration_libraries import example, library

agents = library("agents")
testing = library("agents.testing")
responses = library("openai.types.responses")

# What the library warns of when it runs is not ours to mend.
pytestmark = pytest.mark.filterwarnings("ignore")


def test_the_model_gets_the_lore_outside_of_the_exchange() -> None:
    def look() -> str:
        """Look around."""
        return "mill"

    reasoning = responses.ResponseReasoningItem(id="r", summary=[], type="reasoning")
    call = responses.ResponseFunctionToolCall(call_id="c1", name="look", arguments="{}", type="function_call")
    text = responses.ResponseOutputText(annotations=[], text="A mill.", type="output_text")
    answer = responses.ResponseOutputMessage(
        id="m", content=[text], role="assistant", status="completed", type="message"
    )
    model = testing.ScriptedModel([[reasoning, call], [answer]])
    agent = agents.Agent(name="guide", model=model, tools=[agents.function_tool(look)])
    add_lore = example("openai_agents_filter").add_lore
    config = agents.RunConfig(call_model_input_filter=add_lore, tracing_disabled=True)
    result = asyncio.run(agents.Runner.run(agent, "Where are we?", run_config=config))
    assert result.final_output == "A mill."

    def kinds(items: Any) -> list[str]:
        return [item.get("role") or item["type"] for item in items]

    assert [kinds(each.input) for each in model.calls] == [
        ["developer", "user"],
        ["user", "developer", "reasoning", "function_call", "function_call_output"],
    ]
    assert kinds(result.to_input_list()) == ["user", "reasoning", "function_call", "function_call_output", "assistant"]
