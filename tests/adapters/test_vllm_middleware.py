"""The ASGI middleware, around a small application that takes requests of OpenAI's shape."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from integration_libraries import example, library

applications = library("starlette.applications")
routing = library("starlette.routing")
starlette_responses = library("starlette.responses")
testclient = library("starlette.testclient")


@pytest.fixture
def client() -> Any:
    async def echo(request: Any) -> Any:
        body = await request.body()
        length = request.headers.get("content-length")
        return starlette_responses.Response(body, headers={"x-length": str(length)})

    application = applications.Starlette(routes=[routing.Route("/{path:path}", echo, methods=["GET", "POST"])])
    # As `vllm serve --middleware` adds a class.
    application.add_middleware(example("vllm_middleware").LoreMiddleware)
    return testclient.TestClient(application)


CALL = {"role": "assistant", "content": None, "tool_calls": [{"id": "c1"}]}


def test_a_chat_request_gets_the_lore_and_its_new_length(client: Any) -> None:
    messages = [
        {"role": "user", "content": "磨坊在哪里?"},
        CALL,
        {"role": "tool", "tool_call_id": "c1", "content": "b"},
    ]
    answer = client.post("/v1/chat/completions", json={"model": "m", "messages": messages, "stream": True})
    lore = {"role": "user", "content": "It rains."}
    assert answer.json() == {"model": "m", "messages": [messages[0], lore, *messages[1:]], "stream": True}
    assert answer.headers["x-length"] == str(len(answer.content))


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b'{"model":  "m"}', b'{"messages":  5}'])
def test_a_body_that_is_no_chat_request_reaches_the_server_as_it_is(client: Any, body: bytes) -> None:
    assert client.post("/v1/chat/completions", content=body).content == body


def test_other_requests_reach_the_server_as_they_are(client: Any) -> None:
    assert client.post("/v1/embeddings", content=b'{"messages":  []}').content == b'{"messages":  []}'
    assert client.get("/v1/chat/completions").status_code == 200


def test_a_request_that_cannot_be_placed_is_told_why(client: Any) -> None:
    answer = client.post("/v1/chat/completions", json={"messages": [{"role": "user"}, 5]})
    assert answer.status_code == 400
    assert answer.json()["error"]["code"] == "unsupported_message"
    assert answer.json()["error"]["param"] == "messages[1]"


def test_a_body_in_pieces_is_read_whole_and_a_client_that_leaves_is_let_go() -> None:
    middleware = example("vllm_middleware").LoreMiddleware
    scope = {"type": "http", "method": "POST", "path": "/v1/chat/completions", "headers": [(b"content-length", b"9")]}
    received: list[Any] = []

    async def application(scope: Any, receive: Any, _send: Any) -> None:
        received.extend([scope["headers"], await receive(), await receive()])

    async def run(*parts: dict[str, Any]) -> None:
        left = iter(parts)

        async def receive() -> Any:
            return next(left)

        await middleware(application)(scope, receive, None)

    disconnect = {"type": "http.disconnect"}
    asyncio.run(
        run(
            {"type": "http.request", "body": b'{"mess', "more_body": True},
            {"body": b'ages": []}', "type": "http.request"},
            disconnect,
        )
    )
    headers, request, after = received
    assert request["body"] == b'{"messages": [{"role": "system", "content": "It rains."}]}'
    assert headers == [(b"content-length", str(len(request["body"])).encode())]
    assert after == disconnect
    received.clear()
    asyncio.run(run(disconnect))
    assert received == []
