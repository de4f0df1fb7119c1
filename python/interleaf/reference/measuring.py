"""What texts and additional messages count."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..errors import PlanError
from .hosts import part_text
from .values import as_word, describe, part_field, part_str, plain_str


def measure(text: str, unit: str) -> int:
    """Count the characters of a text in a unit."""
    return sum(_char_size(ord(char), unit) for char in plain_str(text))


def _char_size(codepoint: int, unit: str) -> int:
    """Return what one code point counts; a lone surrogate is one UTF-16 unit and three bytes."""
    if unit == "codepoint":
        return 1
    if unit == "utf16":
        return 2 if codepoint > 0xFFFF else 1
    return 1 + (codepoint >= 0x80) + (codepoint >= 0x800) + (codepoint >= 0x10000)


@dataclass
class AdditionalSize:
    """What the additional messages count, and how many of their parts count nothing."""

    chars: int = 0
    opaque_parts: int = 0


def measure_additional(messages: Sequence[object], unit: str) -> AdditionalSize:
    """Check the additional messages and count their text."""
    size = AdditionalSize()
    for index, message in enumerate(messages):
        content = _read_content(message, f"additional_messages[{index}]")
        for text in [content] if isinstance(content, str) else _texts(content):
            if text is None:
                size.opaque_parts += 1
            else:
                size.chars += measure(text, unit)
    return size


def _texts(parts: Sequence[object]) -> list[str | None]:
    """List the texts of parts and of the tool results among them; None for each part that is no text."""
    texts: list[str | None] = []
    for part in parts:
        result = part_field(part, "content") if part_str(part, "type") == "tool_result" else None
        if isinstance(result, str):
            texts.append(result)
        elif isinstance(result, list):
            texts.extend(part_text(inner) for inner in result)
        else:
            texts.append(part_text(part))
    return texts


def _read_content(message: object, path: str) -> str | list[Any]:
    """Check one additional message: role `user` only, with content."""
    if not isinstance(message, Mapping):
        raise PlanError(f"{path} is {describe(message)}; expected a mapping", "invalid_type", path)
    role = message.get("role")
    if as_word(("user",))(role) is None:
        code = "missing_field" if role is None else "additional_not_user"
        raise PlanError(f"{path}.role is {describe(role)}; expected 'user', and no other", code, f"{path}.role")
    content = message.get("content")
    if not isinstance(content, (str, list)):
        code = "missing_field" if content is None else "invalid_type"
        raise PlanError(
            f"{path}.content is {describe(content)}; expected a str or a list of parts", code, f"{path}.content"
        )
    return content
