"""Messages that are mappings of any type."""

from __future__ import annotations

from typing import Any

from .fields import FieldForm

__all__ = ["MappingForm"]


class MappingForm(FieldForm):
    """Any mapping: OpenAI chat messages, Responses items, Anthropic messages; a dict is only one of them."""

    def content(self, message: Any) -> str | list[Any] | None:
        """Return `content` if it is a str or a list."""
        content = message.get("content")
        if isinstance(content, list):
            return list(content)
        return content if isinstance(content, str) else None
