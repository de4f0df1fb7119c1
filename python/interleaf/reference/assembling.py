"""The assembly of a plan: everything checked and measured first, then the messages made."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from ..errors import BudgetExceededError
from .auditing import audit
from .calls import CreateMessage, check_callbacks, is_listing
from .fragments import Fragment, read_fragments
from .measuring import measure, measure_additional
from .plans import Plan, read_plan
from .records import BuiltContext, FragmentUsage
from .rendering import make_message
from .token_rule import TokenRule
from .trusting import check_trust
from .values import describe, plain_str

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


def assemble_context_plan(plan: Any, *, create_message: CreateMessage | None = None) -> BuiltContext:
    """Turn a plan into messages that meet its budgets, or raise; nothing is truncated.

    Args:
        plan: a `ContextPlan` or a mapping with the same keys.
        create_message: makes a message from `{"role", "content"}`; the default is that dict.

    Returns:
        The messages, the usage of each fragment, and what all of it measures.

    Raises:
        TypeError: `create_message` is not callable.
        PlanError: the plan, a fragment, an original or an additional message is malformed.
        MutationError: the fragments are not their originals.
        BudgetExceededError: a fragment, or the whole input, is over its budget; characters are checked before tokens.
        CounterError: the plan's token counter failed, or returned what is no count.

    >>> built = assemble_context_plan({
    ...     "fragments": [{"id": "question", "source_id": "chat", "trust": "user", "lifetime": "turn",
    ...                    "role": "user", "max_chars": 100, "value": "Is it up?"}],
    ...     "max_input_chars": 2000,
    ... })
    >>> built.messages, built.input_chars
    ([{'role': 'user', 'content': 'Is it up?'}], 9)
    """
    check_callbacks(create_message=create_message)
    checked = read_plan(plan)
    fragments = read_fragments(checked.fragments, "fragments")
    check_trust(fragments, checked.trust_policy)
    originals = None
    if checked.original_fragments is not None:
        originals = read_fragments(checked.original_fragments, "original_fragments")
    additional = measure_additional(checked.additional_messages, checked.unit)
    if originals is not None:
        audit(fragments, originals, checked.mutable_fragment_ids)

    groups = _groups(fragments, checked.merge_adjacent)
    usage = _usage(groups, checked)
    separator_chars = sum(len(group) - 1 for group in groups) * measure(checked.separator, checked.unit)
    input_chars = sum(each.chars for each in usage) + separator_chars + additional.chars
    _refuse_over_budget(usage, input_chars, checked)
    messages = [make_message(group[0].role, _joined(group, checked.separator), create_message) for group in groups]
    messages += checked.additional_messages
    tokens: dict[str, Any] = {}
    if checked.token_counter is not None:
        rule = TokenRule(checked.token_counter)
        input_tokens = rule.count_messages(messages)
        usage = tuple(
            replace(each, tokens=rule.count_text(fragment.text, f"fragments[{at}].value"))
            for at, (each, fragment) in enumerate(zip(usage, fragments, strict=True))
        )
        _refuse_tokens_over_budget(usage, input_tokens, checked)
        tokens = {
            "input_tokens": input_tokens,
            "max_input_tokens": checked.max_input_tokens,
            "exactness": rule.exactness,
            "unpriced_parts": rule.unpriced_parts,
        }
    return BuiltContext(
        messages=messages,
        fragment_usage=usage,
        static_messages=_leading(groups, ("static",)),
        session_messages=_leading(groups, ("static", "session")),
        additional_chars=additional.chars,
        opaque_parts=additional.opaque_parts,
        separator_chars=separator_chars,
        input_chars=input_chars,
        max_input_chars=checked.max_input_chars,
        unit=checked.unit,
        **tokens,
    )


def assemble_fragments(
    fragments: Iterable[Any],
    max_input_chars: float,
    *,
    unit: str | None = "codepoint",
    merge_adjacent: bool | None = False,
    separator: str | None = "\n\n",
    create_message: CreateMessage | None = None,
) -> BuiltContext:
    """Assemble fragments alone: the plan with nothing else in it.

    Args:
        fragments: `ContextFragment`s or mappings with the same keys.
        max_input_chars: the budget of all of them together, in `unit`, or `math.inf`.
        unit: `"codepoint"`, `"utf16"` or `"utf8"`.
        merge_adjacent: whether neighbours of one role and one trust share a message.
        separator: what stands between fragments that share a message; its characters count.
        create_message: makes a message from `{"role", "content"}`; the default is that dict.

    Returns:
        The messages, the usage of each fragment, and what all of it measures.

    Raises:
        TypeError: `fragments` is not iterable, or `create_message` is not callable.
        PlanError: a fragment or another argument is malformed.
        BudgetExceededError: a fragment, or the whole input, is over its budget.

    >>> assemble_fragments([], 0).messages
    []
    """
    if not is_listing(fragments):
        raise TypeError(f"fragments must be an iterable of fragments, not {type(fragments).__name__}")
    plan = {
        "fragments": fragments,
        "max_input_chars": max_input_chars,
        "unit": unit,
        "merge_adjacent": merge_adjacent,
        "separator": separator,
    }
    return assemble_context_plan(plan, create_message=create_message)


def _groups(fragments: Sequence[Fragment], merge_adjacent: bool) -> list[list[Fragment]]:
    """Put together the fragments that share a message: neighbours of one role and one trust."""
    groups: list[list[Fragment]] = []
    for fragment in fragments:
        first = groups[-1][0] if groups else None
        if merge_adjacent and first is not None and (first.role, first.trust) == (fragment.role, fragment.trust):
            groups[-1].append(fragment)
        else:
            groups.append([fragment])
    return groups


def _usage(groups: Sequence[Sequence[Fragment]], plan: Plan) -> tuple[FragmentUsage, ...]:
    """Measure each fragment, and find its span in its message."""
    usage: list[FragmentUsage] = []
    for message_index, group in enumerate(groups):
        start = 0
        for fragment in group:
            end = start + len(plain_str(fragment.text))
            usage.append(
                FragmentUsage(
                    id=fragment.id,
                    source_id=fragment.source_id,
                    trust=fragment.trust,
                    lifetime=fragment.lifetime,
                    role=fragment.role,
                    chars=measure(fragment.text, plan.unit),
                    max_chars=fragment.max_chars,
                    message_index=message_index,
                    span=(start, end),
                    metadata=fragment.metadata,
                )
            )
            start = end + len(plan.separator)
    return tuple(usage)


def _refuse_over_budget(usage: tuple[FragmentUsage, ...], input_chars: int, plan: Plan) -> None:
    """Refuse fragments that are over their own budget, all of them at once; then an input that is over the total."""
    over = [(index, each) for index, each in enumerate(usage) if each.chars > each.max_chars]
    if over:
        index, first = over[0]
        raise BudgetExceededError(
            f"fragments[{index}], fragment {describe(first.id)}, has {first.chars} characters in {plan.unit}; expected "
            f"at most {describe(first.max_chars)}, its max_chars",
            "fragment_over_budget",
            f"fragments[{index}].max_chars",
            limit=first.max_chars,
            actual=first.chars,
            unit=plan.unit,
            usage=cast("Any", usage),
            fragment_ids=tuple(each.id for _, each in over),
        )
    if input_chars > plan.max_input_chars:
        raise BudgetExceededError(
            f"the input has {input_chars} characters in {plan.unit}, with separators and additional messages; expected "
            f"at most {describe(plan.max_input_chars)}, its max_input_chars",
            "input_over_budget",
            "max_input_chars",
            limit=plan.max_input_chars,
            actual=input_chars,
            unit=plan.unit,
            usage=cast("Any", usage),
        )


def _refuse_tokens_over_budget(usage: tuple[FragmentUsage, ...], input_tokens: int, plan: Plan) -> None:
    """Refuse an input whose tokens are over their budget."""
    limit = plan.max_input_tokens
    if limit is not None and input_tokens > limit:
        raise BudgetExceededError(
            f"the input has {input_tokens} tokens; expected at most {describe(limit)}, its max_input_tokens",
            "input_over_budget",
            "max_input_tokens",
            limit=limit,
            actual=input_tokens,
            unit="tokens",
            usage=cast("Any", usage),
        )


def _joined(group: Sequence[Fragment], separator: str) -> str:
    """Join the texts of one message; a text that is alone stays the object it is."""
    return group[0].text if len(group) == 1 else separator.join(plain_str(fragment.text) for fragment in group)


def _leading(groups: Sequence[Sequence[Fragment]], lifetimes: Sequence[str]) -> int:
    """Count the leading messages that hold fragments of these lifetimes only."""
    count = 0
    for group in groups:
        if any(fragment.lifetime not in lifetimes for fragment in group):
            break
        count += 1
    return count
