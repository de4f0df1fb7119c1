"""The `@@` lines at the head of an entry's content, as the Character Card V3 specification has them."""

from __future__ import annotations

import itertools
import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .coercion import number_of
from .fields import Found, Notes
from .limits import MAX_DECORATORS
from .positions import DECORATED_POSITIONS, ROLE_WORDS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..types import Position, Role

__all__ = ["Decorations", "read_decorators"]

_LINE = re.compile(r"(@@@?)([A-Za-z_][A-Za-z0-9_]*)(?:[ \t]+(.*))?")

# What the specification defines besides depth, role and position; none of it says where the text should stand.
_ACTIVATION = frozenset(
    {
        "activate",
        "activate_only_after",
        "activate_only_every",
        "additional_keys",
        "dont_activate",
        "dont_activate_after_match",
        "exclude_keys",
        "ignore_on_max_context",
        "instruct_scan_depth",
        "is_greeting",
        "is_user_icon",
        "keep_activate_after_match",
        "scan_depth",
    }
)
_OF_TEXT_PROMPTS = frozenset({"instruct_depth", "reverse_depth", "reverse_instruct_depth"})


@dataclass(frozen=True, slots=True)
class _Decorator:
    name: str
    value: str
    fallback: bool

    @property
    def line(self) -> Found:
        return Found(f"@@{self.name}", f"@{'@@' if self.fallback else '@'}{self.name} {self.value}".rstrip())


@dataclass(slots=True)
class Decorations:
    """What the decorators of an entry say, and the text without them.

    `stated` is what `@@position` says, and `depth` what `@@depth` does, as written. Both and the role are None where
    no decorator spoke.
    """

    content: str
    stated: Position | None = None
    depth: Found | None = None
    role: Role | None = None

    @property
    def position(self) -> tuple[str, Position] | None:
        """The decorator that says where, and what it says."""
        if self.stated is not None:
            return "@@position", self.stated
        return None if self.depth is None else ("@@depth", "at_depth")


def read_decorators(content: str, notes: Notes) -> Decorations | None:
    r"""Takes the decorators off a text.

    They are the lines at its head that begin with `@@` and a name; empty lines around them go with them. A `@@@` line
    is a fallback: it is considered only if the decorator before it, and every fallback between, was not acted on. Of
    decorators with one name the first that can be acted on counts, and `@@position` makes `@@depth` moot. Every one not acted on is told.

    Args:
        content: the text as the file has it.
        notes: where to tell.

    Returns:
        The text without its head, and what was acted on. Text without decorators comes back as it was. None if there
        are more than `MAX_DECORATORS`.

    >>> read = read_decorators("@@depth 2\n@@shout\n@@@role user\n\nThe gate is shut.", notes := Notes("Lore:0001"))
    >>> read.content, read.depth.value, read.role
    ('The gate is shut.', '2', 'user')
    >>> [(problem.field, problem.done) for problem in notes.problems]
    [('@@shout', 'not acted on: no decorator of the specification')]
    """
    head = list(itertools.islice(_head(content), MAX_DECORATORS + 1))
    if not head:
        return Decorations(content)
    if len(head) > MAX_DECORATORS:
        return None
    decorators = [decorator for decorator, _end in head]
    rest = content[head[-1][1] :].lstrip("\r\n")
    # Whether @@position is acted on decides over @@depth, which may stand before it, so it is found out first.
    stated = _act_on_all(decorators, Decorations(rest), False, Notes(notes.entry)).stated
    return _act_on_all(decorators, Decorations(rest), stated is not None, notes)


def _act_on_all(decorators: list[_Decorator], read: Decorations, has_position: bool, notes: Notes) -> Decorations:
    seen: set[str] = set()
    settled = orphaned = False
    for index, decorator in enumerate(decorators):
        if not decorator.fallback:
            settled = orphaned = False
        elif index == 0:
            orphaned = True
        if orphaned:
            reason: str | None = "a fallback of nothing"
        elif settled:
            reason = "the decorator it stands in for was"
        else:
            reason = _act(decorator, read, seen, has_position)
        if reason is None:
            settled = True
        else:
            notes.tell(decorator.line, "ignored", f"not acted on: {reason}")
    return read


def _head(content: str) -> Iterator[tuple[_Decorator, int]]:
    """Yields the decorators and where each one's line ends."""
    at = 0
    while at < len(content):
        end = content.find("\n", at)
        end = len(content) if end < 0 else end + 1
        line = content[at:end].rstrip("\r\n")
        at = end
        if not line:
            continue
        match = _LINE.fullmatch(line)
        if match is None:
            return
        yield _Decorator(match[2].lower(), (match[3] or "").strip(), match[1] == "@@@"), end


def _act(decorator: _Decorator, read: Decorations, seen: set[str], has_position: bool) -> str | None:
    """Acts on one decorator, or says why not."""
    name, value = decorator.name, decorator.value
    if name not in ("depth", "role", "position"):
        if name in _ACTIVATION:
            return "it says when, not where, and choosing is the caller's"
        if name in _OF_TEXT_PROMPTS:
            return "it counts what a chat does not have"
        return (
            "it is about a screen, not about the prompt"
            if name == "disable_ui_prompt"
            else "no decorator of the specification"
        )
    if name in seen:
        return "one of its name was"
    if name == "depth":
        if has_position:
            return "@@position says where"
        number = number_of(value)
        if number is None or math.isnan(number):
            return "its value is no number"
        read.depth = Found("@@depth", value)
    elif name == "role":
        role = ROLE_WORDS.get(value)
        if role is None:
            return "its value is none of system, user, assistant"
        read.role = role
    else:
        position = DECORATED_POSITIONS.get(value)
        if position is None:
            return "its value is neither before_desc nor after_desc"
        read.stated = position
    seen.add(name)
    return None
