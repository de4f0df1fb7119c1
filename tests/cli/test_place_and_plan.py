from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

from interleaf import assemble_context_plan, place_context_blocks

CASES = Path(__file__).parents[1] / "data" / "conformance_cases.json"


def test_place_prints_what_the_function_returns(run: Any, placing: dict[str, Any]) -> None:
    done = run("place", "-", given=placing)
    expected = place_context_blocks(placing["messages"], placing["blocks"], placing["layout"]).to_dict()
    assert (done.returncode, done.stderr) == (0, b"")
    assert json.loads(done.stdout) == expected


def test_plan_prints_what_the_function_returns(run: Any, plan: dict[str, Any]) -> None:
    expected = assemble_context_plan(plan).to_dict()
    for request in (plan, {"plan": plan}):
        done = run("plan", "-", given=request)
        assert (done.returncode, done.stderr) == (0, b"")
        assert json.loads(done.stdout) == expected


def test_a_file_is_read_like_standard_input(run: Any, placing: dict[str, Any], tmp_path: Path) -> None:
    file = tmp_path / "请求 request.json"
    file.write_text(json.dumps(placing, ensure_ascii=False), encoding="utf-8")
    assert run("place", str(file)).stdout == run("place", "-", given=placing).stdout


@pytest.mark.parametrize("mark", [b"\xef\xbb\xbf", "utf-16"], ids=["UTF-8 with a mark", "UTF-16"])
def test_a_byte_order_mark_is_no_part_of_the_request(run: Any, placing: dict[str, Any], mark: bytes | str) -> None:
    text = json.dumps(placing, ensure_ascii=False)
    data = text.encode(mark) if isinstance(mark, str) else mark + text.encode()
    done = run("place", "-", given=data)
    assert done.returncode == 0
    assert done.stdout == run("place", "-", given=placing).stdout


def test_options_reach_the_function_in_either_spelling(run: Any, placing: dict[str, Any]) -> None:
    placing["blocks"] = [block for block in placing["blocks"] if block["position"] != "outlet"]
    for key in ("unfilled_outlets", "unfilledOutlets"):
        done = run("place", "-", given=placing | {key: "keep", "tool_exchanges": "split", "separator": " / "})
        result = json.loads(done.stdout)
        assert "{{outlet::tonight}}" in result["messages"][1]["content"]
        assert " / Answer as Mara" in result["messages"][7]["content"]
        assert not any(placement["moved"] for placement in result["placements"])


@pytest.mark.parametrize("no_limit", ["Infinity", '"Infinity"'], ids=["bare", "string"])
def test_infinity_is_no_limit(run: Any, plan: dict[str, Any], no_limit: str) -> None:
    plan["max_input_chars"] = 0
    for fragment in plan["fragments"] + plan["original_fragments"]:
        fragment["max_chars"] = 0
    text = json.dumps(plan).replace('_chars": 0', f'_chars": {no_limit}')
    done = run("plan", "-", given=text)
    result = json.loads(done.stdout)
    assert done.returncode == 0
    assert result["max_input_chars"] == math.inf
    assert [usage["max_chars"] for usage in result["fragment_usage"]] == [math.inf] * 5


def test_infinity_as_a_string_is_an_ordinary_value_elsewhere(run: Any, plan: dict[str, Any]) -> None:
    del plan["original_fragments"], plan["mutable_fragment_ids"]
    plan["fragments"] = [plan["fragments"][0] | {"value": "Infinity"}]
    assert json.loads(run("plan", "-", given=plan).stdout)["messages"][0]["content"] == "Infinity"


def test_infinity_in_camel_case(run: Any, plan: dict[str, Any]) -> None:
    fragment = {name: value for name, value in plan["fragments"][0].items() if name != "max_chars"}
    request = {"fragments": [fragment | {"maxChars": "Infinity"}], "maxInputChars": "Infinity"}
    assert run("plan", "-", given=request).returncode == 0


@pytest.mark.parametrize(
    ("change", "stderr"),
    [
        ({"blocks": [{"id": "lore", "position": "at_depth"}]}, b"error: missing_field at blocks[0].content: "),
        ({"layout": {"conversatoin": {}}}, b"error: unknown_field at layout.conversatoin: "),
        ({"separator": 3}, b"error: invalid_option at separator: "),
        ({"tool_exchanges": "part"}, b"error: invalid_option at tool_exchanges: "),
    ],
)
def test_a_refused_placement_is_one_line_and_exits_with_2(
    run: Any, placing: dict[str, Any], change: dict[str, Any], stderr: bytes
) -> None:
    done = run("place", "-", given=placing | change)
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.startswith(stderr)
    assert done.stderr.count(b"\n") == 1


@pytest.mark.parametrize(
    ("change", "stderr"),
    [
        ({"max_input_chars": 10}, b"error: input_over_budget at max_input_chars: "),
        ({"original_fragments": []}, b"error: unknown_mutable_id at mutable_fragment_ids[0]: "),
        ({"mutable_fragment_ids": []}, b"error: mutated at fragments: "),
        ({"unit": "words"}, b"error: invalid_unit at unit: "),
    ],
)
def test_a_refused_plan_is_one_line_and_exits_with_2(
    run: Any, plan: dict[str, Any], change: dict[str, Any], stderr: bytes
) -> None:
    done = run("plan", "-", given=plan | change)
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.startswith(stderr)
    assert done.stderr.count(b"\n") == 1


def test_a_refusal_for_machines(run: Any, plan: dict[str, Any]) -> None:
    done = run("plan", "-", "--json", given=plan | {"max_input_chars": 10})
    error = json.loads(done.stderr)["error"]
    assert done.returncode == 2
    assert (error["code"], error["path"], error["limit"]) == ("input_over_budget", "max_input_chars", 10)
    assert [usage["id"] for usage in error["usage"]] == ["policy", "persona", "summary", "tide", "hint"]
    done = run("plan", "-", "--json", given=plan | {"mutable_fragment_ids": []})
    violations = json.loads(done.stderr)["error"]["violations"]
    assert [(violation["kind"], violation["fragment_id"]) for violation in violations] == [("value_changed", "summary")]


def test_lone_surrogates_come_out_as_they_went_in(run: Any, placing: dict[str, Any]) -> None:
    placing["blocks"][0]["content"] = "half \ud83d of an emoji, 灯, \U0001f525"
    for environment in (
        {},
        {"LC_ALL": "C", "PYTHONUTF8": "0"},
        {"PYTHONIOENCODING": "ascii"},
        {"PYTHONIOENCODING": "latin-1"},
    ):
        done = run("place", "-", given=placing, env=environment)
        assert (done.returncode, done.stderr) == (0, b"")
        assert json.loads(done.stdout)["messages"][0]["content"] == placing["blocks"][0]["content"]


def test_roles_may_be_mapped_within_the_conversation(run: Any, placing: dict[str, Any]) -> None:
    for key in ("mid_conversation_roles", "midConversationRoles"):
        result = json.loads(run("place", "-", given=placing | {key: {"system": "user"}}).stdout)
        (fog,) = (placement for placement in result["placements"] if placement["id"] == "rule/fog")
        assert (fog["role"], fog["requested_role"]) == ("user", "system")
    done = run("place", "-", given=placing | {"mid_conversation_roles": {"system": "narrator"}})
    assert (done.returncode, done.stderr.count(b"\n")) == (2, 1)
    assert done.stderr.startswith(b"error: invalid_option at mid_conversation_roles")


def test_options_may_stand_together(run: Any, placing: dict[str, Any]) -> None:
    beside = run("place", "-", given=placing | {"separator": " / "})
    assert run("place", "-", given=placing | {"options": {"separator": " / "}}).stdout == beside.stdout
    done = run("place", "-", given=placing | {"options": {"seperator": " / "}})
    assert done.stderr.startswith(b"error: unknown_field at options.seperator: ")
    assert b'did you mean "separator"?' in done.stderr
    done = run("place", "-", given=placing | {"separator": "", "options": {"separator": " / "}})
    assert done.stderr.startswith(b"error: duplicate_field at separator: ")


@pytest.mark.skipif(not CASES.exists(), reason="the conformance cases are not in tests/data")
def test_every_case_of_the_contract_through_the_command_line(capsys: Any, tmp_path: Path) -> None:
    from interleaf.cli import main

    file = tmp_path / "request.json"
    command = {"place": "place", "assemble": "plan", "capabilities": "capabilities"}
    for case in json.loads(CASES.read_text(encoding="utf-8")):
        file.write_text(json.dumps(case["input"]), encoding="utf-8")
        code = main([command[case["call"]], str(file), "--json"])
        out, err = capsys.readouterr()
        if "error" in case:
            assert code == (1 if case["call"] == "capabilities" else 2), case["name"]
            found = json.loads(err)["error"]["code"]
            # JSON has no NaN, and the request itself is looked at before the library sees it.
            assert found == ("invalid_json" if "NaN" in file.read_text(encoding="utf-8") else case["error"]["code"]), (
                case
            )
        else:
            assert (code, err) == (0, ""), case["name"]
            result = json.loads(out)
            for field in ("messages", "unfilled_outlets", "input_chars", "positions", "outlets"):
                if field in case["expect"]:
                    assert result[field] == case["expect"][field], case["name"]
