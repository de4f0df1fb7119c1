from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from interleaf.lorebook import LorebookEntry
from lorebook.books import book_v2, only, world

if TYPE_CHECKING:
    from interleaf.lorebook import LorebookEntry


def read(content: str, **changes: object) -> tuple[LorebookEntry, list[tuple[str, str, str]]]:
    return only(book_v2({"content": content, "position": None, **changes}))


def test_depth_and_role_say_where() -> None:
    entry, problems = read("@@depth 2\n@@role assistant\n\nThe gate is shut.\n")
    assert entry.block is not None
    assert (entry.block.position, entry.block.depth, entry.block.role) == ("at_depth", 2, "assistant")
    assert entry.block.content == entry.content == "The gate is shut.\n"
    assert problems == []


@pytest.mark.parametrize(
    ("value", "position"), [("before_desc", "before_character"), ("after_desc", "after_character")]
)
def test_position_says_where(value: str, position: str) -> None:
    entry, problems = read(f"@@position {value}\nText")
    assert entry.block is not None
    assert entry.block.position == position
    assert problems == []


@pytest.mark.parametrize("value", ["personality", "scenario", "moon", ""])
def test_a_position_that_has_no_anchor_is_told(value: str) -> None:
    entry, problems = read(f"@@position {value}\nText")
    assert entry.block is not None
    assert (entry.block.position, entry.block.content) == ("before_character", "Text")
    assert problems == [
        ("@@position", f'"@@position {value}"'.replace(' "', '"'), "ignored"),
        ("position", "null", "defaulted"),
    ]


@pytest.mark.parametrize(
    "line",
    [
        "@@activate",
        "@@dont_activate",
        "@@activate_only_after 3",
        "@@activate_only_every 2",
        "@@keep_activate_after_match",
        "@@dont_activate_after_match",
        "@@instruct_depth 5",
        "@@reverse_depth 1",
        "@@reverse_instruct_depth 1",
        "@@scan_depth 6",
        "@@instruct_scan_depth 100",
        "@@is_greeting 1",
        "@@ignore_on_max_context",
        "@@additional_keys a,b",
        "@@exclude_keys c",
        "@@is_user_icon main",
        "@@disable_ui_prompt system_prompt",
        "@@risu_only 4",
    ],
)
def test_what_is_not_about_the_place_is_taken_out_and_told(line: str) -> None:
    entry, problems = only(book_v2({"content": f"{line}\nText"}))
    assert entry.block is not None
    assert (entry.block.content, entry.block.position) == ("Text", "before_character")
    assert problems == [(line.split()[0], f'"{line}"', "ignored")]


@pytest.mark.parametrize(
    ("value", "depth", "told"),
    [("0", 0, None), ("-3", 0, "coerced"), ("2.7", 2, "coerced"), ("Infinity", 2**63 - 1, "coerced")],
)
def test_odd_depths_follow_the_rules_of_depths(value: str, depth: int, told: str | None) -> None:
    entry, problems = read(f"@@depth {value}\nText")
    assert entry.block is not None
    assert (entry.block.position, entry.block.depth) == ("at_depth", depth)
    assert problems == ([] if told is None else [("@@depth", f'"{value}"', told)])


@pytest.mark.parametrize("line", ["@@depth", "@@depth deep", "@@depth NaN", "@@role narrator", "@@role"])
def test_values_that_mean_nothing_are_told(line: str) -> None:
    entry, problems = only(book_v2({"content": f"{line}\nText"}))
    assert entry.block is not None
    assert entry.block.position == "before_character"
    assert problems == [(line.split()[0], f'"{line}"', "ignored")]


def test_a_fallback_stands_in_for_what_is_not_acted_on() -> None:
    entry, problems = read("@@risu_only 4\n@@@agn_only 4\n@@@depth 3\n@@@role user\nText")
    assert entry.block is not None
    assert (entry.block.position, entry.block.depth, entry.block.role) == ("at_depth", 3, "system")
    assert problems == [
        ("@@risu_only", '"@@risu_only 4"', "ignored"),
        ("@@agn_only", '"@@@agn_only 4"', "ignored"),
        ("@@role", '"@@@role user"', "ignored"),
    ]


def test_a_fallback_of_what_was_acted_on_does_nothing() -> None:
    entry, problems = read("@@depth 5\n@@@instruct_depth 5\n@@@depth 9\nText")
    assert entry.block is not None
    assert entry.block.depth == 5
    assert [action for _field, _found, action in problems] == ["ignored", "ignored"]


def test_a_fallback_of_nothing_does_nothing() -> None:
    entry, problems = only(book_v2({"content": "@@@depth 5\nText"}))
    assert entry.block is not None
    assert (entry.block.position, entry.block.content) == ("before_character", "Text")
    assert problems == [("@@depth", '"@@@depth 5"', "ignored")]


def test_a_fallback_of_the_same_name() -> None:
    entry, problems = read("@@position scenario\n@@@position after_desc\nText")
    assert entry.block is not None
    assert entry.block.position == "after_character"
    assert problems == [("@@position", '"@@position scenario"', "ignored")]


def test_the_first_of_a_name_counts() -> None:
    entry, problems = read("@@depth 1\n@@depth 2\n@@role user\n@@role system\nText")
    assert entry.block is not None
    assert (entry.block.depth, entry.block.role) == (1, "user")
    assert problems == [("@@depth", '"@@depth 2"', "ignored"), ("@@role", '"@@role system"', "ignored")]


@pytest.mark.parametrize(
    "content", ["@@depth 2\n@@position after_desc\nText", "@@position after_desc\n@@depth 2\nText"]
)
def test_position_makes_depth_moot(content: str) -> None:
    entry, problems = read(content)
    assert entry.block is not None
    assert (entry.block.position, entry.block.depth) == ("after_character", None)
    assert problems == [("@@depth", '"@@depth 2"', "ignored")]


def test_a_position_that_is_not_acted_on_does_not_make_depth_moot() -> None:
    entry, _problems = read("@@role user\n@@@position after_desc\n@@depth 2\nText")
    assert entry.block is not None
    assert (entry.block.position, entry.block.depth) == ("at_depth", 2)
    entry, _problems = read("@@depth 2\n@@position scenario\nText")
    assert entry.block is not None
    assert (entry.block.position, entry.block.depth) == ("at_depth", 2)


def test_decorators_win_over_fields_and_the_conflict_is_told() -> None:
    extensions = {"position": 4, "depth": 4, "role": 0}
    entry, problems = only(book_v2({"content": "@@depth 1\n@@role user\nText", "extensions": extensions}))
    assert entry.block is not None
    assert (entry.block.position, entry.block.depth, entry.block.role) == ("at_depth", 1, "user")
    assert sorted(problems) == [
        ("extensions.depth", "4", "overridden"),
        ("extensions.role", "0", "overridden"),
        ("position", '"before_char"', "overridden"),
    ]


def test_fields_that_agree_are_no_conflict() -> None:
    extensions = {"position": 4, "depth": 1, "role": 1}
    entry, problems = read("@@depth 1\n@@role user\nText", extensions=extensions)
    assert entry.block is not None
    assert problems == []


def test_a_default_depth_beside_another_position_is_no_conflict() -> None:
    entry, problems = read("@@depth 1\nText", extensions={"depth": 4})
    assert entry.block is not None
    assert entry.block.depth == 1
    assert problems == []


def test_a_decorator_saves_an_entry_of_unknown_position() -> None:
    entry, problems = only(world({"content": "@@depth 1\nText", "position": 99}))
    assert entry.block is not None
    assert entry.block.position == "at_depth"
    assert problems == [("position", "99", "ignored")]


def test_world_files_have_decorators_too() -> None:
    entry, problems = only(world({"content": "@@activate\r\n\r\nText\r\n"}))
    assert entry.block is not None
    assert entry.block.content == "Text\r\n"
    assert problems == [("@@activate", '"@@activate"', "ignored")]


@pytest.mark.parametrize(
    "content",
    [
        "@ depth 2\nText",
        "@@ depth 2\nText",
        "Text\n@@depth 2",
        " @@depth 2\nText",
        "@@@@depth 2\nText",
        "\n\nText",
        "@@é 1\n",
    ],
)
def test_what_is_no_decorator_stays(content: str) -> None:
    entry, problems = only(book_v2({"content": content}))
    assert entry.block is not None
    assert entry.block.content == content
    assert problems == []


def test_nothing_but_decorators_leaves_the_entry_out() -> None:
    for content in ("@@depth 2", "@@depth 2\n\n", "\n@@activate"):
        entry, problems = read(content)
        assert entry.block is None
        assert problems[-1][2] == "left_out"


def test_more_than_sixteen_decorators_leave_the_entry_out() -> None:
    entry, problems = read("@@a\n" * 16 + "Text", position="before_char")
    assert entry.block is not None
    assert len(problems) == 16
    entry, problems = read("@@a\n" * 17 + "Text", position="before_char")
    assert entry.block is None
    assert [(field, action) for field, _found, action in problems] == [("content", "left_out")]
