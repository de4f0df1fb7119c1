"""One call by both implementations, and everything in which they may not differ."""

from __future__ import annotations

from typing import Any

from comparison import Refusal, attempt, identities, parts_of, same
from hostile.sampled.calls import ASSEMBLE, CAPABILITIES, PLACE, Call
from hostile.tripwire import Planted
from implementations import NATIVE, REFERENCE, Implementation


class Difference(Exception):  # noqa: N818  # not what a caller handles: what a run ends with
    """The two implementations differ, or one of them did what none may do."""


class Untouched:
    """What every container of the input holds, object by object: cheaper than a copy, and it may contain itself."""

    def __init__(self, *values: Any) -> None:
        self._held: list[tuple[Any, Any]] = []
        seen: set[int] = set()
        left = list(values)
        while left:
            value = left.pop()
            kind = type(value)
            if kind not in (list, dict, tuple, set) or id(value) in seen:
                continue
            seen.add(id(value))
            held = [item for pair in value.items() for item in pair] if kind is dict else list(value)
            self._held.append((value, held))
            left += held

    def is_so_still(self) -> bool:
        """Tell whether each container holds the same objects in the same order."""
        for container, held in self._held:
            now = [item for pair in container.items() for item in pair] if type(container) is dict else list(container)
            if len(now) != len(held) or any(one is not other for one, other in zip(now, held, strict=True)):
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
