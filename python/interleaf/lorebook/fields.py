"""A value with the name its file has for it, and the notes taken while it is read."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from .problems import Action, Problem

__all__ = ["MISSING", "EntryFields", "Found", "Notes", "find", "shown"]


class _Missing:
    """The type of `MISSING`."""

    __slots__ = ()


MISSING: Final = _Missing()
"""Stands for a field that is not there, for null is something else."""

_SHOWN_LENGTH = 60


def shown(value: object) -> str:
    """Puts a value into a problem: short JSON, or what kind of thing it is.

    >>> shown("4"), shown(None), shown([1, 2]), shown(MISSING)
    ('"4"', 'null', 'an array of 2', 'nothing')
    """
    if value is MISSING:
        return "nothing"
    if isinstance(value, str):
        clipped = value if len(value) <= _SHOWN_LENGTH else value[:_SHOWN_LENGTH] + "…"
        # Lone surrogates are legal in a str and break whoever prints them.
        return json.dumps(clipped, ensure_ascii=False).encode("utf-8", "backslashreplace").decode("utf-8")
    if isinstance(value, Mapping):
        return f"an object of {len(value)}"
    if isinstance(value, (list, tuple)):
        return f"an array of {len(value)}"
    if value is None or isinstance(value, (bool, float)):
        return json.dumps(value)
    if isinstance(value, int):
        # Not str(): an int of more than 4,300 digits refuses to become one.
        return str(value) if value.bit_length() <= 200 else "a very large number"
    return f"a value of type {type(value).__name__}"


@dataclass(frozen=True, slots=True)
class Found:
    """A value, and the file's own name for its field. `wordy` says that a position is to be a word there."""

    field: str
    value: Any
    wordy: bool = False

    @property
    def absent(self) -> bool:
        """Whether it is missing or null."""
        return self.value is MISSING or self.value is None


def find(mapping: Mapping[str, Any], *names: str, prefix: str = "") -> Found:
    """Returns the first of some fields that is there, else a missing one by the first name."""
    for name in names:
        if name in mapping:
            return Found(prefix + name, mapping[name])
    return Found(prefix + names[0], MISSING)


@dataclass(frozen=True, slots=True)
class EntryFields:
    """Where one dialect keeps what an entry needs.

    `positions` are in order of precedence. `switch` is the field that turns the entry off or on, `switched_off_by`
    the value of it that turns it off.
    """

    content: Found
    keys: Found
    secondary_keys: Found
    constant: Found
    comment: Found
    switch: Found
    switched_off_by: bool
    order: Found
    positions: tuple[Found, ...]
    depth: Found
    role: Found
    outlet_name: Found


@dataclass(slots=True)
class Notes:
    """Collects the problems of one entry, or of the file with an empty id."""

    entry: str
    problems: list[Problem] = field(default_factory=list)

    def tell(self, found: Found, action: Action, done: str) -> None:
        """Adds one decision."""
        self.problems.append(Problem(self.entry, found.field, shown(found.value), done, action))
