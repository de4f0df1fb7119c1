"""The hook of the LiteLLM proxy, called by the proxy's own code for that."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from integration_libraries import example, library

litellm = library("litellm")
# What that code needs besides.
library("backoff")
library("redis")
proxy = library("litellm.proxy.utils")
proxy_types = library("litellm.proxy._types")
caching = library("litellm.caching.caching")

# The library imports most of itself when it is first used, and what it imports warns.
pytestmark = pytest.mark.filterwarnings("ignore")

CALL = {"id": "c1", "type": "function", "function": {"name": "look", "arguments": "{}"}}


@pytest.fixture
def through_the_proxy(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr(litellm, "callbacks", [example("litellm_proxy_hook").proxy_handler_instance])
    logging = proxy.ProxyLogging(user_api_key_cache=caching.DualCache())

    def call(data: dict[str, Any], call_type: str = "acompletion") -> Any:
        user = proxy_types.UserAPIKeyAuth()
        return asyncio.run(logging.pre_call_hook(user_api_key_dict=user, data=data, call_type=call_type))

    return call


def test_the_request_gets_the_lore_in_a_role_that_every_provider_takes(through_the_proxy: Any) -> None:
    call = litellm.Message(role="assistant", content=None, tool_calls=[CALL])
    messages = [{"role": "user", "content": "a"}, call, {"role": "tool", "tool_call_id": "c1", "content": "mill"}]
    changed = through_the_proxy({"model": "gpt-4o", "messages": messages, "temperature": 0.5})
    assert changed["messages"] == [messages[0], {"role": "user", "content": "It rains."}, *messages[1:]]
    assert changed["messages"][2] is call
    assert (changed["model"], changed["temperature"], len(messages)) == ("gpt-4o", 0.5, 3)
    response = litellm.completion(mock_response="Yes.", api_key="none", **changed)
    assert response.choices[0].message.content == "Yes."


def test_other_calls_go_through_as_they_are(through_the_proxy: Any) -> None:
    data = {"model": "m", "input": "a"}
    assert through_the_proxy(data, "aembedding") == {"model": "m", "input": "a"}


def test_a_request_that_cannot_be_placed_is_rejected_with_the_reason(through_the_proxy: Any) -> None:
    with pytest.raises(Exception, match=r"unsupported_message at messages\[1\]: "):
        through_the_proxy({"model": "m", "messages": [{"role": "user", "content": "a"}, 5]})
