"""FastAPI: a dependency puts lore into a chat request before the endpoint sends it on to an OpenAI-compatible server.

Run with a server at UPSTREAM:  uvicorn fastapi_dependency:app
"""

import os
from collections.abc import AsyncIterator
from typing import Annotated, Any

import httpx
from fastapi import Depends, FastAPI, HTTPException, Request

from interleaf import ContextBlock, InterleafError, place_context_blocks

UPSTREAM = os.environ.get("UPSTREAM", "http://localhost:8000/v1")
LORE = [
    ContextBlock(id="town", position="after_character", role="system", content="The mill town lies by a pond."),
    ContextBlock(id="rain", position="at_depth", depth=1, role="system", content="It rains."),
]

app = FastAPI()


async def chat_with_lore(request: Request) -> dict[str, Any]:
    """Read the body of a chat request and place the lore; what cannot be placed is the client's error."""
    body: dict[str, Any] = await request.json()
    messages = body["messages"]
    # The leading system messages are the character, everything after them is the conversation.
    start = next((index for index, message in enumerate(messages) if message["role"] != "system"), len(messages))
    conversation = {"message_indices": range(start, len(messages)), "empty_index": start}
    try:
        result = place_context_blocks(messages, LORE, {"character": (0, start), "conversation": conversation})
    except InterleafError as error:
        raise HTTPException(422, {"code": error.code, "path": error.path, "message": error.message}) from error
    return {**body, "messages": result.messages}


async def upstream() -> AsyncIterator[httpx.AsyncClient]:
    """Open a client for the server behind this one."""
    async with httpx.AsyncClient(base_url=UPSTREAM) as client:
        yield client


@app.post("/v1/chat/completions")
async def complete(
    body: Annotated[dict[str, Any], Depends(chat_with_lore)], client: Annotated[httpx.AsyncClient, Depends(upstream)]
) -> Any:
    """Answer with what the server behind this one answers."""
    response = await client.post("/chat/completions", json=body)
    response.raise_for_status()
    return response.json()
