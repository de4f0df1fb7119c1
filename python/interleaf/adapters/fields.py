"""What the rules read of messages with `role`, `content` and `type`, whether these are keys or attributes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import Enum
from typing import Any

from .copies import mapping_with_item, new_text_part
from .form import MessageForm

__all__ = ["FieldForm", "field", "has_part", "part_text", "word"]

TEXT_TYPES = ("text", "input_text")


def field(holder: Any, name: str) -> Any:
    """Return a key of a mapping or an attribute of anything else; None if it is not there."""
    return holder.get(name) if isinstance(holder, Mapping) else getattr(holder, name, None)


def word(holder: Any, name: str) -> str:
    """Return a field that is one word; the empty one if it is anything else. On objects it may be a member of an enum."""
    value = field(holder, name)
    if isinstance(value, Enum) and not isinstance(holder, Mapping):
        value = value.value
    return value if isinstance(value, str) else ""


def part_text(part: Any) -> str | None:
    """Return the text of a part of a text type."""
    if word(part, "type") not in TEXT_TYPES:
        return None
    text = field(part, "text")
    return text if isinstance(text, str) else None


def _parts(message: Any) -> Iterator[Any]:
    for name in ("content", "parts"):
        parts = field(message, name)
        # Nothing else is touched: what pydantic validated may be an iterator that can be read once.
        if isinstance(parts, (list, tuple)):
            yield from parts


def has_part(message: Any, type_name: str, names: tuple[str, ...]) -> bool:
    """Tell whether a part in `content` or `parts` is of a type or has one of some fields; only lists are looked into."""
    return any(
        word(part, "type") == type_name or any(field(part, name) is not None for name in names)
        for part in _parts(message)
    )


class FieldForm(MessageForm):
    """Messages as OpenAI, Anthropic and their relatives have them."""

    def with_content(self, message: Any, content: str | list[Any]) -> Any:
        """Return a copy with another `content`, every other field kept."""
        return mapping_with_item(message, "content", content)

    def part_with_text(self, part: Any, text: str) -> Any:
        """Return a copy with another `text`."""
        return mapping_with_item(part, "text", text)

    def new_part(self, text: str, like: Any) -> Any:
        """Make a part of the same type; a dict, unless the parts of the message are objects."""
        return new_text_part(text, like)

    def role(self, message: Any) -> Any:
        """Return the role as it is; the value of a member of an enum."""
        role = field(message, "role")
        return role.value if isinstance(role, Enum) and not isinstance(message, Mapping) else role

    def part_text(self, part: Any) -> str | None:
        """Return the text of a part of type `text` or `input_text`."""
        return part_text(part)

    def answers(self, message: Any) -> bool:
        """Tell it by the role, by a type that ends in `_output`, or by a part."""
        if word(message, "role") in ("tool", "function") or word(message, "type").endswith("_output"):
            return True
        return has_part(message, "tool_result", ("toolResult", "function_response", "functionResponse"))

    def leads(self, message: Any) -> bool:
        """Tell whether it is a reasoning item."""
        return word(message, "type") == "reasoning"

    def is_call(self, message: Any) -> bool:
        """Tell it by a type that ends in `_call`."""
        return word(message, "type").endswith("_call")

    def waiting(self, message: Any) -> bool:
        """Tell it by the calls in it, by its type, or by a part."""
        # A one-shot iterator counts as not empty; only its truth is asked for.
        if any(field(message, name) for name in ("tool_calls", "function_call")) or self.is_call(message):
            return True
        return has_part(message, "tool_use", ("toolUse", "function_call", "functionCall"))
