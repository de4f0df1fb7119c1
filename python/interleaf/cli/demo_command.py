"""`interleaf demo`: a lorebook placed into a chat and a plan assembled, with who put what where."""

from __future__ import annotations

from typing import TYPE_CHECKING

from interleaf.report.arrange import prompt_of

from . import exit_codes
from .demo_request import place_request, plan_request
from .drawing import draw_budgets, draw_messages, draw_shares, draw_summary
from .output import print_json
from .requests import PlaceRequest, parse_place_request, parse_plan_request
from .tables import print_heading, print_line

if TYPE_CHECKING:
    import argparse

__all__ = ["run"]


def run(arguments: argparse.Namespace) -> int:
    """Runs the demo.

    Args:
        arguments: `request` (`place`, `plan` or None) and `json`.

    Returns:
        The exit code.
    """
    if arguments.request == "place":
        print_json(place_request())
        return exit_codes.OK
    if arguments.request == "plan":
        print_json(plan_request())
        return exit_codes.OK
    placing = parse_place_request(place_request())
    placed = placing.run()
    plan = parse_plan_request(plan_request()).plan
    built = parse_plan_request(plan_request()).run()
    if arguments.json:
        print_json({"place": placed.to_dict(), "plan": built.to_dict()})
        return exit_codes.OK

    prompt = prompt_of(placed)
    _print_opening(placing)
    draw_messages(prompt)
    print_line()
    draw_shares(prompt)
    print_line()
    draw_summary(prompt)
    print_line()

    prompt = prompt_of(built)
    print_heading("A plan: fragments of four sources, each within its budget and audited against trusted originals")
    print_line(f"allowed to differ from its original: {', '.join(plan['mutable_fragment_ids'])}")
    print_line()
    draw_messages(prompt)
    print_line()
    draw_budgets(prompt.entries, prompt.unit, prompt.total, prompt.limit)
    print_line()
    print_line(
        f"A prompt cache may stop after message {built.static_messages} (static) or {built.session_messages} (session)."
    )
    print_line("Next: `interleaf demo --request place > request.json`, change it, `interleaf explain request.json`.")
    return exit_codes.OK


def _print_opening(request: PlaceRequest) -> None:
    print_heading("A lorebook in a chat: each block placed once, none in silence")
    print_line(
        f"{len(request.messages)} messages and {len(request.blocks)} blocks in; in the margin who made each message:"
    )
    print_line("+ a block as a message of its own, ~ a block inside another message, [[its text]] marked there")
    print_line()
