"""Messages that are objects with attributes."""

from __future__ import annotations

from typing import Any

from .copies import with_attribute
from .fields import FieldForm, word

__all__ = ["ObjectForm"]


class ObjectForm(FieldForm):
    """Objects with `role` and `content` attributes, and Responses items as objects."""

    def knows(self, message: Any) -> bool:
        """Tell whether an object is a message: one that has a role and content, or an item with a type."""
        if hasattr(message, "role") and (hasattr(message, "content") or hasattr(message, "parts")):
            return True
        return bool(word(message, "type"))

    def content(self, message: Any) -> str | list[Any] | None:
        """Return `content` if it is a str, a list or a tuple."""
        content = getattr(message, "content", None)
        if isinstance(content, (list, tuple)):
            return list(content)
        return content if isinstance(content, str) else None

    def with_content(self, message: Any, content: str | list[Any]) -> Any:
        """Return a copy with another `content`; a tuple, as frozen classes have, stays a tuple."""
        as_tuple = isinstance(content, list) and isinstance(message.content, tuple)
        return with_attribute(message, "content", tuple(content) if as_tuple else content)
