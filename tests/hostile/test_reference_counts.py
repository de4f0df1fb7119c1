"""Every input object is referred to as often after a call as before, whether it succeeds or is refused."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import interleaf
from hostile.effort import effort
from hostile.requests import BLOCKS, FRAGMENTS, LAYOUT, MESSAGES, PLAN, callbacks, copied, message_callbacks
from hostile.tripwire import Planted, Tripwire


def objects(value: Any) -> Iterator[Any]:
    """The value and everything in it that this test alone refers to: no numbers and no single letters, which the interpreter shares."""
    if not isinstance(value, (int, float, type(None))) and not (isinstance(value, str) and len(value) < 2):
        yield value
    if isinstance(value, dict):
        # Keys are literals, interned and shared with every other dict.
        for item in value.values():
            yield from objects(item)
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from objects(item)


def counts(everything: list[Any]) -> list[int]:
    return [sys.getrefcount(one) for one in everything]


def assert_balanced(call: Callable[[], Any], inputs: Any) -> None:
    """The second call onwards: the first may fill caches, such as a str's hash or an interned name."""
    everything = list(objects(inputs))
    _quietly(call)
    before = counts(everything)
    for _ in range(3):
        _quietly(call)
    if counts(everything) != before:
        # What is in a cycle goes with the next collection; a collection for each case would take minutes.
        gc.collect()
    changed = [
        (repr(one)[:60], was, now)
        for one, was, now in zip(everything, before, counts(everything), strict=True)
        if was != now
    ]
    assert not changed


def _quietly(call: Callable[[], Any]) -> None:
    try:
        call()
    except (interleaf.InterleafError, TypeError, Planted):
        return


def placement(wire: Tripwire | None = None, **changed: Any) -> tuple[Callable[[], Any], Any]:
    inputs = {"messages": copied(MESSAGES), "blocks": copied(BLOCKS), "layout": copied(LAYOUT), **changed}
    options = callbacks(wire) if wire else {}

    def call() -> Any:
        if wire:
            wire.touches = 0
        result = interleaf.place_context_blocks(inputs["messages"], inputs["blocks"], inputs["layout"], **options)
        return result.placements, result.layout, result.to_dict()

    return call, inputs


def test_placement_of_mappings() -> None:
    assert_balanced(*placement())
    assert_balanced(*placement(Tripwire()))


def test_placement_with_messages_of_the_caller() -> None:
    inputs = copied([MESSAGES, BLOCKS, LAYOUT])
    assert_balanced(lambda: interleaf.place_context_blocks(*inputs, **message_callbacks(Tripwire())).to_dict(), inputs)


def test_placement_of_native_objects() -> None:
    messages = copied(MESSAGES)
    blocks = [interleaf.ContextBlock(**block) for block in copied(BLOCKS)]
    layout = interleaf.Layout(
        character=(0, 1),
        examples=(1, 2),
        conversation=interleaf.Conversation([2, 3, 4, 5]),
        author_note=6,
        outlets={"lore": 0, "weather": interleaf.OutletSpan(0, 36, 55), "example": 1},
    )
    assert_balanced(
        lambda: interleaf.place_context_blocks(messages, blocks, layout).to_dict(), [messages, blocks, layout]
    )


@pytest.mark.parametrize("at", range(1, 19))
def test_a_callback_that_raises(at: int) -> None:
    assert_balanced(*placement(Tripwire(at)))


def _wrong(value: Any) -> list[Any]:
    wrong = [None, value, [value], {"unknown": value}, -1, 2**70, float("nan"), "", "no such word", "\ud800"]
    return [*copied(wrong), object()]


@pytest.mark.parametrize(
    "field", ["id", "position", "content", "role", "order", "depth", "outlet_name", "metadata", "unknown"]
)
@pytest.mark.parametrize("block", [0, 4, len(BLOCKS) - 1])
def test_refused_blocks(field: str, block: int) -> None:
    for wrong in _wrong(field):
        blocks = copied(BLOCKS)
        blocks[block][field] = wrong
        assert_balanced(*placement(blocks=blocks))


@pytest.mark.parametrize("field", ["character", "examples", "conversation", "author_note", "outlets", "unknown"])
def test_refused_layouts(field: str) -> None:
    wrongs = [
        *_wrong(field),
        (5, 2),
        (0, 99),
        [1],
        {"start": 0, "end": 2},
        {"message_indices": [1, 0]},
        {"lore": 99},
        {"": 0},
        {"lore": 2},
    ]
    for wrong in wrongs:
        assert_balanced(*placement(layout={**copied(LAYOUT), field: wrong}))


@pytest.mark.parametrize("field", ["role", "content", "tool_calls"])
def test_refused_hosts(field: str) -> None:
    for message in range(len(MESSAGES)):
        for wrong in _wrong(field):
            messages = copied(MESSAGES)
            messages[message][field] = wrong
            assert_balanced(*placement(messages=messages))


def plan(**changed: Any) -> tuple[Callable[[], Any], Any]:
    given = {**copied(PLAN), **changed}

    def call() -> Any:
        built = interleaf.assemble_context_plan(given)
        return built.fragment_usage, built.to_dict()

    return call, given


def test_assembly() -> None:
    assert_balanced(*plan())
    native = interleaf.ContextPlan(
        fragments=[interleaf.ContextFragment(**fragment) for fragment in copied(FRAGMENTS)], max_input_chars=10**6
    )
    assert_balanced(lambda: interleaf.assemble_context_plan(native).to_dict(), [native])


@pytest.mark.parametrize("field", [*PLAN, "unknown"])
def test_refused_plans(field: str) -> None:
    for wrong in [*_wrong(field), 1, [{}], [{"id": "f0"}], [{"role": "assistant", "content": ""}]]:
        assert_balanced(*plan(**{field: wrong}))


@pytest.mark.parametrize("field", [*FRAGMENTS[0], "metadata", "unknown"])
def test_refused_fragments(field: str) -> None:
    for wrong in [*_wrong(field), 1, {1: 2}, {"deep": [float("inf")]}]:
        fragments = copied(FRAGMENTS)
        fragments[1][field] = wrong
        assert_balanced(*plan(fragments=fragments))
        assert_balanced(*plan(original_fragments=fragments))


def test_calls_leave_no_memory_behind() -> None:
    """Blocks of Python's allocator over many calls of every kind, good and refused."""
    calls = [placement()[0], placement(Tripwire(9))[0], plan()[0], plan(max_input_chars=1)[0], plan(fragments=[])[0]]

    def run(times: int) -> int:
        for _ in range(times):
            for call in calls:
                _quietly(call)
        gc.collect()
        return sys.getallocatedblocks()

    # The first calls fill free lists and caches, some thousand blocks.
    run(500)
    times = effort(2000, 50_000)
    before = run(1)
    # A leak of one block in any of the calls would be 2000 or more.
    assert run(times) - before < times // 4
