"""Who comes first of equals: by id, and as in SillyTavern. The expected lists are worked out by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from interleaf import place_context_blocks
from interleaf.errors import InterleafError
from lorebook.books import world

if TYPE_CHECKING:
    from interleaf.lorebook import Lorebook

CHAT = [{"role": "system", "content": "Note {{outlet::hall}}"}, {"role": "user", "content": "Hello."}]
LAYOUT = {
    "character": (0, 0),
    "examples": (0, 0),
    "author_note": 0,
    "outlets": {"hall": 0},
    "conversation": {"message_indices": [1]},
}


def letters(book: Lorebook, **options: Any) -> str:
    result = place_context_blocks(CHAT, book.blocks(**options), LAYOUT)
    return "".join(placement.metadata["comment"] for placement in result.placements)


def five(position: int) -> Lorebook:
    """Five entries in the order of the file: a, b, c of one order, d before and e after them."""
    orders = {"a": 100, "b": 100, "c": 100, "d": 50, "e": 200}
    return world(*({"comment": c, "order": o, "position": position, "outletName": "hall"} for c, o in orders.items()))


@pytest.mark.parametrize("position", range(8))
def test_by_default_the_smaller_number_comes_first(position: int) -> None:
    assert letters(five(position)) == "dabce"


# SillyTavern sorts by order, greatest first, equals as they were: e a b c d. Then it puts each in front of the others.
@pytest.mark.parametrize("position", [0, 1, 2, 3, 4, 6])
def test_sillytavern_reverses_ties_and_only_those(position: int) -> None:
    assert letters(five(position), ties="sillytavern") == "dcbae"


# An outlet is appended to instead, and before the examples everything is turned around a second time.
@pytest.mark.parametrize("position", [5, 7])
def test_two_places_keep_ties_as_they_were(position: int) -> None:
    assert letters(five(position), ties="sillytavern") == "dabce"


def test_numbers_count_and_not_the_order_of_the_file() -> None:
    book = world(*({"comment": str(uid), "uid": uid} for uid in (10, 9, 2, 0)))
    assert letters(book) == "02910"
    assert letters(book, ties="sillytavern") == "10920"


def test_equal_numbers_are_reversed_too() -> None:
    book = world({"comment": "a", "uid": 3}, {"comment": "b", "uid": 3}, {"comment": "c", "uid": 4})
    assert letters(book) == "abc"
    assert letters(book, ties="sillytavern") == "cba"


def test_ids_say_both_ranks_and_are_the_same_in_every_choice() -> None:
    book = world({}, {}, {}, ties="sillytavern")
    assert [entry.id for entry in book.entries] == ["Lore:0000", "Lore:0001", "Lore:0002"]
    assert [block.id for block in book.blocks()] == ["Lore:0002:0000", "Lore:0001:0001", "Lore:0000:0002"]
    assert [block.id for block in book.blocks([1])] == ["Lore:0001:0001"]
    assert book.blocks(entries=["Lore:0001:0001"]) == book.blocks(entries=["Lore:0001"])
    assert [block.id for block in book.blocks(ties="id")] == ["Lore:0000", "Lore:0001", "Lore:0002"]
    assert [b.id for b in world({}, {}, {}).blocks(ties="sillytavern")] == [block.id for block in book.blocks()]


def test_an_unknown_way_is_refused() -> None:
    for refused in (lambda: world({}, ties="random"), lambda: world({}).blocks(ties="random")):  # type: ignore[arg-type]
        with pytest.raises(InterleafError) as caught:
            refused()
        assert (caught.value.code, caught.value.path) == ("invalid_option", "ties")
