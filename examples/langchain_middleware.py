"""LangChain: a middleware puts lore into what an agent's model sees, and never between a tool call and its result.

The history of the agent stays as it is: only the request to the model has the lore.
"""

from collections.abc import Awaitable, Callable

from langchain.agents.middleware import AgentMiddleware, ModelRequest, ModelResponse

from interleaf import ContextBlock, place_context_blocks
from interleaf.adapters import LangChainAdapter

LORE = [ContextBlock(id="rain", position="at_depth", depth=1, role="developer", content="It rains.")]


class LoreMiddleware(AgentMiddleware):
    """Places blocks in each request; use it as `create_agent(model, middleware=[LoreMiddleware()])`."""

    def __init__(self) -> None:
        super().__init__()
        self._adapter = LangChainAdapter()

    def _with_lore(self, request: ModelRequest) -> ModelRequest:
        messages = request.messages
        layout = {"conversation": {"message_indices": range(len(messages)), "empty_index": 0}}
        result = place_context_blocks(messages, LORE, layout, adapter=self._adapter)
        return request.override(messages=result.messages)

    def wrap_model_call(self, request: ModelRequest, handler: Callable[[ModelRequest], ModelResponse]) -> ModelResponse:
        """Call the model with the lore."""
        return handler(self._with_lore(request))

    async def awrap_model_call(
        self, request: ModelRequest, handler: Callable[[ModelRequest], Awaitable[ModelResponse]]
    ) -> ModelResponse:
        """Call the model with the lore."""
        return await handler(self._with_lore(request))
