"""Sizes far past what is meant to be sent: right answers, and room for nothing but the result."""

from __future__ import annotations

from typing import Any

import pytest

import interleaf
from hostile.effort import effort

BLOCKS = effort(20_000, 1_000_000)
CHARACTERS = effort(1_000_000, 100_000_000)


def test_many_blocks_at_one_depth() -> None:
    blocks = [
        {
            "id": f"b{index * 7919 % BLOCKS}",
            "position": "at_depth",
            "depth": 1,
            "content": "x",
            "role": "system",
            "order": index % 3,
        }
        for index in range(BLOCKS)
    ]
    result = interleaf.place_context_blocks(
        [{"role": "user", "content": "hi"}], blocks, {"conversation": {"message_indices": [0]}}
    )
    assert len(result.messages) == BLOCKS + 1
    assert [placed.id for placed in result.placements] == [
        block["id"] for block in sorted(blocks, key=lambda block: (block["order"], block["id"]))
    ]


def test_the_last_of_many_blocks_is_a_duplicate() -> None:
    blocks = [
        {"id": f"{index}", "position": "before_character", "content": "", "role": "user"} for index in range(BLOCKS)
    ]
    blocks.append(dict(blocks[0]))
    with pytest.raises(interleaf.BlockError) as refused:
        interleaf.place_context_blocks([], blocks, {"character": (0, 0)})
    assert (refused.value.code, refused.value.path) == ("duplicate_id", f"blocks[{BLOCKS}].id")


def test_many_messages_and_a_block_in_the_middle() -> None:
    messages = [{"role": "user", "content": "m"}] * BLOCKS
    block = {"id": "b", "position": "at_depth", "depth": BLOCKS // 2, "content": "x", "role": "system"}
    result = interleaf.place_context_blocks(messages, [block], {"conversation": {"message_indices": range(BLOCKS)}})
    assert len(result.messages) == BLOCKS + 1
    assert result.messages[BLOCKS - BLOCKS // 2] == {"role": "system", "content": "x"}


def test_a_long_exchange_of_tools() -> None:
    """Every gap inside parts a call from its result: all blocks go before all of it."""
    messages: list[dict[str, Any]] = [{"role": "tool", "content": ""}] * (BLOCKS // 10)
    blocks = [
        {"id": f"{index:07}", "position": "at_depth", "depth": index, "content": "", "role": "user"}
        for index in range(1, BLOCKS // 10)
    ]
    result = interleaf.place_context_blocks(
        messages, blocks, {"conversation": {"message_indices": range(len(messages))}}
    )
    assert {placed.gap for placed in result.placements} == {0}
    assert [placed.depth for placed in result.placements] == list(range(BLOCKS // 10 - 1, 0, -1))


@pytest.mark.parametrize("character", ["a", "é", "龙", "\U0001f409"])
def test_long_content(character: str) -> None:
    content = character * CHARACTERS
    host = {"role": "system", "content": f"{{{{outlet::lore}}}}{content}"}
    blocks = [{"id": "b", "position": "outlet", "outlet_name": "lore", "content": content}]
    result = interleaf.place_context_blocks([host], blocks, {"outlets": {"lore": 0}})
    text = result.messages[0]["content"]
    assert len(text) == 2 * CHARACTERS
    assert text[CHARACTERS - 1 : CHARACTERS + 1] == character * 2
    assert result.placements[0].span == (0, CHARACTERS)
    fragment = interleaf.ContextFragment(
        id="f", source_id="s", trust="user", lifetime="turn", role="user", max_chars=10**10, value=content
    )
    built = interleaf.assemble_fragments([fragment], 10**10, unit="utf8")
    assert built.input_chars == CHARACTERS * len(character.encode())
    assert built.messages[0]["content"] is content


@pytest.mark.parametrize(
    "piece", ["{{outlet::", "{{", "}}", "{", "{{outlet::a}} ", "{{outlet::lore}", "龙{{outlet::lor"]
)
def test_text_that_is_nearly_all_markers(piece: str) -> None:
    """A search that began again at each opening would take a quarter of an hour on the short form."""
    content = piece * (CHARACTERS // len(piece))
    result = interleaf.place_context_blocks(
        [{"role": "system", "content": content + "{{outlet::lore}}" + content}],
        [{"id": "b", "position": "outlet", "outlet_name": "lore", "content": "!"}],
        {"outlets": {"lore": 0}},
    )
    assert result.messages[0]["content"] == f"{content}!{content}"


def test_many_outlets_in_one_host() -> None:
    names = [f"o{index}" for index in range(BLOCKS // 10)]
    host = {"role": "system", "content": "".join(f"{{{{outlet::{name}}}}}" for name in names)}
    blocks = [
        {"id": name, "position": "outlet", "outlet_name": name, "content": f"<{name}>"} for name in reversed(names)
    ]
    result = interleaf.place_context_blocks([host], blocks, {"outlets": dict.fromkeys(names, 0)})
    assert result.messages[0]["content"] == "".join(f"<{name}>" for name in names)


def test_values_nested_as_deep_as_the_interpreter_allows() -> None:
    depth = effort(5_000, 100_000)
    value: Any = "x"
    for _ in range(depth):
        value = [value]
    plan = {
        "max_input_chars": 10**9,
        "fragments": [
            {
                "id": "f",
                "source_id": "s",
                "trust": "user",
                "lifetime": "turn",
                "role": "user",
                "max_chars": 10**9,
                "value": value,
            }
        ],
    }
    with pytest.raises(interleaf.PlanError) as refused:
        interleaf.assemble_context_plan(plan)
    assert refused.value.code == "invalid_value"
    # Content of a message is carried, however deep it is.
    message = {"role": "user", "content": value}
    result = interleaf.place_context_blocks([message], [], {"conversation": {"message_indices": [0]}})
    assert result.messages[0] is message


def test_many_fragments_and_an_audit() -> None:
    fragments = [
        {
            "id": str(index),
            "source_id": "s",
            "trust": "user",
            "lifetime": "turn",
            "role": "user",
            "max_chars": 9,
            "value": "x",
        }
        for index in range(BLOCKS)
    ]
    plan = {"fragments": fragments, "original_fragments": fragments, "max_input_chars": 10**9, "merge_adjacent": True}
    built = interleaf.assemble_context_plan(plan)
    assert built.input_chars == BLOCKS + 2 * (BLOCKS - 1)
    with pytest.raises(interleaf.MutationError) as refused:
        interleaf.assemble_context_plan({**plan, "fragments": fragments[::-1]})
    assert [violation.kind for violation in refused.value.violations] == ["reordered"]
