"""Each rule of docs/lorebooks.md, one value at a time."""

from __future__ import annotations

import math
from typing import Any

import pytest

from interleaf.lorebook import read_lorebook
from lorebook.books import PLAIN, book_v2, invariant, only, without, world

LEAST, GREATEST = -(2**63), 2**63 - 1


@pytest.mark.parametrize(
    ("value", "order", "action"),
    [
        ("4", 4, "coerced"),
        (" 2.5 ", 2.5, "coerced"),
        ("1e2", 100.0, "coerced"),
        (7, 7, None),
        (-3, -3, None),
        (1.5, 1.5, None),
        (None, 100, "defaulted"),
        (True, 100, "defaulted"),
        ("", 100, "defaulted"),
        ("first", 100, "defaulted"),
        ([1], 100, "defaulted"),
        (math.nan, 100, "defaulted"),
        (math.inf, GREATEST, "coerced"),
        ("-Infinity", LEAST, "coerced"),
        (10**30, GREATEST, "coerced"),
        ("9" * 500, 100, "defaulted"),
        ("１２", 100, "defaulted"),
    ],
)
def test_orders(value: Any, order: float, action: str | None) -> None:
    entry, problems = only(world({"order": value}))
    assert entry.block is not None
    assert entry.block.order == order
    assert type(entry.block.order) is type(order)
    assert [(field, told) for field, _found, told in problems] == ([] if action is None else [("order", action)])


@pytest.mark.parametrize(
    ("value", "depth", "action"),
    [
        ("2", 2, "coerced"),
        (0, 0, None),
        (3.0, 3, None),
        (2.9, 2, "coerced"),
        ("2.9", 2, "coerced"),
        (-1, 0, "coerced"),
        (-0.5, 0, "coerced"),
        (-math.inf, 0, "coerced"),
        (math.inf, GREATEST, "coerced"),
        (10**19, GREATEST, "coerced"),
        (math.nan, 4, "defaulted"),
        (None, 4, "defaulted"),
        (False, 4, "defaulted"),
        ({}, 4, "defaulted"),
    ],
)
def test_depths(value: Any, depth: int, action: str | None) -> None:
    entry, problems = only(world({"position": 4, "depth": value}))
    assert entry.block is not None
    assert entry.block.depth == depth
    assert [(field, told) for field, _found, told in problems] == ([] if action is None else [("depth", action)])


@pytest.mark.parametrize(
    ("value", "role", "action"),
    [
        ("1", "user", "coerced"),
        ("assistant", "assistant", "coerced"),
        (" User ", "user", "coerced"),
        (2.0, "assistant", None),
        (3, "system", "defaulted"),
        (-1, "system", "defaulted"),
        (0.5, "system", "defaulted"),
        ("narrator", "system", "defaulted"),
        (True, "system", "defaulted"),
    ],
)
def test_roles(value: Any, role: str, action: str | None) -> None:
    entry, problems = only(world({"role": value}))
    assert entry.block is not None
    assert entry.block.role == role
    assert [(field, told) for field, _found, told in problems] == ([] if action is None else [("role", action)])


@pytest.mark.parametrize(
    ("value", "position"),
    [("4", "at_depth"), (4.0, "at_depth"), ("after_char", "after_character"), (" Before_Char", "before_character")],
)
def test_positions_that_can_be_read(value: Any, position: str) -> None:
    entry, _problems = only(world({"position": value}))
    assert entry.block is not None
    assert entry.block.position == position


@pytest.mark.parametrize("value", [8, -1, 1.5, "in_chat", "", True, [], math.inf, math.nan, 10**40])
def test_an_unknown_position_leaves_the_entry_out(value: Any) -> None:
    book = world({"position": value}, {})
    assert [entry.block is None for entry in book.entries] == [True, False]
    assert [(problem.entry, problem.field, problem.action) for problem in book.problems] == [
        ("Lore:0000", "position", "left_out")
    ]
    invariant(book)


def test_an_unknown_extension_gives_way_to_a_known_word() -> None:
    entry, problems = only(book_v2({"position": "after_char", "extensions": {"position": 9}}))
    assert entry.block is not None
    assert entry.block.position == "after_character"
    assert problems == [("extensions.position", "9", "ignored")]


@pytest.mark.parametrize(("content", "found"), [("", '""'), (None, "null"), ([], "an array of 0"), (True, "true")])
def test_without_text_there_is_nothing_to_place(content: Any, found: str) -> None:
    book = world({"content": content})
    entry, problems = only(book)
    assert entry.block is None
    assert problems == [("content", found, "left_out")]
    assert len(book) == 1
    assert book.blocks() == []
    invariant(book)


def test_a_missing_content_is_told_as_missing() -> None:
    entry, problems = only(read_lorebook({"entries": {"0": without(PLAIN, "content")}}))
    assert entry.block is None
    assert problems == [("content", "nothing", "left_out")]


def test_a_number_as_content_is_text() -> None:
    entry, problems = only(world({"content": 1889}))
    assert entry.block is not None
    assert entry.block.content == "1889"
    assert problems == [("content", "1889", "coerced")]


def test_space_is_content() -> None:
    entry, problems = only(world({"content": " \n"}))
    assert entry.block is not None
    assert entry.block.content == " \n"
    assert problems == []


@pytest.mark.parametrize("entry", [None, "text", 5, [], [PLAIN], True])
def test_an_entry_that_is_no_object_is_there_without_a_block(entry: Any) -> None:
    book = read_lorebook({"entries": {"0": PLAIN, "1": entry}}, name="Lore")
    assert [e.block is None for e in book.entries] == [False, True]
    assert [problem.field for problem in book.left_out] == ["entry"]
    assert book.entries[1].raw is entry
    assert book.entries[1].id == "Lore:0001"
    invariant(book)


def test_outlet_names_lose_the_space_around_them() -> None:
    entry, problems = only(world({"position": 7, "outletName": "  great hall \n"}))
    assert entry.block is not None
    assert entry.block.outlet_name == "great hall"
    assert problems == [("outletName", '"  great hall \\n"', "coerced")]


@pytest.mark.parametrize("name", ["", "  ", None, "a{{b", "}}", [], True, 2.5e400])
def test_an_outlet_without_a_name_that_a_marker_can_hold_is_left_out(name: Any) -> None:
    entry, problems = only(world({"position": 7, "outletName": name}))
    assert entry.block is None
    assert [(field, action) for field, _found, action in problems] == [("outletName", "left_out")]


def test_an_outlet_cannot_be_filled_with_the_marker_of_one() -> None:
    entry, problems = only(world({"position": 7, "outletName": "hall", "content": "See {{outlet::attic}}."}))
    assert entry.block is None
    assert problems == [("content", '"See {{outlet::attic}}."', "left_out")]
    entry, problems = only(world({"position": 7, "outletName": "hall", "content": "See {{outlet::attic"}))
    assert entry.block is not None
    assert problems == []


@pytest.mark.parametrize(
    ("value", "enabled", "action"),
    [
        (True, False, None),
        (False, True, None),
        ("true", False, "coerced"),
        ("False", True, "coerced"),
        (1, False, "coerced"),
        (0, True, "coerced"),
        ("", True, "coerced"),
        (None, True, "defaulted"),
        ("maybe", True, "defaulted"),
        ([], True, "defaulted"),
    ],
)
def test_disable(value: Any, enabled: bool, action: str | None) -> None:
    book = world({"disable": value})
    entry, problems = only(book)
    assert entry.enabled is enabled
    assert len(book.blocks()) == int(enabled)
    assert entry.block is not None
    assert [(field, told) for field, _found, told in problems] == ([] if action is None else [("disable", action)])


@pytest.mark.parametrize(
    ("value", "enabled"), [(True, True), (False, False), ("false", False), (0, False), (None, True)]
)
def test_enabled(value: Any, enabled: bool) -> None:
    entry, problems = only(book_v2({"enabled": value}))
    assert entry.enabled is enabled
    assert len(problems) == (0 if isinstance(value, bool) else 1)


@pytest.mark.parametrize(
    ("value", "keys", "action"),
    [
        (["a", "b"], ("a", "b"), None),
        ("a, b,,c ", ("a", "b", "c"), "coerced"),
        (["a", 1889, 2.5], ("a", "1889", "2.5"), "coerced"),
        (["a", None, {}], ("a",), "coerced"),
        (None, (), "defaulted"),
        (5, (), "defaulted"),
    ],
)
def test_keys(value: Any, keys: tuple[str, ...], action: str | None) -> None:
    entry, problems = only(world({"key": value}))
    assert entry.keys == keys
    assert entry.block is not None
    assert [(field, told) for field, _found, told in problems] == ([] if action is None else [("key", action)])


def test_what_an_entry_is_known_by() -> None:
    entry, problems = only(world({"keysecondary": ["iron"], "constant": True, "comment": "The gate"}))
    assert (entry.secondary_keys, entry.constant, entry.comment) == (("iron",), True, "The gate")
    assert entry.block is not None
    assert entry.block.metadata == {"lorebook": "Lore", "uid": 0, "comment": "The gate"}
    assert problems == []
    entry, problems = only(world({"keysecondary": None, "constant": "yes", "comment": 12}))
    assert (entry.secondary_keys, entry.constant, entry.comment) == ((), False, "12")
    assert problems == [("comment", "12", "coerced"), ("constant", '"yes"', "defaulted")]
    entry, problems = only(world({"comment": {}}))
    assert entry.comment == ""
    assert problems == [("comment", "an object of 0", "defaulted")]


def test_extensions_that_are_no_object() -> None:
    entry, problems = only(book_v2({"extensions": [4]}))
    assert entry.block is not None
    assert entry.block.position == "before_character"
    assert problems == [("extensions", "an array of 1", "ignored")]


def test_one_entry_can_have_many_problems_and_each_is_told_once() -> None:
    book = world({"position": "4", "depth": -2, "role": "x", "order": None, "key": "a", "disable": 0})
    entry, problems = only(book)
    assert entry.block is not None
    assert sorted(problems) == [
        ("depth", "-2", "coerced"),
        ("disable", "0", "coerced"),
        ("key", '"a"', "coerced"),
        ("order", "null", "defaulted"),
        ("position", '"4"', "coerced"),
        ("role", '"x"', "defaulted"),
    ]
    assert {problem.entry for problem in book.problems} == {"Lore:0000"}
    assert str(book.problems[-1]).startswith("Lore:0000 ")


def test_the_entry_is_kept_as_it_was() -> None:
    raw = {**PLAIN, "order": "5", "content": "@@depth 2\nText"}
    before = dict(raw)
    book = read_lorebook({"entries": {"0": raw}})
    assert book.entries[0].raw is raw
    assert raw == before


def test_a_long_value_is_told_in_short() -> None:
    _entry, problems = only(world({"order": "x" * 10_000}))
    assert len(problems[0][1]) == 63  # sixty characters, an ellipsis and two quotes
