"""The command line: arguments, exit codes, and no traceback for any input."""

from __future__ import annotations

import argparse
import sys
from importlib import import_module
from typing import TYPE_CHECKING, Final, NoReturn

from interleaf.errors import InterleafError

from . import exit_codes
from .json_input import InputError
from .output import print_error, silence_stdout

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["main"]

_DESCRIPTION: Final = """\
Puts context where a model will see it, and shows what it did.

A request is a JSON file, or - for standard input: `messages`, `blocks` and `layout` for a placement, or a plan with
`fragments` and `max_input_chars`."""

_EXAMPLES: Final = """\
examples:
  interleaf demo                                   see a lorebook placed and a plan assembled
  interleaf demo --request place > request.json    the demo's own request, to change and try
  interleaf explain request.json                   who put what where
  interleaf report request.json -o page.html       the same as a page
  interleaf place request.json                     the result as JSON

exit codes: 0 done; 1 refused by the library or over budget; 2 a wrong command line or input that is no request.
`place` and `plan` exit with 2 on a refusal, too."""

_DEMO: Final = """\
examples:
  interleaf demo
  interleaf demo --request place > request.json
  interleaf demo --json"""

_PLACE: Final = """\
examples:
  interleaf place request.json > result.json
  interleaf demo --request place | interleaf place -"""

_PLAN: Final = """\
examples:
  interleaf plan plan.json > result.json
  interleaf demo --request plan | interleaf plan -"""

_EXPLAIN: Final = """\
examples:
  interleaf explain request.json
  interleaf explain request.json --max-chars 8000 && echo within budget
  interleaf demo --request plan | interleaf explain - --json"""

_REPORT: Final = """\
examples:
  interleaf report request.json -o page.html
  interleaf report turn-8.json --previous turn-7.json --title "Turn 8" -o page.html
  interleaf demo --request place | interleaf report - -o page.html"""

_CAPABILITIES: Final = """\
examples:
  interleaf capabilities layout.json
  interleaf demo --request place | interleaf capabilities - --json"""

_LOREBOOK: Final = """\
examples:
  interleaf lorebook book.json
  interleaf lorebook book.json --find ferry
  interleaf lorebook book.json --layout request.json
  interleaf lorebook card.png --blocks > blocks.json
  interleaf explain request.json --lorebook book.json"""


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command.

    Args:
        argv: the arguments; those of the process if absent.

    Returns:
        The exit code: see `interleaf.cli.exit_codes`.
    """
    try:
        return _run(argv)
    except KeyboardInterrupt:
        silence_stdout()
        return exit_codes.INTERRUPTED


def _run(argv: Sequence[str] | None) -> int:
    arguments = None
    try:
        arguments = _parser().parse_args(argv)
        run: Callable[[argparse.Namespace], int] = import_module(f".{arguments.module}", __package__).run
        code = run(arguments)
    except SystemExit as stop:
        # argparse leaves this way: 0 after --help and --version, 2 after a wrong command line.
        code = stop.code if isinstance(stop.code, int) else exit_codes.BROKEN_INPUT
    except BrokenPipeError:
        return _reader_left()
    except InputError as error:
        print_error(error, as_json=_as_json(arguments))
        code = exit_codes.BROKEN_INPUT
    except InterleafError as error:
        print_error(error, as_json=_as_json(arguments))
        code = getattr(arguments, "refused", exit_codes.REFUSED)
    except OSError as error:
        return _unwritable(error)
    except (MemoryError, RecursionError) as error:
        print_error(InputError(f"the request is too large: {error or type(error).__name__}", "input_too_large"))
        code = exit_codes.BROKEN_INPUT
    return _flushed(code)


def _flushed(code: int) -> int:
    """Flushes here, where a failure has a name; Python's own flush at exit has only a traceback for it."""
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except BrokenPipeError:
        return _reader_left()
    except OSError as error:
        return _unwritable(error)
    return code


def _reader_left() -> int:
    # `interleaf demo | head -1` is no failure: the reader has what it wanted.
    silence_stdout()
    return exit_codes.OK


def _unwritable(error: OSError) -> int:
    silence_stdout()
    print_error(InputError(f"it cannot be written: {error.strerror or error}", "unwritable_output", "stdout"))
    return exit_codes.BROKEN_INPUT


def _as_json(arguments: argparse.Namespace | None) -> bool:
    return bool(getattr(arguments, "json", False))


class _Parser(argparse.ArgumentParser):
    """A parser whose complaints look like every other one."""

    def error(self, message: str) -> NoReturn:
        """Tells what is wrong with the command line and leaves with 2.

        Args:
            message: argparse's own.
        """
        print_error(InputError(f"{message} (see `{self.prog} --help`)", "usage", "command line"))
        self.exit(exit_codes.BROKEN_INPUT)


def _parser() -> argparse.ArgumentParser:
    from interleaf import __version__

    parser = _Parser(
        prog="interleaf",
        description=_DESCRIPTION,
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"interleaf {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)

    demo = _command(commands, "demo", "place a small bilingual lorebook and assemble a plan", "demo_command", _DEMO)
    demo.add_argument("--request", choices=("place", "plan"), help="print the request itself instead of its result")
    _add_json(demo, "print both results as JSON")

    place = _command(commands, "place", "place blocks into a chat: JSON in, JSON out", "place_command", _PLACE)
    _add_request(place)
    _add_json(place, "tell a refusal as JSON, too; the result always is")
    place.set_defaults(refused=exit_codes.PLACE_PLAN_REFUSED)

    plan = _command(commands, "plan", "assemble a plan: JSON in, JSON out", "plan_command", _PLAN)
    _add_request(plan)
    _add_json(plan, "tell a refusal as JSON, too; the result always is")
    plan.set_defaults(refused=exit_codes.PLACE_PLAN_REFUSED)

    capabilities = _command(
        commands,
        "capabilities",
        "tell which positions and outlets a layout has anchors for",
        "capabilities_command",
        _CAPABILITIES,
    )
    capabilities.add_argument(
        "request", metavar="FILE", help="a JSON layout, a request with one, or - for standard input"
    )
    _add_json(capabilities, "print them as JSON")

    explain = _command(
        commands, "explain", "show the final messages, who made what, and the budgets", "explain_command", _EXPLAIN
    )
    _add_request(explain)
    _add_max_chars(explain)
    _add_lorebook(explain)
    _add_json(explain, "print all of it as JSON")

    report = _command(
        commands, "report", "draw the final messages as one self-contained page", "report_command", _REPORT
    )
    _add_request(report)
    report.add_argument(
        "-o", "--output", metavar="PAGE", required=True, help="the HTML file to write, or - for standard output"
    )
    report.add_argument("--previous", metavar="FILE", help="the request of the turn before, to show what changed since")
    report.add_argument("--title", default="Prompt", help="the title of the page (default: %(default)s)")
    _add_max_chars(report)
    _add_json(report, "say what was written as JSON")
    _add_lorebook(report)

    book = _command(
        commands, "lorebook", "show the entries of a lorebook or card, and its problems", "lorebook_command", _LOREBOOK
    )
    book.add_argument(
        "file", metavar="FILE", help="a lorebook or character card (JSON, or PNG), or - for standard input"
    )
    book.add_argument("--find", metavar="TEXT", help="only entries that have this in their id, comment, keys or text")
    book.add_argument("--layout", metavar="REQUEST", help="tell which enabled entries this layout has no anchor for")
    book.add_argument("--book", metavar="NAME", help="which book, where a file has several")
    book.add_argument(
        "--ties", choices=("id", "sillytavern"), default="id", help="who is first of equals (default: %(default)s)"
    )
    form = book.add_mutually_exclusive_group()
    form.add_argument("--blocks", action="store_true", help="print the enabled entries as JSON blocks for a request")
    _add_json(form, "print all of the book as JSON")
    return parser


def _command(
    commands: argparse._SubParsersAction[_Parser], name: str, summary: str, module: str, examples: str = ""
) -> argparse.ArgumentParser:
    command = commands.add_parser(
        name,
        help=summary,
        description=summary[0].upper() + summary[1:] + ".",
        epilog=examples or None,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.set_defaults(module=module, refused=exit_codes.REFUSED)
    return command


def _add_request(command: argparse.ArgumentParser) -> None:
    command.add_argument("request", metavar="FILE", help="a JSON request, or - for standard input")


def _add_max_chars(command: argparse.ArgumentParser) -> None:
    purpose = "a budget for all messages of a placement; over it, the exit code is 1"
    command.add_argument("--max-chars", metavar="N", type=_budget, help=purpose)


def _add_lorebook(command: argparse.ArgumentParser) -> None:
    command.add_argument("--lorebook", metavar="BOOK", help="place the enabled entries of this lorebook or card, too")
    command.add_argument(
        "--drop-unanchored",
        action="store_true",
        help="drop entries of the book that the layout has no anchor for, and tell",
    )


def _budget(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= 18):
        raise argparse.ArgumentTypeError(f"found {text!r}, expected a number of characters, 0 or more")
    return int(text)


def _add_json(command: argparse._ActionsContainer, purpose: str) -> None:
    command.add_argument("--json", action="store_true", help=purpose)
