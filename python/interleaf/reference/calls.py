"""What is wrong with a call as a call, and with the values of its options."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Protocol, cast

from ..errors import InterleafError
from .values import as_plain_str, as_word, describe, is_sequence, one_of

CreateMessage = Callable[[dict[str, str]], Any]
RenderBlock = Callable[[Any], str]
RenderMessages = Callable[[Any, str], Sequence[Any]]


class Adapter(Protocol):
    """What an adapter does for messages that are no mappings; only messages that are looked at are handed to it."""

    def role(self, message: Any, /) -> str | None:
        """Return the role of a message."""

    def text_parts(self, message: Any, /) -> str | Sequence[str | None] | None:
        """Return the text: one string, or an entry for each part (None for one that is no text), or None if none."""

    def with_text(self, message: Any, text: str | list[tuple[int | None, str | None]], /) -> Any:
        """Return a copy with new text.

        For content of parts, the pairs describe the new list: an original part's index (None for a new text part)
        and its text (None if the part is untouched).
        """

    def joined(self, previous: Any, message: Any, /) -> bool:
        """Tell whether something between two neighbours would part an exchange."""

    def waiting(self, message: Any, /) -> bool:
        """Tell whether a message at the end is a call whose result is still to come."""

    def create(self, role: str, content: str, /) -> Any:
        """Make a standalone message."""


def read_messages(messages: object) -> list[Any]:
    """Take a snapshot of the messages; what is no sequence is a `TypeError`."""
    if not is_sequence(messages):
        raise TypeError(f"messages must be a sequence of messages, not {type(messages).__name__}")
    return list(cast("Iterable[Any]", messages))


def check_callbacks(**callbacks: object) -> None:
    """Refuse callbacks that cannot be called."""
    for name, callback in callbacks.items():
        if callback is not None and not callable(callback):
            raise TypeError(f"{name} must be callable or None, not {type(callback).__name__}")


def read_option(name: str, value: object, words: Sequence[str], default: str) -> str:
    """Read an option that is one of a few words; None means its default."""
    word = default if value is None else as_word(words)(value)
    if word is None:
        raise InterleafError(f"{name} is {describe(value)}; expected {one_of(words)}", "invalid_option", name)
    return word


def read_separator(value: object) -> str:
    """Read the separator of a placement; None means its default."""
    separator = "\n" if value is None else as_plain_str(value)
    if separator is None:
        raise InterleafError(f"separator is {describe(value)}; expected a str", "invalid_option", "separator")
    return separator


def is_listing(value: object) -> bool:
    """Tell what may list fragments or ids: any iterable but text, bytes and mappings."""
    if isinstance(value, (str, bytes, Mapping)):
        return False
    try:
        iter(cast("Any", value))
    except TypeError:
        return False
    return True
