"""What a document is, found from what is in it and never from its name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from .errors import LorebookError
from .fields import MISSING, Found, find, shown
from .source import repeats

if TYPE_CHECKING:
    from .problems import Action
    from .records import Format

__all__ = ["FoundBook", "find_book"]

_CARD_SPECS: dict[str, Format] = {"chara_card_v2": "chara_card_v2", "chara_card_v3": "chara_card_v3"}


@dataclass(slots=True)
class FoundBook:
    """Where the entries of a document are, and what the document is.

    `path` leads to the entries for messages; `told` are decisions about the file as a whole.
    """

    format: Format
    name: Found
    entries: Found
    path: str
    told: list[tuple[Found, Action, str]] = field(default_factory=list)


def find_book(document: object, book: str | None = None) -> FoundBook:
    """Finds the book in a document.

    Args:
        document: parsed JSON.
        book: which one, where a file has several.

    Returns:
        Where it is. A card without a book has an empty one, and that is told.

    Raises:
        LorebookError: `unknown_format`, `several_books` or `unknown_book`.
    """
    if not isinstance(document, Mapping):
        raise _unknown(f"found {shown(document)}")
    books = document.get("books")
    if isinstance(books, Mapping) and "entries" not in document:
        found = _one_of(books, book)
        found.told = repeats(document) + repeats(books, "books.") + found.told
        return found
    if book is not None:
        raise LorebookError(f"found one book, expected several to choose {book!r} from", "unknown_book", "book")
    return _single(document)


def _single(document: Mapping[str, Any]) -> FoundBook:
    found = _of_document(document)
    data = document.get("data")
    card, prefix = (data, "data.") if isinstance(data, Mapping) else (document, "")
    book = card.get("character_book")
    repeated = repeats(document) + repeats(data, "data.") + repeats(book, f"{prefix}character_book.")
    found.told = repeated + found.told
    return found


def _of_document(document: Mapping[str, Any]) -> FoundBook:
    spec = document.get("spec")
    spec = spec if isinstance(spec, str) else None
    data = document.get("data")
    if isinstance(data, Mapping):
        if spec in _CARD_SPECS or isinstance(data.get("character_book"), Mapping):
            return _card(_CARD_SPECS.get(spec or ""), find(document, "spec"), data, "data.")
        if spec == "lorebook_v3" or "entries" in data:
            found = _book("lorebook_v3", data, "data.")
            if spec != "lorebook_v3":
                found.told.append((find(document, "spec"), "defaulted", "read as lorebook_v3, for data has entries"))
            return found
    elif spec in _CARD_SPECS or spec == "lorebook_v3":
        raise LorebookError(f"a {spec} needs an object there, found {shown(data)}", "unknown_format", "data")
    if "entries" in document:
        entries = document["entries"]
        v2 = isinstance(entries, (list, tuple)) and not _is_in_sillytavern_words(entries)
        return _book("character_book" if v2 else "sillytavern", document, "")
    if isinstance(document.get("character_book"), Mapping):
        return _card(None, find(document, "spec"), document, "")
    raise _unknown("found an object with " + (", ".join(shown(key) for key in list(document)[:8]) or "nothing in it"))


def _unknown(what: str) -> LorebookError:
    return LorebookError(
        f"{what}; expected a SillyTavern world file, a V2 character_book, a V3 lorebook, or a V2 or V3 character card",
        "unknown_format",
        "source",
    )


def _is_in_sillytavern_words(entries: Sequence[Any]) -> bool:
    """Whether entries in an array, as V2 and V3 have them, use SillyTavern's words."""
    first = next((entry for entry in entries if isinstance(entry, Mapping)), {})
    return ("key" in first or "uid" in first) and "keys" not in first


def _book(kind: Format, book: Mapping[str, Any], path: str) -> FoundBook:
    return FoundBook(kind, find(book, "name"), Found(path + "entries", book.get("entries", MISSING)), path + "entries")


def _card(kind: Format | None, spec: Found, card: Mapping[str, Any], path: str) -> FoundBook:
    told: list[tuple[Found, Action, str]] = []
    if kind is None:
        kind = "chara_card_v2"
        told.append((spec, "defaulted", "read as chara_card_v2, for there is a character_book"))
    book = card.get("character_book", MISSING)
    if isinstance(book, Mapping):
        found = _book(kind, book, f"{path}character_book.")
        if not isinstance(found.name.value, str) or not found.name.value.strip():
            found.name = find(card, "name")
    else:
        field = Found(f"{path}character_book", book)
        told.append((field, "defaulted", "no book in this card, read as an empty one"))
        found = FoundBook(kind, find(card, "name"), Found(field.field, ()), field.field)
    found.told = told
    return found


def _one_of(books: Mapping[str, Any], book: str | None) -> FoundBook:
    if book is None:
        if len(books) != 1:
            raise LorebookError(
                f"found {len(books)} books ({', '.join(shown(name) for name in list(books)[:8])}), "
                "expected one, or the argument book= to choose by",
                "several_books",
                "books",
            )
        book = next(iter(books))
    if book not in books:
        raise LorebookError(
            f"found no book {book!r} among {', '.join(shown(name) for name in list(books)[:8])}", "unknown_book", "book"
        )
    chosen = books[book]
    path = f"books[{shown(book)}]."
    if not isinstance(chosen, Mapping):
        raise LorebookError(f"found {shown(chosen)}, expected an object", "unknown_format", path[:-1])
    found = _single(chosen)
    found.path = path + found.path
    found.entries = Found(path + found.entries.field, found.entries.value)
    if found.name.absent:
        found.name = Found("books", book)
    return found
