"""From a path or bytes to a document: reading, decoding, parsing."""

from __future__ import annotations

import codecs
import json
import os
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from .errors import LorebookError
from .fields import Found
from .limits import MAX_INPUT_BYTES, check_depth, check_size

if TYPE_CHECKING:
    from .problems import Action

__all__ = ["Repeated", "Source", "Told", "load_bytes", "load_source", "parse_json", "repeats"]

Source: TypeAlias = "str | os.PathLike[str] | bytes | bytearray | memoryview | Mapping[Any, Any]"
Told: TypeAlias = "tuple[Found, Action, str]"

# UTF-32 first: its little-endian mark begins with that of UTF-16.
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_LONGEST_INT = 400
"""Digits: a JSON int beyond this is read as a float, for int() of more than 4,300 digits refuses."""


class Repeated(dict[str, Any]):
    """A JSON object in which a key stands more than once: the last one counts, and `pairs` has them all."""

    __slots__ = ("pairs",)

    def __init__(self, pairs: list[tuple[str, Any]]) -> None:
        super().__init__(pairs)
        self.pairs = pairs


def repeats(mapping: object, prefix: str = "") -> list[Told]:
    """Tells which keys of a JSON object stand in it more than once."""
    if not isinstance(mapping, Repeated):
        return []
    counts = Counter(key for key, _value in mapping.pairs)
    return [
        (Found(prefix + key, mapping[key]), "ignored", f"the last of {count} fields of this name counts")
        for key, count in counts.items()
        if count > 1
    ]


def load_source(source: Source) -> tuple[bytes | Mapping[Any, Any], str]:
    """Gets what a caller pointed at.

    Returns:
        The bytes or the mapping, and a name from the file's, `"lorebook"` where there is no file.

    Raises:
        LorebookError: `too_large`.
        OSError: the file cannot be read.
        TypeError: it is none of these.
    """
    if isinstance(source, Mapping):
        return source, "lorebook"
    if isinstance(source, (bytes, bytearray, memoryview)):
        check_size(memoryview(source).nbytes, "the input")
        return bytes(source), "lorebook"
    if not isinstance(source, (str, os.PathLike)):
        raise TypeError(f"source must be a path, bytes or a mapping, not {type(source).__name__}")
    path = Path(source)
    with path.open("rb") as file:
        data = file.read(MAX_INPUT_BYTES + 1)
    check_size(len(data), f"the file {path.name!r}")
    return data, path.stem


def load_bytes(data: bytes) -> tuple[str, list[Told]]:
    """Decodes JSON text: UTF-8, or what its byte order mark says.

    Raises:
        LorebookError: `broken_encoding`.
    """
    told: list[Told] = []
    encoding = "utf-8"
    for mark, name in _MARKS:
        if data.startswith(mark):
            encoding = name
            data = data[len(mark) :]
            told.append((Found("byte order mark", name), "ignored", f"taken off, and the file read as {name.upper()}"))
            break
    try:
        return data.decode(encoding), told
    except UnicodeDecodeError as error:
        raise LorebookError(
            f"found bytes that are not {encoding.upper()} at {error.start}: {error.reason}", "broken_encoding", "source"
        ) from None


def parse_json(text: str) -> object:
    """Parses JSON, and also the `Infinity` and `NaN` that some programs write.

    Raises:
        LorebookError: `broken_json` or `too_deep`.
    """
    try:
        document = json.loads(text, object_pairs_hook=_object, parse_int=_integer)
    except RecursionError:
        raise LorebookError("the document is nested too deeply to be parsed", "too_deep", "source") from None
    except json.JSONDecodeError as error:
        raise LorebookError(
            f"no JSON: {error.msg} at line {error.lineno}, column {error.colno}", "broken_json", "source"
        ) from None
    check_depth(document)
    return document


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    mapping = dict(pairs)
    return mapping if len(mapping) == len(pairs) else Repeated(pairs)


def _integer(digits: str) -> int | float:
    return int(digits) if len(digits) <= _LONGEST_INT else float(digits)
