"""The table of odd values in docs/lorebooks.md, row by row: the page says what the code does."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from interleaf.lorebook import LorebookEntry, read_lorebook
from lorebook.books import PLAIN, without

PAGE = Path(__file__).resolve().parents[2] / "docs" / "lorebooks.md"
HEAD = "| field | found | read as | action |"


def rows() -> list[tuple[str, str, str, str]]:
    _before, _head, after = PAGE.read_text(encoding="utf-8").partition(HEAD)
    table = after.partition("\n\n")[0].strip().splitlines()[1:]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in table]
    return [(field.strip("`"), found, read, action) for field, found, read, action in cells]


def read_as(entry: LorebookEntry, field: str) -> Any:
    if field == "disable":
        return not entry.enabled
    if field in ("key", "keysecondary"):
        return list(entry.keys if field == "key" else entry.secondary_keys)
    if field in ("constant", "comment"):
        return getattr(entry, field)
    return None if entry.block is None else getattr(entry.block, "outlet_name" if field == "outletName" else field)


@pytest.mark.parametrize(("field", "found", "read", "action"), rows())
def test_a_row_of_the_table(field: str, found: str, read: str, action: str) -> None:
    raw: dict[str, Any] = {**PLAIN, **{"depth": {"position": 4}, "outletName": {"position": 7}}.get(field, {})}
    raw = without(raw, field) if found == "nothing" else {**raw, field: json.loads(found.strip("`"))}
    (entry,) = (book := read_lorebook({"entries": {"0": raw}})).entries
    if read == "–":
        assert entry.block is None
    else:
        assert entry.block is not None
        assert read_as(entry, field) == json.loads(read.strip("`"))
    assert [(problem.field, problem.action) for problem in book.problems] == ([(field, action)] if action else [])


def test_the_table_is_found() -> None:
    assert len(rows()) > 50
    assert {field for field, *_ in rows()} == {
        "order",
        "position",
        "depth",
        "role",
        "outletName",
        "content",
        "disable",
        "constant",
        "key",
        "keysecondary",
        "comment",
    }
