"""What a file is, however it is handed over, and what is refused as a whole."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import pytest

from interleaf.errors import InterleafError
from interleaf.lorebook import Lorebook, LorebookError, read_lorebook
from interleaf.lorebook.limits import MAX_ENTRIES, MAX_INPUT_BYTES, MAX_JSON_DEPTH
from lorebook.books import PLAIN, PLAIN_V2, card, invariant, told, world

DATA = Path(__file__).parent / "data"
V2 = {"entries": [PLAIN_V2]}


def refusal(source: Any, **options: Any) -> tuple[str, str]:
    with pytest.raises(LorebookError) as refused:
        read_lorebook(source, **options)
    assert str(refused.value)
    return refused.value.code, refused.value.path


@pytest.mark.parametrize(
    ("document", "form"),
    [
        ({"entries": {"0": PLAIN}}, "sillytavern"),
        ({"entries": {}}, "sillytavern"),
        ({"entries": [PLAIN]}, "sillytavern"),
        ({"entries": [PLAIN_V2]}, "character_book"),
        ({"entries": []}, "character_book"),
        ({"spec": "lorebook_v3", "data": V2}, "lorebook_v3"),
        (card("chara_card_v2"), "chara_card_v2"),
        (card("chara_card_v3"), "chara_card_v3"),
    ],
)
def test_the_format_is_found_from_the_content(document: dict[str, Any], form: str) -> None:
    book = read_lorebook(document)
    assert book.format == form
    assert len(book.blocks_of_all) == len(book.entries)
    assert book.problems == ()


def test_every_way_to_hand_a_file_over(tmp_path: Path) -> None:
    text = json.dumps({"entries": {"0": PLAIN}})
    file = tmp_path / "Gate Lore.json"
    file.write_text(text)
    assert read_lorebook(file) == read_lorebook(str(file))
    assert read_lorebook(file).name == "Gate Lore"
    data = text.encode()
    books = [
        read_lorebook(form, name="Gate Lore") for form in (data, bytearray(data), memoryview(data), json.loads(text))
    ]
    assert all(book == read_lorebook(file) for book in books)
    assert read_lorebook({"entries": {0: PLAIN}}, name="Gate Lore").blocks() == books[0].blocks()


def test_a_missing_file_is_an_error_of_the_system(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        read_lorebook(tmp_path / "nowhere.json")


@pytest.mark.parametrize("source", [None, 5, [PLAIN], {"entries"}])
def test_what_is_no_source_is_a_type_error(source: Any) -> None:
    with pytest.raises(TypeError):
        read_lorebook(source)


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-be", "utf-32"])
def test_byte_order_marks(encoding: str) -> None:
    text = json.dumps({"entries": {"0": {**PLAIN, "content": "Tür 门 🚪"}}}, ensure_ascii=False)
    # utf-16 and utf-32 write a mark of their own, utf-8-sig too.
    data = ("\ufeff" + text if encoding == "utf-16-be" else text).encode(encoding)
    book = read_lorebook(data)
    assert [block.content for block in book.blocks()] == ["Tür 门 🚪"]
    assert [problem.field for problem in book.problems] == ["byte order mark"]


def test_a_file_with_everything_odd_about_it() -> None:
    book = read_lorebook(DATA / "odd_world.json")
    assert (book.name, book.format, len(book), len(book.blocks()), len(book.left_out)) == (
        "odd_world",
        "sillytavern",
        9,
        6,
        2,
    )
    invariant(book)
    assert [(problem.entry.partition(":")[2], *told(problem)) for problem in book.problems] == [
        ("", "byte order mark", '"utf-8"', "ignored"),
        ("0002", "position", '"4"', "coerced"),
        ("0002", "order", "Infinity", "coerced"),
        ("0002", "depth", "-1", "coerced"),
        ("0010", "uid", '"10"', "coerced"),
        ("0010", "depth", "1.5", "coerced"),
        ("0009.1", "key in the file", '"11"', "overridden"),
        ("0009.1", "uid", "9", "coerced"),
        ("0009.1", "order", "null", "defaulted"),
        ("0012", "content", '""', "left_out"),
        ("0013", "position", "12", "left_out"),
        ("0014", "outletName", '" hall "', "coerced"),
        ("0015", "content", '"The last of two contents."', "ignored"),
        ("0015", "uid", "nothing", "defaulted"),
        ("0015", "disable", "1", "coerced"),
        ("0016", "@@activate", '"@@activate"', "ignored"),
    ]
    assert [(block.id, block.position, block.depth, block.role, block.order) for block in book.blocks()] == [
        ("odd_world:0002", "at_depth", 0, "system", 2**63 - 1),
        ("odd_world:0009", "before_character", None, "system", 100),
        ("odd_world:0010", "at_depth", 1, "system", 100),
        ("odd_world:0009.1", "before_character", None, "system", 100),
        ("odd_world:0014", "outlet", None, None, 100),
        ("odd_world:0016", "at_depth", 2, "user", 100),
    ]


def test_keys_that_stand_twice_lose_no_entry() -> None:
    first, second = json.dumps(PLAIN), json.dumps({**PLAIN, "content": "Second."})
    book = read_lorebook(f'{{"entries": {{"0": {first}, "0": {second}}}}}'.encode(), name="L")
    assert [(entry.id, entry.content) for entry in book.entries] == [
        ("L:0000", "The gate is shut."),
        ("L:0000.1", "Second."),
    ]
    book = read_lorebook(
        b'{"entries": {"0": {"uid": 0, "key": [], "content": "a", "content": "b", "order": 1, "position": 0, "disable": false}}}'
    )
    assert [block.content for block in book.blocks()] == ["b"]
    assert [told(problem) for problem in book.problems] == [("content", '"b"', "ignored")]


def test_what_stands_twice_around_the_entries_is_told() -> None:
    entries = json.dumps([PLAIN_V2])
    book = read_lorebook(f'{{"entries": [], "entries": {entries}, "name": "a", "name": "b"}}'.encode())
    assert (book.name, len(book)) == ("b", 1)
    assert [told(problem) for problem in book.problems] == [
        ("entries", "an array of 1", "ignored"),
        ("name", '"b"', "ignored"),
    ]
    inner = f'{{"entries": [], "entries": {entries}}}'
    card_of_two = f'{{"spec": "chara_card_v2", "data": {{"character_book": {{}}, "character_book": {inner}}}}}'
    assert [problem.field for problem in read_lorebook(card_of_two.encode()).problems] == [
        "data.character_book",
        "data.character_book.entries",
    ]
    books = f'{{"books": {{"one": {{}}, "one": {inner}}}}}'
    assert [problem.field for problem in read_lorebook(books.encode()).problems] == ["books.one", "entries"]


def test_a_file_of_several_books() -> None:
    books = {"one": {"entries": {"0": PLAIN}}, "two": V2}
    book = read_lorebook({"books": {"one": books["one"]}})
    assert (book.name, len(book)) == ("one", 1)
    assert read_lorebook({"books": books}, book="two").name == "two"
    assert refusal({"books": books}) == ("several_books", "books")
    assert refusal({"books": {}}) == ("several_books", "books")
    assert refusal({"books": books}, book="three") == ("unknown_book", "book")
    assert refusal(V2, book="one") == ("unknown_book", "book")
    assert refusal({"books": {"one": 5}}) == ("unknown_format", 'books["one"]')
    assert refusal({"books": {"one": {"entries": 5}}}) == ("invalid_entries", 'books["one"].entries')


def test_specs_that_are_missing_are_told() -> None:
    book = read_lorebook({"data": V2})
    assert book.format == "lorebook_v3"
    assert [told(problem) for problem in book.problems] == [("spec", "nothing", "defaulted")]
    for document in ({"spec": "chara_card_v9", "data": {"character_book": V2}}, {"name": "x", "character_book": V2}):
        book = read_lorebook(document)
        assert book.format == "chara_card_v2"
        assert [problem.field for problem in book.problems] == ["spec"]
        assert len(book.blocks()) == 1


def test_entries_in_the_other_words() -> None:
    book = read_lorebook({"entries": {"0": PLAIN_V2}})
    assert book.format == "sillytavern"
    assert [block.content for block in book.blocks()] == ["The gate is shut."]
    assert [told(problem) for problem in book.problems] == [("entries", "an object of 1", "coerced")]


def test_a_card_has_its_own_name_where_the_book_has_none() -> None:
    assert read_lorebook(card(name="Iris")).name == "Iris"
    assert (
        read_lorebook(
            {"spec": "chara_card_v2", "data": {"name": "Iris", "character_book": {"name": "Lore", "entries": []}}}
        ).name
        == "Lore"
    )


def test_a_book_without_entries_is_told() -> None:
    for entries in ({}, {"entries": None}):
        book = read_lorebook({"spec": "chara_card_v2", "data": {"character_book": entries}})
        assert book.entries == ()
        assert [problem.field for problem in book.problems] == ["data.character_book.entries"]


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"", "broken_json"),
        (b"gate", "broken_json"),
        (b'{"entries": {}} {}', "broken_json"),
        (b'{"entries": {"\xff": 1}}', "broken_encoding"),
        (b"\xff\xfe\x00", "broken_encoding"),
        (b"[]", "unknown_format"),
        (b"5", "unknown_format"),
        (b"{}", "unknown_format"),
        (b'{"name": "Iris", "first_mes": "Hello"}', "unknown_format"),
        (b'{"books": 5}', "unknown_format"),
        (b"PK\x03\x04rest of a zip", "unknown_format"),
        (b"\xff\xd8\xff\xe0 a jpeg", "broken_encoding"),
    ],
)
def test_what_is_no_lorebook(data: bytes, code: str) -> None:
    assert refusal(data) == (code, "source")


@pytest.mark.parametrize("entries", [5, "text", True])
def test_entries_of_the_wrong_kind(entries: Any) -> None:
    assert refusal({"entries": entries}) == ("invalid_entries", "entries")


@pytest.mark.parametrize("data", [None, 5, []])
def test_data_of_the_wrong_kind(data: Any) -> None:
    for spec in ("lorebook_v3", "chara_card_v2", "chara_card_v3"):
        assert refusal({"spec": spec, "data": data}) == ("unknown_format", "data")


def test_too_much_input(tmp_path: Path) -> None:
    assert refusal(b" " * (MAX_INPUT_BYTES + 1)) == ("too_large", "source")
    file = tmp_path / "big.json"
    with file.open("wb") as out:
        out.truncate(MAX_INPUT_BYTES + 1)
    assert refusal(file) == ("too_large", "source")


def test_as_much_as_may_be() -> None:
    data = json.dumps({"entries": {"0": {**PLAIN, "comment": "x"}}}).encode()
    assert len(read_lorebook(data.ljust(MAX_INPUT_BYTES)).blocks()) == 1


def test_too_many_entries() -> None:
    assert refusal({"entries": [None] * (MAX_ENTRIES + 1)}) == ("too_many_entries", "entries")
    book = read_lorebook({"entries": [None] * MAX_ENTRIES})
    assert len(book.left_out) == len(book) == MAX_ENTRIES


def test_too_deep() -> None:
    def nested(levels: int) -> dict[str, Any]:
        deep: Any = "x"
        for _ in range(levels):
            deep = [deep]
        return {"entries": [{**PLAIN_V2, "extensions": {"deep": deep}}]}

    room = MAX_JSON_DEPTH - 4  # the document, entries, the entry, extensions
    assert len(read_lorebook(nested(room)).blocks()) == 1
    assert refusal(nested(room + 1)) == ("too_deep", "source")
    assert refusal(json.dumps(nested(room + 1)).encode()) == ("too_deep", "source")
    assert refusal(b"[" * 1_000_000) == ("too_deep", "source")
    assert refusal(b'{"entries":' * 1_000_000) == ("too_deep", "source")


def test_cycles_and_shared_parts() -> None:
    cycle: dict[str, Any] = {"entries": []}
    cycle["entries"].append(cycle)
    assert refusal(cycle) == ("too_deep", "source")
    shared: Any = {}
    for _ in range(MAX_JSON_DEPTH - 5):
        shared = {"a": shared, "b": shared, "c": shared}
    assert len(read_lorebook({"entries": [{**PLAIN_V2, "extensions": shared}]}).blocks()) == 1


def test_numbers_that_json_does_not_have() -> None:
    digits = b"9" * 5000
    data = b'{"entries": {"0": {"uid": 0, "key": [], "content": "x", "order": %s, "position": 4, "depth": NaN, "disable": false}}}'
    book = read_lorebook(data % digits)
    assert [(problem.field, problem.action) for problem in book.problems] == [
        ("order", "coerced"),
        ("depth", "defaulted"),
    ]
    assert [block.order for block in book.blocks()] == [2**63 - 1]


def test_records_can_be_stored_and_written_as_json() -> None:
    book = world({"order": "4"}, {"content": ""}, {"position": 4})
    assert pickle.loads(pickle.dumps(book)) == book  # noqa: S301
    written = json.loads(json.dumps(book.to_dict()))
    assert list(written) == ["name", "format", "entries", "problems"]
    assert [entry["block"] is None for entry in written["entries"]] == [False, True, False]
    assert written["problems"][0] == {
        "entry": "Lore:0000",
        "field": "order",
        "found": '"4"',
        "done": "read as 4",
        "action": "coerced",
    }


def test_records_do_not_change() -> None:
    book = world({"order": "4"})
    for record, field in ((book, "name"), (book.entries[0], "id"), (book.problems[0], "done")):
        with pytest.raises(AttributeError):
            setattr(record, field, "other")


def test_a_book_is_as_long_as_its_entries_and_knows_whose_a_problem_is() -> None:
    book = world({"order": "4"}, {"content": ""})
    assert isinstance(book, Lorebook)
    assert len(book) == len(list(book)) == 2
    assert [told(problem) for problem in book.problems_of("Lore:0001")] == [("content", '""', "left_out")]
    assert book.problems_of("") == ()


def test_errors_are_of_the_family() -> None:
    with pytest.raises(InterleafError) as refused:
        read_lorebook(b"{")
    copy = pickle.loads(pickle.dumps(refused.value))  # noqa: S301
    assert (copy.code, copy.path, str(copy)) == ("broken_json", "source", str(refused.value))
