"""What an adapter is: the questions the library asks of a message, and the two things it lets be made."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["MessageAdapter"]

M = TypeVar("M")


class MessageAdapter(Protocol[M]):
    """Reads and writes messages of types that the library does not know, or in another way than it would.

    Given as `adapter=`, it is asked about every message that has to be looked at: those next to a gap where a block
    lands, and those that something is embedded in. No other message is handed to it. What a method raises passes
    through; what it returns is checked, and a wrong answer is an `AdapterError` with code `invalid_adapter`.

    >>> class Pairs:
    ...     '''Messages that are tuples of role and text.'''
    ...     def role(self, message): return message[0]
    ...     def text_parts(self, message): return message[1]
    ...     def with_text(self, message, text): return (message[0], text)
    ...     def create(self, role, content): return (role, content)
    ...     def joined(self, previous, message): return message[0] == "tool"
    ...     def waiting(self, message): return False
    >>> from interleaf import place_context_blocks
    >>> place_context_blocks(
    ...     [("user", "Where are we?")],
    ...     [{"id": "lore", "position": "at_depth", "depth": 0, "role": "system", "content": "In the old mill."}],
    ...     {"conversation": {"message_indices": [0]}},
    ...     adapter=Pairs(),
    ... ).messages
    [('user', 'Where are we?'), ('system', 'In the old mill.')]
    """

    def role(self, message: M, /) -> str | None:
        """Return the role of a message, or None if it has none.

        Args:
            message: a host; its role goes into the placements of what is embedded in it.
        """

    def text_parts(self, message: M, /) -> str | Sequence[str | None] | None:
        """Return the text that something may be embedded in.

        Args:
            message: a host.

        Returns:
            The content if it is one text; one entry for each part if it is a list of parts, None where a part is no
            text; None if there is no content to embed in.
        """

    def with_text(self, message: M, text: Any, /) -> M:
        """Return a copy of a message with other text, every other field kept. The message itself must not change.

        Args:
            message: a host.
            text: the new content if `text_parts` returned one text. Otherwise a list of pairs that describe the new
                parts in order: the index of a part of the message (None for a new text part), and its new text (None
                for a part that stays as it is).
        """

    def joined(self, previous: M, message: M, /) -> bool:
        """Tell whether a message must directly follow the one before it, as a tool result follows its call."""

    def waiting(self, message: M, /) -> bool:
        """Tell whether a message, at the end of the list, still waits for the results of its calls."""

    def create(self, role: str, content: str, /) -> M:
        """Make the message of a block that stands on its own.

        Args:
            role: `system`, `developer`, `user` or `assistant`.
            content: the rendered text.
        """
