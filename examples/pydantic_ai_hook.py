"""Pydantic AI: a hook puts lore into each request to the model, with an adapter for that library's own messages.

Use it as  Agent(model, capabilities=[hooks])
"""

import dataclasses
from typing import Any

from pydantic_ai import ModelMessage, ModelRequest, ModelResponse, RunContext
from pydantic_ai.capabilities import Hooks
from pydantic_ai.messages import (
    RetryPromptPart,
    SystemPromptPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models import ModelRequestContext

from interleaf import ContextBlock, place_context_blocks

LORE = [ContextBlock(id="rain", position="at_depth", depth=1, role="system", content="It rains.")]


class PydanticAiAdapter:
    """Reads and makes requests and responses of parts. This hook embeds nothing in them, so it reads no texts."""

    def role(self, message: ModelMessage) -> str:
        """Tell who says it."""
        return "assistant" if isinstance(message, ModelResponse) else "user"

    def text_parts(self, _message: ModelMessage) -> None:
        """Offer no text to embed in."""

    def with_text(self, message: ModelMessage, text: Any) -> ModelMessage:  # noqa: D102
        raise NotImplementedError  # never asked for

    def create(self, role: str, content: str) -> ModelMessage:
        """Make the message of a block."""
        return ModelRequest(parts=[UserPromptPart(content) if role == "user" else SystemPromptPart(content)])

    def joined(self, _previous: ModelMessage, message: ModelMessage) -> bool:
        """Tell whether it holds what a tool returned."""
        return any(isinstance(part, (ToolReturnPart, RetryPromptPart)) for part in message.parts)

    def waiting(self, message: ModelMessage) -> bool:
        """Tell whether it calls a tool."""
        return any(isinstance(part, ToolCallPart) for part in message.parts)


hooks = Hooks()


@hooks.on.before_model_request
async def add_lore(_ctx: RunContext[Any], request: ModelRequestContext) -> ModelRequestContext:
    """Place blocks in what this request sends; the history of the run stays as it is."""
    layout = {"conversation": {"message_indices": range(len(request.messages)), "empty_index": 0}}
    result = place_context_blocks(request.messages, LORE, layout, adapter=PydanticAiAdapter())
    return dataclasses.replace(request, messages=result.messages)
