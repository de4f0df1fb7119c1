"""Budgets of messages, and the check that raises when one is exceeded."""

from __future__ import annotations

import math
from dataclasses import dataclass
from operator import index as as_int
from typing import TYPE_CHECKING, Any

from .. import _interleaf
from ..errors import BudgetExceededError, InterleafError
from .hosts import without_span
from .messages import messages_of
from .usage import BlockUsage, BudgetUsage, largest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .._interleaf import CharCount, Placement, TokenCount
    from ..types import LengthUnit
    from .counter import TokenCounter
    from .messages import Countable

__all__ = ["Budget", "check_budget"]

_UNITS = ("codepoint", "utf16", "utf8")
_NAMED = 3


@dataclass(frozen=True, slots=True)
class Budget:
    """What messages may cost, in characters, in tokens, or both.

    Args:
        max_chars: most characters, an int or `math.inf`; None for no such budget.
        unit: what a character is: `codepoint`, `utf16` or `utf8`.
        max_tokens: most tokens, an int or `math.inf`; None for no such budget. It needs a counter.
        counter: counts the tokens; given without `max_tokens`, they are counted and not limited.
        reserve_tokens: tokens of `max_tokens` that are kept free, for the answer and what else comes.

    Raises:
        InterleafError: a value is wrong (`invalid_option`).

    >>> from interleaf.budget import Budget
    >>> Budget(max_chars=-1)
    Traceback (most recent call last):
    interleaf.errors.InterleafError: max_chars: found -1, expected an int of 0 or more, math.inf or None
    """

    max_chars: int | float | None = None
    unit: LengthUnit = "codepoint"
    max_tokens: int | float | None = None
    counter: TokenCounter | None = None
    reserve_tokens: int = 0

    def __post_init__(self) -> None:
        for name in ("max_chars", "max_tokens"):
            limit = getattr(self, name)
            if limit is not None and limit != math.inf:
                object.__setattr__(self, name, _count(name, limit, "an int of 0 or more, math.inf or None"))
        object.__setattr__(self, "reserve_tokens", _count("reserve_tokens", self.reserve_tokens, "an int of 0 or more"))
        if self.unit not in _UNITS:
            raise _refused("unit", self.unit, f"one of {', '.join(_UNITS)}")
        if self.counter is None:
            if self.max_tokens is not None:
                raise _refused("counter", None, "a TokenCounter, because max_tokens is given")
        elif not isinstance(self.counter, _interleaf.TokenCounter):
            raise _refused("counter", self.counter, "a TokenCounter or None")


def _count(name: str, value: Any, expected: str) -> int:
    """Return a number of characters or tokens as an int."""
    try:
        count = -1 if isinstance(value, bool) else as_int(value)
    except TypeError:
        count = -1
    if count < 0:
        raise _refused(name, value, expected)
    return count


def _refused(name: str, value: object, expected: str) -> InterleafError:
    """Make the error for a wrong value."""
    found = repr(value) if value is None or isinstance(value, int | float | str) else f"a {type(value).__name__}"
    return InterleafError(f"found {found}, expected {expected}", "invalid_option", name)


def check_budget(messages: Countable, budget: Budget, *, adapter: Any = None) -> BudgetUsage:
    """Count messages and raise if they exceed a budget.

    Args:
        messages: the messages, or a result that has them. Of a placement the usage also says what each block costs.
        budget: what they may cost. Characters are counted if they are limited or if there is no counter.
        adapter: reads messages that are no mappings; by default the one for their type.

    Returns:
        Everything that was counted.

    Raises:
        TypeError: `messages` is no sequence, or `budget` no Budget.
        BudgetExceededError: a budget is exceeded (`input_over_budget`, at `max_chars` or `max_tokens`). Its `usage` is all
            that was counted, its message names the largest messages, `limit` is the budget as given and `actual` what is
            counted against it, tokens in reserve included.
        CounterError: the counter raised, or returned what is no count.
        AdapterError: a message cannot be read.

    >>> from interleaf.budget import Budget, TokenCounter, check_budget
    >>> words = TokenCounter(lambda text: len(text.split()))
    >>> chat = [{"role": "user", "content": "Who guards the gate?"}]
    >>> check_budget(chat, Budget(max_tokens=20, counter=words)).tokens
    11
    >>> check_budget(chat, Budget(max_tokens=20, counter=words, reserve_tokens=10))
    Traceback (most recent call last):
    interleaf.errors.BudgetExceededError: max_tokens: found 11 tokens and 10 in reserve, expected at most 20; largest: messages[0] (8)
    """
    if not isinstance(budget, Budget):
        raise TypeError(f"budget must be a Budget; found {type(budget).__name__}")
    counted = messages_of(messages)
    chars = None
    counter = budget.counter
    if budget.max_chars is not None or counter is None:
        chars = _interleaf.count_chars(counted, budget.unit, adapter)
    placements = () if counted is messages else getattr(messages, "placements", ())
    if placements:
        tokens, blocks = _placement_usage(counted, placements, chars, budget, adapter)
    else:
        tokens, blocks = None if counter is None else _interleaf.count_tokens(counted, counter, adapter), ()
    usage = BudgetUsage(budget.max_chars, budget.max_tokens, budget.reserve_tokens, chars, tokens, blocks)
    if usage.exceeded:
        raise _exceeded(usage)
    return usage


def _placement_usage(
    messages: Sequence[Any], placements: Sequence[Placement], chars: CharCount | None, budget: Budget, adapter: Any
) -> tuple[TokenCount | None, tuple[BlockUsage, ...]]:
    """Count the tokens of a placement, and what each of its blocks costs."""
    counter = budget.counter
    embedded = [placement for placement in placements if placement.message_count == 0]
    tokens: TokenCount | None = None
    without: dict[str, int] = {}
    if counter is not None:
        # The hosts without each of their blocks are counted together with the messages, so that all misses go in one call.
        indices = [placement.message_index for placement in embedded]
        variants = [
            without_span(
                messages[placement.message_index],
                placement.part_index,
                placement.span or (0, 0),
                adapter,
                f"messages[{placement.message_index}]",
            )
            for placement in embedded
        ]
        tokens, costs = _interleaf.count_variants(messages, variants, indices, counter, adapter)
        without = {placement.id: cost for placement, cost in zip(embedded, costs, strict=True)}
    per_message_chars = None if chars is None else chars.per_message
    per_message_tokens = None if tokens is None else tokens.per_message
    blocks = []
    for placement in placements:
        first, count = placement.message_index, placement.message_count
        own_chars = own_tokens = None
        if count == 0:
            if per_message_chars is not None:
                own_chars = _embedded_chars(messages[first], placement, budget.unit, adapter)
            if per_message_tokens is not None:
                own_tokens = per_message_tokens[first] - without[placement.id]
        else:
            if per_message_chars is not None:
                own_chars = sum(per_message_chars[first : first + count])
            if per_message_tokens is not None:
                own_tokens = sum(per_message_tokens[first : first + count])
        blocks.append(BlockUsage(placement.id, first, count, own_chars, own_tokens))
    return tokens, tuple(blocks)


def _embedded_chars(host: Any, placement: Placement, unit: LengthUnit, adapter: Any) -> int:
    """Count the characters of an embedded block."""
    path = f"messages[{placement.message_index}]"
    bare = without_span(host, placement.part_index, placement.span or (0, 0), adapter, path)
    whole, rest = _interleaf.count_chars([host, bare], unit, adapter).per_message
    return whole - rest


def _exceeded(usage: BudgetUsage) -> BudgetExceededError:
    """Make the error for the budgets that are exceeded: its attributes are those of the first, its message tells of all."""
    told: list[str] = []
    over: list[tuple[str, int | float, int, str]] = []
    if (chars := usage.char_count) is not None and usage.max_chars is not None and chars.total > usage.max_chars:
        over.append(("max_chars", usage.max_chars, chars.total, chars.unit))
        told.append(f"found {chars.total} {chars.unit} characters, expected at most {_limit(usage.max_chars, chars)}")
    if (tokens := usage.token_count) is not None and usage.max_tokens is not None:
        actual = tokens.total + usage.reserve_tokens
        if actual > usage.max_tokens:
            over.append(("max_tokens", usage.max_tokens, actual, "tokens"))
            reserved = f" and {usage.reserve_tokens} in reserve" if usage.reserve_tokens else ""
            told.append(f"found {tokens.total} tokens{reserved}, expected at most {_limit(usage.max_tokens, tokens)}")
    path, limit, actual, unit = over[0]
    return BudgetExceededError(
        "; and ".join(told), "input_over_budget", path, limit=limit, actual=actual, unit=unit, usage=usage
    )


def _limit(limit: float, count: CharCount | TokenCount) -> str:
    """Write a limit, and which messages are the largest."""
    named = ", ".join(f"messages[{index}] ({cost})" for index, cost in largest(count.per_message, _NAMED))
    return f"{limit}; largest: {named}"
