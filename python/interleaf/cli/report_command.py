"""`interleaf report`: a request as one self-contained page."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from interleaf.report import render_report
from interleaf.report.arrange import prompt_of

from . import exit_codes
from .explain_command import error_if_over, read_with_lorebook
from .json_input import InputError
from .output import print_json, write_text
from .requests import read_request
from .tables import print_line

if TYPE_CHECKING:
    import argparse

__all__ = ["run"]


def run(arguments: argparse.Namespace) -> int:
    """Writes the page of a request.

    Args:
        arguments: `request`, `previous` and `lorebook`, paths or `-` (the last two may be None); `drop_unanchored`;
            `output`, a path or `-`; `title`; `max_chars`, a budget for a placement or None; `json`.

    Returns:
        The exit code: `REFUSED` if the prompt is over that budget, which the page then shows.

    Raises:
        InterleafError: a request was refused, or the page cannot be drawn or written.
    """
    if [arguments.request, arguments.previous, arguments.lorebook].count("-") > 1:
        raise InputError("found - twice; standard input can be read once", "usage", "command line")
    request, not_placed = read_with_lorebook(arguments)
    result = request.run()
    previous = read_request(arguments.previous).run() if arguments.previous is not None else None
    try:
        page = render_report(
            result,
            previous=previous,
            title=arguments.title,
            limit=arguments.max_chars,
            not_placed=[(each.id, each.reason) for each in not_placed],
        )
    except ModuleNotFoundError as error:
        raise InputError(str(error), "missing_extra", "report") from error
    if arguments.output == "-":
        # The page says it is UTF-8; where the stream is not, references say the same in ASCII.
        write_text(page, "xmlcharrefreplace")
    else:
        try:
            Path(arguments.output).write_text(page, encoding="utf-8", newline="\n")
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise InputError(f"it cannot be written: {reason}", "unwritable_output", arguments.output) from error
        if arguments.json:
            print_json({"page": arguments.output, "bytes": len(page.encode()), "messages": len(result.messages)})
        else:
            print_line(f"wrote {arguments.output}: {len(result.messages)} messages, {len(page.encode()):,} bytes")
    over = error_if_over(prompt_of(result, limit=arguments.max_chars))
    if over is not None:
        raise over
    return exit_codes.OK
