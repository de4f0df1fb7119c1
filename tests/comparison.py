"""Comparing what two calls did: their results, or their refusals, with everything that a caller can see of them."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from interleaf import BudgetExceededError, InterleafError, MutationError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence


@dataclass(frozen=True)
class Refusal:
    """All that an exception says to a program."""

    error_class: type[BaseException]
    code: str = ""
    path: str = ""
    details: Any = None


def attempt(call: Callable[[], Any]) -> Any:
    """Return the result of a call, or its refusal."""
    try:
        return call()
    except InterleafError as error:
        return refusal_of(error)
    except TypeError:
        return Refusal(TypeError)


def refusal_of(error: InterleafError) -> Refusal:
    """Describe an exception."""
    details: Any = None
    if isinstance(error, MutationError):
        details = [violation.to_dict() for violation in error.violations]
    if isinstance(error, BudgetExceededError):
        usage = [each.to_dict() for each in error.usage]
        details = [error.limit, error.actual, error.unit, list(error.fragment_ids), usage]
    assert str(error), "a refusal says something"
    return Refusal(type(error), error.code, error.path, details)


def same(left: Any, right: Any) -> bool:
    """Compare by value and type, deeply; a NaN is the same as itself, and the order of keys counts."""
    if left is right:
        return True
    if type(left) is not type(right):
        return False
    if isinstance(left, dict):
        return len(left) == len(right) and all(
            same(one, other)
            for pair in zip(left.items(), right.items(), strict=True)
            for one, other in zip(*pair, strict=True)
        )
    if isinstance(left, (list, tuple)):
        return len(left) == len(right) and all(same(one, other) for one, other in zip(left, right, strict=True))
    if isinstance(left, float):
        return repr(left) == repr(right)
    return bool(left == right)


def identities(messages: Iterable[Any], originals: Sequence[Any]) -> list[int | None]:
    """Say of each message which of the originals it is, the very same object, if any."""
    by_id = {id(original): index for index, original in enumerate(originals)}
    return [by_id.get(id(message)) for message in messages]


def parts_of(messages: Iterable[Any]) -> list[Any]:
    """List the parts of all messages whose content is a list."""
    contents = [message.get("content") for message in messages if isinstance(message, dict)]
    return [part for content in contents if isinstance(content, list) for part in content]


class Unchanged:
    """A copy of the input, to compare with after the call."""

    def __init__(self, *values: Any) -> None:
        self._values = values
        self._copies = copy.deepcopy(values)

    def check(self) -> None:
        """Assert that nothing was changed."""
        assert same(self._values, self._copies)
