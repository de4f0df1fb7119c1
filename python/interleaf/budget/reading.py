"""What messages of other libraries say, where the native reader asks for it: only for what is no plain dict."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from enum import Enum
from typing import Any

from ..adapters import adapter_for
from ..errors import AdapterError

__all__ = ["call_texts", "read_message"]

# Parts that hold a call, or what a function answered: its name and JSON both times.
_CALLS = ("function_call", "functionCall", "toolUse", "function_response", "functionResponse")

_Adapted = tuple[str | None, list[str], str, str | None, list[str], list[tuple[int, str, Any]]]

# Where calls hold their name and their arguments, and what may wrap the two: OpenAI has `function` and `custom`.
_WRAPPERS = ("function", "custom")
_ARGUMENTS = ("arguments", "args", "input", "tool_kwargs", "response")


def _get(thing: object, name: str) -> Any:
    """Return an item of a mapping or an attribute of an object, None if it is not there."""
    return thing.get(name) if isinstance(thing, Mapping) else getattr(thing, name, None)


def call_texts(call: object) -> tuple[str, ...]:
    """Return the texts of one tool call: its name, and its arguments as they are or as compact JSON."""
    for wrapper in _WRAPPERS:
        inner = _get(call, wrapper)
        if inner is not None and not isinstance(inner, str):
            call = inner
            break
    name = _get(call, "name") or _get(call, "tool_name")
    arguments = next((value for key in _ARGUMENTS if (value := _get(call, key)) is not None), None)
    texts = [name] if isinstance(name, str) else []
    if isinstance(arguments, str):
        texts.append(arguments)
    elif arguments is not None:
        # What a provider writes of them is not known here; compact JSON is what most do.
        texts.append(json.dumps(arguments, ensure_ascii=False, separators=(",", ":"), default=str))
    return tuple(texts)


def read_message(adapter: Any, message: object, path: str) -> _Adapted:
    """Return role, texts, the separator they are joined by, name, texts of tool calls, and the parts that are no text.

    Args:
        adapter: reads the message; None for the one for its type.
        message: a message that is no mapping, or any message if an adapter was given.
        path: where it stands, for errors.

    Raises:
        AdapterError: no adapter knows the type, or what one returned is neither text nor None.
    """
    if adapter is None:
        adapter = adapter_for(message, path)
    role = adapter.role(message)
    if isinstance(role, Enum):
        role = role.value
    if role is not None and not isinstance(role, str):
        raise AdapterError(
            f"found a role of type {type(role).__name__}, expected a str; it cannot be counted",
            "unreadable_message",
            f"{path}.role",
        )
    content = adapter.text_parts(message)
    texts = [content] if isinstance(content, str) else list(content or ())
    if any(text is not None and not isinstance(text, str) for text in texts):
        raise AdapterError(
            f"found something else in what {type(adapter).__name__}.text_parts returned, expected str and None",
            "invalid_adapter",
            path,
        )
    given = _parts(message)
    others = [
        (index, _type_of(given[index]) if index < len(given) else "part", given[index] if index < len(given) else None)
        for index, text in enumerate(texts)
        if text is None
    ]
    calls, others = _split_calls(others)
    name = _get(message, "name")
    calls += [text for call in _calls(message) for text in call_texts(call)]
    return (
        role,
        [text for text in texts if text is not None],
        getattr(adapter, "text_separator", ""),
        name if isinstance(name, str) else None,
        calls,
        others,
    )


def _parts(message: object) -> list[Any]:
    """Return the parts of a message, whatever its library calls them."""
    for name in ("content", "parts", "blocks"):
        parts = _get(message, name)
        if isinstance(parts, list | tuple):
            return list(parts)
    return []


def _type_of(part: object) -> str:
    """Return the type of a part: what it says, or its class."""
    kind = _get(part, "type") or _get(part, "block_type") or _get(part, "kind")
    if isinstance(kind, Enum):
        kind = kind.value
    return kind if isinstance(kind, str) else type(part).__name__


def _split_calls(others: list[tuple[int, str, Any]]) -> tuple[list[str], list[tuple[int, str, Any]]]:
    """Split parts that are tool calls from those that are no text at all."""
    calls: list[str] = []
    rest: list[tuple[int, str, Any]] = []
    for index, kind, part in others:
        call = next((call for key in _CALLS if (call := _get(part, key)) is not None), None)
        if call is None and kind in {"tool_use", "tool_call", "tool-call"}:
            call = part
        if call is None:
            rest.append((index, kind, part))
        else:
            calls.extend(call_texts(call))
    return calls, rest


def _calls(message: object) -> Iterable[object]:
    """Return the tool calls that a message holds beside its content."""
    calls = _get(message, "tool_calls")
    return calls if isinstance(calls, list | tuple) else ()
