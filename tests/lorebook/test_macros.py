from __future__ import annotations

import pytest

from interleaf.errors import InterleafError
from interleaf.lorebook import read_lorebook
from lorebook.books import PLAIN, world

NAMES = {"char": "Iris", "user": "Ann"}


def content(text: str, macros: dict[str, str] | None) -> str:
    (block,) = world({"content": text}).blocks(macros=macros)
    return block.content


def test_macros_are_left_alone_unless_given() -> None:
    text = "{{char}} greets {{user}}."
    (entry,) = world({"content": text}).entries
    assert entry.block is not None
    assert entry.block.content == text
    assert content(text, None) == text
    assert content(text, {}) == text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{{char}} greets {{user}}.", "Iris greets Ann."),
        ("{{CHAR}}{{ User }}", "IrisAnn"),
        ("{{roll:6}} {{random}} {{time}}", "{{roll:6}} {{random}} {{time}}"),
        ("{{{char}}}", "{Iris}"),
        ("{{char}", "{{char}"),
        ("{{outlet::char}} {{char}}", "{{outlet::char}} Iris"),
        ("{{outlet::{{char}}}} {{char}}", "{{outlet::{{char}}}} Iris"),
        ("{{outlet::{{char}}", "{{outlet::{{char}}"),
        ("{{char}} {{outlet::x", "Iris {{outlet::x"),
        ("<user> and <char>", "<user> and <char>"),
        ("", ""),
    ],
)
def test_one_pass(text: str, expected: str) -> None:
    if text:
        assert content(text, NAMES) == expected


def test_inserted_names_are_never_expanded_again() -> None:
    assert content("{{char}} and {{user}}", {"char": "{{user}}", "user": "{{char}}"}) == "{{user}} and {{char}}"
    assert content("{{char}}user}}", {"char": "{{", "user": "Ann"}) == "{{user}}"


def test_reading_with_macros_and_giving_others_later() -> None:
    book = read_lorebook({"entries": {"0": {**PLAIN, "content": "{{char}}"}}}, macros={"char": "{{user}}"})
    assert [block.content for block in book.blocks()] == ["{{user}}"]
    assert [block.content for block in book.blocks(macros={"char": "Io", "user": "no"})] == ["Io"]
    assert book.entries[0].content == "{{char}}"


def test_names_of_outlets_and_keys_are_no_content() -> None:
    book = world({"position": 7, "outletName": "{char}", "key": ["{{char}}"], "content": "{{char}}"}, macros=NAMES)
    (block,) = book.blocks()
    assert (block.outlet_name, block.content, book.entries[0].keys) == ("{char}", "Iris", ("{{char}}",))


@pytest.mark.parametrize(
    ("macros", "path"),
    [
        (["char"], "macros"),
        ({"": "x"}, "macros"),
        ({"outlet::x": "x"}, "macros"),
        ({5: "x"}, "macros"),
        ({"char": "x", "CHAR": "y"}, "macros"),
        ({"char": 5}, "macros['char']"),
        ({"char": None}, "macros['char']"),
    ],
)
def test_macros_that_cannot_be(macros: object, path: str) -> None:
    for refused in (
        lambda: world({}, macros=macros),
        lambda: world({}).blocks(macros=macros),  # type: ignore[arg-type]
    ):
        with pytest.raises(InterleafError) as caught:
            refused()
        assert (caught.value.code, caught.value.path) == ("invalid_option", path)
