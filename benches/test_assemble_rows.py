"""Rows about `assemble_context_plan`. Each compares results before it times."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import interleaf
from interleaf import reference
from rounds import time_in_turn
from statements import ASSEMBLE, ASSEMBLE_MAPPINGS, ASSEMBLE_PLAINLY, BARE, assemble_names, refused
from workloads import AssembleWork, fragments

if TYPE_CHECKING:
    from pytest_benchmark.fixture import BenchmarkFixture


def assert_same_results(work: AssembleWork) -> None:
    """Native and the reference, from native objects and from mappings, and the bare build give the same."""
    names = assemble_names(work)
    result = eval(ASSEMBLE, names)  # noqa: S307 (the statements above)
    assert result.messages == eval(BARE, names)  # noqa: S307
    for statement in (ASSEMBLE_MAPPINGS, ASSEMBLE_PLAINLY, "assemble_plainly(plan_map)"):
        assert eval(statement, names).to_dict() == result.to_dict()  # noqa: S307


def test_native(benchmark: BenchmarkFixture) -> None:
    work = fragments(30)
    assert_same_results(work)
    yardsticks = {"bare": BARE, "reference": ASSEMBLE_PLAINLY}
    time_in_turn(benchmark, "assemble 30, native plan", ASSEMBLE, yardsticks, assemble_names(work))


def test_mappings(benchmark: BenchmarkFixture) -> None:
    work = fragments(30)
    assert_same_results(work)
    yardsticks = {"bare": BARE, "reference": "assemble_plainly(plan_map)"}
    time_in_turn(benchmark, "assemble 30, mappings", ASSEMBLE_MAPPINGS, yardsticks, assemble_names(work))


def test_audit_that_allows(benchmark: BenchmarkFixture) -> None:
    work = fragments(30)
    names = assemble_names(work) | {"audited": work.audited(allowed=True)}
    assert names["assemble"](names["audited"]).to_dict() == names["assemble"](work.plan).to_dict()
    assert names["assemble_plainly"](names["audited"]).to_dict() == names["assemble"](work.plan).to_dict()
    time_in_turn(
        benchmark,
        "assemble 30, audited, one change allowed",
        "assemble(audited)",
        {"unaudited": ASSEMBLE, "bare": BARE, "reference": "assemble_plainly(audited)"},
        names,
    )


def test_audit_that_refuses(benchmark: BenchmarkFixture) -> None:
    work = fragments(30)
    names = assemble_names(work) | {"audited": work.audited(allowed=False)}
    for assemble in (interleaf.assemble_context_plan, reference.assemble_context_plan):
        with pytest.raises(interleaf.MutationError) as refusal:
            assemble(names["audited"])
        assert [violation.kind for violation in refusal.value.violations] == ["value_changed"]
    time_in_turn(
        benchmark,
        "assemble 30, audited, one change refused",
        refused("assemble(audited)"),
        {"unaudited": ASSEMBLE, "bare": BARE, "reference": refused("assemble_plainly(audited)")},
        names,
    )


def test_growth(benchmark: BenchmarkFixture) -> None:
    few, many = fragments(30), fragments(3_000)
    assert_same_results(few)
    assert_same_results(many)
    time_in_turn(
        benchmark,
        "assemble 3,000, per item",
        ASSEMBLE,
        {"at 30": "assemble(few)", "bare": BARE},
        assemble_names(many) | {"few": few.plan},
        items={"native": 3_000, "bare": 3_000, "at 30": 30},
    )
