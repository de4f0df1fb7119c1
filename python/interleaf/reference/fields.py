"""Reading the fields of a mapping, or of an object of the library, in the order of their table."""

from __future__ import annotations

import difflib
import functools
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from .values import describe, one_of, plain_str, printable

if TYPE_CHECKING:
    from ..errors import InterleafError

T = TypeVar("T")


class Fields:
    """The fields of one object, with what an error about one of them has to say.

    Unknown keys are refused first, then fields that are spelled twice. An absent field is None.

    Args:
        error: the class of a refusal.
        path: where the object stands; empty for one whose fields have no path before them.
        whose: a few words for the id of the object, set once it is known.
    """

    def __init__(self, given: object, names: Sequence[str], path: str, error: type[InterleafError]) -> None:
        self.error = error
        self.path = path
        self.whose = ""
        if isinstance(given, Mapping):
            self.values = self._read_mapping(given, names)
        else:
            self.values = {name: getattr(given, name, None) for name in names}

    def path_of(self, name: str) -> str:
        """Return where a field stands."""
        return f"{self.path}.{name}" if self.path else name

    def optional(self, name: str, read: Callable[[object], T | None], code: str, expected: str) -> T | None:
        """Read a field that may be absent; one that is there but wrong is refused with `code`."""
        value = self.values[name]
        if value is None:
            return None
        meant = read(value)
        if meant is None:
            path = self.path_of(name)
            raise self.error(f"{path}{self.whose} is {describe(value)}; expected {expected}", code, path)
        return meant

    def required(self, name: str, read: Callable[[object], T | None], code: str, expected: str, why: str = "") -> T:
        """Read a field that must be there."""
        meant = self.optional(name, read, code, expected)
        if meant is None:
            path = self.path_of(name)
            raise self.error(f"{path}{self.whose} is missing; expected {expected}{why}", "missing_field", path)
        return meant

    def defaulted(self, name: str, default: T, read: Callable[[object], T | None], code: str, expected: str) -> T:
        """Read a field that has a default."""
        value = self.optional(name, read, code, expected)
        return default if value is None else value

    def when(
        self, needed: bool, name: str, read: Callable[[object], T | None], code: str, expected: str, why: str
    ) -> T | None:
        """Read a field that must be there in some cases."""
        if needed:
            return self.required(name, read, code, expected, why)
        return self.optional(name, read, code, expected)

    def _read_mapping(self, given: Mapping[Any, Any], names: Sequence[str]) -> dict[str, object]:
        keys = list(given.keys())
        for key in keys:
            self._refuse_unknown(key, names)
        spellings = {name: [key for key in keys if key in (name, camel_case(name))] for name in names}
        for name, found in spellings.items():
            if len(found) > 1:
                path = self.path_of(name)
                raise self.error(
                    f"{path} is given twice, as {describe(found[0])} and {describe(found[1])}; expected one spelling",
                    "duplicate_field",
                    path,
                )
        return {name: given[found[0]] if found else None for name, found in spellings.items()}

    def _refuse_unknown(self, key: object, names: Sequence[str]) -> None:
        known = list(dict.fromkeys(spelling for name in names for spelling in (name, camel_case(name))))
        if not isinstance(key, str):
            raise self.error(
                f"found a key that is {describe(key)}; expected {one_of(names)}", "unknown_field", self.path
            )
        plain = plain_str(key)
        if plain not in known:
            nearest = difflib.get_close_matches(plain[:100], known, n=1, cutoff=0.0)[0]
            raise self.error(
                f"found the unknown field {describe(plain)}; did you mean {nearest!r}?",
                "unknown_field",
                self.path_of(printable(plain)),
            )


def read_fields(
    given: object, class_name: str, names: Sequence[str], path: str, error: type[InterleafError]
) -> Fields | None:
    """Read a mapping or an object of the library, known by the name of its class, native or not; None if neither."""
    if isinstance(given, Mapping) or type(given).__name__ == class_name:
        return Fields(given, names, path, error)
    return None


# There are some forty names, and spelling them anew for each key was half of the time of a million requests.
@functools.cache
def camel_case(name: str) -> str:
    """Spell a snake_case field in camelCase."""
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)
