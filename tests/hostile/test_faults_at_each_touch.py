"""Something bad at every single point where the library runs Python code of the caller."""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Callable
from typing import Any

import pytest

import interleaf
import interleaf.reference
from hostile.effort import LONG
from hostile.requests import BLOCKS, LAYOUT, MESSAGES, PLAN, callbacks, copied, message_callbacks
from hostile.tripwire import Planted, Tripwire, WatchedIndex, WatchedInt, WatchedMapping, WatchedSequence, watched

# What a call may raise when its input changes under it. Anything else, a panic or a SystemError above all, is a fault.
ALLOWED = (interleaf.InterleafError, IndexError, KeyError, RuntimeError, TypeError)


class Case:
    """A request in watched objects, and how to run it."""

    def __init__(self, wire: Tripwire) -> None:
        self.wire = wire
        self.inputs: dict[str, Any] = {}

    def run(self) -> Any:
        raise NotImplementedError

    def empty_everything(self) -> None:
        """Takes all items out of every container of the request."""
        for value in self.inputs.values():
            _empty(value)


def _empty(value: Any) -> None:
    if isinstance(value, WatchedMapping):
        value = value.items_by_key
    if isinstance(value, WatchedSequence):
        value = value.items
    if isinstance(value, dict):
        inner = list(value.values())
        value.clear()
    elif isinstance(value, list):
        inner = list(value)
        value.clear()
    else:
        return
    for item in inner:
        _empty(item)


def _watched_message(message: dict[str, Any], wire: Tripwire) -> dict[str, Any] | WatchedMapping:
    """Content has to be a real list to be a list of parts; what is in it is watched."""
    items = {
        key: [watched(part, wire) for part in item] if isinstance(item, list) else watched(item, wire)
        for key, item in message.items()
    }
    # Exact dicts and other mappings take different ways through the library.
    return WatchedMapping(items, wire) if len(items) % 2 else items


class WatchedPlacement(Case):
    """Every object of the request is Python code."""

    options: Callable[[Tripwire], dict[str, Any]] = staticmethod(callbacks)

    def __init__(self, wire: Tripwire) -> None:
        super().__init__(wire)
        messages = [_watched_message(message, wire) for message in copied(MESSAGES)]
        self.inputs = {
            "messages": WatchedSequence(messages, wire),
            "blocks": WatchedSequence([watched(block, wire) for block in copied(BLOCKS)], wire),
            "layout": watched(copied(LAYOUT), wire),
        }

    def run(self) -> Any:
        inputs = self.inputs
        return interleaf.place_context_blocks(
            inputs["messages"], inputs["blocks"], inputs["layout"], **self.options(self.wire)
        ).to_dict()


class WatchedPlacementWithMessages(WatchedPlacement):
    """The same with the callback that returns messages."""

    options = staticmethod(message_callbacks)


class PlainPlacement(Case):
    """Exact dicts and lists, read in place: only the callbacks are Python code."""

    def __init__(self, wire: Tripwire) -> None:
        super().__init__(wire)
        self.inputs = {"messages": copied(MESSAGES), "blocks": copied(BLOCKS), "layout": copied(LAYOUT)}

    def run(self) -> Any:
        inputs = self.inputs
        return interleaf.place_context_blocks(
            inputs["messages"], inputs["blocks"], inputs["layout"], **callbacks(self.wire)
        ).to_dict()


class WatchedAssembly(Case):
    """A plan in which every object is Python code."""

    def __init__(self, wire: Tripwire) -> None:
        super().__init__(wire)
        plan = copied(PLAN)
        for fragment in plan["fragments"] + plan["original_fragments"]:
            # Values have to be real JSON containers.
            fragment["value"] = (
                fragment["value"] if not isinstance(fragment["value"], str) else watched(fragment["value"], wire)
            )
        for key in ("fragments", "original_fragments"):
            plan[key] = WatchedSequence(
                [
                    WatchedMapping({k: v if k == "value" else watched(v, wire) for k, v in item.items()}, wire)
                    for item in plan[key]
                ],
                wire,
            )
        plan["additional_messages"] = WatchedSequence(
            [
                WatchedMapping({"role": "user", "content": [watched(part, wire) for part in item["content"]]}, wire)
                for item in plan["additional_messages"]
            ],
            wire,
        )
        plan["mutable_fragment_ids"] = watched(plan["mutable_fragment_ids"], wire)
        plan["max_input_chars"] = watched(plan["max_input_chars"], wire)
        plan["unit"] = watched(plan["unit"], wire)
        self.inputs = {"plan": WatchedMapping(plan, wire)}

    def run(self) -> Any:
        return interleaf.assemble_context_plan(
            self.inputs["plan"], create_message=callbacks(self.wire)["create_message"]
        ).to_dict()


CASES = [WatchedPlacement, WatchedPlacementWithMessages, PlainPlacement, WatchedAssembly]


def expected(case: type[Case]) -> Any:
    """What the reference answers on the plain form of the same request."""
    if case is WatchedAssembly:
        made = callbacks(Tripwire())["create_message"]
        return interleaf.reference.assemble_context_plan(copied(PLAN), create_message=made).to_dict()
    options = message_callbacks if case is WatchedPlacementWithMessages else callbacks
    return interleaf.reference.place_context_blocks(
        copied(MESSAGES), copied(BLOCKS), copied(LAYOUT), **options(Tripwire())
    ).to_dict()


def plain(value: Any) -> Any:
    """Watched objects as the data they stand for, to compare with."""
    if isinstance(value, WatchedMapping):
        return {key: plain(item) for key, item in value.items_by_key.items()}
    if isinstance(value, WatchedSequence):
        return [plain(item) for item in value.items]
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, str):
        return str(value) if type(value) is str else str.__str__(value)
    if isinstance(value, WatchedIndex):
        return value.value
    return int.__index__(value) if isinstance(value, WatchedInt) else value


def touches(case: type[Case]) -> range:
    """Every touch of an undisturbed run; the short form takes a prime step, so that all kinds are met."""
    wire = Tripwire()
    case(wire).run()
    return range(1, wire.touches + 1, 1 if LONG or wire.touches < 200 else 7)


@pytest.mark.parametrize("case", CASES)
def test_watched_objects_change_no_answer(case: type[Case]) -> None:
    wire = Tripwire()
    assert plain(case(wire).run()) == plain(expected(case))
    assert wire.touches > 10


@pytest.mark.parametrize("case", CASES)
def test_an_exception_comes_out_unchanged_and_leaves_the_input_as_it_was(case: type[Case]) -> None:
    for at in touches(case):
        wire = Tripwire(at)
        request = case(wire)
        before = plain(request.inputs)
        with pytest.raises(Planted) as raised:
            request.run()
        assert raised.value.args == (at,)
        wire.at = None
        assert plain(request.inputs) == before
        # The same objects work afterwards: nothing remembers the failure.
        assert plain(request.run()) == plain(expected(case))


@pytest.mark.parametrize("case", CASES)
def test_the_library_may_be_called_again_from_within(case: type[Case]) -> None:
    right = plain(expected(case))
    for at in touches(case):
        wire = Tripwire(at)
        request = case(wire)
        answers: list[Any] = []
        wire.act = lambda request=request, answers=answers: answers.append(plain(request.run()))
        assert plain(request.run()) == right
        assert answers == [right]


@pytest.mark.parametrize("case", CASES)
def test_input_that_disappears_during_the_call(case: type[Case]) -> None:
    for at in touches(case):
        wire = Tripwire(at)
        request = case(wire)
        wire.act = request.empty_everything
        with contextlib.suppress(*ALLOWED):
            request.run()


@pytest.mark.parametrize("case", CASES)
def test_the_last_reference_may_go_during_the_call(case: type[Case]) -> None:
    right = plain(expected(case))
    for at in touches(case):
        wire = Tripwire(at)
        request = case(wire)

        def drop(request: Case = request) -> None:
            request.inputs.clear()
            gc.collect(0)

        wire.act = drop
        # The call holds what it needs itself.
        assert plain(request.run()) == right
