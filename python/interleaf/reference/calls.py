"""What is wrong with a call as a call, and with the values of its options."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, cast

from ..errors import InterleafError
from .values import as_plain_str, as_word, describe, is_sequence, iterate, one_of
from .words import ROLES

CreateMessage = Callable[[dict[str, str]], Any]
RenderBlock = Callable[[Any], str]
RenderMessages = Callable[[Any, str], Sequence[Any]]


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


def read_role_changes(value: object) -> dict[str, str]:
    """Read the roles that are not welcome in the conversation, with those that blocks get there; None means no change."""
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise _wrong_role_changes(value)
    changes: dict[str, str] = {}
    read = as_word(ROLES)
    for key in value:
        role, new = read(key), read(value[key])
        if role is None or new is None:
            raise _wrong_role_changes(key if role is None else value[key])
        changes[role] = new
    return changes


def _wrong_role_changes(value: object) -> InterleafError:
    return InterleafError(
        f"mid_conversation_roles has {describe(value)}; expected a mapping from roles to roles, each {one_of(ROLES)}",
        "invalid_option",
        "mid_conversation_roles",
    )


def is_listing(value: object) -> bool:
    """Tell what may list fragments or ids: any iterable but text, bytes and mappings."""
    return not isinstance(value, (str, bytes, bytearray, memoryview, Mapping)) and iterate(value) is not None


def as_list(value: Any) -> list[Any] | None:
    """Return the items of what can list things, or None."""
    return list(value) if is_listing(value) else None
