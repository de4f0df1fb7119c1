from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

COMMAND = [sys.executable, "-m", "interleaf"]
POSIX = pytest.mark.skipif(os.name != "posix", reason="needs a POSIX shell")


def in_shell(line: str, given: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    command = " ".join(f'"{word}"' for word in COMMAND)
    return subprocess.run(  # noqa: S602 - our own line
        line.replace("INTERLEAF", command), shell=True, input=given, capture_output=True, timeout=60, check=False
    )


@POSIX
@pytest.mark.parametrize(
    "line", ["INTERLEAF place - | head -c 100", "INTERLEAF explain - --json | head -c 100", "INTERLEAF demo | true"]
)
def test_a_reader_that_leaves_early_is_no_failure(placing: dict[str, Any], line: str) -> None:
    placing["blocks"][0]["content"] = "lamp " * 200_000
    assert in_shell(line, json.dumps(placing).encode()).stderr == b""


@POSIX
def test_a_reader_that_left_gives_exit_code_0() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    try:
        done = subprocess.run([*COMMAND, "demo"], stdout=writing, stderr=subprocess.PIPE, timeout=60, check=False)  # noqa: S603
    finally:
        os.close(writing)
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="the machine has no full device")
def test_a_full_disk_is_told() -> None:
    done = in_shell("INTERLEAF demo > /dev/full")
    assert done.returncode == 2
    assert done.stderr.startswith(b"error: unwritable_output at stdout: ")
    assert done.stderr.count(b"\n") == 1


@POSIX
def test_closed_streams_give_no_traceback() -> None:
    done = in_shell("INTERLEAF demo >&-")
    assert done.returncode == 2
    assert done.stderr == b"error: unwritable_output at stdout: it cannot be written: standard output is closed\n"
    done = in_shell("INTERLEAF place - <&-")
    assert done.returncode == 2
    assert done.stderr.startswith(b"error: unreadable_input at stdin: ")
    done = in_shell("INTERLEAF place missing.json 2>&-")
    assert (done.returncode, done.stdout) == (2, b"")


@POSIX
def test_ctrl_c_gives_no_traceback() -> None:
    with subprocess.Popen(  # noqa: S603
        [*COMMAND, "place", "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdin is not None
        assert process.stderr is not None
        # More than a pipe holds: when all of it is written, the command is reading. A signal may fall between two
        # reads, where Python sees it only after the next one, so it is sent again as an impatient user would.
        process.stdin.write(b" " * 300_000)
        process.stdin.flush()
        for _ in range(100):
            process.send_signal(signal.SIGINT)
            try:
                process.wait(0.3)
                break
            except subprocess.TimeoutExpired:
                continue
        assert process.returncode == 130
        assert process.stderr.read() == b""


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp1252", "gbk", "utf-16"])
def test_people_get_text_in_any_encoding(run: Any, encoding: str) -> None:
    done = run("demo", env={"PYTHONIOENCODING": encoding})
    assert (done.returncode, done.stderr) == (0, b"")
    assert "world/grey-point" in done.stdout.decode(encoding)


def test_hidden_and_terminal_characters_do_not_reach_the_terminal(run: Any, placing: dict[str, Any]) -> None:
    placing["blocks"][0]["content"] = "\x1b]0;owned\x07 \u202e reversed \x9b2J \ud800"
    placing["blocks"][0]["id"] = "id\x1b[31m"
    done = run("explain", "-", given=placing)
    text = done.stdout.decode()
    assert done.returncode == 0
    assert "\\x1b]0;owned\\x07 \\u202e reversed \\x9b2J \\ud800" in text
    assert not {character for character in text if ord(character) < 32 and character != "\n"}
    assert "\u202e" not in text


def test_a_page_goes_to_standard_output_in_any_encoding(run: Any, placing: dict[str, Any]) -> None:
    page = run("report", "-", "-o", "-", given=placing).stdout.decode()
    ascii_page = run("report", "-", "-o", "-", given=placing, env={"PYTHONIOENCODING": "ascii"}).stdout.decode("ascii")
    assert "西边有雾" in page
    assert "&#35199;" in ascii_page


def test_the_module_and_the_installed_command_are_one(run: Any) -> None:
    script = Path(sys.executable).with_name("interleaf.exe" if os.name == "nt" else "interleaf")
    if not script.exists():
        pytest.skip("the package was not installed with its script")
    done = subprocess.run([script, "demo"], capture_output=True, timeout=60, check=False)  # noqa: S603
    assert done.stdout == run("demo").stdout
