"""Rows about measuring text: one fragment of 1 MB (of UTF-8) in a plan with a unit, beside Python's own encoders."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pytest

import interleaf
from interleaf import reference
from prose import chinese, english, with_emoji
from rounds import time_in_turn

if TYPE_CHECKING:
    from pytest_benchmark.fixture import BenchmarkFixture

MEGABYTE = 1_000_000
# The whole number of characters that comes nearest to 1 MB of UTF-8.
TEXTS = {
    "ASCII": english(MEGABYTE),
    "Chinese": chinese(MEGABYTE // 3),
    "Chinese with emoji": with_emoji(MEGABYTE // 3),
}
ENCODERS = {"utf16": 'len(text.encode("utf-16-le")) // 2', "utf8": "len(text.encode())"}


@pytest.mark.parametrize("kind", TEXTS)
@pytest.mark.parametrize("unit", ENCODERS)
def test_measuring(benchmark: BenchmarkFixture, unit: str, kind: str) -> None:
    text = TEXTS[kind]
    assert 0.99 < len(text.encode()) / MEGABYTE < 1.06
    fragment = interleaf.ContextFragment(
        id="text", source_id="shelf", trust="user", lifetime="turn", role="user", max_chars=math.inf, value=text
    )
    names = {"assemble": interleaf.assemble_fragments, "fragments": [fragment], "inf": math.inf, "text": text}
    native = f'assemble(fragments, inf, unit="{unit}")'
    expected = eval(ENCODERS[unit], names)  # noqa: S307 (the statements above)
    assert eval(native, names).input_chars == expected  # noqa: S307
    assert reference.assemble_fragments([fragment], math.inf, unit=unit).input_chars == expected
    time_in_turn(benchmark, f"{unit} of 1 MB of {kind}", native, {"encode": ENCODERS[unit]}, names)
