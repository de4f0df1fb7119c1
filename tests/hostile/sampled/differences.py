"""One call by both implementations, and everything in which they may not differ."""

from __future__ import annotations

import operator
from typing import Any

from comparison import Refusal, attempt, identities, parts_of, same
from hostile.sampled.calls import ASSEMBLE, CAPABILITIES, PLACE, Call
from hostile.tripwire import Planted
from implementations import NATIVE, REFERENCE, Implementation


class Difference(Exception):  # noqa: N818  # not what a caller handles: what a run ends with
    """The two implementations differ, or one of them did what none may do."""


_CONTAINERS = frozenset((list, dict, tuple, set))


def _held(container: Any) -> list[Any]:
    return [*container, *container.values()] if type(container) is dict else list(container)


class Untouched:
    """What every container of the input holds, object by object: cheaper than a copy, and it may contain itself."""

    def __init__(self, *values: Any) -> None:
        self._held: list[tuple[Any, Any]] = []
        seen: set[int] = set()
        left = list(values)
        while left:
            value = left.pop()
            if type(value) not in _CONTAINERS or id(value) in seen:
                continue
            seen.add(id(value))
            held = _held(value)
            self._held.append((value, held))
            left += [item for item in held if type(item) in _CONTAINERS]

    def is_so_still(self) -> bool:
        """Tell whether each container holds the same objects in the same order."""
        for container, held in self._held:
            now = _held(container)
            if len(now) != len(held) or not all(map(operator.is_, now, held)):
                return False
        return True


def ending_of(call: Call, implementation: Implementation) -> Any:
    """Return the result of a call, its refusal, or what a callback raised."""
    try:
        return attempt(lambda: call.make(implementation))
    except Planted as planted:
        return Refusal(Planted, details=planted.args)


def compare(call: Call) -> Any:
    """Make a call with both implementations and return what the native one did, or raise what is wrong with it."""
    before = Untouched(call.arguments, call.options)
    native = ending_of(call, NATIVE)
    native_log = list(call.log)
    reference = ending_of(call, REFERENCE)
    if not before.is_so_still():
        raise Difference("the input was changed")
    if native_log != call.log:
        raise Difference(f"callbacks were called with\n  {native_log}\nand by the reference with\n  {call.log}")
    if isinstance(native, Refusal) or isinstance(reference, Refusal):
        if native != reference:
            raise Difference(f"native\n  {_told(native)}\nreference\n  {_told(reference)}")
        return native
    told = f"native\n  {_told(native)}\nreference\n  {_told(reference)}"
    if not same(native.to_dict(), reference.to_dict()):
        raise Difference(told)
    if call.function != CAPABILITIES and not _same_objects(call, native, reference):
        raise Difference(f"other objects: {told}")
    return native


def _told(ending: Any) -> str:
    return repr(ending) if isinstance(ending, Refusal) else repr(ending.to_dict())


def _same_objects(call: Call, native: Any, reference: Any) -> bool:
    """Tell whether messages, parts and metadata are the very objects of the input in the same places."""
    if not same(native.messages, reference.messages):
        return False
    if call.function == PLACE:
        originals = list(call.arguments[0])
        parts = parts_of(originals)
        records = zip(native.placements, reference.placements, strict=True)
        return (
            identities(native.messages, originals) == identities(reference.messages, originals)
            and identities(parts_of(native.messages), parts) == identities(parts_of(reference.messages), parts)
            and all(one.metadata is other.metadata for one, other in records)
        )
    usage = zip(native.fragment_usage, reference.fragment_usage, strict=True)
    if not all(one.metadata is other.metadata and one.span == other.span for one, other in usage):
        return False
    plan = call.arguments[0]
    if call.function == ASSEMBLE and isinstance(plan, dict):
        additional = list(plan.get("additional_messages", plan.get("additionalMessages")) or ())
        last = native.messages[len(native.messages) - len(additional) :]
        return identities(last, additional) == list(range(len(additional)))
    return True
