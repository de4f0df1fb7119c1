"""The top-level system field of Anthropic's messages API."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..errors import AdapterError
from .fields import part_text
from .registry import adapter_for

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["split_system"]

SYSTEM_ROLES = ("system", "developer")


def split_system(messages: Iterable[Any]) -> tuple[list[Any], list[Any]]:
    """Take the leading system messages out of a list, for the `system` field of a request.

    A system message after another message stays where it is, the same object: the API takes those from models that know
    them. For others map their role when they are placed: `mid_conversation_roles={"system": "user"}`.

    Args:
        messages: the messages, of any supported type; they do not change.

    Returns:
        The text blocks for `system`, one for each text, and the other messages as the objects they were. A block keeps
        its `cache_control`: that of a part, the part being the same object, or that of a message whose content is a text.
        A text that is empty is left out, for the API refuses empty blocks. Without system messages the first list is
        empty: leave the field out of the request.

    Raises:
        AdapterError: a system message holds something else than text (code `system_not_text`), or a developer message
            comes after another message, which the API has no such role for (code `system_not_a_message`).

    >>> system, messages = split_system([
    ...     {"role": "system", "content": [{"type": "text", "text": "Be kind.", "cache_control": {"type": "ephemeral"}}]},
    ...     {"role": "user", "content": "Hello."},
    ... ])
    >>> system
    [{'type': 'text', 'text': 'Be kind.', 'cache_control': {'type': 'ephemeral'}}]
    >>> messages
    [{'role': 'user', 'content': 'Hello.'}]
    """
    system: list[Any] = []
    others: list[Any] = []
    for index, message in enumerate(messages):
        path = f"messages[{index}]"
        role = adapter_for(message, path).role(message)
        if role not in SYSTEM_ROLES or (others and role == "system"):
            others.append(message)
        elif others:
            raise AdapterError(
                "found a developer message after another message; expected one of role system, user or assistant",
                "system_not_a_message",
                path,
            )
        else:
            system.extend(_blocks(message, path))
    return system, others


def _blocks(message: Any, path: str) -> list[Any]:
    form = adapter_for(message, path)
    content = form.content(message)
    if isinstance(content, str):
        block = {"type": "text", "text": content}
        if isinstance(message, Mapping) and message.get("cache_control") is not None:
            block["cache_control"] = message["cache_control"]
        return [block] if content else []
    blocks: list[Any] = []
    for part in [None] if content is None else content:
        text = None if part is None else form.part_text(part)
        if text is None:
            raise AdapterError(
                "found a system message with something else than text in it; expected text alone",
                "system_not_text",
                path,
            )
        if text:
            is_block = isinstance(part, Mapping) and part.get("type") == "text" and part_text(part) == text
            blocks.append(part if is_block else {"type": "text", "text": text})
    return blocks
