"""The words and numbers by which the formats name places and roles."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..types import Position, Role

__all__ = [
    "DECORATED_POSITIONS",
    "DEFAULT_POSITION",
    "NUMBERED_POSITIONS",
    "NUMBERED_ROLES",
    "ROLE_WORDS",
    "WORD_POSITIONS",
]

DEFAULT_POSITION: Position = "before_character"

NUMBERED_POSITIONS: tuple[Position, ...] = (
    "before_character",
    "after_character",
    "author_note_top",
    "author_note_bottom",
    "at_depth",
    "before_examples",
    "after_examples",
    "outlet",
)
"""SillyTavern's 0 to 7."""

WORD_POSITIONS: dict[str, Position] = {"before_char": "before_character", "after_char": "after_character"}
"""The two of V2 and V3."""

DECORATED_POSITIONS: dict[str, Position] = {"before_desc": "before_character", "after_desc": "after_character"}
"""What `@@position` may say and the layout has an anchor for; `personality` and `scenario` have none."""

NUMBERED_ROLES: tuple[Role, ...] = ("system", "user", "assistant")
"""SillyTavern's 0 to 2."""

ROLE_WORDS: dict[str, Role] = {"system": "system", "user": "user", "assistant": "assistant"}
"""What `@@role` may say, and what some files have where a number belongs."""
