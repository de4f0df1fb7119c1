"""Small books and cards, built where a test needs them."""

from __future__ import annotations

import base64
import io
import json
from typing import TYPE_CHECKING, Any

from PIL import Image, PngImagePlugin

from interleaf.lorebook import Lorebook, LorebookEntry, LorebookError, Problem, read_lorebook

if TYPE_CHECKING:
    from interleaf.lorebook.source import Source

PLAIN: dict[str, Any] = {
    "uid": 0,
    "key": ["gate"],
    "keysecondary": [],
    "comment": "",
    "content": "The gate is shut.",
    "constant": False,
    "disable": False,
    "order": 100,
    "position": 0,
    "depth": 4,
    "role": None,
}
"""An entry of a SillyTavern world file about which there is nothing to tell."""

PLAIN_V2: dict[str, Any] = {
    "id": 0,
    "keys": ["gate"],
    "content": "The gate is shut.",
    "enabled": True,
    "insertion_order": 100,
    "position": "before_char",
    "extensions": {},
}
"""The same in the words of V2 and V3."""


def world(*entries: dict[str, Any], **options: Any) -> Lorebook:
    """A world file of plain entries with these changes, numbered from 0."""
    document = {"entries": {str(i): {**PLAIN, "uid": i, **changes} for i, changes in enumerate(entries)}}
    return read_lorebook(document, **{"name": "Lore", **options})


def book_v2(*entries: dict[str, Any], **options: Any) -> Lorebook:
    """A V2 book of plain entries with these changes, numbered from 0."""
    document = {"entries": [{**PLAIN_V2, "id": i, **changes} for i, changes in enumerate(entries)]}
    return read_lorebook(document, **{"name": "Lore", **options})


def only(book: Lorebook) -> tuple[LorebookEntry, list[tuple[str, str, str]]]:
    """The one entry of a book, and its problems as field, found and action."""
    (entry,) = book.entries
    return entry, [told(problem) for problem in book.problems]


def told(problem: Problem) -> tuple[str, str, str]:
    return problem.field, problem.found, problem.action


def without(entry: dict[str, Any], *fields: str) -> dict[str, Any]:
    return {key: value for key, value in entry.items() if key not in fields}


def card(spec: str = "chara_card_v2", name: str = "Iris", **book: Any) -> dict[str, Any]:
    """A character card with a book of one entry."""
    return {
        "spec": spec,
        "spec_version": "3.0" if spec.endswith("3") else "2.0",
        "data": {"name": name, "character_book": {"entries": [PLAIN_V2], **book}},
    }


def encoded(document: Any) -> str:
    """What stands in a chunk: base64 of UTF-8 JSON."""
    return base64.b64encode(json.dumps(document, ensure_ascii=False).encode()).decode()


def png(*chunks: tuple[str, str | bytes], packed: bool = False, international: bool = False) -> bytes:
    """A PNG of four pixels with these text chunks."""
    info = PngImagePlugin.PngInfo()
    for keyword, text in chunks:
        if international:
            info.add_itxt(keyword, text, zip=packed)
        else:
            info.add_text(keyword, text, zip=packed)
    file = io.BytesIO()
    Image.new("L", (2, 2)).save(file, "PNG", pnginfo=info)
    return file.getvalue()


def read_or_refusal(source: Source, **options: Any) -> Lorebook | LorebookError:
    """Reads damaged data: a book that nothing is lost from, or the only kind of refusal there is."""
    try:
        book = read_lorebook(source, **options)
    except LorebookError as refusal:
        return refusal
    invariant(book)
    return book


def invariant(book: Lorebook) -> None:
    """Nothing vanishes, ids are unique, and all blocks can stand in one call."""
    assert len(book.entries) == len(book.blocks_of_all) + len(book.left_out)
    without_block = sorted(entry.id for entry in book.entries if entry.block is None)
    assert without_block == sorted(problem.entry for problem in book.left_out)
    ids = [entry.id for entry in book.entries]
    assert len(ids) == len(set(ids))
    assert {problem.entry for problem in book.problems} <= {"", *ids}
