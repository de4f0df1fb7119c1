"""What a terminal shows: rich tables and colours there, and nowhere else."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from interleaf.cli.tables import bar
from interleaf.cli.visible import columns, shortened, visible

if TYPE_CHECKING:
    from collections.abc import Mapping

pty = pytest.importorskip("pty", reason="there are no pseudo-terminals here")


def on_terminal(*arguments: str, env: Mapping[str, str] | None = None, size: tuple[int, int] = (40, 110)) -> str:
    """What the command writes to a terminal."""
    import fcntl
    import struct
    import termios

    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", *size, 0, 0))
    clean = {
        name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "COLUMNS", "LINES", "FORCE_COLOR")
    }
    process = subprocess.Popen(  # noqa: S603 - our own command
        [sys.executable, "-m", "interleaf", *arguments],
        stdin=subprocess.DEVNULL,
        stdout=theirs,
        stderr=subprocess.DEVNULL,
        env=clean | {"TERM": "xterm-256color"} | dict(env or {}),
    )
    os.close(theirs)
    written = b""
    try:
        while piece := os.read(ours, 65536):
            written += piece
    except OSError:
        pass  # Linux says so when the other side has gone
    os.close(ours)
    assert process.wait(60) == 0
    return written.decode()


def test_a_terminal_gets_colours() -> None:
    pytest.importorskip("rich", reason="the extra `cli` is not installed")
    assert "\x1b[" in on_terminal("demo")


@pytest.mark.parametrize("setting", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_never_a_colour_where_none_is_wanted(setting: dict[str, str]) -> None:
    pytest.importorskip("rich", reason="the extra `cli` is not installed")
    written = on_terminal("demo", env=setting)
    assert "world/grey-point" in written
    colours = {code for code in written.split("\x1b[")[1:] if code.split("m")[0] not in ("0", "1", "2", "1;2")}
    assert not colours


def test_a_pipe_gets_plain_text_and_no_escapes(run: Any) -> None:
    assert b"\x1b" not in run("demo", env={"FORCE_COLOR": "1"}).stdout


def test_without_rich_a_terminal_gets_plain_text(without_library: Any) -> None:
    written = on_terminal("demo", env=without_library("rich"))
    assert "\x1b" not in written
    assert "world/grey-point" in written


def test_rich_does_not_read_markup_in_content(tmp_path: Any, placing: dict[str, Any]) -> None:
    pytest.importorskip("rich", reason="the extra `cli` is not installed")
    placing["blocks"][0]["content"] = "[bold]x[/bold] [link=http://x]y[/link] :smile: [/]"
    request = tmp_path / "request.json"
    request.write_text(json.dumps(placing), encoding="utf-8")
    assert "[bold]x[/bold] [link=http://x]y[/link] :smile: [/]" in on_terminal("explain", str(request), size=(40, 200))


@pytest.mark.parametrize("width", [80, 110, 200])
@pytest.mark.parametrize("library", ["", "rich"])
def test_a_table_fits_the_terminal_and_keeps_its_numbers(without_library: Any, width: int, library: str) -> None:
    if not library:
        pytest.importorskip("rich", reason="the extra `cli` is not installed")
    environment = {"NO_COLOR": "1"} | (without_library(library) if library else {})
    lines = re.sub(r"\x1b\[[0-9;]*m", "", on_terminal("demo", env=environment, size=(40, width))).splitlines()
    at = next(index for index, line in enumerate(lines) if line.startswith("made by"))
    rows = lines[at : lines.index("characters by source")]
    assert all(columns(line) <= width for line in rows)
    assert [number for number in range(16) if not any(re.search(rf" {number}  ", line) for line in rows)] == []
    assert sum("  system  " in line for line in rows) == 9


def test_what_grep_looks_for_is_whole_in_a_pipe(run: Any, placing: dict[str, Any]) -> None:
    placing["blocks"][0]["id"] = "a long id " * 12 + "end"
    text = run("explain", "-", given=placing).stdout.decode()
    assert f"+ {placing['blocks'][0]['id']}  before_character" in text


def test_columns_count_what_a_terminal_shows() -> None:
    assert columns("abc") == 3
    assert columns("灯塔") == 4
    assert columns("e\u0301") == 1
    assert columns("가") == 2


def test_first_words_fit() -> None:
    assert shortened("short", 10) == "short"
    assert shortened("the lamp is lit at dusk", 14) == "the lamp is…"
    for width in (5, 8, 13, 40):
        for text in ("灯塔守护者" * 10, "word " * 20, "unbroken" * 9, "a灯" * 30):
            assert columns(shortened(text, width)) <= width


def test_text_is_on_one_line_and_harmless() -> None:
    assert visible("灯 plain\u00a0text") == "灯 plain\u00a0text"
    assert visible("a\tb\r\n\x07\x9b\u2028\ud800") == "a\\tb\\r\\n\\x07\\x9b\\u2028\\ud800"
    assert visible("\U000e0041\u200d") == "\\U000e0041\u200d"


def test_bars() -> None:
    assert bar(0, 10, 4) == "░░░░"
    assert bar(1, 1000, 4) == "█░░░"
    assert bar(5, 10, 4) == "██░░"
    assert bar(10, 10, 4) == "████"
    assert bar(11, 10, 4) == "███▓"
    assert bar(0, 0, 4) == "░░░░"
    assert bar(1, 0, 4) == "▓▓▓▓"
