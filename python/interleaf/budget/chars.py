"""Characters of messages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import _interleaf
from .messages import messages_of

if TYPE_CHECKING:
    from .._interleaf import CharCount
    from ..types import LengthUnit
    from .messages import Countable

__all__ = ["count_chars"]


def count_chars(messages: Countable, unit: LengthUnit = "codepoint", *, adapter: Any = None) -> CharCount:
    """Count the characters of messages: a total, and one number for each message.

    What counts is the text (of a list the text parts, and the text inside tool results) and the names and arguments of
    tool calls. Roles, names of speakers and ids do not count, nor do other parts, whose number is reported.

    Args:
        messages: the messages, or a result that has them.
        unit: `codepoint` (Python's `len`), `utf16` (JavaScript's `.length`) or `utf8` (bytes; a lone surrogate counts 3).
        adapter: reads messages that are no mappings; by default the one for their type.

    Returns:
        `total`, `per_message`, `unit`, and `opaque_parts`: how many parts are no text.

    Raises:
        TypeError: `messages` is no sequence.
        InterleafError: the unit is unknown (`invalid_option`).
        AdapterError: a message cannot be read.

    >>> from interleaf.budget import count_chars
    >>> count_chars([{"role": "user", "content": "Grüße"}, {"role": "assistant", "content": "😀"}], "utf8").per_message
    (7, 4)
    """
    return _interleaf.count_chars(messages_of(messages), unit, adapter)
