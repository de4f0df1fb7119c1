"""Bounds on what a stranger's file may cost, and the checks that hold them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from .errors import LorebookError

__all__ = [
    "MAX_DECORATORS",
    "MAX_ENTRIES",
    "MAX_INPUT_BYTES",
    "MAX_JSON_DEPTH",
    "MAX_NAME_LENGTH",
    "MAX_PNG_CHUNKS",
    "MAX_UNPACKED_CHUNK_BYTES",
    "check_depth",
    "check_size",
]

MAX_INPUT_BYTES = 64 * 1024 * 1024
MAX_ENTRIES = 100_000
MAX_JSON_DEPTH = 64
"""Real books nest 5 levels (card, data, character_book, entries, entry) and a few more in `extensions`."""
MAX_PNG_CHUNKS = 100_000
"""An animated PNG of 1,000 frames has some 2,000 chunks."""
MAX_UNPACKED_CHUNK_BYTES = 1024 * 1024
"""What a compressed text chunk may unpack to: the bound pillow has by default. Cards are written uncompressed."""
MAX_DECORATORS = 16
"""An entry with more is left out. The specification asks for chains of at least five; it defines 22 in all, and no entry
needs them all. Without a bound, 64 MiB of `@@a` lines took a minute and a half."""
MAX_NAME_LENGTH = 200
"""In code points: the name is part of every id, so a long one is paid for a hundred thousand times."""


def check_size(size: int, what: str) -> None:
    """Refuses input of more than `MAX_INPUT_BYTES` bytes.

    Args:
        size: bytes found.
        what: what they are, for the message.

    Raises:
        LorebookError: `too_large`.
    """
    if size > MAX_INPUT_BYTES:
        raise LorebookError(
            f"{what} is larger than {MAX_INPUT_BYTES} bytes ({MAX_INPUT_BYTES // 1024**2} MiB)", "too_large", "source"
        )


def check_depth(document: object) -> None:
    """Refuses a document that nests objects and arrays deeper than `MAX_JSON_DEPTH`.

    A cycle, which only a mapping built in Python can have, is deeper than anything and refused with the rest. A part
    that is reached twice is looked at again only from deeper down, so shared parts cannot make the walk explode.

    Args:
        document: parsed JSON, or what a caller gave in its place.

    Raises:
        LorebookError: `too_deep`.
    """
    deepest: dict[int, int] = {}
    pending: list[tuple[object, int]] = [(document, 1)]
    while pending:
        part, depth = pending.pop()
        if depth > MAX_JSON_DEPTH:
            raise LorebookError(
                f"the document nests objects and arrays deeper than {MAX_JSON_DEPTH} levels", "too_deep", "source"
            )
        if deepest.get(id(part), 0) >= depth:
            continue
        deepest[id(part)] = depth
        pending.extend((child, depth + 1) for child in _children(part) if _is_container(child))


# Nearly all parts of a document are of these types; asking an abstract class about each took half of the time.
_SCALARS = frozenset({str, int, float, bool, type(None)})


def _is_container(value: object) -> bool:
    return type(value) not in _SCALARS and isinstance(value, (dict, list, tuple, Mapping))


def _children(value: object) -> Iterator[Any]:
    if isinstance(value, (list, tuple)):
        yield from value
    elif isinstance(value, Mapping):
        yield from value.values()
