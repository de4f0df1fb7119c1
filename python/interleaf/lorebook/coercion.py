"""How odd values are read. Each function is one rule; docs/lorebooks.md has them as a table."""

from __future__ import annotations

import math
import operator
import re
from typing import TYPE_CHECKING

from .positions import DEFAULT_POSITION, NUMBERED_POSITIONS, NUMBERED_ROLES, ROLE_WORDS, WORD_POSITIONS

if TYPE_CHECKING:
    from ..types import Position, Role
    from .fields import Found, Notes

__all__ = [
    "DEFAULT_DEPTH",
    "DEFAULT_ORDER",
    "is_text_or_number",
    "number_of",
    "position_of",
    "read_depth",
    "read_flag",
    "read_keys",
    "read_order",
    "read_outlet_name",
    "read_positions",
    "read_role",
    "read_text",
]

DEFAULT_ORDER = 100
DEFAULT_DEPTH = 4
_GREATEST = 2**63 - 1
_LEAST = -(2**63)
_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_WORDS = {"infinity": math.inf, "+infinity": math.inf, "-infinity": -math.inf, "nan": math.nan}
_LONGEST_NUMBER = 400
"""Characters: longer than any double written out in full, and short enough for int(), which refuses 4,300 digits."""


def number_of(value: object) -> int | float | None:
    """Reads a number or a string that is one; None if it is neither. A bool is none.

    >>> number_of("4"), number_of(" 2.5 "), number_of("Infinity"), number_of(True), number_of("four")
    (4, 2.5, inf, None, None)
    """
    if isinstance(value, bool):
        return None
    if isinstance(value, (int, float)):
        return value
    if isinstance(value, str):
        text = value.strip()
        if len(text) > _LONGEST_NUMBER:
            return None
        if not _NUMBER.fullmatch(text):
            return _WORDS.get(text.lower())
        return int(text) if text.lstrip("+-").isdigit() else float(text)
    try:
        return operator.index(value)  # type: ignore[arg-type]  # whether it has one is the question
    except MemoryError:
        raise
    except Exception:
        # Whatever else a foreign __index__ raises, the value is no number to us.
        return None


def _told_as(found: Found, value: object, notes: Notes) -> None:
    """Tells that a value that was no number was read as one."""
    if not isinstance(found.value, (int, float)):
        notes.tell(found, "coerced", f"read as {value}")


def read_order(found: Found, notes: Notes) -> int | float:
    """Reads an order: a finite number of 64 bits, 100 if there is none."""
    if found.absent:
        notes.tell(found, "defaulted", f"the default {DEFAULT_ORDER} stands in")
        return DEFAULT_ORDER
    number = number_of(found.value)
    if number is None or number != number:
        notes.tell(found, "defaulted", f"no number, so the default {DEFAULT_ORDER} stands in")
        return DEFAULT_ORDER
    if isinstance(number, int) or math.isinf(number):
        bounded = int(max(_LEAST, min(_GREATEST, number)))
        if bounded != number:
            notes.tell(found, "coerced", f"beyond 64 bits, read as {bounded}")
        else:
            _told_as(found, bounded, notes)
        return bounded
    _told_as(found, number, notes)
    return number


def read_depth(found: Found, notes: Notes) -> int:
    """Reads a depth: an int from 0 to the greatest of 64 bits, 4 if there is none; fractions are cut off."""
    if found.absent:
        notes.tell(found, "defaulted", f"the default {DEFAULT_DEPTH} stands in")
        return DEFAULT_DEPTH
    number = number_of(found.value)
    if number is None or number != number:
        notes.tell(found, "defaulted", f"no number, so the default {DEFAULT_DEPTH} stands in")
        return DEFAULT_DEPTH
    if number < 0:
        notes.tell(found, "coerced", "before the end of the chat is no less than 0, read as 0")
        return 0
    if number > _GREATEST:
        notes.tell(found, "coerced", f"beyond 64 bits, read as {_GREATEST}: before the oldest message")
        return _GREATEST
    depth = int(number)
    if depth != number:
        notes.tell(found, "coerced", f"no fractions of a message, read as {depth}")
    elif not found.field.startswith("@@"):  # a decorator's value is text by nature
        _told_as(found, depth, notes)
    return depth


def read_role(found: Found, notes: Notes) -> Role:
    """Reads a role: 0, 1, 2 are system, user, assistant; null and a missing one are system."""
    if found.absent:
        return "system"
    if isinstance(found.value, str) and found.value.strip().lower() in ROLE_WORDS:
        role = ROLE_WORDS[found.value.strip().lower()]
        notes.tell(found, "coerced", f"a word where a number belongs, read as {role}")
        return role
    number = number_of(found.value)
    if number not in (0, 1, 2):
        notes.tell(found, "defaulted", "none of 0, 1, 2, so system stands in")
        return "system"
    role = NUMBERED_ROLES[int(number)]
    _told_as(found, role, notes)
    return role


def position_of(found: Found) -> tuple[Position, bool] | None:
    """Reads a position; None if it is unknown. The flag says whether it is written as its field should be."""
    value = found.value
    if isinstance(value, str):
        word = value.strip().lower()
        if word in WORD_POSITIONS:
            return WORD_POSITIONS[word], found.wordy and word == value
    number = number_of(value)
    if number is None or not 0 <= number < len(NUMBERED_POSITIONS) or number != int(number):
        return None
    return NUMBERED_POSITIONS[int(number)], not found.wordy and not isinstance(value, str)


def read_positions(
    candidates: tuple[Found, ...], decided: tuple[str, Position] | None, notes: Notes
) -> Position | None:
    """Reads a position from the fields that may say it; the first that does wins.

    Args:
        candidates: the fields, in order of precedence.
        decided: a decorator's field and what it says; it wins over all of them.
        notes: where to tell.

    Returns:
        The position. None if something is written and nothing of it is known. The default if nothing is written.
    """
    winner = decided
    unknown: list[Found] = []
    for found in candidates:
        if found.absent:
            continue
        read = position_of(found)
        if read is None:
            unknown.append(found)
            continue
        position, proper = read
        if not proper:
            notes.tell(found, "coerced", f"read as {position}")
        if winner is None:
            winner = (found.field, position)
        elif position != winner[1]:
            notes.tell(found, "overridden", f"{winner[0]} says {winner[1]} and wins")
    if winner is not None:
        for found in unknown:
            notes.tell(found, "ignored", f"an unknown position, and {winner[0]} says {winner[1]}")
        return winner[1]
    if unknown:
        return None
    notes.tell(candidates[-1], "defaulted", f"the default {DEFAULT_POSITION} stands in")
    return DEFAULT_POSITION


def read_flag(found: Found, default: bool, notes: Notes, *, required: bool) -> bool:
    """Reads true or false; 0 and 1 and the words are read as them, and anything else is the default."""
    value = found.value
    if isinstance(value, bool):
        return value
    if found.absent:
        if required:
            notes.tell(found, "defaulted", f"{str(default).lower()} stands in")
        return default
    word = value.strip().lower() if isinstance(value, str) else None
    if word in ("true", "1") or (word is None and number_of(value) == 1):
        read = True
    elif word in ("false", "0", "") or (word is None and number_of(value) == 0):
        read = False
    else:
        notes.tell(found, "defaulted", f"neither true nor false, so {str(default).lower()} stands in")
        return default
    notes.tell(found, "coerced", f"read as {str(read).lower()}")
    return read


def read_keys(found: Found, notes: Notes, *, required: bool) -> tuple[str, ...]:
    """Reads keys: an array of strings; one string is parted at its commas; numbers become strings."""
    value = found.value
    if type(value) is list and all(type(key) is str for key in value):
        return tuple(value)  # nearly always
    if found.absent:
        if required:
            notes.tell(found, "defaulted", "read as no keys")
        return ()
    if isinstance(value, str):
        keys = tuple(key.strip() for key in value.split(",") if key.strip())
        notes.tell(found, "coerced", f"one string, parted at its commas into {len(keys)}")
        return keys
    if not isinstance(value, (list, tuple)):
        notes.tell(found, "defaulted", "no array, read as no keys")
        return ()
    keys = tuple(key if isinstance(key, str) else _number_text(key) for key in value if is_text_or_number(key))
    if len(keys) != len(value):
        notes.tell(found, "coerced", f"{len(value) - len(keys)} of them are neither strings nor numbers and not read")
    elif not all(isinstance(key, str) for key in value):
        notes.tell(found, "coerced", "numbers among them read as strings")
    return keys


def read_text(found: Found, notes: Notes, what: str) -> str:
    """Reads a short text such as a comment: a number becomes a string, anything else is empty."""
    if isinstance(found.value, str):
        return found.value
    if found.absent:
        return ""
    if is_text_or_number(found.value):
        notes.tell(found, "coerced", "a number, read as text")
        return _number_text(found.value)
    notes.tell(found, "defaulted", f"no text, read as no {what}")
    return ""


def read_outlet_name(found: Found, notes: Notes) -> str | None:
    """Reads the name of an outlet, without the space around it; None if there is none that a marker could hold."""
    if isinstance(found.value, str):
        name = found.value.strip()
    elif is_text_or_number(found.value):
        name = _number_text(found.value)
    else:
        return None
    if not name or "{{" in name or "}}" in name:
        return None
    if name != found.value:
        notes.tell(found, "coerced", f"read as the outlet {name}")
    return name


def is_text_or_number(value: object) -> bool:
    """Whether it is text or a number that has a short text."""
    if isinstance(value, str):
        return True
    if isinstance(value, int):
        return not isinstance(value, bool) and value.bit_length() <= 200
    return isinstance(value, float) and math.isfinite(value)


def _number_text(value: object) -> str:
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)
