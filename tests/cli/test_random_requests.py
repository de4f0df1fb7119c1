from __future__ import annotations

import copy
import io
import json
import sys
from typing import Any
from unittest.mock import patch

import hypothesis.strategies as st
from hypothesis import HealthCheck, given, settings

from interleaf.cli import main
from interleaf.cli.demo_request import place_request, plan_request

CODES = {"place": {0, 2}, "plan": {0, 2}, "explain": {0, 1, 2}, "capabilities": {0, 1, 2}}
PROFILE = settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))

SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers(-2, 12)
    | st.floats()
    | st.text(max_size=8)
    | st.text(st.characters(codec=None), max_size=4)
    | st.sampled_from(
        ["system", "user", "at_depth", "outlet", "{{outlet::tonight}}", "Infinity", "static", "codepoint"]
    )
)
NAMES = st.sampled_from(
    [
        "id",
        "position",
        "content",
        "role",
        "depth",
        "order",
        "messages",
        "blocks",
        "layout",
        "plan",
        "fragments",
        "value",
    ]
) | st.text(max_size=6)
VALUES = st.recursive(SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NAMES, inner, max_size=5))


def answer(command: str, data: bytes) -> tuple[int, str, str]:
    """The exit code and both outputs of a command that reads these bytes, run in this process."""
    stdin = io.TextIOWrapper(io.BytesIO(data), encoding="utf-8")
    stdout, stderr = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", errors="strict") for _ in range(2))
    with patch.object(sys, "stdin", stdin), patch.object(sys, "stdout", stdout), patch.object(sys, "stderr", stderr):
        code = main([command, "-"])
        stdout.flush()
        stderr.flush()
    return code, stdout.buffer.getvalue().decode(), stderr.buffer.getvalue().decode()


def check(command: str, data: bytes) -> None:
    code, out, err = answer(command, data)
    assert code in CODES[command]
    if code:
        assert err.startswith("error: ")
        assert err.endswith("\n")
        assert err.count("\n") == 1
    else:
        assert err == ""
    if command in ("place", "plan"):
        assert isinstance(json.loads(out), dict) if code == 0 else out == ""


def places(value: object, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    found = [path]
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        found.extend(places(inner, (*path, key)))
    return found


@st.composite
def mutated(draw: st.DrawFn, request: dict[str, Any]) -> Any:
    """A valid request in which one to three things were replaced, renamed or taken out."""
    request = copy.deepcopy(request)
    for _ in range(draw(st.integers(1, 3))):
        *way, last = draw(st.sampled_from([path for path in places(request) if path]))
        holder: Any = request
        for key in way:
            holder = holder[key]
        change = draw(st.sampled_from(["replace", "rename", "remove", "repeat"]))
        if change == "replace":
            holder[last] = draw(VALUES)
        elif change == "repeat" and isinstance(holder, list):
            holder.append(copy.deepcopy(holder[last]))
        elif change == "rename" and isinstance(holder, dict):
            holder[draw(NAMES)] = holder.pop(last)
        else:
            del holder[last]
        if not [path for path in places(request) if path]:
            break
    return request


@PROFILE
@given(st.sampled_from(sorted(CODES)), VALUES)
def test_any_json_is_answered(command: str, value: object) -> None:
    check(command, json.dumps(value).encode())


@PROFILE
@given(st.sampled_from(sorted(CODES)), st.binary(max_size=60))
def test_any_bytes_are_answered(command: str, data: bytes) -> None:
    check(command, data)


@PROFILE
@given(st.sampled_from(["place", "explain", "capabilities"]), mutated(place_request()))
def test_any_mutation_of_a_placement_is_answered(command: str, request: object) -> None:
    check(command, json.dumps(request).encode())


@PROFILE
@given(st.sampled_from(["plan", "explain"]), mutated(plan_request()))
def test_any_mutation_of_a_plan_is_answered(command: str, request: object) -> None:
    check(command, json.dumps(request).encode())


@PROFILE
@given(st.sampled_from(["place", "plan"]), st.data())
def test_any_cut_and_flip_of_the_bytes_is_answered(command: str, data: st.DataObject) -> None:
    valid = json.dumps(place_request() if command == "place" else plan_request()).encode()
    at = data.draw(st.integers(0, len(valid) - 1))
    flipped = valid[:at] + data.draw(st.binary(max_size=3)) + valid[at + data.draw(st.integers(0, 3)) :]
    check(command, flipped[: data.draw(st.integers(0, len(flipped)))] if data.draw(st.booleans()) else flipped)
