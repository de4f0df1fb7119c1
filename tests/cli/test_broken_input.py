from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pathlib import Path

BROKEN = {
    "nothing": (b"", b"error: empty_input at stdin: "),
    "spaces": (b" \n\t", b"error: empty_input at stdin: "),
    "only a byte order mark": (b"\xef\xbb\xbf", b"error: empty_input at stdin: "),
    "cut short": (b'{"messages": [', b"error: invalid_json at stdin:1:15: "),
    "a trailing comma": (b'{\n"messages": [],\n}', b"error: invalid_json at stdin:3:1: "),
    "two documents": (b"{} {}", b"error: invalid_json at stdin:1:4: "),
    "no JSON": (b"messages: []", b"error: invalid_json at stdin:1:1: "),
    "NaN": (b'{"messages": [NaN], "blocks": [], "layout": {}}', b"error: invalid_json at stdin: "),
    "too many digits": (b'{"messages": [' + b"9" * 5000 + b"]}", b"error: invalid_json at stdin: "),
    "a key twice": (b'{"messages": [], "messages": []}', b"error: duplicate_field at stdin: "),
    "not UTF-8": (b'{"messages": "\xff"}', b"error: invalid_encoding at stdin: "),
    "a surrogate in UTF-8": (b'{"messages": "\xed\xa0\x80"}', b"error: invalid_encoding at stdin: "),
    "half of UTF-16": (b"\xff\xfe{", b"error: invalid_encoding at stdin: "),
    "too deep for the limit": (b"[" * 300 + b"]" * 300, b"error: too_deep at stdin: "),
    "too deep for the parser": (b"[" * 1_000_000, b"error: too_deep at stdin: "),
    "an array": (b"[]", b"error: invalid_type at request: "),
    "a string": (b'"request"', b"error: invalid_type at request: "),
    "a number": (b"4", b"error: invalid_type at request: "),
    "null": (b"null", b"error: invalid_type at request: "),
}


@pytest.mark.parametrize("command", ["place", "plan", "explain", "capabilities"])
@pytest.mark.parametrize("name", BROKEN)
def test_what_is_no_request_is_told_in_one_line(run: Any, command: str, name: str) -> None:
    data, stderr = BROKEN[name]
    done = run(command, "-", given=data)
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.startswith(stderr)
    assert done.stderr.count(b"\n") == 1


def test_an_empty_object_lacks_the_first_thing_each_command_needs(run: Any) -> None:
    assert run("place", "-", given={}).stderr.startswith(b"error: missing_field at messages: ")
    assert run("plan", "-", given={}).stderr.startswith(b"error: missing_field at fragments: ")
    assert run("explain", "-", given={}).stderr.startswith(b"error: missing_field at request: ")
    assert run("capabilities", "-", given={}).returncode == 0


@pytest.mark.parametrize("field", ["messages", "blocks", "layout"])
@pytest.mark.parametrize("value", ["text", 3, None, True])
def test_each_part_of_a_placement_has_its_type(run: Any, placing: dict[str, Any], field: str, value: object) -> None:
    done = run("place", "-", given=placing | {field: value})
    code = "missing_field" if value is None else "invalid_type"
    assert done.returncode == 2
    assert done.stderr.startswith(f"error: {code} at {field}: found ".encode())


def test_blocks_are_no_object_and_layout_is_no_array(run: Any, placing: dict[str, Any]) -> None:
    done = run("place", "-", given=placing | {"blocks": {}})
    assert done.stderr == b"error: invalid_type at blocks: found an object; expected an array\n"
    done = run("place", "-", given=placing | {"layout": []})
    assert done.stderr == b"error: invalid_type at layout: found an array; expected an object\n"


@pytest.mark.parametrize(
    ("key", "nearest"),
    [("mesages", "messages"), ("layuot", "layout"), ("seperator", "separator"), ("unfiledOutlets", "unfilled_outlets")],
)
def test_an_unknown_key_names_its_nearest_neighbour(run: Any, placing: dict[str, Any], key: str, nearest: str) -> None:
    done = run("place", "-", given=placing | {key: []})
    assert done.returncode == 2
    assert done.stderr.startswith(f"error: unknown_field at {key}: ".encode())
    assert f'did you mean "{nearest}"?'.encode() in done.stderr


def test_a_key_of_a_plan_in_a_placement_is_sent_where_it_belongs(run: Any, placing: dict[str, Any]) -> None:
    done = run("place", "-", given=placing | {"max_input_chars": 100})
    assert b"it belongs into a plan" in done.stderr


def test_nothing_stands_beside_a_wrapped_plan(run: Any, plan: dict[str, Any]) -> None:
    done = run("plan", "-", given={"plan": plan, "max_input_chars": 10})
    assert done.stderr.startswith(b"error: unknown_field at max_input_chars: ")
    done = run("plan", "-", given={"plan": [plan]})
    assert done.stderr == b"error: invalid_type at plan: found an array; expected an object\n"


def test_a_key_in_both_spellings_is_refused(run: Any, placing: dict[str, Any]) -> None:
    done = run("place", "-", given=placing | {"tool_exchanges": "keep", "toolExchanges": "split"})
    assert done.stderr.startswith(b"error: duplicate_field at tool_exchanges: ")


def test_a_hostile_key_cannot_forge_a_line_or_reach_the_terminal(run: Any, placing: dict[str, Any]) -> None:
    done = run("place", "-", given=placing | {"x\nerror: done \x1b]0;title\x07\u202e\ud800": 1})
    assert done.returncode == 2
    assert done.stderr.count(b"\n") == 1
    assert b"\x1b" not in done.stderr
    assert "\u202e".encode() not in done.stderr
    broken = placing | {"blocks": [placing["blocks"][0] | {"id": "a\n\x1b[2J\u202e", "position": "nowhere"}]}
    done = run("place", "-", given=broken)
    assert done.stderr.count(b"\n") == 1
    assert b"\x1b" not in done.stderr


def test_what_cannot_be_read_is_named(run: Any, tmp_path: Path) -> None:
    missing = tmp_path / "missing.json"
    done = run("place", str(missing))
    assert done.returncode == 2
    assert done.stderr.startswith(f"error: unreadable_input at {missing}: ".encode())
    done = run("place", str(tmp_path))
    assert done.returncode == 2
    assert done.stderr.startswith(f"error: unreadable_input at {tmp_path}: ".encode())
    assert run("place", "").stderr.startswith(b"error: unreadable_input at ")


@pytest.mark.skipif(not os.path.exists("/dev/zero"), reason="the machine has no endless file")
def test_an_endless_input_ends(run: Any) -> None:
    done = run("place", "/dev/zero")
    assert done.returncode == 2
    assert done.stderr.startswith(b"error: input_too_large at /dev/zero: ")


@pytest.mark.parametrize(
    "arguments",
    [(), ("plaec",), ("place",), ("place", "a", "b"), ("report", "a"), ("explain", "-", "--max-chars", "many")],
)
def test_a_wrong_command_line_is_told_in_one_line(run: Any, arguments: tuple[str, ...]) -> None:
    done = run(*arguments)
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.startswith(b"error: usage at command line: ")
    assert done.stderr.count(b"\n") == 1


@pytest.mark.parametrize(
    "command", [(), ("demo",), ("place",), ("plan",), ("capabilities",), ("explain",), ("report",), ("lorebook",)]
)
def test_help_has_examples(run: Any, command: tuple[str, ...]) -> None:
    done = run(*command, "--help")
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"examples:\n  interleaf " in done.stdout


def test_the_version_is_that_of_the_package(run: Any) -> None:
    from interleaf import __version__

    assert run("--version").stdout == f"interleaf {__version__}\n".encode()


def test_deep_metadata_within_the_limit_comes_out_again(run: Any, placing: dict[str, Any]) -> None:
    deep: object = "bottom"
    for _ in range(250):
        deep = [deep]
    placing["blocks"][0]["metadata"] = deep
    done = run("place", "-", given=placing)
    assert done.returncode == 0
    assert json.loads(done.stdout)["placements"][0]["metadata"] == deep
