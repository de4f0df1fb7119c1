"""What reading a lorebook gives: the book and its entries."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from .errors import LorebookError
from .macros import check_macros
from .prepare import Ties, check_ties, prepare_blocks

if TYPE_CHECKING:
    from .._interleaf import ContextBlock
    from .problems import Problem

__all__ = ["EntryChoice", "Format", "Lorebook", "LorebookEntry"]

Format: TypeAlias = Literal["sillytavern", "character_book", "lorebook_v3", "chara_card_v2", "chara_card_v3"]
"""What a file was read as; the words of the specifications where they have one."""


@dataclass(frozen=True, slots=True)
class LorebookEntry:
    """One entry of a book, whether or not it can be placed.

    Attributes:
        id: `BOOK:NNNN`, the uid padded so that ids sort as numbers do; unique in the book.
        uid: the number of the entry in the file, or the one it was given.
        block: ready to place; None if the entry was left out, and a problem says why.
        content: the text without its decorators, before any macro.
        keys: what the entry waits for; nothing here looks at it.
        secondary_keys: what must also be there, in the file's own logic.
        constant: whether it is to be there always.
        enabled: whether it is in use at all.
        comment: its title or memo.
        raw: the entry as the file has it.
    """

    id: str
    uid: int
    block: ContextBlock | None
    content: str
    keys: tuple[str, ...]
    secondary_keys: tuple[str, ...]
    constant: bool
    enabled: bool
    comment: str
    raw: Any

    def to_dict(self) -> dict[str, Any]:
        """Returns the fields, the block as its own `to_dict()`, and `raw` as it is."""
        return {
            "id": self.id,
            "uid": self.uid,
            "block": None if self.block is None else self.block.to_dict(),
            "content": self.content,
            "keys": list(self.keys),
            "secondary_keys": list(self.secondary_keys),
            "constant": self.constant,
            "enabled": self.enabled,
            "comment": self.comment,
            "raw": self.raw,
        }


EntryChoice: TypeAlias = "Iterable[str | int] | Callable[[LorebookEntry], bool]"


@dataclass(frozen=True, slots=True)
class Lorebook:
    """A book that was read.

    Every entry of the file is in `entries`. It has a block, or exactly one problem says that it was left out:
    `len(book.entries) == len(book.blocks_of_all) + len(book.left_out)`.

    Attributes:
        name: the book's own name, else the card's, else the file's.
        format: what the file was read as.
        entries: all entries in the order of the file.
        problems: every decision, those about the file first, then entry by entry.
    """

    name: str
    format: Format
    entries: tuple[LorebookEntry, ...]
    problems: tuple[Problem, ...]

    def __len__(self) -> int:
        return len(self.entries)

    def __iter__(self) -> Iterator[LorebookEntry]:
        return iter(self.entries)

    @property
    def blocks_of_all(self) -> tuple[ContextBlock, ...]:
        """The block of every entry that has one, disabled entries included."""
        return tuple(entry.block for entry in self.entries if entry.block is not None)

    @property
    def left_out(self) -> tuple[Problem, ...]:
        """The problems that say why an entry has no block, one an entry."""
        return tuple(problem for problem in self.problems if problem.left_out)

    def problems_of(self, entry_id: str) -> tuple[Problem, ...]:
        """Returns the problems of one entry; of the file as a whole with `""`."""
        return tuple(problem for problem in self.problems if problem.entry == entry_id)

    def blocks(
        self,
        entries: EntryChoice | None = None,
        *,
        macros: Mapping[str, str] | None = None,
        ties: Ties | None = None,
    ) -> list[ContextBlock]:
        """Gives blocks to place, in the order of the file.

        Nothing is activated by keyword: which entries a conversation calls for is the caller's to say.

        Args:
            entries: which. None: every enabled entry that has a block. Ids (`"Lore:0007"`, or the uid as an int):
                those, disabled ones included, each once. A predicate: the enabled entries with a block that it is
                true of.
            macros: what `{{char}}`, `{{user}}` and the like stand for. None leaves the content as the book was read.
            ties: which of two entries at one place with one order comes first. `"id"`: the smaller uid.
                `"sillytavern"`: as that program has it, see `read_lorebook`. None: as the book was read.

        Returns:
            A new list of `ContextBlock`s.

        Raises:
            LorebookError: `unknown_entry` or `entry_left_out`, for an id.
            InterleafError: `invalid_option`, for `macros` or `ties`.

        >>> from interleaf.lorebook import read_lorebook
        >>> book = read_lorebook({"entries": {"0": {"uid": 0, "content": "The gate is shut.", "order": 5}}}, name="Lore")
        >>> [(block.id, block.position, block.order) for block in book.blocks()]
        [('Lore:0000', 'before_character', 5)]
        >>> book.blocks(entries=lambda entry: "dragon" in entry.keys)
        []
        """
        check_macros(macros)
        check_ties(ties)
        chosen = self._choose(entries)
        if macros is None and ties is None:
            return [entry.block for entry in chosen if entry.block is not None]
        return list(prepare_blocks(chosen, self.entries, self.name, macros, ties).values())

    def _choose(self, choice: EntryChoice | None) -> list[LorebookEntry]:
        if choice is None:
            return [entry for entry in self.entries if entry.enabled and entry.block is not None]
        if callable(choice):
            return [entry for entry in self.entries if entry.enabled and entry.block is not None and choice(entry)]
        if isinstance(choice, (str, bytes)) or not isinstance(choice, Iterable):
            raise TypeError(f"entries must be ids or a predicate, not {type(choice).__name__}")
        by_id: dict[str | int, list[LorebookEntry]] = {}
        for entry in self.entries:
            by_id.setdefault(entry.id, []).append(entry)
            by_id.setdefault(entry.uid, []).append(entry)
            if entry.block is not None and entry.block.id != entry.id:
                by_id.setdefault(entry.block.id, []).append(entry)
        wanted: set[str] = set()
        for index, key in enumerate(choice):
            if isinstance(key, bool) or not isinstance(key, (str, int)):
                raise TypeError(f"entries[{index}] must be an id or a uid, not {type(key).__name__}")
            found = by_id.get(key)
            if found is None:
                raise LorebookError(self._unknown(key), "unknown_entry", f"entries[{index}]")
            for entry in found:
                if entry.block is None:
                    reason = next((str(p) for p in self.problems_of(entry.id) if p.left_out), entry.id)
                    raise LorebookError(
                        f"entry {entry.id!r} was left out: {reason}", "entry_left_out", f"entries[{index}]"
                    )
            wanted.update(entry.id for entry in found)
        return [entry for entry in self.entries if entry.id in wanted]

    def _unknown(self, key: str | int) -> str:
        message = f"there is no entry {key!r} among the {len(self.entries)} of {self.name!r}"
        near = difflib.get_close_matches(str(key), [entry.id for entry in self.entries[:1000]], n=1)
        return f"{message}; the nearest id is {near[0]!r}" if near else message

    def to_dict(self) -> dict[str, Any]:
        """Returns the fields; `raw` of the entries as it is."""
        return {
            "name": self.name,
            "format": self.format,
            "entries": [entry.to_dict() for entry in self.entries],
            "problems": [problem.to_dict() for problem in self.problems],
        }
