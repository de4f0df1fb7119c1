"""The examples of the page and of the docstrings do what they say."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest

import interleaf

PAGE = Path(__file__).parents[2] / "docs/security-of-content.md"


def run(text: str, name: str) -> doctest.TestResults:
    test = doctest.DocTestParser().get_doctest(text, {}, name, None, None)
    return doctest.DocTestRunner().run(test)


def test_the_page() -> None:
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    results = run("\n".join(blocks), PAGE.name)
    assert results.attempted >= 6
    assert results.failed == 0


@pytest.mark.parametrize("name", ["scan_content", "TrustPolicy"])
def test_docstrings(name: str) -> None:
    results = run(getattr(interleaf, name).__doc__, name)
    assert results.attempted > 0
    assert results.failed == 0


def test_the_page_has_a_row_for_every_kind() -> None:
    from typing import get_args

    from interleaf.types import FindingKind

    rows = re.findall(r"^\| `(\w+)` \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert rows == list(get_args(FindingKind))
