"""Reading one JSON document from a file or from standard input, strictly and within limits."""

from __future__ import annotations

import codecs
import json
import math
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final, cast

from interleaf.errors import InterleafError

if TYPE_CHECKING:
    from typing import Any, Protocol

    class _Readable(Protocol):
        def read1(self, size: int, /) -> bytes: ...


__all__ = ["MAX_BYTES", "MAX_DEPTH", "InputError", "parse_json", "read_bytes", "read_json"]

MAX_BYTES: Final = 64 * 2**20
"""Bytes of one input. More is refused, so that an endless stream such as /dev/zero ends."""

MAX_DEPTH: Final = 256
"""Levels of nesting. A fragment's value may have 200; Python's own parser gives up somewhere under 1,000."""

_BYTE_ORDER_MARKS: Final = (
    # UTF-16 is what PowerShell's `>` writes. UTF-32 goes first: its little-endian mark begins with that of UTF-16.
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


class InputError(InterleafError):
    """The input cannot be read, or is no request at all."""


class _RepeatedKeyError(Exception):
    """A JSON object has a key twice; the parser must not let the last one win."""


def read_json(source: str) -> Any:
    """Reads the JSON document of a file, or of standard input for `-`.

    Args:
        source: the path of a file, or `-`.

    Returns:
        What the JSON says. `Infinity` and numbers too large for a float are `math.inf`.

    Raises:
        InputError: it cannot be read, is too large, is not UTF-8 (or UTF-16 with a byte order mark), is no JSON, has
            NaN or a key twice, or is nested too deep.
    """
    return parse_json(read_bytes(source), _name_of(source))


def read_bytes(source: str) -> bytes:
    """Reads all bytes of a file, or of standard input for `-`.

    Args:
        source: the path of a file, or `-`.

    Returns:
        The bytes, at most `MAX_BYTES`.

    Raises:
        InputError: it cannot be read (`unreadable_input`), or is too large (`input_too_large`).
    """
    name = _name_of(source)
    try:
        if source == "-":
            if sys.stdin is None:
                raise InputError("standard input is closed; expected a request there", "unreadable_input", name)
            data = _read_limited(cast("_Readable", sys.stdin.buffer))
        else:
            with Path(source).open("rb") as file:
                data = _read_limited(file)
    except OSError as error:
        reason = error.strerror or str(error)
        raise InputError(f"it cannot be read: {reason}", "unreadable_input", name) from error
    except ValueError as error:
        # A path with a NUL in it, or a standard input closed from within.
        raise InputError(f"it cannot be read: {error}", "unreadable_input", name) from error
    if len(data) > MAX_BYTES:
        raise InputError(f"found more than {MAX_BYTES} bytes; expected at most that", "input_too_large", name)
    return data


def parse_json(data: bytes, name: str) -> Any:
    """Parses one JSON document.

    Args:
        data: the bytes of the document.
        name: what error paths call it.

    Returns:
        What the JSON says.

    Raises:
        InputError: see `read_json`.
    """
    text = _decode(data, name)
    if not text.strip():
        raise InputError("found nothing; expected a JSON object", "empty_input", name)
    try:
        value: Any = json.loads(text, parse_constant=_constant, object_pairs_hook=_object)
    except json.JSONDecodeError as error:
        where = f"{name}:{error.lineno}:{error.colno}"
        raise InputError(f"this is no JSON: {error.msg}", "invalid_json", where) from error
    except RecursionError as error:
        raise _too_deep(name) from error
    except _RepeatedKeyError as error:
        raise InputError(
            f"found the key {error} twice in one object; expected it once", "duplicate_field", name
        ) from error
    except ValueError as error:
        # NaN, or an integer with more digits than Python converts (4,300 by default).
        raise InputError(f"this is no JSON that can be read: {error}", "invalid_json", name) from error
    if _is_deeper(value, MAX_DEPTH):
        raise _too_deep(name)
    return value


def _name_of(source: str) -> str:
    return "stdin" if source == "-" else source


def _read_limited(file: _Readable) -> bytes:
    # One system call a turn: between them Python looks for Ctrl-C, which it does not within one long `read`.
    pieces = []
    left = MAX_BYTES + 1
    while left > 0 and (piece := file.read1(min(left, 2**20))):
        pieces.append(piece)
        left -= len(piece)
    return b"".join(pieces)


def _decode(data: bytes, name: str) -> str:
    encoding = next((encoding for mark, encoding in _BYTE_ORDER_MARKS if data.startswith(mark)), "utf-8")
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        found = f"found bytes that are not {encoding.removesuffix('-sig').upper()} at byte {error.start}"
        raise InputError(f"{found}: {error.reason}", "invalid_encoding", name) from error


def _constant(word: str) -> float:
    if word == "NaN":
        raise ValueError("NaN is no number")
    return -math.inf if word.startswith("-") else math.inf


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        seen = set()
        for key, _ in pairs:
            if key in seen:
                raise _RepeatedKeyError(json.dumps(key))
            seen.add(key)
    return value


def _is_deeper(value: Any, limit: int) -> bool:
    """Whether lists and objects are nested deeper than the limit, without recursion of its own."""
    level = [value]
    for _ in range(limit):
        below: list[Any] = []
        for item in level:
            if isinstance(item, dict):
                below.extend(item.values())
            elif isinstance(item, list):
                below.extend(item)
        if not below:
            return False
        level = below
    return any(isinstance(item, (dict, list)) for item in level)


def _too_deep(name: str) -> InputError:
    return InputError(f"found more than {MAX_DEPTH} levels of nesting; expected at most that", "too_deep", name)
