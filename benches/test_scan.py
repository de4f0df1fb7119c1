"""How fast text is scanned.

The `mb_per_second` of a row is its characters times their width, over the best time. Run with `--benchmark-enable`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from interleaf import scan_content
from rounds import time_in_turn

if TYPE_CHECKING:
    from pytest_benchmark.fixture import BenchmarkFixture

MEGA = 1 << 20
# Text, bytes of a character, and findings.
TEXTS: dict[str, tuple[str, int, int]] = {
    "clean ASCII prose": ("The quick brown fox jumps over the lazy dog, and then it sleeps.\n", 1, 0),
    "ASCII JSON": ('{"id": 17, "tags": ["a", "b"], "point": {"x": 1.5, "y": [2, 3]}, "name": "Ada"}\n', 1, 0),
    "ASCII HTML": ('<div class="entry"><span>some text</span> and <b>bold</b> text in it</div>\n', 1, 0),
    "Chinese prose": ("你好，世界！今天天气很好，我们去公园散步吧。", 2, 0),
    "prose with emoji": ("What a day 😀 it was, and nobody saw it coming. ", 4, 0),
    "unclosed tokens": ("<|im_start", 1, 0),
    "unclosed markers": ("{{outlet::", 1, 0),
}


@pytest.mark.parametrize(("kind", "name"), [("clean ASCII", "clean ASCII prose"), ("HTML", "ASCII HTML")])
def test_scan_rows(benchmark: BenchmarkFixture, kind: str, name: str) -> None:
    piece, _, findings = TEXTS[name]
    text = piece * (1_000_000 // len(piece))
    assert len(scan_content(text)) == findings
    names = {"scan_content": scan_content, "text": text}
    time_in_turn(benchmark, f"scan 1 MB of {kind}", "scan_content(text)", {"encode": "len(text.encode())"}, names)


@pytest.mark.parametrize("name", TEXTS)
def test_scan_a_text(benchmark: BenchmarkFixture, name: str) -> None:
    piece, width, findings = TEXTS[name]
    text = piece * (8 * MEGA // len(piece))
    benchmark.group = "scan_content, 8 Mi characters"
    assert len(benchmark(scan_content, text)) == findings
    if benchmark.stats is not None:
        benchmark.extra_info["mb_per_second"] = round(len(text) * width / benchmark.stats.stats.min / 1e6)


def test_scan_a_chat(benchmark: BenchmarkFixture) -> None:
    messages: list[dict[str, Any]] = [{"role": "user", "content": "Hello there, how are you today? " * 15}] * 100
    benchmark.group = "scan_content, 100 messages of 480 characters"
    assert benchmark(scan_content, messages) == ()


def test_scan_small_parts(benchmark: BenchmarkFixture) -> None:
    content = [{"type": "text", "text": "Hello there, how are you today? " * 15}] * 10
    messages: list[dict[str, Any]] = [{"role": "user", "content": content}] * 10
    benchmark.group = "scan_content, 10 messages of 10 parts of 480 characters"
    assert benchmark(scan_content, messages) == ()
