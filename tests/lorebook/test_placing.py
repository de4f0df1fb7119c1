from __future__ import annotations

import pytest

from interleaf import ContextBlock, Layout, place_context_blocks
from interleaf.errors import BlockError, LayoutError
from interleaf.lorebook import Unanchored, drop_unanchored, layout_for
from lorebook.books import book_v2, world

CHAT = [
    {"role": "system", "content": "You are Iris."},
    {"role": "user", "content": "Example?"},
    {"role": "assistant", "content": "Example."},
    {"role": "system", "content": "Note. {{outlet::hall}}"},
    {"role": "user", "content": "Are you open?"},
    {"role": "assistant", "content": "The door was unlocked."},
]
FULL = {
    "character": (0, 1),
    "examples": (1, 3),
    "conversation": {"message_indices": [4, 5]},
    "author_note": 3,
    "outlets": {"hall": 3},
}


def everywhere() -> list[dict[str, object]]:
    return [
        {"position": position, "content": f"At {position}.", "outletName": "hall", "depth": 1} for position in range(8)
    ]


def test_a_book_is_placed_into_a_chat_and_nothing_is_lost() -> None:
    book = world(*everywhere(), {"content": ""}, {"disable": True})
    assert layout_for(book, FULL).fits
    result = place_context_blocks(CHAT, book.blocks(), FULL)
    assert [message["content"] for message in result.messages] == [
        "At 0.",
        "You are Iris.",
        "At 1.",
        "At 5.",
        "Example?",
        "Example.",
        "At 6.",
        "At 2.\nNote. At 7.\nAt 3.",
        "Are you open?",
        "At 4.",
        "The door was unlocked.",
    ]
    assert sorted(placement.id for placement in result.placements) == [f"Lore:{uid:04d}" for uid in range(8)]
    assert [problem.entry for problem in book.left_out] == ["Lore:0008"]
    assert len(book) == len(result.placements) + len(book.left_out) + 1  # and one that is disabled


def test_two_books_stand_in_one_call() -> None:
    blocks = [*world({}).blocks(), *book_v2({}, name="Other").blocks()]
    result = place_context_blocks(CHAT, blocks, FULL)
    assert [placement.id for placement in result.placements] == ["Lore:0000", "Other:0000"]


@pytest.mark.parametrize("layout", [{"character": (0, 1)}, Layout(character=(0, 1))])
def test_what_a_layout_lacks_is_said_before_anything_raises(layout: Layout) -> None:
    book = world(*everywhere(), {"position": 7, "outletName": 'at"tic'})
    fit = layout_for(book, layout)
    assert not fit.fits
    assert [(unanchored.id, unanchored.missing) for unanchored in fit.unanchored] == [
        ("Lore:0002", "author_note"),
        ("Lore:0003", "author_note"),
        ("Lore:0004", "conversation"),
        ("Lore:0005", "examples"),
        ("Lore:0006", "examples"),
        ("Lore:0007", 'outlets["hall"]'),
        ("Lore:0008", 'outlets["at\\"tic"]'),
    ]
    assert fit.missing == ("author_note", "conversation", "examples", 'outlets["hall"]', 'outlets["at\\"tic"]')
    assert fit.to_dict()["unanchored"][5] == {
        "id": "Lore:0007",
        "position": "outlet",
        "outlet_name": "hall",
        "missing": 'outlets["hall"]',
    }
    with pytest.raises(BlockError) as refused:
        place_context_blocks(CHAT, fit.blocks, layout)
    assert refused.value.code == "missing_anchor"


def test_dropping_is_explicit_and_reported() -> None:
    book = world(*everywhere())
    kept, dropped = drop_unanchored(book, {"character": (0, 1), "outlets": {"attic": 3}})
    assert [block.id for block in kept] == ["Lore:0000", "Lore:0001"]
    assert len(kept) + len(dropped) == len(book.blocks())
    assert dropped[-1] == Unanchored("Lore:0007", "outlet", "hall", 'outlets["hall"]')
    assert len(place_context_blocks(CHAT, kept, {"character": (0, 1)}).placements) == 2


def test_a_full_layout_loses_nothing() -> None:
    book = world(*everywhere())
    kept, dropped = drop_unanchored(book, FULL)
    assert list(kept) == book.blocks()
    assert dropped == ()


def test_blocks_of_any_form_and_origin() -> None:
    mapping = {"id": "m", "position": "outlet", "content": "x", "outletName": "hall"}
    block = ContextBlock(id="b", position="before_character", content="x", role="system")
    given: list[ContextBlock | dict[str, str]] = [mapping, block]
    fit = layout_for(iter(given), {"outlets": {"hall": 0}})
    assert [b.id for b in fit.blocks] == ["m", "b"]
    assert [u.id for u in fit.unanchored] == ["b"]


def test_repeated_ids_are_kept_and_dropped_one_by_one() -> None:
    here = ContextBlock(id="x", position="before_character", content="x", role="system")
    lost = ContextBlock(id="x", position="before_examples", content="x", role="system")
    kept, dropped = drop_unanchored([here, lost, here], {"character": (0, 0)})
    assert kept == (here, here)
    assert len(dropped) == 1


def test_what_cannot_be_asked_about() -> None:
    with pytest.raises(LayoutError):
        layout_for([], {"charakter": (0, 1)})
    with pytest.raises(BlockError):
        layout_for([{"id": "x"}], {})
    with pytest.raises(TypeError):
        layout_for(5, {})  # type: ignore[arg-type]
