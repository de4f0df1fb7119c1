"""Threads that share blocks, layouts, fragments and message lists get the answers that one thread gets."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from typing import Any

import interleaf
from hostile.effort import effort
from hostile.requests import BLOCKS, FRAGMENTS, LAYOUT, MESSAGES, PLAN, callbacks, copied
from hostile.tripwire import Tripwire

THREADS = 8


def test_eight_threads_share_everything() -> None:
    messages = copied(MESSAGES)
    native_blocks = [interleaf.ContextBlock(**block) for block in copied(BLOCKS)]
    native_layout = interleaf.Layout(
        character=(0, 1),
        examples=(1, 2),
        conversation=interleaf.Conversation(range(2, 6)),
        author_note=6,
        outlets={"lore": 0, "weather": 0, "example": 1},
    )
    fragments = [interleaf.ContextFragment(**fragment) for fragment in copied(FRAGMENTS)]
    mappings, layout, plan = copied(BLOCKS), copied(LAYOUT), copied(PLAN)
    shared_result = interleaf.place_context_blocks(messages, native_blocks, native_layout)
    # Long enough that the lock is given up, if it is given up anywhere.
    long = [interleaf.ContextFragment(**{**FRAGMENTS[0], "value": "龙" * 2_000_000, "max_chars": 10**9})]

    calls: list[Callable[[], Any]] = [
        lambda: interleaf.place_context_blocks(messages, native_blocks, native_layout).to_dict(),
        lambda: interleaf.place_context_blocks(messages, mappings, layout, **callbacks(Tripwire())).to_dict(),
        lambda: interleaf.place_context_blocks(messages, native_blocks, layout, unfilled_outlets="keep").to_dict(),
        lambda: interleaf.get_placement_capabilities(native_layout).to_dict(),
        lambda: interleaf.assemble_fragments(fragments, 10**6, merge_adjacent=True).to_dict(),
        lambda: interleaf.assemble_context_plan(plan).to_dict(),
        lambda: interleaf.assemble_fragments(long, 10**9, unit="utf8").input_chars,
        # The records of one result, built on first use by whoever comes first.
        lambda: [placed.to_dict() for placed in shared_result.placements],
        lambda: refusal(lambda: interleaf.place_context_blocks(messages, [*native_blocks, native_blocks[0]], layout)),
        lambda: refusal(lambda: interleaf.assemble_fragments(fragments, 3)),
    ]
    expected = [call() for call in calls]
    wrong: list[Any] = []
    done = [0] * THREADS
    until = time.monotonic() + effort(1, 10)
    start = threading.Barrier(THREADS)

    def work(thread: int) -> None:
        start.wait()
        while time.monotonic() < until and not wrong:
            for index in range(len(calls)):
                which = (index + thread) % len(calls)
                answer = calls[which]()
                if answer != expected[which]:
                    wrong.append((which, answer))
            done[thread] += 1

    switch = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        threads = [threading.Thread(target=work, args=(thread,)) for thread in range(THREADS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(switch)
    assert not wrong
    assert all(done)


def refusal(call: Callable[[], Any]) -> tuple[str, str, str]:
    """What a call is refused with."""
    try:
        call()
    except interleaf.InterleafError as error:
        return error.code, error.path, str(error)
    raise AssertionError("not refused")


def test_a_list_that_another_thread_changes_crashes_nothing() -> None:
    messages = copied(MESSAGES)
    blocks = copied(BLOCKS)
    stop = threading.Event()

    def change() -> None:
        while not stop.is_set():
            last = messages.pop()
            blocks.append(blocks.pop(0))
            messages.append(last)

    changing = threading.Thread(target=change)
    switch = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    changing.start()
    outcomes = {"placed": 0, "refused": 0}
    calls = effort(500, 50_000)
    try:
        for _ in range(calls):
            try:
                result = interleaf.place_context_blocks(messages, blocks, LAYOUT, **callbacks(Tripwire()))
            except (interleaf.InterleafError, RuntimeError):
                # A message was missing, which the layout names.
                outcomes["refused"] += 1
            else:
                outcomes["placed"] += 1
                ids = [placed.id for placed in result.placements]
                assert len(ids) == len(set(ids)) >= len(BLOCKS) - 1
    finally:
        stop.set()
        changing.join()
        sys.setswitchinterval(switch)
    assert sum(outcomes.values()) == calls
