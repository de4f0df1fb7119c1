"""Rows about `assemble_context_plan`. Each compares results before it times."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import interleaf
from interleaf import reference
from rounds import time_in_turn
from workloads import AssembleWork, fragments

if TYPE_CHECKING:
    from pytest_benchmark.fixture import BenchmarkFixture

BARE = '[{"role": r, "content": c} for r, c in pairs] + messages'
NATIVE = "assemble(plan)"
MAPPINGS = "assemble(plan_map)"
REFERENCE = "assemble_plainly(plan)"


def names_of(work: AssembleWork) -> dict[str, Any]:
    return work.names() | {
        "assemble": interleaf.assemble_context_plan,
        "assemble_plainly": reference.assemble_context_plan,
        "InterleafError": interleaf.InterleafError,
    }


def assert_same_results(work: AssembleWork) -> None:
    """Native and the reference, from native objects and from mappings, and the bare build give the same."""
    names = names_of(work)
    result = eval(NATIVE, names)  # noqa: S307 (the statements above)
    assert result.messages == eval(BARE, names)  # noqa: S307
    for statement in (MAPPINGS, REFERENCE, "assemble_plainly(plan_map)"):
        assert eval(statement, names).to_dict() == result.to_dict()  # noqa: S307


def test_native(benchmark: BenchmarkFixture) -> None:
    work = fragments(30)
    assert_same_results(work)
    yardsticks = {"bare": BARE, "reference": REFERENCE}
    time_in_turn(benchmark, "assemble 30, native plan", NATIVE, yardsticks, names_of(work))


def test_mappings(benchmark: BenchmarkFixture) -> None:
    work = fragments(30)
    assert_same_results(work)
    yardsticks = {"bare": BARE, "reference": "assemble_plainly(plan_map)"}
    time_in_turn(benchmark, "assemble 30, mappings", MAPPINGS, yardsticks, names_of(work))


def test_audit_that_allows(benchmark: BenchmarkFixture) -> None:
    work = fragments(30)
    names = names_of(work) | {"audited": work.audited(allowed=True)}
    assert names["assemble"](names["audited"]).to_dict() == names["assemble"](work.plan).to_dict()
    assert names["assemble_plainly"](names["audited"]).to_dict() == names["assemble"](work.plan).to_dict()
    time_in_turn(
        benchmark,
        "assemble 30, audited, one change allowed",
        "assemble(audited)",
        {"unaudited": NATIVE, "bare": BARE, "reference": "assemble_plainly(audited)"},
        names,
    )


def test_audit_that_refuses(benchmark: BenchmarkFixture) -> None:
    work = fragments(30)
    names = names_of(work) | {"audited": work.audited(allowed=False)}
    for assemble in (interleaf.assemble_context_plan, reference.assemble_context_plan):
        with pytest.raises(interleaf.MutationError) as refusal:
            assemble(names["audited"])
        assert [violation.kind for violation in refusal.value.violations] == ["value_changed"]
    refused = "try:\n    {}(audited)\nexcept InterleafError:\n    pass"
    time_in_turn(
        benchmark,
        "assemble 30, audited, one change refused",
        refused.format("assemble"),
        {"unaudited": NATIVE, "bare": BARE, "reference": refused.format("assemble_plainly")},
        names,
    )


def test_growth(benchmark: BenchmarkFixture) -> None:
    few, many = fragments(30), fragments(3_000)
    assert_same_results(few)
    assert_same_results(many)
    time_in_turn(
        benchmark,
        "assemble 3,000, per item",
        NATIVE,
        {"at 30": "assemble(few)", "bare": BARE},
        names_of(many) | {"few": few.plan},
        items={"native": 3_000, "bare": 3_000, "at 30": 30},
    )
