from __future__ import annotations

from typing import Any

import pytest

from interleaf.errors import InterleafError
from interleaf.lorebook import Lorebook, LorebookError, read_lorebook
from lorebook.books import PLAIN, PLAIN_V2, invariant, told, without


def world_of(uids: list[Any], **options: Any) -> Lorebook:
    document = {"entries": {f"k{i}": {**PLAIN, "uid": uid} for i, uid in enumerate(uids)}}
    return read_lorebook(document, **{"name": "L", **options})


def ids(book: Lorebook) -> list[str]:
    return [entry.id for entry in book.entries]


def test_ten_comes_after_nine() -> None:
    document = {"entries": {str(i): {**PLAIN, "uid": i} for i in (10, 9, 100, 0)}}
    book = read_lorebook(document, name="L")
    assert ids(book) == ["L:0010", "L:0009", "L:0100", "L:0000"]
    assert sorted(ids(book)) == ["L:0000", "L:0009", "L:0010", "L:0100"]
    assert book.problems == ()


def test_the_longest_number_sets_the_width() -> None:
    assert ids(
        read_lorebook({"entries": {"1": {**PLAIN, "uid": 1}, "123456": {**PLAIN, "uid": 123456}}}, name="L")
    ) == [
        "L:000001",
        "L:123456",
    ]


def test_numbers_that_are_strings() -> None:
    book = read_lorebook({"entries": {"7": {**PLAIN, "uid": "7"}}}, name="L")
    assert ids(book) == ["L:0007"]
    assert [told(problem) for problem in book.problems] == [("uid", '"7"', "coerced")]


def test_a_missing_number_is_the_key_in_the_file_or_the_index() -> None:
    book = read_lorebook({"entries": {"12": without(PLAIN, "uid"), "gate": without(PLAIN, "uid")}}, name="L")
    assert ids(book) == ["L:0012", "L:0001"]
    assert [told(problem) for problem in book.problems] == [("uid", "nothing", "defaulted")] * 2
    book = read_lorebook({"entries": [PLAIN_V2, without(PLAIN_V2, "id")]}, name="L")
    assert ids(book) == ["L:0000", "L:0001"]


def test_a_number_and_a_key_that_differ() -> None:
    book = read_lorebook({"entries": {"3": {**PLAIN, "uid": 8}}}, name="L")
    assert ids(book) == ["L:0008"]
    assert [told(problem) for problem in book.problems] == [("key in the file", '"3"', "overridden")]


@pytest.mark.parametrize("uid", [-1, 1.5, "abc", True, [], float("inf"), 2**63, "９"])
def test_what_is_no_number_is_replaced_by_the_index(uid: Any) -> None:
    book = read_lorebook({"entries": [PLAIN_V2, {**PLAIN_V2, "id": uid}]}, name="L")
    assert ids(book) == ["L:0000", "L:0001"]
    assert [problem.action for problem in book.problems] == ["defaulted"]
    invariant(book)


def test_equal_numbers_stay_beside_each_other() -> None:
    book = read_lorebook({"entries": [{**PLAIN_V2, "id": i} for i in (3, 4, 3, 3)]}, name="L")
    assert ids(book) == ["L:0003", "L:0004", "L:0003.1", "L:0003.2"]
    assert sorted(ids(book)) == ["L:0003", "L:0003.1", "L:0003.2", "L:0004"]
    assert [(problem.entry, problem.field, problem.action) for problem in book.problems] == [
        ("L:0003.1", "id", "coerced"),
        ("L:0003.2", "id", "coerced"),
    ]
    assert [entry.uid for entry in book.entries] == [3, 4, 3, 3]


def test_twelve_equal_numbers_sort_in_the_order_of_the_file() -> None:
    book = read_lorebook({"entries": [{**PLAIN_V2, "id": 3}] * 12}, name="L")
    assert ids(book) == sorted(ids(book))
    assert ids(book)[:2] == ["L:0003", "L:0003.01"]
    invariant(book)


def test_who_has_a_number_keeps_it_before_who_is_given_one() -> None:
    book = read_lorebook({"entries": [without(PLAIN_V2, "id"), {**PLAIN_V2, "id": 0}]}, name="L")
    assert ids(book) == ["L:0000.1", "L:0000"]


def test_gaps_are_kept() -> None:
    assert ids(read_lorebook({"entries": [{**PLAIN_V2, "id": i} for i in (5, 90)]}, name="L")) == ["L:0005", "L:0090"]


@pytest.mark.parametrize(
    ("document", "name", "problems"),
    [
        ({"name": " Harbour ", "entries": []}, "Harbour", []),
        ({"entries": []}, "lorebook", []),
        ({"name": "", "entries": []}, "lorebook", []),
        ({"name": 5, "entries": []}, "lorebook", [("name", "defaulted")]),
        ({"name": "x" * 500, "entries": []}, "x" * 200, [("name", "coerced")]),
        ({"name": "a\ud800b", "entries": []}, "a�b", [("name", "coerced")]),
    ],
)
def test_names(document: dict[str, Any], name: str, problems: list[tuple[str, str]]) -> None:
    book = read_lorebook(document)
    assert book.name == name
    assert [told(problem)[::2] for problem in book.problems] == problems


def test_a_name_can_be_given() -> None:
    assert ids(read_lorebook({"name": "Old", "entries": [PLAIN_V2]}, name="New")) == ["New:0000"]
    for bad in ("", "  ", "x" * 300, "\ud800", 5):
        with pytest.raises(InterleafError) as refused:
            read_lorebook({"entries": []}, name=bad)  # type: ignore[arg-type]
        assert (refused.value.code, refused.value.path) == ("invalid_option", "name")


def test_choosing_by_id_number_and_predicate() -> None:
    document = {"entries": {str(i): {**PLAIN, "uid": i, "disable": i == 2, "key": [f"k{i}"]} for i in range(4)}}
    book = read_lorebook(document, name="L")
    assert [block.id for block in book.blocks()] == ["L:0000", "L:0001", "L:0003"]
    assert [block.id for block in book.blocks(entries=["L:0003", "L:0000", "L:0003"])] == ["L:0000", "L:0003"]
    assert [block.id for block in book.blocks([3, 2])] == ["L:0002", "L:0003"]
    assert [block.id for block in book.blocks(lambda entry: "k1" in entry.keys)] == ["L:0001"]
    assert book.blocks(lambda entry: not entry.enabled) == []
    assert book.blocks(entries=[]) == []
    assert book.blocks()[0] is book.entries[0].block


def test_choosing_what_is_not_there() -> None:
    book = read_lorebook({"entries": {"0": PLAIN, "1": {**PLAIN, "uid": 1, "content": ""}}}, name="L")
    with pytest.raises(LorebookError, match="nearest id is 'L:0001'") as refused:
        book.blocks(entries=[0, "L:01"])
    assert (refused.value.code, refused.value.path) == ("unknown_entry", "entries[1]")
    with pytest.raises(LorebookError, match="nothing to place") as refused:
        book.blocks(entries=["L:0001"])
    assert (refused.value.code, refused.value.path) == ("entry_left_out", "entries[0]")
    for bad in ("L:0000", 5, b"x"):
        with pytest.raises(TypeError):
            book.blocks(entries=bad)  # type: ignore[arg-type]
    for item in (True, None, 1.5):
        with pytest.raises(TypeError):
            book.blocks(entries=[item])  # type: ignore[list-item]
