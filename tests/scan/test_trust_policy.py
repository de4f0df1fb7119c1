"""Which trust may hold which role in a plan."""

from __future__ import annotations

import copy
import pickle
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from comparison import Refusal, attempt, same
from implementations import NATIVE, REFERENCE
from interleaf import ContextPlan, PlanError, TrustPolicy
from plan_strategies import faulty_plans
from strategies import ODD_VALUES

if TYPE_CHECKING:
    from implementations import Implementation

ROLES = ("system", "developer", "user", "assistant")
TRUSTS = ("system", "developer", "user", "tool", "external")
STRICT = TrustPolicy.strict()


def fragment(role: str, trust: str, **changes: Any) -> dict[str, Any]:
    return {
        "id": f"{role} {trust}",
        "source_id": "test",
        "trust": trust,
        "lifetime": "turn",
        "role": role,
        "max_chars": 10,
        "value": "x",
        **changes,
    }


def plan(*fragments: dict[str, Any], **changes: Any) -> dict[str, Any]:
    return {"fragments": list(fragments), "max_input_chars": 100, **changes}


@pytest.mark.parametrize(
    "policy", [STRICT, STRICT.to_dict(), {"system": {"developer", "system"}, "developer": STRICT.developer}]
)
@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("trust", TRUSTS)
def test_strict(implementation: Implementation, policy: Any, role: str, trust: str) -> None:
    asked = plan(fragment("user", "external"), fragment(role, trust, id="asked"), trust_policy=policy)
    if role in ("user", "assistant") or trust in ("system", "developer"):
        assert len(implementation.assemble_context_plan(asked).messages) == 2
        return
    with pytest.raises(PlanError) as refused:
        implementation.assemble_context_plan(asked)
    assert (refused.value.code, refused.value.path) == ("trust_role", "fragments[1].role")
    for said in ("asked", role, trust):
        assert said in str(refused.value)


@pytest.mark.parametrize("policy", [None, {}, TrustPolicy(), {"system": None}])
def test_by_default_any_trust_holds_any_role(implementation: Implementation, policy: Any) -> None:
    fragments = [fragment(role, trust) for role in ROLES for trust in TRUSTS]
    assert len(implementation.assemble_context_plan(plan(*fragments, trust_policy=policy)).messages) == 20
    assert len(implementation.assemble_context_plan(plan(*fragments)).messages) == 20


def test_a_role_that_nobody_may_hold(implementation: Implementation) -> None:
    with pytest.raises(PlanError, match="assistant") as refused:
        implementation.assemble_context_plan(plan(fragment("assistant", "system"), trustPolicy={"assistant": []}))
    assert refused.value.code == "trust_role"


def test_originals_are_not_judged_for_they_are_not_sent(implementation: Implementation) -> None:
    asked = plan(original_fragments=[fragment("system", "external")], trust_policy=STRICT)
    with pytest.raises(Exception, match="system external") as refused:
        implementation.assemble_context_plan(asked)
    assert refused.value.code == "mutated"  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("policy", "code", "path"),
    [
        ("strict", "invalid_type", "trust_policy"),
        (3, "invalid_type", "trust_policy"),
        ({"system": "system"}, "invalid_type", "trust_policy.system"),
        ({"user": 3}, "invalid_type", "trust_policy.user"),
        ({"user": {"system": 1}}, "invalid_type", "trust_policy.user"),
        ({"user": ["operator"]}, "invalid_trust", "trust_policy.user"),
        ({"developer": ["system", None]}, "invalid_trust", "trust_policy.developer"),
        ({"root": ["system"]}, "unknown_field", "trust_policy.root"),
        ({3: ["system"]}, "unknown_field", "trust_policy"),
    ],
)
def test_malformed_policies(implementation: Implementation, policy: Any, code: str, path: str) -> None:
    with pytest.raises(PlanError) as refused:
        implementation.assemble_context_plan(plan(trust_policy=policy))
    assert (refused.value.code, refused.value.path) == (code, path)


def test_the_plan_object_keeps_its_policy_and_checks_when_it_is_built() -> None:
    built = ContextPlan.from_dict(plan(fragment("system", "system"), trust_policy=STRICT))
    assert built.trust_policy == STRICT
    assert built.to_dict()["trust_policy"] == STRICT.to_dict()
    assert ContextPlan.from_dict(built.to_dict()) == built == pickle.loads(pickle.dumps(built))  # noqa: S301 - our own
    assert "trust_policy" not in ContextPlan.from_dict(plan()).to_dict()
    with pytest.raises(PlanError) as refused:
        built.replace(fragments=[fragment("system", "tool")])
    assert (refused.value.code, refused.value.path) == ("trust_role", "fragments[0].role")


def test_the_record() -> None:
    policy = TrustPolicy(system=["developer", "system", "developer"], assistant=())
    assert repr(policy) == "TrustPolicy(system=('system', 'developer'), assistant=())"
    assert (policy.system, policy.developer, policy.assistant) == (("system", "developer"), None, ())
    assert policy.to_dict() == {"system": ["system", "developer"], "developer": None, "user": None, "assistant": []}
    assert TrustPolicy.from_dict(policy.to_dict()) == policy == copy.deepcopy(policy)
    assert len({policy, policy.replace(), STRICT}) == 2
    assert policy.replace(assistant=None) == TrustPolicy(system=("system", "developer"))
    assert TrustPolicy(system=["system", "developer"], developer=["system", "developer"]) == STRICT
    with pytest.raises(PlanError) as refused:
        TrustPolicy(user=["nobody"])  # type: ignore[list-item]
    assert (refused.value.code, refused.value.path) == ("invalid_trust", "user")
    with pytest.raises(PlanError) as refused:
        TrustPolicy.from_dict(3)  # type: ignore[arg-type]
    assert refused.value.code == "invalid_type"


POLICIES = st.one_of(
    st.sampled_from([STRICT, None]),
    st.dictionaries(
        st.sampled_from(ROLES),
        st.one_of(
            st.none(), st.lists(st.sampled_from(TRUSTS), max_size=3), st.lists(st.sampled_from(ODD_VALUES), max_size=1)
        ),
    ),
    st.sampled_from(ODD_VALUES),
)


@given(faulty_plans(), POLICIES)
def test_native_and_reference_agree(asked: Any, policy: Any) -> None:
    if isinstance(asked, dict):
        asked = {**asked, "trust_policy": policy}
    native = attempt(lambda: NATIVE.assemble_context_plan(asked))
    reference = attempt(lambda: REFERENCE.assemble_context_plan(asked))
    if isinstance(native, Refusal) or isinstance(reference, Refusal):
        assert native == reference
    else:
        assert same(native.to_dict(), reference.to_dict())
