"""A plan: its own fields in their order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..errors import PlanError
from .calls import as_list
from .fields import read_fields
from .trusting import Rules, read_trust_policy
from .values import as_bool, as_budget, as_plain_str, as_word, describe, one_of, plain_str
from .words import PLAN_FIELDS, UNITS

if TYPE_CHECKING:
    from .._interleaf import TokenCounter

A_BUDGET = "an int that is not negative, or math.inf"


@dataclass(frozen=True)
class Plan:
    """A plan whose own fields are checked; its fragments and messages are still as given."""

    fragments: list[Any]
    max_input_chars: int | float
    additional_messages: list[Any]
    original_fragments: list[Any] | None
    mutable_fragment_ids: list[str]
    unit: str
    merge_adjacent: bool
    separator: str
    trust_policy: Rules | None
    max_input_tokens: int | float | None
    token_counter: TokenCounter | None


def read_plan(given: object) -> Plan:
    """Check the fields of a plan."""
    fields = read_fields(given, "ContextPlan", PLAN_FIELDS, "", PlanError)
    if fields is None:
        raise PlanError(f"plan is {describe(given)}; expected a ContextPlan or a mapping", "invalid_type", "plan")
    an_iterable = "an iterable that is no text and no mapping"
    plan = Plan(
        fragments=fields.required("fragments", as_list, "invalid_type", an_iterable),
        max_input_chars=fields.required("max_input_chars", as_budget, "invalid_budget", A_BUDGET),
        additional_messages=fields.defaulted("additional_messages", [], as_list, "invalid_type", an_iterable),
        original_fragments=fields.optional("original_fragments", as_list, "invalid_type", an_iterable),
        mutable_fragment_ids=_read_ids(
            fields.defaulted("mutable_fragment_ids", [], _as_ids, "invalid_type", an_iterable)
        ),
        unit=fields.defaulted("unit", "codepoint", as_word(UNITS), "invalid_unit", one_of(UNITS)),
        merge_adjacent=fields.defaulted("merge_adjacent", False, as_bool, "invalid_type", "True or False"),
        separator=fields.defaulted("separator", "\n\n", as_plain_str, "invalid_type", "a str"),
        trust_policy=read_trust_policy(fields.values["trust_policy"]),
        max_input_tokens=(
            max_input_tokens := fields.optional("max_input_tokens", as_budget, "invalid_budget", A_BUDGET)
        ),
        token_counter=fields.when(
            max_input_tokens is not None,
            "token_counter",
            _as_counter,
            "invalid_type",
            "a TokenCounter",
            ", because there is a budget in tokens",
        ),
    )
    if plan.mutable_fragment_ids and plan.original_fragments is None:
        raise PlanError(
            f"mutable_fragment_ids names {describe(plan.mutable_fragment_ids[0])}, but there are no "
            "original_fragments; expected originals to compare with",
            "mutable_without_originals",
            "mutable_fragment_ids",
        )
    return plan


def _as_counter(value: Any) -> TokenCounter | None:
    # Known by the name of its class, as every object of the library is: nothing here imports the native module.
    return value if type(value).__name__ == "TokenCounter" else None


def _as_ids(value: object) -> list[Any] | None:
    if isinstance(value, (set, frozenset)):
        # A set has no order of its own, and the order it shows depends on the hash seed; an error must not. What is
        # no `str` comes first, by its type, then ids by code point.
        return sorted(value, key=lambda item: (isinstance(item, str), _written(item)))
    return as_list(value)


def _written(item: object) -> str:
    return plain_str(item) if isinstance(item, str) else describe(item)


def _read_ids(given: list[Any]) -> list[str]:
    for index, item in enumerate(given):
        if not isinstance(item, str):
            path = f"mutable_fragment_ids[{index}]"
            raise PlanError(
                f"{path} is {describe(item)}; expected the id of an original fragment", "invalid_type", path
            )
    return [str.__str__(item) for item in given]
