"""`read_lorebook`: source → document → book → entries."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from . import character_book, sillytavern
from .cards import PNG_SIGNATURE, read_card_text
from .entry import read_entry
from .errors import LorebookError
from .fields import MISSING, Found, Notes, shown
from .formats import FoundBook, find_book
from .limits import MAX_ENTRIES, check_depth
from .macros import check_macros
from .naming import book_name, name_entries
from .prepare import Ties, check_ties, prepare_blocks
from .records import Lorebook, LorebookEntry
from .source import Repeated, Source, Told, load_bytes, load_source, parse_json, repeats

if TYPE_CHECKING:
    from .problems import Problem

__all__ = ["read_lorebook"]


def read_lorebook(
    source: Source,
    *,
    name: str | None = None,
    book: str | None = None,
    macros: Mapping[str, str] | None = None,
    ties: Ties = "id",
) -> Lorebook:
    """Reads a lorebook or a character card, and says what it made of every oddity.

    Read are SillyTavern world files, V2 `character_book`s, V3 lorebooks, and V2 and V3 character cards as JSON or PNG
    (which needs pillow: `pip install "interleaf[cards]"`). What a file is, is found from its content. Odd values are
    coerced, defaulted, or leave their entry out, by the rules of docs/lorebooks.md; each decision is a `Problem`.

    Args:
        source: a path, the bytes of a file, or its parsed JSON. It is not changed; entries refer to it as `raw`.
        name: the book's name, which ids begin with. None: the book's own, else the card's, else the file's.
        book: which book, where a file has several under `books`.
        macros: what `{{char}}`, `{{user}}` and the like stand for in contents. None leaves them alone. Filled in once;
            outlet markers are left as they are, and inserted names are not looked at again.
        ties: which of two entries at one place with one order comes first. `"id"`: the smaller uid.
            `"sillytavern"`: as that program has it. It puts equal entries in front of one another one by one, so the
            *greater* uid comes first; except in outlets and before the examples, where the smaller does. Ids then
            are `BOOK:0000:0007`, counted from the end of the book.

    Returns:
        The book: `name`, `format`, `entries`, `problems`. Every entry is there, with a block or with a problem that
        says that it was left out.

    Raises:
        LorebookError: the file as a whole cannot be used; see there for the codes.
        InterleafError: `invalid_option` for `name`, `macros` or `ties`.
        OSError: the file cannot be opened.
        ImportError: it is a PNG and pillow is not installed.
        TypeError: `source` is none of these.

    >>> book = read_lorebook({"entries": {"7": {"uid": 7, "key": ["gate"], "content": "The gate is shut.",
    ...     "order": 100, "position": 4, "depth": "2", "role": 1, "disable": False}}}, name="Lore")
    >>> block = book.entries[0].block
    >>> block.id, block.position, block.depth, block.role
    ('Lore:0007', 'at_depth', 2, 'user')
    >>> print(book.problems[0])
    Lore:0007 depth: found "2"; read as 2
    """
    check_macros(macros)
    check_ties(ties)
    if name is not None and (not isinstance(name, str) or not name.strip() or book_name(Found("name", name))[1]):
        raise _invalid_name(name)
    loaded, file_name = load_source(source)
    document, told = _document(loaded)
    found = find_book(document, book)
    told += found.told
    own_name, done = book_name(found.name)
    if done is not None and name is None:
        told.append((found.name, *done))
    read = _read_book(
        found, (name or "").strip() or own_name or book_name(Found("name", file_name))[0] or "lorebook", told
    )
    if macros is None and ties == "id":
        return read
    blocks = prepare_blocks(read.entries, read.entries, read.name, macros, ties)
    entries = tuple(replace(entry, block=blocks.get(entry.id)) for entry in read.entries)
    return replace(read, entries=entries)


def _invalid_name(name: object) -> Exception:
    from ..errors import InterleafError

    return InterleafError(
        f"found {shown(name)}, expected a name of 1 to 200 characters that can be encoded as UTF-8",
        "invalid_option",
        "name",
    )


def _document(loaded: bytes | Mapping[Any, Any]) -> tuple[object, list[Told]]:
    if isinstance(loaded, Mapping):
        check_depth(loaded)
        return loaded, []
    told: list[Told] = []
    if loaded.startswith(PNG_SIGNATURE):
        loaded, told = read_card_text(loaded)
    elif loaded.startswith(b"PK\x03\x04"):
        raise LorebookError(
            "found a zip archive, as CHARX cards are; expected JSON or a PNG. Give its card.json",
            "unknown_format",
            "source",
        )
    text, told_of_text = load_bytes(loaded)
    return parse_json(text), told + told_of_text


def _pairs(found: FoundBook, told: list[Told]) -> list[tuple[str | None, Any]]:
    """The entries in the order of the file, each with its key there."""
    entries = found.entries.value
    if entries is None or entries is MISSING:
        told.append((found.entries, "defaulted", "read as no entries"))
        return []
    if isinstance(entries, Repeated):
        pairs: list[tuple[str | None, Any]] = list(entries.pairs)
    elif isinstance(entries, Mapping):
        pairs = [(str(key), entry) for key, entry in entries.items()]
    elif isinstance(entries, (list, tuple)):
        pairs = [(None, entry) for entry in entries]
    else:
        raise LorebookError(
            f"found {shown(entries)}, expected an object or an array of entries", "invalid_entries", found.path
        )
    if len(pairs) > MAX_ENTRIES:
        raise LorebookError(
            f"found {len(pairs)} entries, expected no more than {MAX_ENTRIES}", "too_many_entries", found.path
        )
    return pairs


def _dialect(found: FoundBook, pairs: list[tuple[str | None, Any]]) -> Any:
    """Whose words the entries use: those of the format, unless the first entry clearly uses the other's."""
    first = next((entry for _key, entry in pairs if isinstance(entry, Mapping)), {})
    if "keys" in first or "insertion_order" in first:
        return character_book
    if "key" in first or "uid" in first:
        return sillytavern
    return sillytavern if found.format == "sillytavern" else character_book


def _read_book(found: FoundBook, name: str, told: list[Told]) -> Lorebook:
    of_file = Notes("")
    pairs = _pairs(found, told)
    dialect = _dialect(found, pairs)
    if pairs and (dialect is sillytavern) != (found.format == "sillytavern"):
        told.append(
            (
                Found(found.path, found.entries.value),
                "coerced",
                f"read in the words of a {dialect.__name__.rpartition('.')[2]}",
            )
        )
    for field, action, done in told:
        of_file.tell(field, action, done)
    named = name_entries(
        name,
        [(dialect.uid_of(raw if isinstance(raw, Mapping) else {}), key) for key, raw in pairs],
    )
    entries: list[LorebookEntry] = []
    problems: list[Problem] = of_file.problems
    for (_key, raw), naming in zip(pairs, named, strict=True):
        notes = Notes(naming.id)
        for field, action, done in repeats(raw):
            notes.tell(field, action, done)
        entries.append(read_entry(raw, naming, name, dialect.fields_of, notes))
        problems += notes.problems
    return Lorebook(name, found.format, tuple(entries), tuple(problems))
