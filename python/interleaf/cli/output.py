"""Writing to standard output and standard error: any text, any encoding, and pipes that close early."""

from __future__ import annotations

import codecs
import contextlib
import json
import os
import sys
from typing import TYPE_CHECKING, Any, Final, TextIO

from interleaf.errors import BudgetExceededError, MutationError

from .visible import visible

if TYPE_CHECKING:
    from interleaf.errors import InterleafError

__all__ = ["print_error", "print_json", "print_text", "silence_stdout", "to_json", "wants_colour", "write_text"]

_JSON_ESCAPES: Final = "interleaf.json_escapes"


def to_json(value: Any) -> str:
    r"""A value as indented JSON text that keeps non-ASCII characters; only lone surrogates are escaped.

    Args:
        value: what `to_dict()` returns.

    Returns:
        The text, with a newline at its end.

    >>> print(to_json({"content": "灯\ud83d"}), end="")
    {
      "content": "灯\ud83d"
    }
    """
    text = json.dumps(value, ensure_ascii=False, indent=2) + "\n"
    return text.encode("utf-8", _JSON_ESCAPES).decode("utf-8")


def print_json(value: Any) -> None:
    """Writes a value as JSON to standard output; what its encoding cannot hold becomes JSON escapes.

    Args:
        value: what `to_dict()` returns.
    """
    write_text(to_json(value), _JSON_ESCAPES)


def print_text(text: str) -> None:
    """Writes text for people to standard output; what its encoding cannot hold becomes backslash escapes.

    Args:
        text: one or more lines, each with its end.
    """
    write_text(text, "backslashreplace")


def write_text(text: str, errors: str) -> None:
    """Writes text to standard output.

    Args:
        text: any text.
        errors: the error handler of `str.encode` for what the stream's encoding cannot hold.

    Raises:
        OSError: standard output is closed, or cannot be written to.
    """
    stream = sys.stdout
    if stream is None:
        raise OSError("standard output is closed")
    encoding = stream.encoding or "utf-8"
    stream.write(text.encode(encoding, errors).decode(encoding))


def print_error(error: InterleafError, *, as_json: bool = False) -> None:
    """Writes a refusal to standard error: `error: CODE at PATH: message`, or all of it as JSON.

    Args:
        error: the refusal.
        as_json: whether machines read it.
    """
    path = error.path or "request"
    if as_json:
        text = to_json({"error": _error_fields(error)})
    else:
        text = f"error: {error.code} at {visible(path)}: {visible(error.message)}\n"
    stream = sys.stderr
    # Nobody may listen there, and then there is nobody left to tell.
    with contextlib.suppress(OSError, ValueError):
        if stream is not None:
            encoding = stream.encoding or "utf-8"
            handler = _JSON_ESCAPES if as_json else "backslashreplace"
            stream.write(text.encode(encoding, handler).decode(encoding))
            stream.flush()


def wants_colour(stream: TextIO | None) -> bool:
    """Whether a stream is a terminal whose user did not ask for plain text.

    Args:
        stream: standard output, as a rule.

    Returns:
        False with `NO_COLOR` set to anything but an empty string, with `TERM=dumb`, and for files and pipes.
    """
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    return stream is not None and stream.isatty()


def silence_stdout() -> None:
    """Points standard output at nothing, so that the flush at exit cannot fail on a pipe that is gone."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        nothing = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nothing, sys.stdout.fileno())
        os.close(nothing)


def _error_fields(error: InterleafError) -> dict[str, Any]:
    fields: dict[str, Any] = {"code": error.code, "path": error.path, "message": error.message}
    if isinstance(error, MutationError):
        fields["violations"] = [violation.to_dict() for violation in error.violations]
    if isinstance(error, BudgetExceededError):
        fields |= {"limit": error.limit, "actual": error.actual, "unit": error.unit}
        fields["fragment_ids"] = list(error.fragment_ids)
        fields["usage"] = [usage.to_dict() for usage in error.usage]
    return fields


def _json_escapes(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    escapes = []
    for character in error.object[error.start : error.end]:
        number = ord(character)
        if number > 0xFFFF:
            number -= 0x10000
            escapes.append(f"\\u{0xD800 + (number >> 10):04x}\\u{0xDC00 + (number & 0x3FF):04x}")
        else:
            escapes.append(f"\\u{number:04x}")
    return "".join(escapes), error.end


codecs.register_error(_JSON_ESCAPES, _json_escapes)
