"""Calls of tools and their results, which must not be parted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .asking import adapted, joined
from .values import part_field, part_str

if TYPE_CHECKING:
    from ..adapters.protocol import MessageAdapter

RESULT_KEYS = ("toolResult", "function_response", "functionResponse")
CALL_KEYS = ("toolUse", "function_call", "functionCall")


def joined_gap(gap: int, messages: Sequence[Any], adapter: MessageAdapter[Any] | None) -> int:
    """Go to the nearest gap at or before this one that parts nothing; gap 0 never does."""
    while gap > 0 and _parts_an_exchange(gap, messages, adapter):
        gap -= 1
    return gap


def _parts_an_exchange(gap: int, messages: Sequence[Any], adapter: MessageAdapter[Any] | None) -> bool:
    previous = messages[gap - 1]
    if gap == len(messages):
        asked = adapted(previous, gap - 1, adapter)
        return _is_waiting(previous) if asked is None else asked.waiting()
    message = messages[gap]
    if adapter is None and isinstance(previous, Mapping) and isinstance(message, Mapping):
        return _answers(message) or _holds_what_follows(previous, message)
    return joined(previous, message, gap, adapter)


def _answers(message: Mapping[Any, Any]) -> bool:
    """Tell whether a message is a tool result, which must follow its call."""
    if part_str(message, "role") in ("tool", "function") or part_str(message, "type").endswith("_output"):
        return True
    return any(part_str(part, "type") == "tool_result" or _has_any(part, RESULT_KEYS) for part in _parts(message))


def _holds_what_follows(previous: Mapping[Any, Any], following: Mapping[Any, Any]) -> bool:
    """Tell whether a message is a reasoning item, or a call that another call follows."""
    if part_str(previous, "type") == "reasoning":
        return True
    pair = (previous, following)
    return all(part_str(each, "type").endswith("_call") for each in pair)


def _is_waiting(message: Mapping[Any, Any]) -> bool:
    """Tell whether a message at the end of the list is a call whose result is still to come."""
    for key in ("tool_calls", "function_call"):
        if bool(message.get(key)):
            return True
    if part_str(message, "type").endswith("_call"):
        return True
    return any(part_str(part, "type") == "tool_use" or _has_any(part, CALL_KEYS) for part in _parts(message))


def _has_any(part: object, keys: Sequence[str]) -> bool:
    return any(part_field(part, key) is not None for key in keys)


def _parts(message: Mapping[Any, Any]) -> Iterator[Any]:
    """Go through the parts of a message; what is no list or tuple may be read only once, and is left alone."""
    for key in ("content", "parts"):
        parts = message.get(key)
        if isinstance(parts, (list, tuple)):
            yield from parts
