from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

BOOK = {
    "name": "Grey Point",
    "entries": {
        "0": {
            "uid": 0,
            "key": ["ferry", "渡船"],
            "comment": "Ferry",
            "content": "The ferry runs at noon.",
            "position": 1,
            "order": 10,
        },
        "1": {"uid": 1, "key": ["bell"], "content": "The bell warns of fog.", "position": 4, "depth": "2", "role": 0},
        "2": {"uid": 2, "key": ["inn"], "content": "The inn is closed.", "position": 0, "disable": True},
        "3": {"uid": 3, "key": ["map"], "content": "An old map.", "position": 99},
        "4": {"uid": 4, "key": ["song"], "content": "A song.", "position": 7, "outletName": "song"},
    },
}
REAL = Path(__file__).resolve().parents[3] / "shared" / "data" / "lorebooks"


@pytest.fixture
def book(tmp_path: Path) -> Path:
    file = tmp_path / "harbour.json"
    file.write_text(json.dumps(BOOK), encoding="utf-8")
    return file


def test_a_book_is_a_table_of_entries_and_one_of_problems(run: Any, book: Path) -> None:
    done = run("lorebook", str(book))
    text = done.stdout.decode()
    assert (done.returncode, done.stderr) == (0, b"")
    assert text.startswith("Grey Point (sillytavern)\n5 entries: ")
    rows = {line.split()[-1]: line for line in text.splitlines() if line}
    assert "Grey Point:0000" in text
    assert "after_character" in rows["noon."]
    assert "depth 2" in rows["fog."]
    assert "disabled" in rows["closed."]
    assert "problems: " in text


def test_a_lost_entry_is_found(run: Any, book: Path) -> None:
    text = run("lorebook", str(book), "--find", "FERRY").stdout.decode()
    assert "1 of 5 entries have 'FERRY'" in text
    assert "The ferry runs at noon." in text
    assert "bell" not in text
    assert "1 of 5 entries have '渡船'" in run("lorebook", str(book), "--find", "渡船").stdout.decode()


def test_a_layout_says_which_entries_have_no_place(
    run: Any, book: Path, placing: dict[str, Any], tmp_path: Path
) -> None:
    request = tmp_path / "request.json"
    request.write_text(json.dumps(placing), encoding="utf-8")
    done = run("lorebook", str(book), "--layout", str(request))
    assert done.returncode == 1
    assert 'outlets["song"]' in done.stdout.decode()
    placing["layout"]["outlets"]["song"] = 0
    request.write_text(json.dumps(placing), encoding="utf-8")
    assert run("lorebook", str(book), "--layout", str(request)).returncode == 0


def test_machines_get_all_of_it_or_the_blocks(run: Any, book: Path) -> None:
    answer = json.loads(run("lorebook", str(book), "--json").stdout)
    assert [entry["uid"] for entry in answer["entries"]] == [0, 1, 2, 3, 4]
    left_out = [problem["entry"] for problem in answer["problems"] if problem["action"] == "left_out"]
    blocks = json.loads(run("lorebook", str(book), "--blocks").stdout)
    assert {block["id"] for block in blocks}.isdisjoint(left_out)
    assert (
        run("lorebook", "-", "--blocks", given=book.read_bytes()).stdout
        == run("lorebook", str(book), "--blocks").stdout
    )


def test_a_book_is_placed_into_a_chat_and_explained(run: Any, book: Path, placing: dict[str, Any]) -> None:
    done = run("explain", "-", "--lorebook", str(book), given=placing)
    assert done.returncode == 1
    assert done.stderr.startswith(b"error: missing_anchor at blocks[")
    assert b"Grey Point:0004" in done.stderr
    done = run("explain", "-", "--lorebook", str(book), "--drop-unanchored", given=placing)
    lines = done.stdout.decode().splitlines()
    assert done.returncode == 0
    assert any(line.startswith("+ Grey Point:0001  depth 2") for line in lines)
    (dropped,) = (line for line in lines if line.startswith("Grey Point:0004"))
    assert 'dropped: the layout has no outlets["song"]' in dropped
    (disabled,) = (line for line in lines if line.startswith("Grey Point:0002"))
    assert "disabled in the book" in disabled


def test_every_entry_is_placed_or_told(run: Any, book: Path, placing: dict[str, Any]) -> None:
    answer = json.loads(
        run("explain", "-", "--lorebook", str(book), "--drop-unanchored", "--json", given=placing).stdout
    )
    placed = {entry["id"] for entry in answer["entries"]}
    told = {entry["id"] for entry in answer["not_placed"]}
    everything = {f"Grey Point:000{number}" for number in range(5)} | {block["id"] for block in placing["blocks"]}
    assert placed | told == everything
    assert not placed & told


def test_the_page_lists_what_was_not_placed(run: Any, book: Path, placing: dict[str, Any], tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    arguments = ("--lorebook", str(book), "--drop-unanchored", "-o", str(page))
    assert run("report", "-", *arguments, given=placing).returncode == 0
    text = page.read_text(encoding="utf-8")
    assert "Not placed" in text
    assert "<bdi>Grey Point:0002</bdi></code><small>disabled in the book</small>" in text


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{",
        b"[]",
        b"\xff\xfe\x00",
        b'{"entries": 3}',
        b"\x89PNG\r\n\x1a\n",
        b"[" * 100_000,
        b"null",
        b"PK\x03\x04",
    ],
)
def test_what_is_no_book_is_told_in_one_line(run: Any, data: bytes) -> None:
    done = run("lorebook", "-", given=data)
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.startswith(b"error: ")
    assert done.stderr.count(b"\n") == 1


def test_a_book_that_is_not_there(run: Any, tmp_path: Path, plan: dict[str, Any], book: Path) -> None:
    for missing in (tmp_path / "missing.json", tmp_path):
        done = run("lorebook", str(missing))
        assert done.returncode == 2
        assert done.stderr.startswith(f"error: unreadable_input at {missing}: ".encode())
    done = run("explain", "-", "--lorebook", str(book), given=plan)
    assert done.stderr.startswith(b"error: usage at command line: found a plan and a lorebook")
    done = run("explain", "-", "--drop-unanchored", given=plan)
    assert done.returncode == 2


@pytest.mark.skipif(not REAL.exists(), reason="the real lorebooks are not beside this repository")
def test_real_books_are_shown_explained_and_drawn(run: Any, placing: dict[str, Any], tmp_path: Path) -> None:
    files = sorted(REAL.glob("*.json"))
    assert files
    for file in files:
        done = run("lorebook", str(file))
        assert (done.returncode, done.stderr) == (0, b""), file.name
        page = tmp_path / f"{file.stem}.html"
        arguments = ("--lorebook", str(file), "--drop-unanchored")
        explained = run("explain", "-", *arguments, "--json", given=placing)
        assert explained.returncode == 0, (file.name, explained.stderr)
        assert run("report", "-", *arguments, "-o", str(page), given=placing).returncode == 0
        text = page.read_text(encoding="utf-8")
        entries = json.loads(run("lorebook", str(file), "--json").stdout)["entries"]
        assert entries, file.name
        missing = [entry["id"] for entry in entries if (entry["block"] or entry)["id"] not in text]
        assert missing == [], file.name
