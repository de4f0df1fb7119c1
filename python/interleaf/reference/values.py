"""Reading plain values: each function returns the value that was meant, or None if it is not one.

Also how a value that was found is told in a message.
"""

from __future__ import annotations

import json
import math
import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any, cast

from .words import LARGEST_INT, SMALLEST_INT


def plain_str(value: str) -> str:
    """Return the exact `str` of a `str` or of an instance of a subclass."""
    return str.__str__(value)


def as_str(value: object) -> str | None:
    """Read a `str`, which stays the object it is."""
    return value if isinstance(value, str) else None


def as_plain_str(value: object) -> str | None:
    """Read a `str` as an exact one."""
    return plain_str(value) if isinstance(value, str) else None


def as_bool(value: object) -> bool | None:
    """Read a real bool."""
    return value if isinstance(value, bool) else None


def as_int(value: object) -> int | None:
    """Read an int or an object with `__index__`; a bool is no int."""
    if isinstance(value, bool):
        return None
    try:
        return operator.index(cast("Any", value))
    except TypeError:
        return None


def as_small_int(value: object) -> int | None:
    """Read an int that fits 64 bits."""
    number = as_int(value)
    return number if number is not None and SMALLEST_INT <= number <= LARGEST_INT else None


def as_index(limit: int = LARGEST_INT) -> Callable[[object], int | None]:
    """Return what reads an index from 0 up to and including `limit`: there is no negative indexing."""

    def read(value: object) -> int | None:
        number = as_small_int(value)
        return number if number is not None and 0 <= number <= limit else None

    return read


def as_order(value: object) -> int | float | None:
    """Read an int of 64 bits or a finite float."""
    if isinstance(value, float):
        return float.__float__(value) if math.isfinite(value) else None
    return as_small_int(value)


def as_budget(value: object) -> int | float | None:
    """Read an int of any size that is not negative, or infinity."""
    if isinstance(value, float):
        return math.inf if value == math.inf else None
    number = as_int(value)
    return number if number is not None and number >= 0 else None


def as_word(words: Sequence[str]) -> Callable[[object], str | None]:
    """Return what reads a word of a vocabulary."""

    def read(value: object) -> str | None:
        word = as_plain_str(value)
        return word if word in words else None

    return read


def as_id(value: object) -> str | None:
    """Read an id: not empty, and encodable as UTF-8."""
    identifier = as_plain_str(value)
    return identifier if identifier and not any(is_surrogate(char) for char in identifier) else None


def as_outlet_name(value: object) -> str | None:
    """Read an outlet name that is not empty and cannot break its marker."""
    name = as_plain_str(value)
    return name if name and "{{" not in name and "}}" not in name else None


def is_sequence(value: object) -> bool:
    """Tell a sequence as messages must be one: sized and indexable, but no text, bytes, mapping or set."""
    is_other = isinstance(value, (str, bytes, bytearray, memoryview, Mapping, AbstractSet))
    return not is_other and hasattr(type(value), "__len__") and hasattr(type(value), "__getitem__")


def iterate(value: object) -> Iterator[Any] | None:
    """Return an iterator, or None if the value is not iterable."""
    try:
        iterator: Iterator[Any] = iter(cast("Any", value))
    except TypeError:
        return None
    return iterator


def is_surrogate(char: str) -> bool:
    """Tell whether a code point is half of a surrogate pair."""
    return 0xD800 <= ord(char) <= 0xDFFF


def describe(value: object) -> str:
    """Say what was found, shortly and without addresses: the same input gives the same message."""
    if value is None:
        return "None"
    if isinstance(value, str):
        plain = plain_str(value)
        return repr(plain) if len(plain) <= 60 else f"{plain[:60]!r}... ({len(plain)} characters)"
    if type(value) is int:
        return repr(value) if value.bit_length() <= 256 else f"an int of {value.bit_length()} bits"
    if type(value) in (bool, float):
        return f"{type(value).__name__} {value!r}"
    return f"a value of type {type(value).__name__}"


def one_of(words: Sequence[str]) -> str:
    """List the words that were expected."""
    return "one of " + ", ".join(repr(word) for word in words)


def printable(text: str) -> str:
    """Write a text with lone surrogates escaped: nothing can print or encode them."""
    return "".join(f"\\u{ord(char):04x}" if is_surrogate(char) else char for char in text)


def quoted_name(name: str) -> str:
    """Write an outlet name for a path, as a JSON string."""
    return printable(json.dumps(plain_str(name), ensure_ascii=False))


def part_field(part: object, name: str) -> Any:
    """Return a key of a part or, if it is no mapping, an attribute; None if it is not there."""
    return part.get(name) if isinstance(part, Mapping) else getattr(part, name, None)


def part_str(part: object, name: str) -> str:
    """Return such a field that is a `str`; anything else counts as the empty one."""
    value = part_field(part, name)
    return plain_str(value) if isinstance(value, str) else ""
