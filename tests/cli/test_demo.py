from __future__ import annotations

import json
from typing import Any, get_args

from interleaf import assemble_context_plan, place_context_blocks
from interleaf.types import Position


def test_the_demo_needs_nothing_but_python(run: Any, without_library: Any) -> None:
    environment = without_library("rich")
    done = run("demo", env=environment)
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"\x1b" not in done.stdout
    assert done.stdout == run("demo").stdout


def test_the_demo_shows_every_final_message_and_who_made_it(
    run: Any, placing: dict[str, Any], plan: dict[str, Any]
) -> None:
    text = run("demo").stdout.decode()
    for block in placing["blocks"]:
        (line,) = (
            line for line in text.splitlines() if line.lstrip().startswith((f"+ {block['id']} ", f"~ {block['id']} "))
        )
        assert block["content"][:20] in line
    for fragment in plan["fragments"]:
        assert f"+ {fragment['id']} " in text
    rows = [line for line in text.splitlines() if line.startswith("  chat ")]
    assert len(rows) == len(placing["messages"]) + len(plan["additional_messages"])


def test_the_lorebook_of_the_demo_has_all_there_is(placing: dict[str, Any]) -> None:
    assert {block["position"] for block in placing["blocks"]} == set(get_args(Position))
    text = "".join(block["content"] for block in placing["blocks"])
    assert any("\u4e00" <= character <= "\u9fff" for character in text)
    assert any(character.isascii() and character.isalpha() for character in text)
    result = place_context_blocks(placing["messages"], placing["blocks"], placing["layout"])
    assert any(placement.moved for placement in result.placements), "a tool exchange keeps a block out"


def test_the_demo_gives_its_requests_and_results(run: Any, placing: dict[str, Any], plan: dict[str, Any]) -> None:
    assert json.loads(run("demo", "--request", "place").stdout) == placing
    assert json.loads(run("demo", "--request", "plan").stdout) == plan
    results = json.loads(run("demo", "--json").stdout)
    placed = place_context_blocks(placing["messages"], placing["blocks"], placing["layout"])
    assert results == {"place": placed.to_dict(), "plan": assemble_context_plan(plan).to_dict()}
