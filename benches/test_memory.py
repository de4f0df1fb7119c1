"""What a call allocates, and what it leaves behind."""

from __future__ import annotations

import gc
import sys
import tracemalloc
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import interleaf
from rounds import SHORT, record
from workloads import fragments, long_conversation, request_of_60

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from pytest_benchmark.fixture import BenchmarkFixture

STATM = Path("/proc/self/statm")
needs_statm = pytest.mark.skipif(not STATM.exists(), reason="resident memory is read from /proc, which is not here")


def size_of_all(values: Iterable[Any]) -> int:
    return sum(sys.getsizeof(value) for value in values)


def peak_of(call: Callable[[], Any]) -> tuple[Any, int]:
    """Return the result of a call, and how much more Python memory there was at its peak than before it."""
    call()  # what is made once, such as interned names, is made now
    gc.collect()
    gc.disable()
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        result = call()
        return result, tracemalloc.get_traced_memory()[1] - before
    finally:
        tracemalloc.stop()
        gc.enable()


def texts_in(messages: Iterable[dict[str, Any]]) -> Iterator[str]:
    for message in messages:
        yield from (value for value in message.values() if isinstance(value, str))


def test_a_call_allocates_its_output(benchmark: BenchmarkFixture) -> None:
    work = long_conversation(1_000_000)
    assert sum(len(message["content"]) for message in work.messages) >= 1_000_000
    texts = [*texts_in(work.messages), *(block.content for block in work.blocks), *(block.id for block in work.blocks)]
    sizes = [sys.getsizeof(text) for text in texts]
    result, peak = peak_of(lambda: interleaf.place_context_blocks(work.messages, work.blocks, work.layout))
    given = {id(message) for message in work.messages}
    made = [message for message in result.messages if id(message) not in given]
    hosts = [message for message in made if "{{outlet" not in message["content"] and len(message["content"]) > 250]
    assert len(made) == len(work.pairs) + 3
    assert len(hosts) == 3
    output = sys.getsizeof(result.messages) + size_of_all(made) + size_of_all(host["content"] for host in hosts)
    # Read what is built late as well: records must not make the texts grow either.
    assert len(result.placements) == len(work.blocks)
    assert result.layout.to_dict()["author_note"] > 12
    assert [sys.getsizeof(text) for text in texts] == sizes
    record(benchmark, "memory of a call beyond its output", {"B": peak - output})
    assert peak <= output + 2 * 1024


@pytest.mark.parametrize("unit", ["codepoint", "utf16", "utf8"])
def test_measuring_leaves_no_copy(unit: str) -> None:
    work = fragments(300)
    texts = [text for fragment in work.fragment_maps for text in fragment.values() if isinstance(text, str)]
    sizes = [sys.getsizeof(text) for text in texts]
    for plan in (work.plan.replace(unit=unit), work.plan_map | {"unit": unit}):
        assert interleaf.assemble_context_plan(plan).unit == unit
    assert [sys.getsizeof(text) for text in texts] == sizes


def test_a_plan_allocates_its_output(benchmark: BenchmarkFixture) -> None:
    work = fragments(3_000)
    result, peak = peak_of(lambda: interleaf.assemble_context_plan(work.plan))
    output = sys.getsizeof(result.messages) + size_of_all(result.messages)
    record(benchmark, "memory of a plan beyond its output", {"B": peak - output})
    assert peak <= output + 2 * 1024


def content_of(block: object) -> str:
    assert isinstance(block, interleaf.ContextBlock)
    return block.content


def resident_growth(call: Callable[[], object], calls: int) -> int:
    """Return by how many bytes resident memory is larger after `calls` calls, once the first tenth has warmed up."""

    def run(times: int) -> None:
        for _ in range(times):
            call()
        gc.collect()

    def resident() -> int:
        return int(STATM.read_text(encoding="ascii").split()[1]) * 4096

    run(calls // 10)
    before = resident()
    run(calls)
    return resident() - before


def refused(call: Callable[[], object]) -> Callable[[], object]:
    def run() -> object:
        try:
            call()
        except interleaf.InterleafError as error:
            return str(error)
        raise AssertionError("expected a refusal")

    return run


@needs_statm
def test_a_million_placements_leave_nothing(benchmark: BenchmarkFixture) -> None:
    work = request_of_60()
    calls = 50_000 if SHORT else 1_000_000
    growth = resident_growth(lambda: interleaf.place_context_blocks(work.messages, work.blocks, work.layout), calls)
    record(benchmark, "memory kept by 10⁶ placements", {"kB": growth / 1e3})
    # 1 MB over a million calls is a byte a call; one forgotten reference costs a call 16 bytes at least.
    assert growth <= 1_024_000


@needs_statm
def test_other_calls_leave_nothing(benchmark: BenchmarkFixture) -> None:
    work, plan_work = request_of_60(), fragments(30)
    audited, allowed = plan_work.audited(allowed=False), plan_work.audited(allowed=True)
    without_note = interleaf.Layout(**{key: value for key, value in work.layout_map.items() if key != "author_note"})
    place, assemble = interleaf.place_context_blocks, interleaf.assemble_context_plan

    def read_records() -> object:
        result = place(work.messages, work.blocks, work.layout)
        return result.placements, result.layout, result.unfilled_outlets, result.to_dict()

    kinds: dict[str, Callable[[], object]] = {
        "mappings": lambda: place(work.messages, work.block_maps, work.layout_map),
        "records": read_records,
        "callback": lambda: place(work.messages, work.blocks, work.layout, render_block=content_of),
        "refused placement": refused(lambda: place(work.messages, work.blocks, without_note)),
        "plan": lambda: assemble(plan_work.plan).fragment_usage,
        "plan of mappings": lambda: assemble(plan_work.plan_map).to_dict(),
        "audit": lambda: assemble(allowed),
        "refused audit": refused(lambda: assemble(audited)),
    }
    calls = 20_000 if SHORT else 100_000
    growth = {kind: resident_growth(call, calls) for kind, call in kinds.items()}
    record(benchmark, "memory kept by other calls", {"kB": max(growth.values()) / 1e3})
    assert max(growth.values()) <= 1_024_000, growth
