"""`interleaf explain`: the final list of messages with its margin, and budgets as bars."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from interleaf.errors import BudgetExceededError, MutationError
from interleaf.report.arrange import prompt_of
from interleaf.report.plan_prompt import UNIT_NAMES, entry_of_usage
from interleaf.report.prompt import is_over

from . import exit_codes
from .drawing import draw_budgets, draw_messages, draw_shares, draw_summary
from .json_input import InputError
from .output import print_json
from .requests import PlanRequest, read_request
from .tables import Cell, Column, Table, print_heading, print_line, print_table

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from interleaf import BuiltContext, PlacementResult
    from interleaf.report.prompt import Prompt

    from .lorebook_input import NotPlaced
    from .requests import PlaceRequest

__all__ = ["run"]


def run(arguments: argparse.Namespace) -> int:
    """Explains a request.

    Args:
        arguments: `request`, a path or `-`; `lorebook`, a path, `-` or None; `drop_unanchored`; `max_chars`, a budget for
            a placement or None; `json`.

    Returns:
        The exit code.

    Raises:
        InterleafError: the request was refused, or is over its budget; what can be shown has been.
    """
    request, not_placed = read_with_lorebook(arguments)
    try:
        result = request.run()
    except BudgetExceededError as error:
        if not arguments.json:
            _draw_overrun(error, request)
        raise
    except MutationError as error:
        if not arguments.json:
            _draw_violations(error)
        raise
    prompt = prompt_of(result, limit=arguments.max_chars)
    over = error_if_over(prompt)
    if arguments.json:
        print_json(_as_dict(prompt, result, not_placed))
    else:
        _draw(prompt, not_placed)
    if over is not None:
        raise over
    return exit_codes.OK


def read_with_lorebook(arguments: argparse.Namespace) -> tuple[PlaceRequest | PlanRequest, list[NotPlaced]]:
    """Reads the request of the command line, and the lorebook beside it.

    Args:
        arguments: `request`, `lorebook`, `drop_unanchored`.

    Returns:
        The request, and every entry of the book that is not placed.

    Raises:
        InputError: one of them cannot be read, or a plan was given a lorebook.
    """
    if arguments.lorebook is None:
        if arguments.drop_unanchored:
            raise InputError("found --drop-unanchored; expected --lorebook beside it", "usage", "command line")
        return read_request(arguments.request), []
    if arguments.request == arguments.lorebook == "-":
        raise InputError("found - twice; standard input can be read once", "usage", "command line")
    from .lorebook_input import read_book, with_lorebook

    request = read_request(arguments.request)
    if isinstance(request, PlanRequest):
        raise InputError("found a plan and a lorebook; expected messages and a layout", "usage", "command line")
    return with_lorebook(request, read_book(arguments.lorebook), drop=arguments.drop_unanchored)


def error_if_over(prompt: Prompt) -> BudgetExceededError | None:
    """The refusal of a prompt that is over a budget given on the command line.

    Args:
        prompt: the prompt.

    Returns:
        The error to raise; None if the prompt is within its budget.
    """
    if prompt.limit is None or not is_over(prompt.total, prompt.limit):
        return None
    message = f"found {prompt.total} {prompt.unit}, expected at most {int(prompt.limit)} in all messages"
    return BudgetExceededError(message, "input_over_budget", "--max-chars", limit=prompt.limit, actual=prompt.total)


def _draw(prompt: Prompt, not_placed: Sequence[NotPlaced]) -> None:
    draw_summary(prompt)
    print_line()
    if not_placed:
        print_heading(f"not placed: {len(not_placed)}")
        rows = tuple((Cell(each.id, "red"), Cell(each.reason), Cell(each.text[:300], "dim")) for each in not_placed)
        columns = (
            Column("entry", shrinks=True, whole_in_pipes=True),
            Column("why", shrinks=True, whole_in_pipes=True),
            Column("text", shrinks=True),
        )
        print_table(Table(columns, rows))
        print_line()
    draw_messages(prompt)
    print_line()
    if prompt.kind == "plan":
        draw_budgets(prompt.entries, prompt.unit, prompt.total, prompt.limit)
        print_line()
    draw_shares(prompt)


def _draw_overrun(error: BudgetExceededError, request: object) -> None:
    """What is over its budget; there are no messages to show, for nothing was assembled."""
    entries = [entry_of_usage(usage) for usage in error.usage]
    total = sum(usage.chars for usage in error.usage)
    limit = None
    if error.code == "input_over_budget":
        total, limit = error.actual, error.limit
    elif isinstance(request, PlanRequest):
        given = request.plan.get("max_input_chars", request.plan.get("maxInputChars"))
        limit = given if isinstance(given, (int, float)) else None
    draw_budgets(entries, UNIT_NAMES.get(error.unit, error.unit), total, limit)
    print_line()


def _draw_violations(error: MutationError) -> None:
    print_heading("differences from the originals")
    rows = tuple(
        (Cell(violation.kind, "red"), Cell(violation.fragment_id), Cell(violation.field or ""))
        for violation in error.violations
    )
    print_table(Table((Column("kind"), Column("fragment"), Column("field")), rows))
    print_line()


def _as_dict(
    prompt: Prompt, result: PlacementResult[Any] | BuiltContext[Any], not_placed: Sequence[NotPlaced]
) -> dict[str, Any]:
    """The prompt as the result has it, and the sizes that only looking at it brings."""
    drawn = asdict(prompt)
    messages = [
        {key: message[key] for key in ("index", "role", "made_by", "origin", "anchors", "entries", "size")}
        for message in drawn["messages"]
    ]
    entries = [entry | {"facts": dict(entry["facts"])} for entry in drawn["entries"]]
    return {
        "kind": prompt.kind,
        "unit": prompt.unit,
        "total": prompt.total,
        "limit": prompt.limit,
        "messages": messages,
        "entries": entries,
        "sources": drawn["shares"],
        "unfilled_outlets": list(prompt.unfilled_outlets),
        "not_placed": [{"id": each.id, "reason": each.reason} for each in not_placed],
        "result": result.to_dict(),
    }
