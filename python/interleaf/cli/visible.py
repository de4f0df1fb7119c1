"""Text from requests, made safe for a terminal and countable in its columns."""

from __future__ import annotations

import unicodedata
from typing import Final

__all__ = ["columns", "shortened", "visible"]

# What must not reach a terminal as it is: controls (escape sequences move the cursor, retitle the window), line and
# paragraph separators, surrogates, and format characters, which hide text or turn its direction. Joiners are left:
# emoji and Persian words are built with them.
_HIDDEN_CATEGORIES: Final = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
_JOINERS: Final = frozenset("\u200c\u200d")
_SHORT: Final = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}


def visible(text: str) -> str:
    r"""Text on one line, with control and direction characters written as escapes.

    Args:
        text: any text.

    Returns:
        The text as a terminal may show it.

    >>> visible("one\ntwo \u202e three")
    'one\\ntwo \\u202e three'
    """
    if text.isprintable():
        return text
    return "".join(_visible_character(character) for character in text)


def _visible_character(character: str) -> str:
    if character in _SHORT:
        return _SHORT[character]
    if character in _JOINERS or unicodedata.category(character) not in _HIDDEN_CATEGORIES:
        return character
    number = ord(character)
    if number < 0x100:
        return f"\\x{number:02x}"
    return f"\\u{number:04x}" if number <= 0xFFFF else f"\\U{number:08x}"


def columns(text: str) -> int:
    """How many columns of a terminal a text takes: two for Chinese and the like, none for combining marks.

    Args:
        text: text without control characters.

    Returns:
        The number of columns.

    >>> columns("灯塔 x")
    6
    """
    if text.isascii():
        return len(text)
    return sum(_character_columns(character) for character in text)


def _character_columns(character: str) -> int:
    if unicodedata.combining(character) or character in _JOINERS or unicodedata.category(character) == "Mn":
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def shortened(text: str, width: int, ellipsis: str = "…") -> str:
    """The first words of a text, at most so many columns of them.

    Args:
        text: text without control characters.
        width: columns at most, the ellipsis included.
        ellipsis: what shows that something was left out.

    Returns:
        The text, cut at a space if one is near.

    >>> shortened("the lamp is lit at dusk", 14)
    'the lamp is…'
    """
    # A character takes at most two columns and mostly one: what lies far beyond the width need not be measured.
    head = text[: width * 4 + 4]
    if len(head) == len(text) and columns(text) <= width:
        return text
    room = width - columns(ellipsis)
    used = 0
    end = 0
    for end, character in enumerate(head):  # noqa: B007 - `end` is read after the loop
        used += _character_columns(character)
        if used > room:
            break
    space = head.rfind(" ", max(0, end - 12), end + 1)
    return head[: space if space > 0 else end].rstrip() + ellipsis
