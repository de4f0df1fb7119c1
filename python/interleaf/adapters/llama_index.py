"""Messages of llama-index-core."""

from __future__ import annotations

from typing import Any

from .form import MessageForm
from .library import required
from .mixed import MixedAdapter

__all__ = ["LlamaIndexAdapter", "LlamaIndexForm"]


class LlamaIndexForm(MessageForm):
    """Messages whose text lives in `blocks`; their `content` is only a view of these.

    A message of one text block reads as one text, as its `content` does; any other reads as a list of parts.
    """

    def role(self, message: Any) -> str:
        """Return the value of the role, which is a member of an enum."""
        role: str = message.role.value
        return role

    def content(self, message: Any) -> str | list[Any] | None:
        """Return the text of the only block, or the blocks; None if there are none."""
        blocks = message.blocks
        if not blocks:
            return None
        only = self.part_text(blocks[0]) if len(blocks) == 1 else None
        return list(blocks) if only is None else only

    def with_content(self, message: Any, content: str | list[Any]) -> Any:
        """Return a copy with other blocks: an update of `content` would be taken in silence and change nothing."""
        blocks = [self.part_with_text(message.blocks[0], content)] if isinstance(content, str) else content
        return message.model_copy(update={"blocks": blocks})

    def part_text(self, part: Any) -> str | None:
        """Return the text of a text block."""
        text: str | None = part.text if part.block_type == "text" else None
        return text

    def part_with_text(self, part: Any, text: str) -> Any:
        """Return a copy of the block with another text."""
        return part.model_copy(update={"text": text})

    def new_part(self, text: str, like: Any) -> Any:
        """Make a text block."""
        del like  # there is one class of text blocks
        return required("llama_index.core.llms", "llama-index-core", "llama-index").TextBlock(text=text)

    def answers(self, message: Any) -> bool:
        """Tell it by the role."""
        return self.role(message) in ("tool", "function")

    def waiting(self, message: Any) -> bool:
        """Tell it by the blocks, and by the calls that some integrations keep in `additional_kwargs`."""
        if any(block.block_type == "tool_call" for block in message.blocks):
            return True
        kept = message.additional_kwargs
        return bool(kept.get("tool_calls") or kept.get("function_call"))


class LlamaIndexAdapter(MixedAdapter):
    """Makes LlamaIndex chat messages; needs `interleaf[llama-index]`.

    Raises:
        ModuleNotFoundError: llama-index-core is not installed.
    """

    def __init__(self) -> None:
        self._llms = required("llama_index.core.llms", "llama-index-core", "llama-index")

    def create(self, role: str, content: str, /) -> Any:
        """Make a chat message of one text block."""
        return self._llms.ChatMessage(role=self._llms.MessageRole(role), content=content)
