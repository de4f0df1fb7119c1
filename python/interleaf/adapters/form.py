"""How messages of one form are read and written, in terms of their content and its parts."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["MessageForm", "TextPairs"]

TextPairs = list[tuple["int | None", "str | None"]]


class MessageForm(ABC):
    """One form of messages. A form has no state, so that one object serves every message and thread.

    The first group of methods is what differs between libraries; texts and new texts follow from it.
    """

    @abstractmethod
    def role(self, message: Any) -> Any:
        """Return the role in the words of the field (`user`, `assistant`, …) where the form has words of its own."""

    @abstractmethod
    def content(self, message: Any) -> str | list[Any] | None:
        """Return the content as one text or as a new list of the parts themselves; None if it is neither."""

    @abstractmethod
    def with_content(self, message: Any, content: str | list[Any]) -> Any:
        """Return a copy of the message with other content of the same kind."""

    @abstractmethod
    def part_text(self, part: Any) -> str | None:
        """Return the text of a text part, None if it is no text part."""

    @abstractmethod
    def part_with_text(self, part: Any, text: str) -> Any:
        """Return a copy of a text part with other text."""

    @abstractmethod
    def new_part(self, text: str, like: Any) -> Any:
        """Make a text part of the kind that `like` is, the first text part of the message, or None if it has none."""

    @abstractmethod
    def answers(self, message: Any) -> bool:
        """Tell whether the message must directly follow what is before it: it holds a tool result."""

    @abstractmethod
    def waiting(self, message: Any) -> bool:
        """Tell whether the message holds a call whose result must directly follow."""

    def leads(self, message: Any) -> bool:
        """Tell whether what follows the message must stay there, as it must after a reasoning item."""
        del message  # most forms have no such thing
        return False

    def is_call(self, message: Any) -> bool:
        """Tell whether the message is nothing but one call, of several that stay together."""
        del message  # most forms have no such thing
        return False

    def text_parts(self, message: Any) -> str | Sequence[str | None] | None:
        """Return the text as an adapter does."""
        content = self.content(message)
        if content is None or isinstance(content, str):
            return content
        return [self.part_text(part) for part in content]

    def with_text(self, message: Any, text: str | TextPairs) -> Any:
        """Return a copy with other text, as an adapter does."""
        if isinstance(text, str):
            return self.with_content(message, text)
        parts = self.content(message)
        if not isinstance(parts, list) or any(index is not None and index >= len(parts) for index, _ in text):
            # Only a callback that changes the message during the call can do this; dicts say it in these words too.
            raise RuntimeError("message changed during the call; nothing was placed")
        like = next((part for part in parts if self.part_text(part) is not None), None)
        new: list[Any] = []
        for index, part_text in text:
            if index is None:
                new.append(self.new_part(part_text or "", like))
            elif part_text is None:
                new.append(parts[index])
            else:
                new.append(self.part_with_text(parts[index], part_text))
        return self.with_content(message, new)
