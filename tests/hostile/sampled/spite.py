"""A random request into which hostile objects are put, made by the native functions alone.

The reference would run into the same objects at other moments, so its answer says nothing. What must hold is: an ordinary exception or a
result; what was planted comes out as it was; nothing of the input is changed but by the hostile object itself; a call made from within gets
the right answer; and afterwards the library answers as before.
"""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Callable
from functools import cache
from typing import Any

import interleaf
import interleaf.reference
from comparison import same
from hostile.requests import BLOCKS, LAYOUT, MESSAGES, PLAN
from hostile.sampled.calls import PLACE, Call
from hostile.sampled.differences import Difference, Untouched
from hostile.sampled.source import Source
from hostile.sampled.spiteful_objects import spiteful
from hostile.sampled.variety import Tally
from hostile.tripwire import Planted, Tripwire
from implementations import NATIVE

# What objects that lie may lead to. A panic, a SystemError or an exception of no known kind is a fault.
ORDINARY = (
    *(interleaf.InterleafError, TypeError, ValueError, LookupError, RuntimeError, AttributeError),
    *(OverflowError, MemoryError, StopIteration),
    DeprecationWarning,  # of the interpreter about an `__index__` that returns a bool, where warnings are errors
)
Acts = dict[str, Callable[[], object]]


@cache
def _right_answers() -> tuple[Any, Any]:
    placed = interleaf.reference.place_context_blocks(MESSAGES, BLOCKS, LAYOUT)
    return placed.to_dict(), interleaf.reference.assemble_context_plan(PLAN).to_dict()


def _call_again() -> None:
    placed, built = _right_answers()
    if not same(interleaf.place_context_blocks(MESSAGES, BLOCKS, LAYOUT).to_dict(), placed):
        raise Difference("a placement from within another call is wrong")
    if not same(interleaf.assemble_context_plan(PLAN).to_dict(), built):
        raise Difference("an assembly from within another call is wrong")


def _own(value: Any) -> Any:
    """Copy all containers: many requests share those of the constants they are drawn from."""
    if type(value) is dict:
        return {key: _own(item) for key, item in value.items()}
    if type(value) in (list, tuple):
        return type(value)([_own(item) for item in value])
    return value


def _slots(values: list[Any]) -> list[tuple[Any, Any]]:
    """List every place of the request that can hold something else: a container and the key in it."""
    slots: list[tuple[Any, Any]] = []
    left: list[Any] = [values]
    seen = {id(values)}
    while left:
        container = left.pop()
        for key in container if isinstance(container, dict) else range(len(container)):
            slots.append((container, key))
            item = container[key]
            if isinstance(item, (dict, list)) and id(item) not in seen:
                seen.add(id(item))
                left.append(item)
    return slots


class Spite:
    """Plants hostile objects in a call, and says how the call ended."""

    def __init__(self, source: Source, call: Call) -> None:
        self.source = source
        self.call = call
        call.arguments = _own(call.arguments)
        self.has_changed_input = False
        self.has_raised = False
        self.wire = Tripwire()
        self.acts: Acts = {
            "raises": self._raise,
            "calls again": _call_again,
            "empties a container": self._empty_one,
            "empties everything": self._empty_all,
            "lets the last reference go": self._let_go,
        }
        self.act = source.one_of(list(self.acts))
        self.wire.act = self.acts[self.act]
        self.slots = _slots(call.arguments)
        self.containers = list({id(container): container for container, _ in self.slots[1:]}.values())
        for container, key in source.several(self.slots, 8):
            item = spiteful(container[key], source, self.wire)
            if isinstance(container, dict) and type(key) is str and source.chance(0.15):
                self._plant_key(container, key, item)
            else:
                container[key] = item
        # Not before: a key is hashed when it is planted.
        self.wire.touches, self.wire.at = 0, 1 + source.below(source.one_of((1, 3, 12)))
        if source.chance(0.5):
            self._plant_callback()

    def _plant_key(self, container: dict[Any, Any], key: str, item: Any) -> None:
        with contextlib.suppress(RuntimeError):  # a hash that raises
            hostile = spiteful(key, self.source, self.wire)
            if isinstance(hostile, str):
                container[hostile] = item
                container.pop(key, None)

    def _plant_callback(self) -> None:
        names = (
            ("create_message", "render_block", "render_messages")
            if self.call.function == PLACE
            else ("create_message",)
        )
        name = self.source.one_of(names)
        source, wire = self.source, self.wire

        def callback(*given: Any) -> Any:
            wire.touch()
            likely: Any = {"create_message": {}, "render_block": "text", "render_messages": [{}]}[name]
            return spiteful(likely, source, wire) if source.chance(0.3) else likely

        self.call.options[name] = callback

    def _raise(self) -> None:
        self.has_raised = True
        raise Planted(self.wire.touches)

    def _empty_one(self) -> None:
        self.has_changed_input = True
        if self.containers:
            self.source.one_of(self.containers).clear()

    def _empty_all(self) -> None:
        self.has_changed_input = True
        for container in self.containers:
            container.clear()

    def _let_go(self) -> None:
        self._empty_all()
        self.slots.clear()
        self.containers.clear()
        self.call.arguments.clear()
        gc.collect(0)

    def run(self, tally: Tally) -> None:
        """Make the call and read all of its result."""
        before = Untouched(self.call.arguments)
        ending = "answered"
        try:
            result = self.call.make(NATIVE)
            self._read(result)
        except Planted:
            ending = "planted"
        except interleaf.InterleafError as error:
            ending = "refused"
            if not (str(error) and error.code):
                raise Difference("a refusal that says nothing") from error
        except ORDINARY:
            ending = "ordinary exception"
        if self.has_raised and ending != "planted":
            raise Difference(f"an exception was planted, but the call {ending}")
        if not self.has_changed_input and not before.is_so_still():
            raise Difference("the input was changed")
        acted = self.act if self.wire.touches >= (self.wire.at or 0) else "does not act"
        tally.count(f"hostile call {ending}", f"hostile object {acted}")

    def _read(self, result: Any) -> None:
        records = result.placements if self.call.function == PLACE else result.fragment_usage
        if self.call.function == PLACE:
            made = sum(placed.message_count for placed in records)
            if made > len(result.messages):
                raise Difference("more messages are told of than there are")
            if len({placed.block_index for placed in records}) != len(records):
                raise Difference("a block was placed twice")
        result.to_dict()
