"""The LangChain middleware, in an agent with a scripted model and a tool."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from integration_libraries import example, library

agents = library("langchain.agents")
fake = library("langchain_core.language_models.fake_chat_models")
lc = library("langchain_core.messages")

# What the agent's graph warns of when it is built is not ours to mend.
pytestmark = pytest.mark.filterwarnings("ignore")


def agent() -> tuple[Any, list[Any]]:
    seen: list[Any] = []

    class Model(fake.GenericFakeChatModel):  # type: ignore[misc]
        def bind_tools(self, _tools: Any, **_: Any) -> Any:
            return self

        def _generate(self, messages: Any, *arguments: Any, **options: Any) -> Any:
            seen.append(messages)
            return super()._generate(messages, *arguments, **options)

    def look() -> str:
        """Look around."""
        return "mill"

    call = {"name": "look", "args": {}, "id": "c1", "type": "tool_call"}
    replies = iter([lc.AIMessage("", tool_calls=[call]), lc.AIMessage("A mill.")])
    middleware = example("langchain_middleware").LoreMiddleware()
    return agents.create_agent(Model(messages=replies), tools=[look], middleware=[middleware]), seen


@pytest.mark.parametrize("call", ["invoke", "ainvoke"])
def test_the_model_sees_the_lore_and_the_history_does_not(call: str) -> None:
    made, seen = agent()
    given = {"messages": [lc.HumanMessage("Where are we?")]}
    result = made.invoke(given) if call == "invoke" else asyncio.run(made.ainvoke(given))
    assert [[each.type for each in messages] for messages in seen] == [
        ["system", "human"],
        ["human", "system", "ai", "tool"],
    ]
    assert [each.content for each in seen[1]] == ["Where are we?", "It rains.", "", "mill"]
    assert [each.type for each in result["messages"]] == ["human", "ai", "tool", "ai"]
