"""Numbers and ids for entries: `BOOK:NNNN`, whatever the file has for numbers."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .coercion import number_of
from .fields import Found
from .limits import MAX_NAME_LENGTH

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .problems import Action

__all__ = ["Named", "book_name", "name_entries"]

_GREATEST_UID = 2**63 - 1
_LEAST_WIDTH = 4


@dataclass(frozen=True, slots=True)
class Named:
    """The number and the id of one entry, and what there is to tell about them."""

    uid: int
    id: str
    notes: tuple[tuple[Found, Action, str], ...]


def book_name(found: Found) -> tuple[str, tuple[Action, str] | None]:
    """Reads the name of a book.

    Returns:
        The name, `""` if there is none, and what was done to it if anything was. Space around it is cut off, a name of
        more than 200 characters too, and lone surrogates, which no id may hold, become U+FFFD.
    """
    if found.absent:
        return "", None
    if not isinstance(found.value, str):
        return "", ("defaulted", "no text, so the file's name stands in")
    name = found.value.strip()
    encodable = name[:MAX_NAME_LENGTH].encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if encodable != name:
        return encodable, ("coerced", f"too long or not encodable, read as {encodable}")
    return name, None


def _usable(value: object) -> int | None:
    """The number that a uid is: an int from 0 to the greatest of 64 bits."""
    number = number_of(value)
    if number is None or not 0 <= number <= _GREATEST_UID or number != int(number):
        return None
    return int(number)


def name_entries(book: str, found: Sequence[tuple[Found, str | None]]) -> list[Named]:
    """Numbers the entries of a book and makes their ids.

    An entry without a number takes its key in the file if that is a number, else its index there. The width of the
    numbers is that of the longest, at least four digits, so that ids sort as numbers do. Of entries with one number
    the first that has it by itself keeps the plain id, and the others are `BOOK:0003.1`, `BOOK:0003.2`, in the order of
    the file: between 3 and 4, where they belong.

    Args:
        book: the book's name.
        found: for each entry its uid field and its key in the file, None if entries have none.

    Returns:
        One record an entry, in the same order.

    >>> named = name_entries("Lore", [(Found("uid", "10"), "0"), (Found("uid", 9), "1"), (Found("uid", 9), "2")])
    >>> [entry.id for entry in named]
    ['Lore:0010', 'Lore:0009', 'Lore:0009.1']
    """
    numbers: list[int] = []
    by_itself: list[bool] = []
    notes: list[list[tuple[Found, Action, str]]] = []
    for index, (field, key) in enumerate(found):
        told: list[tuple[Found, Action, str]] = []
        uid = None if field.absent else _usable(field.value)
        by_itself.append(uid is not None)
        if uid is None:
            key_number = _usable(key)
            uid = index if key_number is None else key_number
            origin = "its index" if key_number is None else "its key"
            why = f"{origin} in the file, {uid}, stands in"
            told.append((field, "defaulted", why if field.absent else f"no number of its own, so {why}"))
        else:
            if not isinstance(field.value, (int, float)):
                told.append((field, "coerced", f"read as {uid}"))
            if key is not None and _usable(key) != uid:
                told.append((Found("key in the file", key), "overridden", f"{field.field} says {uid} and wins"))
        numbers.append(uid)
        notes.append(told)
    width = max(_LEAST_WIDTH, *(len(str(uid)) for uid in numbers)) if numbers else _LEAST_WIDTH
    repeats = Counter(numbers)
    suffix_width = len(str(max(repeats.values(), default=1) - 1))
    used: Counter[int] = Counter()
    ids = [""] * len(numbers)
    for index in sorted(range(len(numbers)), key=lambda index: not by_itself[index]):
        uid = numbers[index]
        suffix = f".{used[uid]:0{suffix_width}d}" if used[uid] else ""
        ids[index] = f"{book}:{uid:0{width}d}{suffix}"
        if suffix:
            notes[index].append((found[index][0], "coerced", f"the number {uid} is taken, so the id is {ids[index]}"))
        used[uid] += 1
    return [Named(uid, entry_id, tuple(told)) for uid, entry_id, told in zip(numbers, ids, notes, strict=True)]
