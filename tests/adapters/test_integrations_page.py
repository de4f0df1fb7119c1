"""The page about integrations: every test and file that it names is there."""

from __future__ import annotations

import re
from pathlib import Path

from interleaf import adapters

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "integrations.md").read_text(encoding="utf-8")


def test_every_test_in_the_table_of_what_is_supported_is_in_the_file_named_before_it() -> None:
    file = ""
    found = []
    for link, name in re.findall(r"\]\((\.\./tests/adapters/test_\w+\.py)\)|`(test_\w+)`", PAGE):
        file = link or file
        if name:
            source = (ROOT / "docs" / file).resolve().read_text(encoding="utf-8")
            assert f"def {name}(" in source, f"{name} is not in {file}"
            found.append(name)
    assert len(found) > 25


def test_every_linked_file_is_there_and_every_example_is_linked() -> None:
    links = set(re.findall(r"\]\(\.\./([\w/.]+)\)", PAGE))
    assert [link for link in sorted(links) if not (ROOT / link).is_file()] == []
    assert {f"examples/{path.name}" for path in (ROOT / "examples").glob("*.py")} <= links


def test_every_public_name_that_the_page_uses_is_exported() -> None:
    names = set(re.findall(r"\b([A-Z]\w+Adapter)\b|interleaf\.adapters\.(\w+)", PAGE))
    assert {one or other for one, other in names} <= set(adapters.__all__)


def test_examples_are_short_and_say_first_what_they_do() -> None:
    for path in (ROOT / "examples").glob("*.py"):
        lines = path.read_text(encoding="utf-8").splitlines()
        assert len(lines) < 60, path.name
        assert lines[0].startswith('"""'), path.name
