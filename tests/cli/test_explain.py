from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path


def lines_of(done: Any) -> list[str]:
    return [line for line in done.stdout.decode().splitlines() if line]


def test_each_message_has_its_index_role_and_maker(run: Any, placing: dict[str, Any]) -> None:
    done = run("explain", "-", given=placing)
    lines = lines_of(done)
    assert done.returncode == 0
    assert any(line.split()[:4] == ["+", "world/lamp", "after_character", "2"] for line in lines)
    assert any(line.split()[:5] == ["chat", "1,", "examples", "4", "user"] for line in lines)
    assert any(line.split()[:6] == ["chat", "8,", "depth", "1", "13", "user"] for line in lines)
    assert any("memory/tide  depth 3 (moved from gap 6)" in line for line in lines)


def test_embedded_text_is_marked_in_its_host_and_named_below(run: Any, placing: dict[str, Any]) -> None:
    placing["messages"][3]["content"] = "Be brief."
    lines = lines_of(run("explain", "-", given=placing))
    at = next(index for index, line in enumerate(lines) if "author's note" in line)
    assert "[[Mara is tired and a…]]\\nBe brief.\\n[[Two sentences at…]]" in lines[at]
    assert lines[at + 1].split()[:3] == ["~", "note/mood", "author_note_top"]
    assert "[[Two sentences at most. 最多两句话。]]" in lines[at + 2]


def test_unfilled_outlets_and_empty_regions_are_shown(run: Any) -> None:
    request = {
        "messages": [{"role": "system", "content": "{{outlet::a}}{{outlet::b}}"}],
        "blocks": [{"id": "x", "position": "after_examples", "role": "user", "content": "one"}],
        "layout": {
            "outlets": {"a": 0, "b": 0},
            "examples": [1, 1],
            "conversation": {"message_indices": [], "empty_index": 1},
        },
    }
    text = run("explain", "-", given=request).stdout.decode()
    assert "outlets that no block fills: a, b" in text
    assert "-- examples (empty)" in text
    assert "-- conversation (empty)" in text


def test_shares_add_up(run: Any, placing: dict[str, Any]) -> None:
    explained = json.loads(run("explain", "-", "--json", given=placing).stdout)
    assert explained["total"] == sum(source["size"] for source in explained["sources"])
    assert explained["total"] == sum(message["size"] for message in explained["messages"])
    assert [entry["id"] for entry in explained["entries"]] == [
        placement["id"] for placement in explained["result"]["placements"]
    ]
    assert explained["messages"][0]["made_by"] == 0
    assert explained["messages"][1]["origin"] == 0


def test_a_budget_for_a_placement(run: Any, placing: dict[str, Any]) -> None:
    total = json.loads(run("explain", "-", "--json", given=placing).stdout)["total"]
    within = run("explain", "-", "--max-chars", str(total), given=placing)
    assert (within.returncode, within.stderr) == (0, b"")
    over = run("explain", "-", "--max-chars", str(total - 1), given=placing)
    assert over.returncode == 1
    assert over.stderr.startswith(
        b"error: input_over_budget at --max-chars: found 688 characters, expected at most 687"
    )
    assert "OVER by 1" in over.stdout.decode()
    assert "world/lamp" in over.stdout.decode()


def test_the_budgets_of_a_plan_are_bars(run: Any, plan: dict[str, Any]) -> None:
    lines = lines_of(run("explain", "-", given=plan))
    row = next(line for line in lines if line.startswith("hint ") and "60" in line)
    assert row.split()[4:6] == ["30", "60"]
    assert row.count("█") == 10
    assert row.count("░") == 10


def test_a_plan_over_budget_shows_who_is_over_and_exits_with_1(run: Any, plan: dict[str, Any]) -> None:
    plan["fragments"][0]["max_chars"] = plan["original_fragments"][0]["max_chars"] = 10
    done = run("explain", "-", given=plan)
    assert done.returncode == 1
    assert done.stderr.startswith(b"error: fragment_over_budget at fragments[0].max_chars: ")
    row = next(line for line in lines_of(done) if line.startswith("policy"))
    assert "OVER by 36" in row
    plan["fragments"][0]["max_chars"] = plan["original_fragments"][0]["max_chars"] = "Infinity"
    done = run("explain", "-", given=plan | {"max_input_chars": 200})
    assert done.returncode == 1
    assert next(line for line in lines_of(done) if line.startswith("total")).endswith("OVER by 23")
    assert "no limit" in done.stdout.decode()


def test_a_changed_plan_shows_every_difference_and_exits_with_1(run: Any, plan: dict[str, Any]) -> None:
    plan["fragments"][0]["value"] = "Obey."
    plan["fragments"][4]["role"] = "user"
    done = run("explain", "-", given=plan)
    assert done.returncode == 1
    assert done.stderr.startswith(b"error: mutated at fragments: ")
    rows = [line.split() for line in lines_of(done)]
    assert ["value_changed", "policy"] in [row[:2] for row in rows]
    assert ["field_changed", "hint", "role"] in rows


def test_a_refusal_exits_with_1(run: Any, placing: dict[str, Any]) -> None:
    placing["blocks"][3]["position"] = "at_dept"
    done = run("explain", "-", given=placing)
    assert (done.returncode, done.stdout) == (1, b"")
    assert done.stderr.startswith(b'error: invalid_position at blocks[3].position: block "style/after"')


def test_capabilities_of_a_layout_or_of_a_request(run: Any, placing: dict[str, Any]) -> None:
    layout = {"character": [0, 1], "outlets": {"tonight": 0, "weather": 3}}
    for request in (layout, {"layout": layout}, placing | {"layout": layout}):
        done = run("capabilities", "-", given=request)
        rows = {line.split()[0]: line.split()[1] for line in lines_of(done)[2:10]}
        assert done.returncode == 0
        assert [position for position, has in rows.items() if has == "yes"] == [
            "before_character",
            "after_character",
            "outlet",
        ]
        assert b"tonight, weather" in done.stdout
        answer = json.loads(run("capabilities", "-", "--json", given=request).stdout)
        assert answer == {
            "positions": ["before_character", "after_character", "outlet"],
            "outlets": ["tonight", "weather"],
        }


def test_capabilities_of_a_wrong_layout_exit_with_1(run: Any) -> None:
    done = run("capabilities", "-", given={"charakter": [0, 1]})
    assert (done.returncode, done.stdout) == (1, b"")
    assert done.stderr.startswith(b"error: unknown_field at layout.charakter: ")


def test_a_report_is_written_and_told(run: Any, placing: dict[str, Any], tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    done = run("report", "-", "-o", str(page), "--title", "Turn 8 <b>", given=placing)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.startswith(f"wrote {page}: 16 messages, ".encode())
    assert "<title>Turn 8 &lt;b&gt;</title>" in page.read_text(encoding="utf-8")
    told = json.loads(run("report", "-", "-o", str(page), "--json", given=placing).stdout)
    assert told == {"page": str(page), "bytes": page.stat().st_size, "messages": 16}


def test_a_report_over_budget_is_written_and_exits_with_1(run: Any, placing: dict[str, Any], tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    done = run("report", "-", "-o", str(page), "--max-chars", "100", given=placing)
    assert done.returncode == 1
    assert done.stderr.startswith(b"error: input_over_budget at --max-chars: ")
    assert "Over budget" in page.read_text(encoding="utf-8")


def test_a_report_compares_with_the_turn_before(run: Any, placing: dict[str, Any], tmp_path: Path) -> None:
    before, page = tmp_path / "before.json", tmp_path / "page.html"
    before.write_text(json.dumps(placing | {"blocks": placing["blocks"][:-4]}), encoding="utf-8")
    assert run("report", "-", "-o", str(page), "--previous", str(before), given=placing).returncode == 0
    assert "The cache is lost in" in page.read_text(encoding="utf-8")


def test_a_report_that_cannot_be_written_is_told(run: Any, placing: dict[str, Any], tmp_path: Path) -> None:
    page = tmp_path / "missing" / "page.html"
    done = run("report", "-", "-o", str(page), given=placing)
    assert done.returncode == 2
    assert done.stderr.startswith(f"error: unwritable_output at {page}: ".encode())
    done = run("report", "-", "-o", str(page), "--previous", "-", given=placing)
    assert done.stderr.startswith(b"error: usage at command line: found - twice")
