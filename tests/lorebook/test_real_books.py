"""Books that others made: what each gives, in numbers."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from interleaf import place_context_blocks
from interleaf.lorebook import Lorebook, layout_for, read_lorebook
from lorebook.books import invariant, told

REAL = Path(__file__).resolve().parents[3] / "shared" / "data" / "lorebooks"


def real(name: str) -> Lorebook:
    path = REAL / f"{name}.json"
    if not path.is_file():
        pytest.skip(f"the real lorebook {name} is not here: it may not be part of the project")
    return read_lorebook(path)


# file, format, name, entries, enabled, positions of the enabled ones, problems by field and action
CASES = [
    ("st_eldoria", "sillytavern", "st_eldoria", 4, 4, {"before_character": 4}, {}),
    (
        "st_toaru_2023",
        "sillytavern",
        "st_toaru_2023",
        10,
        10,
        {"before_character": 10},
        {("disable", "defaulted"): 10, ("order", "defaulted"): 10, ("position", "defaulted"): 10},
    ),
    ("pisk4_tarot_v1.3.0", "sillytavern", "pisk4_tarot_v1.3.0", 9, 9, {"at_depth": 9}, {}),
    (
        "astrbot_oracle05_position_and_depth",
        "sillytavern",
        "positions",
        10,
        10,
        {
            "before_character": 2,
            "after_character": 2,
            "at_depth": 3,
            "author_note_top": 1,
            "before_examples": 1,
            "after_examples": 1,
        },
        {},
    ),
    (
        "astrbot_lorebook_v3",
        "lorebook_v3",
        "Harbour Notes",
        2,
        2,
        {"before_character": 1, "after_character": 1},
        {("id", "defaulted"): 1, ("position", "overridden"): 1},
    ),
    (
        "astrbot_card_v2_with_book",
        "chara_card_v2",
        "Iris Lore",
        2,
        1,
        {"before_character": 1},
        {("position", "overridden"): 1},
    ),
]


@pytest.mark.parametrize(
    ("file", "form", "name", "entries", "enabled", "positions", "problems"), CASES, ids=[case[0] for case in CASES]
)
def test_each_file_gives_its_entries_blocks_and_problems(
    file: str,
    form: str,
    name: str,
    entries: int,
    enabled: int,
    positions: dict[str, int],
    problems: dict[tuple[str, str], int],
) -> None:
    book = real(file)
    assert (book.format, book.name) == (form, name)
    assert len(book.entries) == entries
    assert len(book.blocks_of_all) == entries
    assert book.left_out == ()
    assert len(book.blocks()) == enabled
    assert Counter(block.position for block in book.blocks()) == positions
    assert Counter((problem.field, problem.action) for problem in book.problems) == problems
    invariant(book)


def test_there_is_no_file_without_a_case() -> None:
    if not REAL.is_dir():
        pytest.skip("the real lorebooks are not here: they may not be part of the project")
    assert sorted(path.stem for path in REAL.glob("*.json")) == sorted(case[0] for case in CASES)


def test_depths_and_roles_of_the_tarot_book() -> None:
    blocks = real("pisk4_tarot_v1.3.0").blocks()
    assert [block.depth for block in blocks] == [1, 4, 4, 4, 0, 2, 2, 2, 2]
    assert [block.role for block in blocks] == ["system"] * 4 + ["user"] + ["system"] * 4
    assert {block.order for block in blocks} == {100}
    assert [block.id for block in blocks][-1] == "pisk4_tarot_v1.3.0:0008"


def test_fields_of_the_collection_of_positions() -> None:
    book = real("astrbot_oracle05_position_and_depth")
    at_depth = [(b.content, b.depth, b.role, b.order) for b in book.blocks() if b.position == "at_depth"]
    assert at_depth == [
        ("DEPTH two note.", 2, "system", 50),
        ("DEPTH seven note.", 7, "system", 60),
        ("DEPTH two, user role.", 2, "user", 70),
    ]
    assert all(entry.constant and entry.keys == () for entry in book.entries)


def test_the_disabled_lantern_is_at_a_depth_whatever_its_position_says() -> None:
    book = real("astrbot_card_v2_with_book")
    lantern = book.entries[1]
    assert lantern.id == "Iris Lore:0003"
    assert (lantern.enabled, lantern.constant, lantern.keys) == (False, True, ("lantern",))
    assert lantern.block is not None
    assert (lantern.block.position, lantern.block.depth, lantern.block.role) == ("at_depth", 2, "assistant")
    assert [told(problem) for problem in book.problems] == [("position", '"after_char"', "overridden")]
    assert book.blocks(entries=["Iris Lore:0003"]) == [lantern.block]


def test_the_gulls_have_no_number_and_stand_after_the_character() -> None:
    book = real("astrbot_lorebook_v3")
    gulls = book.entries[1]
    assert (gulls.id, gulls.uid) == ("Harbour Notes:0001", 1)
    assert gulls.block is not None
    assert (gulls.block.position, gulls.block.order) == ("after_character", 20)


def test_every_real_book_is_placed_into_a_chat() -> None:
    chat = [
        {"role": "system", "content": "You tell fortunes."},
        {"role": "user", "content": "An example question."},
        {"role": "assistant", "content": "An example answer."},
        {"role": "user", "content": "Read my cards."},
        {"role": "system", "content": "Stay calm."},
        {"role": "assistant", "content": "Cut the deck."},
        {"role": "user", "content": "Done."},
    ]
    layout = {
        "character": (0, 1),
        "examples": (1, 3),
        "conversation": {"message_indices": [3, 5, 6]},
        "author_note": 4,
    }
    blocks = [block for file, *_ in CASES for block in real(file).blocks()]
    assert len(blocks) == 4 + 10 + 9 + 10 + 2 + 1
    assert layout_for(blocks, layout).fits
    result = place_context_blocks(chat, blocks, layout)
    assert sorted(placement.id for placement in result.placements) == sorted(block.id for block in blocks)
    assert len(result.messages) == len(chat) + len(blocks) - 1  # one stands in the author's note
