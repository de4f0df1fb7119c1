"""`{{char}}`, `{{user}}` and the like, filled in once and only when asked."""

from __future__ import annotations

import re
from collections.abc import Mapping

from ..errors import InterleafError

__all__ = ["check_macros", "expand_macros"]

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_OPENING = re.compile(r"\{\{(?:(outlet::)|[ \t]*([A-Za-z_][A-Za-z0-9_]*)[ \t]*\}\})")


def check_macros(macros: Mapping[str, str] | None) -> None:
    """Refuses macros that are no mapping from names to text.

    Raises:
        InterleafError: `invalid_option` at `macros`.
    """
    if macros is None:
        return
    if not isinstance(macros, Mapping):
        raise InterleafError(
            f"found {type(macros).__name__}, expected a mapping from macro names to text", "invalid_option", "macros"
        )
    seen: set[str] = set()
    for name, value in macros.items():
        if not isinstance(name, str) or not _NAME.fullmatch(name) or name.lower() in seen:
            raise InterleafError(
                f"found the macro name {name!r}, expected letters, digits and underscores, each name once whatever its case",
                "invalid_option",
                "macros",
            )
        if not isinstance(value, str):
            raise InterleafError(
                f"found {type(value).__name__} for the macro {name!r}, expected a str",
                "invalid_option",
                f"macros[{name!r}]",
            )
        seen.add(name.lower())


def expand_macros(content: str, macros: Mapping[str, str]) -> str:
    """Fills in macros in one pass.

    Names are found whatever their case, and spaces inside the braces do not matter. What was inserted is not looked at
    again. `{{outlet::...}}` is left alone with all that is in it, and so is every macro that has no value.

    Args:
        content: the text.
        macros: name to value, checked.

    Returns:
        The text with its macros filled in.

    >>> expand_macros("{{Char}} greets {{user}} at {{outlet::gate}}. {{roll:6}}", {"char": "{{user}}", "user": "Ann"})
    '{{user}} greets Ann at {{outlet::gate}}. {{roll:6}}'
    """
    values = {name.lower(): value for name, value in macros.items()}
    pieces: list[str] = []
    copied = at = 0
    while opening := _OPENING.search(content, at):
        at = opening.end()
        if opening.group(1):
            # An outlet marker ends at the first `}}`, as it does where outlets are filled. If there is none, no macro
            # ends either: without this the search would be quadratic in a text of nothing but openings.
            end = content.find("}}", at)
            if end < 0:
                break
            at = end + 2
            continue
        value = values.get(opening.group(2).lower())
        if value is not None:
            pieces += (content[copied : opening.start()], value)
            copied = at
    return "".join([*pieces, content[copied:]]) if pieces else content
