"""Reading what a message says, whatever type it has: its role, its text parts, and names for the parts that are no text."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

__all__ = ["MessagePart", "message_parts", "message_role"]

_TEXT_TYPES: Final = ("text", "input_text", "output_text")
_LONGEST_LABEL: Final = 400


@dataclass(frozen=True)
class MessagePart:
    """One part of a message.

    Attributes:
        index: its index in list content; None for `str` content and for what stands beside the content.
        text: its text; empty for a part that is none.
        label: what to show for a part that is no text, such as `image_url` or a tool call; else empty.
    """

    index: int | None
    text: str = ""
    label: str = ""


def message_role(message: object) -> str:
    """The role of a message.

    Args:
        message: a mapping, or an object with `role` or `type`.

    Returns:
        The role; for items without one their type, such as `function_call`; `?` if there is neither.

    >>> message_role({"role": "user", "content": "hello"})
    'user'
    """
    for name in ("role", "type"):
        value = _get(message, name)
        if value is not None:
            # Enumerations of roles have the word as their value.
            return str(getattr(value, "value", value))
    return "?"


def message_parts(message: object) -> list[MessagePart]:
    """The parts of a message in reading order, tool calls last.

    Args:
        message: a mapping, or an object with `content`, `parts` or `blocks`. Iterators that can be read once are left unread.

    Returns:
        The parts; none for a message without content.

    >>> message_parts({"role": "user", "content": [{"type": "text", "text": "look:"}, {"type": "image_url"}]})
    [MessagePart(index=0, text='look:', label=''), MessagePart(index=1, text='', label='image_url')]
    """
    content = None
    # Some classes keep their text in `blocks` and have a `content` that only joins it.
    for name in ("content", "parts") if isinstance(message, Mapping) else ("blocks", "content", "parts"):
        content = _get(message, name)
        if content is not None:
            break
    parts: list[MessagePart] = []
    if isinstance(content, str):
        parts.append(MessagePart(None, content))
    elif isinstance(content, (list, tuple)):
        parts.extend(_part(index, part) for index, part in enumerate(content))
    elif content is not None:
        parts.append(MessagePart(None, label=_label(content)))
    parts.extend(_tool_calls(message))
    if not parts and content is None:
        parts.extend(_item(message))
    return parts


def _part(index: int, part: object) -> MessagePart:
    if isinstance(part, str):
        return MessagePart(index, part)
    kind = _get(part, "type")
    text = _get(part, "text")
    if isinstance(text, str) and (kind is None or kind in _TEXT_TYPES):
        return MessagePart(index, text)
    if kind in ("tool_use", "function_call"):
        return MessagePart(index, label=_call(part))
    if kind == "tool_result":
        return MessagePart(index, label=f"tool_result {_label(_get(part, 'content'))}")
    return MessagePart(index, label=str(kind) if isinstance(kind, str) else _label(part))


def _tool_calls(message: object) -> list[MessagePart]:
    calls = _get(message, "tool_calls")
    if not isinstance(calls, (list, tuple)):
        return []
    return [MessagePart(None, label=_call(_get(call, "function") or call)) for call in calls]


def _item(message: object) -> list[MessagePart]:
    """What an item without content says, such as the `function_call` of the Responses API."""
    kind = _get(message, "type")
    if not isinstance(kind, str):
        return []
    if kind.endswith("_call"):
        return [MessagePart(None, label=_call(message))]
    output = _get(message, "output")
    return [MessagePart(None, label=_label(output))] if output is not None else []


def _call(call: object) -> str:
    name = _get(call, "name")
    arguments = _get(call, "arguments")
    if arguments is None:
        arguments = _get(call, "input")
    if arguments is None:
        arguments = _get(call, "args")
    shown = "" if arguments is None else _label(arguments)
    return f"calls {name if isinstance(name, str) else '?'}({shown})"


def _label(value: object) -> str:
    if isinstance(value, str):
        text = value
    else:
        try:
            text = json.dumps(value, ensure_ascii=False)
        except (TypeError, ValueError, RecursionError):
            text = type(value).__name__
    return text if len(text) <= _LONGEST_LABEL else text[:_LONGEST_LABEL] + "…"


def _get(value: object, name: str) -> Any:
    if isinstance(value, Mapping):
        return value.get(name)
    return getattr(value, name, None)
