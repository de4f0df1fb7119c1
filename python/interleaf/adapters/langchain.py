"""Messages of langchain-core."""

from __future__ import annotations

from typing import Any

from .fields import FieldForm, has_part
from .library import required
from .mixed import MixedAdapter

__all__ = ["LangChainAdapter", "LangChainForm"]

ROLES = {
    "human": "user",
    "HumanMessageChunk": "user",
    "ai": "assistant",
    "AIMessageChunk": "assistant",
    "SystemMessageChunk": "system",
    "ToolMessageChunk": "tool",
    "FunctionMessageChunk": "function",
}

# Where the library keeps that a system message is a developer message.
OPENAI_ROLE = "__openai_role__"


class LangChainForm(FieldForm):
    """Messages with a `type`, `content` of text or parts, and calls in `tool_calls`."""

    def role(self, message: Any) -> str:
        """Return the role that the type stands for."""
        kind: str = message.type
        if kind in ("chat", "ChatMessageChunk"):
            role: str = message.role
            return role
        role = ROLES.get(kind, kind)
        return str(message.additional_kwargs.get(OPENAI_ROLE, role)) if role == "system" else role

    def content(self, message: Any) -> str | list[Any]:
        """Return the content; parts in it are dicts or plain texts."""
        content: str | list[Any] = message.content
        return content if isinstance(content, str) else list(content)

    def part_text(self, part: Any) -> str | None:
        """Return the text of a part that is a plain text or of a text type."""
        return part if isinstance(part, str) else super().part_text(part)

    def part_with_text(self, part: Any, text: str) -> Any:
        """Return a copy with another text."""
        return text if isinstance(part, str) else super().part_with_text(part, text)

    def new_part(self, text: str, like: Any) -> Any:
        """Make a part of the same type, a plain text among plain texts."""
        return text if isinstance(like, str) else super().new_part(text, like)

    def answers(self, message: Any) -> bool:
        """Tell whether it is a tool message, or holds a tool result as a part."""
        return self.role(message) in ("tool", "function") or has_part(message, "tool_result", ("toolResult",))

    def leads(self, message: Any) -> bool:
        """Tell that it does not: reasoning is a part of the message it belongs to."""
        del message
        return False

    def is_call(self, message: Any) -> bool:
        """Tell that it is not: calls are fields of a message."""
        del message
        return False

    def waiting(self, message: Any) -> bool:
        """Tell it by the calls, also those whose arguments could not be read: they are answered, too."""
        if getattr(message, "tool_calls", None) or getattr(message, "invalid_tool_calls", None):
            return True
        if message.additional_kwargs.get("tool_calls") or message.additional_kwargs.get("function_call"):
            return True
        return has_part(message, "tool_use", ("toolUse",))


class LangChainAdapter(MixedAdapter):
    """Makes LangChain messages; needs `interleaf[langchain]`.

    Raises:
        ModuleNotFoundError: langchain-core is not installed.
    """

    def __init__(self) -> None:
        self._messages = required("langchain_core.messages", "langchain-core", "langchain")

    def create(self, role: str, content: str, /) -> Any:
        """Make the message class of the role; a developer message is a system message that says so."""
        if role == "developer":
            return self._messages.SystemMessage(content=content, additional_kwargs={OPENAI_ROLE: "developer"})
        kinds = {"system": "SystemMessage", "user": "HumanMessage", "assistant": "AIMessage"}
        return getattr(self._messages, kinds[role])(content=content)
