"""Adapters that read messages of every known type, and differ in what they make of a block."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .registry import adapter_for, messages_joined

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .form import TextPairs

__all__ = ["MixedAdapter", "ObjectAdapter"]


class MixedAdapter:
    r"""Reads each message by its type, as is done without an adapter, and makes dicts.

    Its subclasses make the messages of one library and still read any others that share the list.

    >>> from types import SimpleNamespace
    >>> from interleaf import place_context_blocks
    >>> note = SimpleNamespace(role="system", content="Stay in character.", id="m1")
    >>> place_context_blocks(
    ...     [note, {"role": "user", "content": "Hello."}],
    ...     [{"id": "tone", "position": "author_note_bottom", "content": "Speak softly."}],
    ...     {"author_note": 0},
    ...     adapter=MixedAdapter(),
    ... ).messages[0]
    namespace(role='system', content='Stay in character.\nSpeak softly.', id='m1')
    """

    def role(self, message: Any, /) -> str | None:
        """Return the role of a message of any known type."""
        role: str | None = adapter_for(message).role(message)
        return role

    def text_parts(self, message: Any, /) -> str | Sequence[str | None] | None:
        """Return the text of a message of any known type."""
        return adapter_for(message).text_parts(message)

    def with_text(self, message: Any, text: str | TextPairs, /) -> Any:
        """Return a copy of the same type with other text."""
        return adapter_for(message).with_text(message, text)

    def joined(self, previous: Any, message: Any, /) -> bool:
        """Tell whether a message must directly follow the one before it."""
        return messages_joined(previous, message)

    def waiting(self, message: Any, /) -> bool:
        """Tell whether a message still waits for the results of its calls."""
        return adapter_for(message).waiting(message)

    def create(self, role: str, content: str, /) -> Any:
        """Make a dict with `role` and `content`."""
        return {"role": role, "content": content}


class ObjectAdapter(MixedAdapter):
    """Makes objects of the caller's own class.

    Args:
        create: the class, or anything else that takes `role` and `content` by keyword and returns a message.

    >>> from dataclasses import dataclass
    >>> @dataclass
    ... class Message:
    ...     role: str
    ...     content: str
    >>> ObjectAdapter(Message).create("system", "It rains.")
    Message(role='system', content='It rains.')
    """

    def __init__(self, create: Callable[..., Any]) -> None:
        if not callable(create):
            raise TypeError(f"create must be callable, such as the class of the messages; found {create!r}")
        self._create = create

    def create(self, role: str, content: str, /) -> Any:
        """Call what was given with `role` and `content`."""
        return self._create(role=role, content=content)
