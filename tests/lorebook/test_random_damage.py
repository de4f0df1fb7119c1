"""Valid books with random damage: never anything but a `LorebookError`, and nothing vanishes."""

from __future__ import annotations

import copy
import json
import math
from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st

from interleaf import place_context_blocks
from interleaf.lorebook import LorebookError, drop_unanchored
from lorebook.books import PLAIN, PLAIN_V2, card, read_or_refusal

CHAT = [{"role": "system", "content": "Note."}, {"role": "user", "content": "Hello."}]
LAYOUT = {"character": (0, 0), "author_note": 0, "conversation": {"message_indices": [1]}}

BOOKS: list[dict[str, Any]] = [
    {"entries": {str(i): {**PLAIN, "uid": i, "position": i % 8, "outletName": "hall"} for i in range(9)}},
    {"name": "Lore", "entries": [{**PLAIN_V2, "id": i, "content": "@@depth 2\n@@@role user\nText"} for i in range(3)]},
    {"spec": "lorebook_v3", "data": {"entries": [{**PLAIN_V2, "extensions": {"position": 4, "depth": 1, "role": 2}}]}},
    card("chara_card_v3"),
    {"books": {"one": {"entries": {"0": PLAIN}}}},
]

FIELDS = st.sampled_from(
    [*PLAIN, *PLAIN_V2, "outletName", "outlet_name", "name", "entries", "data", "spec", "books", "character_book", "x"]
)
LEAVES = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers(-2, 9)
    | st.floats()
    | st.text(max_size=12)
    | st.text(st.characters(categories=("Cs", "Lu")), max_size=4)
    | st.sampled_from(
        ["4", "-1", "1.5", "Infinity", "before_char", "@@depth 3\nx", "@@role user", "{{outlet::hall}}", "@@"]
    )
)
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(FIELDS | st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)
EDITS = st.lists(
    st.tuples(st.integers(0, 10**6), st.sampled_from(["set", "drop", "copy", "add"]), FIELDS, VALUES), max_size=8
)


def places(part: Any) -> list[tuple[Any, Any]]:
    """Every container of a document with each of its keys or indices."""
    found: list[tuple[Any, Any]] = []
    pending = [part]
    while pending:
        container = pending.pop()
        keys = list(container) if isinstance(container, dict) else range(len(container))
        for key in keys:
            found.append((container, key))
            if isinstance(container[key], (dict, list)):
                pending.append(container[key])
    return found


def damaged(document: dict[str, Any], edits: list[tuple[int, str, str, Any]]) -> dict[str, Any]:
    document = copy.deepcopy(document)
    for where, how, field, value in edits:
        spots = places(document)
        if not spots:
            return document
        container, key = spots[where % len(spots)]
        if how == "drop":
            del container[key]
        elif how == "set":
            container[key] = value
        elif how == "copy" and isinstance(container, list):
            container.append(copy.deepcopy(container[key]))
        elif isinstance(container, dict):
            container[field] = value
    return document


@given(st.sampled_from(BOOKS), EDITS, st.sampled_from(["id", "sillytavern"]))
@example(BOOKS[0], [], "sillytavern")
@example({"entries": {"0": {**PLAIN, "uid": math.nan, "position": math.inf, "order": -math.inf}}}, [], "id")
def test_damaged_documents(document: dict[str, Any], edits: list[tuple[int, str, str, Any]], ties: Any) -> None:
    document = damaged(document, edits)
    before = repr(document)
    book = read_or_refusal(document, ties=ties, macros={"char": "{{user}}"})
    assert repr(document) == before
    if isinstance(book, LorebookError):
        assert book.code
        assert book.path
        return
    for problem in book.problems:
        str(problem).encode()
    blocks = book.blocks()
    assert len({block.id for block in blocks}) == len(blocks)
    kept, dropped = drop_unanchored(book, LAYOUT)
    assert len(kept) + len(dropped) == len(blocks)
    assert len(place_context_blocks(CHAT, kept, LAYOUT).placements) == len(kept)


@given(st.sampled_from(BOOKS), EDITS)
def test_a_document_and_its_text_are_the_same_book(
    document: dict[str, Any], edits: list[tuple[int, str, str, Any]]
) -> None:
    document = damaged(document, edits)
    text = json.dumps(document)
    # Not the document itself: of a surrogate pair in it, JSON makes one character.
    book = read_or_refusal(json.loads(text))
    of_text = read_or_refusal(text.encode())
    if isinstance(book, LorebookError) or isinstance(of_text, LorebookError):
        assert isinstance(book, LorebookError)
        assert isinstance(of_text, LorebookError)
        assert (of_text.code, of_text.path) == (book.code, book.path)
    else:
        # By their texts: not a number is not equal to itself.
        assert repr(of_text) == repr(book)


@given(
    st.sampled_from(BOOKS),
    st.lists(st.tuples(st.integers(0, 10**6), st.integers(0, 255)), max_size=6),
    st.integers(0, 10**6),
)
def test_damaged_bytes(document: dict[str, Any], flips: list[tuple[int, int]], cut: int) -> None:
    data = bytearray(json.dumps(document).encode())
    for at, byte in flips:
        data[at % len(data)] = byte
    if cut % 3 == 0:
        del data[cut % len(data) :]
    read = read_or_refusal(bytes(data))
    assert not isinstance(read, LorebookError) or read.code


@given(st.binary(max_size=200))
@example(b"\x89PNG\r\n\x1a\n")
@example(b"{}")
def test_any_bytes(data: bytes) -> None:
    read = read_or_refusal(data)
    assert isinstance(read, LorebookError)
    assert read.code
