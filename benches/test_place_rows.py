"""Rows about `place_context_blocks`. Each compares results before it times."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import interleaf
from interleaf import reference
from rounds import time_in_turn
from statements import BARE, PLACE, PLACE_LAYOUT_ANEW, PLACE_MAPPINGS, PLACE_PLAINLY, place_names, refused
from workloads import (
    AGENT_RUNS_FILE,
    PlaceWork,
    agent_runs,
    blocks_at_one_depth,
    large_request,
    request_of_60,
    small_request,
)

if TYPE_CHECKING:
    from pytest_benchmark.fixture import BenchmarkFixture


def assert_same_results(work: PlaceWork, *statements: str, plainly: bool = True) -> None:
    """Native in each form, the reference, and the bare build where it can say something, give the same."""
    names = place_names(work)
    result = eval(PLACE, names)  # noqa: S307 (the statements above)
    bare = eval(BARE, names)  # noqa: S307
    made = [result.messages[placement.message_index] for placement in result.placements if placement.message_count]
    assert made == bare[: len(work.pairs)]
    hosts = {placement.message_index for placement in result.placements if not placement.message_count}
    new = {placement.message_index for placement in result.placements if placement.message_count}
    untouched = [message for index, message in enumerate(result.messages) if index not in hosts | new]
    given = {id(message) for message in bare[len(work.pairs) :]}
    assert len(untouched) == len(work.messages) - len(hosts)
    assert all(id(message) in given for message in untouched)
    if plainly:
        statements = (*statements, PLACE_PLAINLY)
    for statement in statements:
        other = eval(statement, names)  # noqa: S307
        assert other.messages == result.messages
        assert other.to_dict() == result.to_dict()


def test_request_of_60(benchmark: BenchmarkFixture) -> None:
    work = request_of_60()
    assert (len(work.messages), len(work.blocks), work.embedded) == (60, 24, 6)
    assert {block.position for block in work.blocks} == set(interleaf.get_placement_capabilities(work.layout).positions)
    assert_same_results(work)
    yardsticks = {"bare": BARE, "reference": PLACE_PLAINLY}
    time_in_turn(benchmark, "place 60 + 24, native", PLACE, yardsticks, place_names(work))


def test_layout_anew(benchmark: BenchmarkFixture) -> None:
    work = request_of_60()
    assert_same_results(work, PLACE_LAYOUT_ANEW)
    row = "place 60 + 24, layout anew from a range"
    time_in_turn(benchmark, row, PLACE_LAYOUT_ANEW, {"bare": BARE, "reference": PLACE_PLAINLY}, place_names(work))


def test_mappings(benchmark: BenchmarkFixture) -> None:
    work = request_of_60()
    plainly = "place_plainly(messages, block_maps, layout_map)"
    assert_same_results(work, PLACE_MAPPINGS, plainly)
    time_in_turn(
        benchmark, "place 60 + 24, mappings", PLACE_MAPPINGS, {"bare": BARE, "reference": plainly}, place_names(work)
    )


def test_records(benchmark: BenchmarkFixture) -> None:
    work = request_of_60()
    assert_same_results(work)
    read = "result = {}; result.placements; result.layout; result.unfilled_outlets"
    yardsticks = {"bare": BARE, "reference": read.format(PLACE_PLAINLY)}
    row = "place 60 + 24, native, all records read"
    time_in_turn(benchmark, row, read.format(PLACE), yardsticks, place_names(work))


def test_small_request(benchmark: BenchmarkFixture) -> None:
    work = small_request()
    assert (len(work.messages), len(work.blocks), work.embedded) == (16, 8, 3)
    assert_same_results(work)
    time_in_turn(
        benchmark, "place 16 + 8, native", PLACE, {"bare": BARE, "reference": PLACE_PLAINLY}, place_names(work)
    )


def test_large_request(benchmark: BenchmarkFixture) -> None:
    work = large_request()
    assert (len(work.messages), len(work.blocks), work.embedded) == (20_000, 256, 24)
    assert_same_results(work)
    time_in_turn(
        benchmark, "place 20,000 + 256, native", PLACE, {"bare": BARE, "reference": PLACE_PLAINLY}, place_names(work)
    )


@pytest.mark.skipif(not AGENT_RUNS_FILE.exists(), reason=f"the recorded agent runs are not at {AGENT_RUNS_FILE}")
def test_agent_runs(benchmark: BenchmarkFixture) -> None:
    works = agent_runs()
    assert len(works) == 110
    for work in works:
        assert len(work.blocks) == len(work.pairs) == 8
        assert_same_results(work)
    names = place_names(works[0]) | {
        "calls": [(work.messages, work.blocks, work.layout) for work in works],
        "builds": [(work.messages, work.pairs) for work in works],
    }
    yardsticks = {
        "bare": f"for messages, pairs in builds: {BARE}",
        "reference": f"for messages, blocks, layout in calls: {PLACE_PLAINLY}",
    }
    time_in_turn(
        benchmark,
        "place 110 agent runs + 8, native",
        f"for messages, blocks, layout in calls: {PLACE}",
        yardsticks,
        names,
        items={"native": 110, "bare": 110, "reference": 110},
    )


@pytest.mark.parametrize("shuffled", [False, True], ids=["sorted", "shuffled"])
def test_growth(benchmark: BenchmarkFixture, shuffled: bool) -> None:
    few = blocks_at_one_depth(30, sorted_already=not shuffled)
    many = blocks_at_one_depth(3_000, sorted_already=not shuffled)
    assert_same_results(few)
    assert_same_results(many)
    names = place_names(many) | {"few": few.blocks}
    time_in_turn(
        benchmark,
        f"place 3,000 at one depth, {'shuffled, ' if shuffled else ''}per item",
        PLACE,
        {"at 30": "place(messages, few, layout)", "bare": BARE},
        names,
        items={"native": 3_000, "bare": 3_000, "at 30": 30},
    )


REFUSALS = {
    "block without its anchor": ("place(messages, strangers, layout)", interleaf.BlockError, "missing_anchor"),
    "unknown anchor in a layout": ("place(messages, blocks, misspelt)", interleaf.LayoutError, "unknown_field"),
}


@pytest.mark.parametrize("case", REFUSALS)
def test_refusal(benchmark: BenchmarkFixture, case: str) -> None:
    work = small_request()
    stranger = interleaf.ContextBlock(id="lost", position="outlet", content="Who goes there?", outlet_name="wrold")
    names = place_names(work) | {
        "strangers": [*work.blocks[:-1], stranger],
    }
    call, error, code = REFUSALS[case]
    for place in (interleaf.place_context_blocks, reference.place_context_blocks):
        with pytest.raises(error) as refusal:
            eval(call, names | {"place": place})  # noqa: S307
        assert refusal.value.code == code
    plainly = refused(call.replace("place(", "place_plainly("))
    time_in_turn(benchmark, f"refused: {case}", refused(call), {"reference": plainly}, names)
