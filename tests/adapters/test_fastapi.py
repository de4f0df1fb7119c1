"""The FastAPI dependency, called through the application."""

from __future__ import annotations

from typing import Any

import pytest

from integration_libraries import example, library

fastapi = library("fastapi")
testclient = library("fastapi.testclient")
httpx = library("httpx")

seen: list[Any] = []


@pytest.fixture
def client() -> Any:
    module = example("fastapi_dependency")
    server = fastapi.FastAPI()

    @server.post("/v1/chat/completions")
    async def complete(body: dict[str, Any]) -> Any:
        seen.append(body)
        return {"choices": [{"message": {"role": "assistant", "content": "Yes."}}]}

    async def upstream() -> Any:
        transport = httpx.ASGITransport(server)
        async with httpx.AsyncClient(transport=transport, base_url="http://server/v1") as connected:
            yield connected

    module.app.dependency_overrides[module.upstream] = upstream
    seen.clear()
    return testclient.TestClient(module.app)


def test_the_server_behind_gets_the_lore_and_the_client_its_answer(client: Any) -> None:
    card = {"role": "system", "content": "Card."}
    chat = [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}, {"role": "user", "content": "c"}]
    answer = client.post("/v1/chat/completions", json={"model": "m", "messages": [card, *chat], "temperature": 0.5})
    assert answer.status_code == 200
    assert answer.json()["choices"][0]["message"]["content"] == "Yes."
    town = {"role": "system", "content": "The mill town lies by a pond."}
    rain = {"role": "system", "content": "It rains."}
    assert seen == [{"model": "m", "messages": [card, town, *chat[:2], rain, chat[2]], "temperature": 0.5}]


def test_a_request_that_cannot_be_placed_is_told_why(client: Any) -> None:
    answer = client.post("/v1/chat/completions", json={"model": "m", "messages": [{"role": "user", "content": "a"}, 5]})
    assert answer.status_code == 422
    assert answer.json()["detail"]["code"] == "unsupported_message"
    assert answer.json()["detail"]["path"] == "messages[1]"
    assert seen == []
