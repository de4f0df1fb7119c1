from __future__ import annotations

from typing import Any

import pytest

from lorebook.books import PLAIN_V2, book_v2, only, without, world

POSITIONS = [
    (0, "before_character"),
    (1, "after_character"),
    (2, "author_note_top"),
    (3, "author_note_bottom"),
    (4, "at_depth"),
    (5, "before_examples"),
    (6, "after_examples"),
    (7, "outlet"),
]


@pytest.mark.parametrize(("number", "position"), POSITIONS)
def test_sillytavern_numbers_its_positions(number: int, position: str) -> None:
    entry, problems = only(world({"position": number, "outletName": "hall"}))
    assert entry.block is not None
    assert entry.block.position == position
    assert entry.block.depth == (4 if position == "at_depth" else None)
    assert entry.block.outlet_name == ("hall" if position == "outlet" else None)
    assert problems == []


@pytest.mark.parametrize(("number", "position"), POSITIONS)
def test_extensions_say_the_same_in_a_v2_book(number: int, position: str) -> None:
    extensions = {"position": number, "depth": 7, "role": 2, "outlet_name": "hall"}
    entry, problems = only(book_v2({"position": None, "extensions": extensions}))
    assert entry.block is not None
    assert entry.block.position == position
    assert entry.block.depth == (7 if position == "at_depth" else None)
    assert problems == []


@pytest.mark.parametrize(("word", "position"), [("before_char", "before_character"), ("after_char", "after_character")])
def test_v2_has_two_words_for_positions(word: str, position: str) -> None:
    entry, problems = only(book_v2({"position": word}))
    assert entry.block is not None
    assert entry.block.position == position
    assert problems == []


@pytest.mark.parametrize("number", [1, 4, "4", 2])
def test_the_extension_wins_over_the_word_and_the_conflict_is_told(number: Any) -> None:
    book = book_v2({"position": "before_char", "extensions": {"position": number, "depth": 1}})
    entry, problems = only(book)
    assert entry.block is not None
    assert entry.block.position == POSITIONS[int(number)][1]
    assert ("position", '"before_char"', "overridden") in problems
    assert "extensions.position says" in book.problems[-1].done


def test_a_number_where_v2_has_a_word() -> None:
    entry, problems = only(book_v2({"position": 4, "extensions": {"depth": 2}}))
    assert entry.block is not None
    assert (entry.block.position, entry.block.depth) == ("at_depth", 2)
    assert problems == [("position", "4", "coerced")]


def test_words_that_agree_are_no_conflict() -> None:
    for number, word in ((0, "before_char"), (1, "after_char")):
        assert book_v2({"position": word, "extensions": {"position": number}}).problems == ()


@pytest.mark.parametrize(("role", "expected"), [(0, "system"), (1, "user"), (2, "assistant"), (None, "system")])
def test_roles_by_number(role: int | None, expected: str) -> None:
    for position in (0, 1, 4, 5, 6):
        entry, problems = only(world({"position": position, "role": role}))
        assert entry.block is not None
        assert entry.block.role == expected
        assert problems == []


def test_embedded_positions_have_the_role_of_their_host() -> None:
    for position in (2, 3, 7):
        entry, problems = only(world({"position": position, "role": 1, "outletName": "hall"}))
        assert entry.block is not None
        assert entry.block.role is None
        assert problems == []


def test_a_missing_role_is_no_problem() -> None:
    (entry,) = world({}).entries
    assert "role" in entry.raw
    entry, problems = only(book_v2({"extensions": {"position": 4, "depth": 2}, "position": None}))
    assert entry.block is not None
    assert entry.block.role == "system"
    assert problems == []


def test_the_formats_own_defaults_for_what_is_missing() -> None:
    from interleaf.lorebook import read_lorebook

    entry, problems = only(read_lorebook({"entries": {"0": {"uid": 0, "content": "Dust."}}}))
    assert entry.block is not None
    assert (entry.block.order, entry.block.position, entry.enabled) == (100, "before_character", True)
    assert problems == [
        ("key", "nothing", "defaulted"),
        ("disable", "nothing", "defaulted"),
        ("position", "nothing", "defaulted"),
        ("order", "nothing", "defaulted"),
    ]
    entry, problems = only(read_lorebook({"entries": [without(PLAIN_V2, "insertion_order", "position", "enabled")]}))
    assert entry.block is not None
    assert (entry.block.order, entry.block.position, entry.enabled) == (100, "before_character", True)
    assert problems == [
        ("enabled", "nothing", "defaulted"),
        ("position", "nothing", "defaulted"),
        ("insertion_order", "nothing", "defaulted"),
    ]
    entry, problems = only(world({"position": 4, "depth": None}))
    assert entry.block is not None
    assert entry.block.depth == 4
    assert problems == [("depth", "null", "defaulted")]


def test_what_a_position_does_not_use_is_not_looked_at() -> None:
    entry, problems = only(world({"position": 0, "depth": "deep", "outletName": 5}))
    assert entry.block is not None
    assert (entry.block.depth, entry.block.outlet_name) == (None, None)
    assert problems == []
