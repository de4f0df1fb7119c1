"""Content as HTML text: nothing in it can run, hide or turn the direction of what follows."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

__all__ = ["escaped", "shown"]

# Controls except tab and newline, surrogates, line separators, noncharacters, and format characters: bidi controls turn
# text around, tag and zero-width characters hide it. ZWJ and ZWNJ stay as they are, for emoji and Persian words are
# built with them.
_HIDDEN: Final = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\ufdd0-\ufdef\ufffe\uffff\ud800-\udfff\U000e0000-\U000e007f]"
)
_MARKUP: Final = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&#34;", "'": "&#39;"})


def shown(text: str) -> str:
    """A text as HTML, with markup escaped and every hidden character as a visible, named escape.

    Args:
        text: any text, lone surrogates included.

    Returns:
        HTML that can be encoded as UTF-8 and holds no markup of the text's own.

    >>> shown("a < b")
    'a &lt; b'
    """
    return _HIDDEN.sub(_marked, text.translate(_MARKUP))


def escaped(text: str) -> str:
    r"""A text for an attribute or a title: hidden characters as plain escapes, markup left to the template.

    Args:
        text: any text, lone surrogates included.

    Returns:
        Text without hidden characters.

    >>> escaped("a\u202eb")
    'a\\u202eb'
    """
    return _HIDDEN.sub(lambda match: _escape(match.group()), text)


def _marked(match: re.Match[str]) -> str:
    character = match.group()
    name = unicodedata.name(character, "").title() or "control character"
    return f'<span class="hidden" title="U+{ord(character):04X} {name}">{_escape(character)}</span>'


def _escape(character: str) -> str:
    number = ord(character)
    if character == "\r":
        return "\\r"
    if number < 0x100:
        return f"\\x{number:02x}"
    return f"\\u{number:04x}" if number <= 0xFFFF else f"\\U{number:08x}"
