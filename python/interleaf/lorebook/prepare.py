"""Blocks with other ids or other text than the book was read with: macros, and that other program's ties."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

from ..errors import InterleafError
from .macros import expand_macros

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from .._interleaf import ContextBlock
    from .records import LorebookEntry

__all__ = ["Ties", "check_ties", "prepare_blocks"]

Ties: TypeAlias = Literal["id", "sillytavern"]
"""Which of two entries of one place and one order comes first."""

_REVERSED = frozenset(
    {"before_character", "after_character", "author_note_top", "author_note_bottom", "at_depth", "after_examples"}
)


def check_ties(ties: str | None) -> None:
    """Refuses an unknown way to break ties.

    Raises:
        InterleafError: `invalid_option` at `ties`.
    """
    if ties not in (None, "id", "sillytavern"):
        raise InterleafError(f"found {ties!r}, expected 'id' or 'sillytavern'", "invalid_option", "ties")


def prepare_blocks(
    chosen: Iterable[LorebookEntry],
    entries: Sequence[LorebookEntry],
    book: str,
    macros: Mapping[str, str] | None,
    ties: Ties | None,
) -> dict[str, ContextBlock]:
    """Makes the blocks of entries anew.

    SillyTavern sorts active entries by order, greatest first, keeping equal ones in the order of their uids, and then
    puts each *in front of* those it has. So orders end up ascending and ties reversed: of two equal entries the one
    with the greater uid comes first. Two places differ. An outlet is appended to, and what goes before the examples is
    put in front a second time; both keep ties in the order of uids. (Both also have orders descending there, which is
    no tie and is not imitated.)

    Ties are broken by id, so ids are what changes: `BOOK:0000:0007`, where the first number counts the book's entries
    from the last to the first. Only this book is looked at, and all of it, so a block has the same id in every choice.

    Args:
        chosen: whose blocks to make; those without a block are passed over.
        entries: the whole book.
        book: its name.
        macros: what to fill in; None keeps the text of the block that is there.
        ties: which ids to give; None keeps the ids of the blocks that are there.

    Returns:
        Entry id to block, in the order of `chosen`.
    """
    reversed_rank: dict[str, str] = {}
    if ties == "sillytavern":
        width = max(4, len(str(len(entries))))
        ordered = sorted((entry.id for entry in entries), reverse=True)
        reversed_rank = {entry_id: f"{rank:0{width}d}" for rank, entry_id in enumerate(ordered)}
    blocks: dict[str, ContextBlock] = {}
    for entry in chosen:
        block = entry.block
        if block is None:
            continue
        changes: dict[str, str] = {}
        if ties is not None:
            changes["id"] = entry.id
            if ties == "sillytavern" and block.position in _REVERSED:
                changes["id"] = f"{book}:{reversed_rank[entry.id]}:{entry.id[len(book) + 1 :]}"
        if macros is not None:
            changes["content"] = expand_macros(entry.content, macros)
        blocks[entry.id] = block.replace(**changes)
    return blocks
