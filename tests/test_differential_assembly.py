"""The native assembly against the reference: the same context, or the same refusal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hypothesis import given
from hypothesis import strategies as st

from comparison import Refusal, Unchanged, attempt, identities, same
from implementations import NATIVE, REFERENCE
from plan_strategies import faulty_plans, fragment_lists, in_native_form, plans, with_native_fragments
from strategies import ODD_ITERABLES, ODD_VALUES

if TYPE_CHECKING:
    from implementations import Implementation


def _create_message(message: dict[str, str]) -> Any:
    return {**message, "made": True}


def _assemble(implementation: Implementation, plan: Any, **options: Any) -> Any:
    return attempt(lambda: implementation.assemble_context_plan(plan, **options))


def _assert_same_outcome(plan: Any, **options: Any) -> Any:
    before = Unchanged(plan)
    native = _assemble(NATIVE, plan, **options)
    reference = _assemble(REFERENCE, plan, **options)
    before.check()
    _assert_same(native, reference)
    return native


def _assert_same(native: Any, reference: Any) -> None:
    if isinstance(native, Refusal) or isinstance(reference, Refusal):
        assert native == reference
        return
    assert same(native.to_dict(), reference.to_dict())
    assert same(native.messages, reference.messages)
    for one, other in zip(native.fragment_usage, reference.fragment_usage, strict=True):
        assert one.span == other.span
        assert one.metadata is other.metadata


@given(plans(), st.sampled_from([None, _create_message]))
def test_well_formed_plans(plan: dict[str, Any], create_message: Any) -> None:
    native = _assert_same_outcome(plan, create_message=create_message)
    if isinstance(native, Refusal):
        assert native.code in {"fragment_over_budget", "input_over_budget", "mutated"}
        return
    additional = plan.get("additional_messages", [])
    assert identities(native.messages[len(native.messages) - len(additional) :], additional) == list(
        range(len(additional))
    )


@given(faulty_plans())
def test_one_fault(plan: Any) -> None:
    _assert_same_outcome(plan)


@given(plans())
def test_native_objects_assemble_as_their_mappings_do(plan: dict[str, Any]) -> None:
    from_mapping = _assemble(NATIVE, plan)
    for form in (in_native_form(plan), with_native_fragments(plan)):
        _assert_same(_assemble(NATIVE, form), from_mapping)
        _assert_same(_assemble(REFERENCE, form), from_mapping)


@given(faulty_plans())
def test_a_native_plan_is_refused_as_its_mapping_is(plan: Any) -> None:
    """Whatever a plan lets itself be built of, it assembles as the mapping does."""
    native = in_native_form(plan)
    if native is not None:
        _assert_same(_assemble(NATIVE, native), _assemble(REFERENCE, plan))


@given(
    st.one_of(fragment_lists(), st.sampled_from(ODD_ITERABLES)),
    st.one_of(st.integers(0, 50), st.sampled_from(ODD_VALUES)),
    st.fixed_dictionaries(
        {},
        optional={
            name: st.one_of(st.sampled_from(ODD_VALUES), st.sampled_from(usual))
            for name, usual in (
                ("unit", ("utf8", "utf16")),
                ("merge_adjacent", (True, False)),
                ("separator", ("\n", "😀")),
            )
        },
    ),
)
def test_fragments_alone(fragments: Any, limit: Any, options: dict[str, Any]) -> None:
    _assert_same(
        attempt(lambda: NATIVE.assemble_fragments(fragments, limit, **options)),
        attempt(lambda: REFERENCE.assemble_fragments(fragments, limit, **options)),
    )
