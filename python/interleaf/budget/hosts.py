"""The texts of messages that blocks are embedded in, and such a message without one of its blocks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..adapters import adapter_for

__all__ = ["host_texts", "without_span"]


def host_texts(message: Any, adapter: Any, path: str) -> str | list[str | None] | None:
    """Return the text of a message: one, or one for each part (None for what is no text), or None if it has none.

    Args:
        message: any message that can be a host.
        adapter: reads it; None for mappings as they are and others by the adapter of their type.
        path: where it stands, for errors.
    """
    if adapter is None and isinstance(message, Mapping):
        content = message.get("content")
        if isinstance(content, list | tuple):
            return [_part_text(part) for part in content]
        return content if isinstance(content, str) else None
    texts = _adapter(message, adapter, path).text_parts(message)
    return texts if texts is None or isinstance(texts, str) else list(texts)


def without_span(message: Any, part_index: int | None, span: tuple[int, int], adapter: Any, path: str) -> Any:
    """Return a copy of a message without a span of its text; the message itself stays as it is."""
    texts = host_texts(message, adapter, path)
    start, end = span
    if isinstance(texts, str):
        new_text: Any = texts[:start] + texts[end:]
    else:
        parts = list(texts or ())
        pairs: list[tuple[int, str | None]] = [(index, None) for index in range(len(parts))]
        text = parts[part_index] if part_index is not None and part_index < len(parts) else None
        if text is not None and part_index is not None:
            pairs[part_index] = (part_index, text[:start] + text[end:])
        new_text = pairs
    if adapter is not None or not isinstance(message, Mapping):
        return _adapter(message, adapter, path).with_text(message, new_text)
    if not isinstance(new_text, str):
        new_text = [
            part if text is None else {**part, "text": text}
            for part, (_, text) in zip(message["content"], new_text, strict=True)
        ]
    return {**message, "content": new_text}


def _part_text(part: Any) -> str | None:
    """Return the text of a part in which something may be embedded."""
    if isinstance(part, Mapping) and part.get("type") in {"text", "input_text"}:
        text = part.get("text")
        return text if isinstance(text, str) else None
    return None


def _adapter(message: Any, adapter: Any, path: str) -> Any:
    """Return the adapter given, or the one for the type of the message."""
    if adapter is not None:
        return adapter
    return adapter_for(message, path)
