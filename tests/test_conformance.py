"""The cases of the contract, on both implementations and in both forms of input."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import interleaf
from comparison import Unchanged
from implementations import IMPLEMENTATIONS
from interleaf import ContextBlock, ContextFragment, ContextPlan, InterleafError, Layout

if TYPE_CHECKING:
    from implementations import Implementation

CASES: list[dict[str, Any]] = json.loads(
    (Path(__file__).parent / "data" / "conformance_cases.json").read_text(encoding="utf-8")
)
FORMS = ("mappings", "native objects")


def _in_form(form: str, build: Any, value: Any) -> Any:
    return value if form == "mappings" else build(value)


def _layout(value: dict[str, Any], form: str) -> Any:
    return _in_form(form, Layout.from_dict, value)


def _place(implementation: Implementation, case_input: dict[str, Any], form: str) -> dict[str, Any]:
    blocks = [_in_form(form, ContextBlock.from_dict, block) for block in case_input["blocks"]]
    layout = _layout(case_input["layout"], form)
    options = case_input.get("options", {})
    result = implementation.place_context_blocks(case_input["messages"], blocks, layout, **options)
    return _as_dict(result)


def _capabilities(implementation: Implementation, case_input: dict[str, Any], form: str) -> dict[str, Any]:
    return _as_dict(implementation.get_placement_capabilities(_layout(case_input["layout"], form)))


def _assemble(implementation: Implementation, case_input: dict[str, Any], form: str) -> dict[str, Any]:
    plan = case_input["plan"]
    if form == "native objects":
        lists = {
            name: [ContextFragment.from_dict(fragment) for fragment in plan[name]]
            for name in ("fragments", "original_fragments", "originalFragments")
            if plan.get(name) is not None
        }
        plan = ContextPlan.from_dict({**plan, **lists})
    return _as_dict(implementation.assemble_context_plan(plan))


def _as_dict(result: Any) -> dict[str, Any]:
    data: dict[str, Any] = result.to_dict()
    return data


CALLS = {"place": _place, "capabilities": _capabilities, "assemble": _assemble}


def _keep_known_keys(found: Any, expected: Any) -> Any:
    """Leave out what a case does not speak of, in each of its records."""
    if isinstance(expected, dict) and isinstance(found, dict):
        return {name: _keep_known_keys(found[name], expected[name]) for name in expected}
    if isinstance(expected, list) and isinstance(found, list) and len(found) == len(expected):
        return [_keep_known_keys(one, other) for one, other in zip(found, expected, strict=True)]
    return found


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("implementation", IMPLEMENTATIONS, ids=lambda each: each.name)
@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_case(case: dict[str, Any], implementation: Implementation, form: str) -> None:
    call = CALLS[case["call"]]
    before = Unchanged(case["input"])
    if "error" not in case:
        found = call(implementation, case["input"], form)
        expected = case["expect"]
        assert {**found, "placements": None, "fragment_usage": None} == {
            **expected,
            "placements": None,
            "fragment_usage": None,
        }
        for records in ("placements", "fragment_usage"):
            assert _keep_known_keys(found.get(records), expected.get(records)) == expected.get(records)
    else:
        expected = case["error"]
        with pytest.raises(InterleafError) as refused:
            call(implementation, case["input"], form)
        assert type(refused.value) is getattr(interleaf, expected["class"])
        assert refused.value.code == expected["code"]
        if "violations" in expected:
            assert [each.to_dict() for each in refused.value.violations] == expected["violations"]  # type: ignore[attr-defined]
        if "over" in expected:
            assert list(refused.value.fragment_ids) == expected["over"]  # type: ignore[attr-defined]
    before.check()


def test_every_case_has_a_name_of_its_own() -> None:
    assert len({case["name"] for case in CASES}) == len(CASES) == 122
