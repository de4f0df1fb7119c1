"""Lorebooks on the command line: read with errors that name the file, and placed together with a request."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from interleaf.lorebook import LorebookError, drop_unanchored, read_lorebook

from .json_input import InputError, read_bytes

if TYPE_CHECKING:
    from typing import Any

    from interleaf.lorebook import Lorebook, Ties

    from .requests import PlaceRequest

__all__ = ["NotPlaced", "read_book", "with_lorebook"]


class NotPlaced(NamedTuple):
    """An entry of a book that no message holds.

    Attributes:
        id: its id.
        reason: why.
        text: what it says.
    """

    id: str
    reason: str
    text: str


def read_book(source: str, *, book: str | None = None, ties: Ties = "id") -> Lorebook:
    """Reads a lorebook or a card from a file, or from standard input for `-`.

    Args:
        source: the path of a file, or `-`.
        book: which book, where a file has several.
        ties: which of two equal entries comes first; see `read_lorebook`.

    Returns:
        The book.

    Raises:
        InputError: it cannot be read, or is no lorebook; the path is the file's name.
    """
    name = "stdin" if source == "-" else source
    try:
        # By its path, for a book without a name of its own has the file's.
        return read_lorebook(read_bytes(source) if source == "-" else Path(source), book=book, ties=ties)
    except LorebookError as error:
        where = name if error.path in ("", "source") else f"{name}: {error.path}"
        raise InputError(error.message, error.code, where) from error
    except ImportError as error:
        raise InputError(str(error), "missing_extra", name) from error
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(f"it cannot be read: {reason}", "unreadable_input", name) from error


def with_lorebook(request: PlaceRequest, book: Lorebook, *, drop: bool) -> tuple[PlaceRequest, list[NotPlaced]]:
    """Adds the enabled entries of a book to a request.

    Args:
        request: what else is placed.
        book: the book.
        drop: whether entries that the layout has no anchor for are dropped; otherwise placing refuses them.

    Returns:
        The request with the book's blocks after its own, and every entry that is not among them.

    Raises:
        LayoutError: the layout is malformed.
    """
    blocks = book.blocks()
    reasons: dict[str, str] = {}
    if drop:
        kept, dropped = drop_unanchored(blocks, request.layout)
        blocks = list(kept)
        reasons |= {unanchored.id: f"dropped: the layout has no {unanchored.missing}" for unanchored in dropped}
    reasons |= {problem.entry: f"left out: {problem.field}: {problem.done}" for problem in book.left_out}
    placed = {block.id for block in blocks}
    not_placed = []
    for entry in book.entries:
        block_id = entry.id if entry.block is None else entry.block.id
        if block_id not in placed:
            reason = reasons.get(block_id) or reasons.get(entry.id) or "disabled in the book"
            not_placed.append(NotPlaced(block_id, reason, entry.content))
    all_blocks: list[Any] = [*request.blocks, *blocks]
    return replace(request, blocks=all_blocks), not_placed
