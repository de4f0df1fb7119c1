"""vLLM: an ASGI middleware puts lore into each chat request; vllm serve M --middleware vllm_middleware.LoreMiddleware."""

import json
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from interleaf import ContextBlock, InterleafError, place_context_blocks

Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
JSON_HEADERS = [(b"content-type", b"application/json")]
LORE = [ContextBlock(id="rain", position="at_depth", depth=1, role="system", content="It rains.")]


class LoreMiddleware:
    """Changes the body of chat requests; every other request goes through as it is."""

    def __init__(self, app: Callable[..., Awaitable[None]]) -> None:
        self.app = app

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        """Handle one request."""
        if scope["type"] != "http" or scope["method"] != "POST" or not scope["path"].endswith("/chat/completions"):
            return await self.app(scope, receive, send)
        body, part = b"", {"more_body": True}
        while part.get("more_body"):
            part = await receive()
            if part["type"] == "http.disconnect":
                return None
            body += part.get("body", b"")
        try:
            body = with_lore(body)
        except InterleafError as error:
            answer = json.dumps({"error": {"message": error.message, "code": error.code, "param": error.path}}).encode()
            await send({"type": "http.response.start", "status": 400, "headers": JSON_HEADERS})
            return await send({"type": "http.response.body", "body": answer})
        headers = [header for header in scope["headers"] if header[0] != b"content-length"]
        scope = {**scope, "headers": [*headers, (b"content-length", str(len(body)).encode())]}
        parts = iter([{"type": "http.request", "body": body}])

        async def receive_changed() -> MutableMapping[str, Any]:
            return next(parts, None) or await receive()

        return await self.app(scope, receive_changed, send)


def with_lore(body: bytes) -> bytes:
    """Place blocks in a request of OpenAI's shape; a body that is none is left to the server to refuse."""
    try:
        request = json.loads(body)
        messages = list(request["messages"])
    except (KeyError, TypeError, ValueError):
        return body
    layout = {"conversation": {"message_indices": range(len(messages)), "empty_index": 0}}
    # Many chat templates take a system message at the beginning only.
    result = place_context_blocks(messages, LORE, layout, mid_conversation_roles={"system": "user"})
    return json.dumps({**request, "messages": result.messages}).encode()
