"""From a result to the prompt that `explain` and the page draw."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from interleaf import BuiltContext, PlacementResult

from .placement_prompt import placement_prompt
from .plan_prompt import plan_prompt

if TYPE_CHECKING:
    from collections.abc import Callable

    from .prompt import Prompt

__all__ = ["prompt_of"]


def prompt_of(
    result: PlacementResult[Any] | BuiltContext[Any],
    *,
    count: Callable[[str], int] | None = None,
    unit: str | None = None,
    limit: float | None = None,
) -> Prompt:
    """Arranges a result for looking at.

    Args:
        result: what `place_context_blocks` or `assemble_context_plan` returned.
        count: measures a text, a tokenizer for instance; code points if absent. Pieces are counted one by one, so the
            sum may differ a little from the count of the whole.
        unit: what `count` counts; `tokens` if absent.
        limit: a budget for the whole, in that unit; a plan brings its own.

    Returns:
        The prompt.

    Raises:
        TypeError: the result is of another type.
    """
    if isinstance(result, PlacementResult):
        return placement_prompt(result, count or len, unit or ("tokens" if count else "characters"), limit)
    if isinstance(result, BuiltContext):
        return plan_prompt(result, count, unit, limit)
    raise TypeError(f"result must be a PlacementResult or a BuiltContext, not {type(result).__name__}")
