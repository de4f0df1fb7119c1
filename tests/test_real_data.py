"""Real chats and a real lorebook, where they are at hand: they are not part of the project."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from implementations import NATIVE, REFERENCE
from interleaf import place_context_blocks

DATA = Path(__file__).parents[2] / "shared" / "data"


def _read(*names: str) -> Any:
    path = DATA.joinpath(*names)
    if not path.exists():
        pytest.skip(f"real data is not here: ../shared/data/{'/'.join(names)}")
    return json.loads(path.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def runs() -> list[list[dict[str, Any]]]:
    """The messages of agent runs with tools."""
    return [run["traj"] for run in _read("chats", "taubench_gpt4o_airline_subset.json")]


def _calls(messages: list[Any]) -> list[list[str]]:
    return [[call["id"] for call in message.get("tool_calls") or ()] for message in messages]


def test_no_tool_call_of_a_real_run_is_parted_from_its_result(runs: list[list[dict[str, Any]]]) -> None:
    assert len(runs) == 110
    moved = placed = 0
    for messages in runs:
        layout = {"character": (0, 1), "conversation": {"message_indices": range(1, len(messages))}}
        exchanges = [
            (before, after)
            for before, after in pairwise(messages)
            if before.get("tool_calls") and after["role"] == "tool"
        ]
        # Eight blocks at a time, until every depth has had one.
        for first in range(0, len(messages) + 1, 8):
            blocks = [
                {"id": f"{depth}", "position": "at_depth", "depth": depth, "content": "note", "role": "system"}
                for depth in range(first, first + 8)
            ]
            result = place_context_blocks(messages, blocks, layout)
            assert len(result.placements) == len(blocks) == len(result.messages) - len(messages)
            placed += len(blocks)
            moved += sum(placement.moved for placement in result.placements)
            at = {id(message): index for index, message in enumerate(result.messages)}
            assert all(id(message) in at for message in messages)
            for call, answer in exchanges:
                assert at[id(answer)] == at[id(call)] + 1
            for message, following in pairwise(result.messages):
                if following["role"] == "tool":
                    assert message["role"] in ("assistant", "tool")
                    assert message.get("tool_calls") or message["role"] == "tool"
    assert placed > 2000
    assert moved > 500


def test_both_implementations_agree_on_real_runs(runs: list[list[dict[str, Any]]]) -> None:
    for messages in runs[::5]:
        layout = {"character": (0, 1), "conversation": {"message_indices": range(1, len(messages))}}
        blocks = [
            {"id": f"{depth}", "position": "at_depth", "depth": depth, "content": "note", "role": "system"}
            for depth in range(len(messages) + 1)
        ]
        for exchanges in ("keep", "split"):
            native, reference = (
                each.place_context_blocks(messages, blocks, layout, tool_exchanges=exchanges)
                for each in (NATIVE, REFERENCE)
            )
            assert native.to_dict() == reference.to_dict()


def test_splitting_would_part_calls_in_real_runs(runs: list[list[dict[str, Any]]]) -> None:
    """So the test above could fail."""
    messages = max(runs, key=len)
    layout = {"conversation": {"message_indices": range(len(messages))}}
    blocks = [
        {"id": f"{depth}", "position": "at_depth", "depth": depth, "content": "note", "role": "system"}
        for depth in range(len(messages))
    ]
    result = place_context_blocks(messages, blocks, layout, tool_exchanges="split")
    assert any(
        message["content"] == "note" and following["role"] == "tool" for message, following in pairwise(result.messages)
    )


def test_a_chinese_lorebook_at_its_depths() -> None:
    book = _read("lorebooks", "pisk4_tarot_v1.3.0.json")
    entries = list(book["entries"].values())
    assert len(entries) == 9
    roles = ("system", "user", "assistant")
    blocks = [
        {
            "id": f"{entry['uid']:02}",
            "position": "at_depth",
            "depth": entry["depth"],
            "order": entry["order"],
            "role": roles[entry["role"] or 0],
            "content": entry["content"],
            "metadata": entry,
        }
        for entry in entries
    ]
    messages = [
        {"role": "system", "content": "你是一位塔罗占卜师。"},
        {"role": "assistant", "content": "请坐。你想问什么?"},
        {"role": "user", "content": "我该换工作吗?"},
        {"role": "assistant", "content": "请抽三张牌。"},
        {"role": "user", "content": "愚者、高塔、星星。"},
    ]
    layout = {"character": (0, 1), "conversation": {"message_indices": range(1, 5)}}
    result = place_context_blocks(messages, blocks, layout)
    assert result.messages[0] is messages[0]
    # Around each conversation message stands what belongs to its depth, and all of it.
    by_depth = {depth: sorted((b["order"], b["id"]) for b in blocks if b["depth"] == depth) for depth in (4, 2, 1, 0)}
    assert sum(map(len, by_depth.values())) == 9
    contents = {block["id"]: block["content"] for block in blocks}
    expected: list[str] = [str(messages[0]["content"])]
    for index in range(1, 5):
        expected += [contents[identifier] for _, identifier in by_depth.get(5 - index, [])]
        expected.append(str(messages[index]["content"]))
    expected += [contents[identifier] for _, identifier in by_depth[0]]
    assert [message["content"] for message in result.messages] == expected
    for placement in result.placements:
        assert placement.metadata is entries[placement.block_index]
        assert result.messages[placement.message_index]["role"] == placement.role
    assert {placement.role for placement in result.placements} == {"system", "user"}
