"""A record of every decision made while reading."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

__all__ = ["Action", "Problem"]

Action: TypeAlias = Literal["coerced", "defaulted", "overridden", "ignored", "left_out"]
"""What was done about a problem.

`coerced`: the value was read as another. `defaulted`: it was missing or meaningless and the default stands in.
`overridden`: another field said something else and won. `ignored`: it was not acted on. `left_out`: the entry has no block.
"""


@dataclass(frozen=True, slots=True)
class Problem:
    """One decision made while reading.

    Attributes:
        entry: the id of the entry, or `""` for the file as a whole.
        field: the field in the file's own words, such as `extensions.position` or `@@depth`.
        found: the value as a short piece of JSON, or `nothing`.
        done: what was made of it, as a sentence for people.
        action: what was made of it, as a word for programs.
    """

    entry: str
    field: str
    found: str
    done: str
    action: Action

    @property
    def left_out(self) -> bool:
        """Whether it says that the entry has no block. Each such entry has exactly one problem that does."""
        return self.action == "left_out"

    def __str__(self) -> str:
        where = f"{self.entry} {self.field}" if self.entry else self.field
        return f"{where}: found {self.found}; {self.done}"

    def to_dict(self) -> dict[str, str]:
        """Returns the fields as JSON."""
        return {
            "entry": self.entry,
            "field": self.field,
            "found": self.found,
            "done": self.done,
            "action": self.action,
        }
