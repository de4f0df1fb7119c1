"""Texts of every kind, and values that become text."""

from __future__ import annotations

import enum
import math
import sys
from collections import OrderedDict, UserString
from typing import TYPE_CHECKING, Any

import pytest

from inputs.odd_types import BLOCK, FRAGMENT, LAYOUT, DictSubclass, OddText, chat
from interleaf import BlockError, PlanError

if TYPE_CHECKING:
    from implementations import Implementation


class Position(str, enum.Enum):
    """A vocabulary as an application writes it; `StrEnum` from Python 3.11 on."""

    AT_DEPTH = "at_depth"

    def __str__(self) -> str:
        return "Position.AT_DEPTH"


def test_ids_compare_by_code_point(implementation: Implementation) -> None:
    ids = ["\uffff", "😀", "é", "e\u0301", "Z", "a", "世界", "世", "\U0010ffff", "\x00", "\ue000"]
    blocks = [{**BLOCK, "id": identifier} for identifier in ids]
    result = implementation.place_context_blocks(chat(), blocks, LAYOUT)
    assert [placement.id for placement in result.placements] == sorted(ids)


def test_ids_whose_hashes_collide(implementation: Implementation) -> None:
    class SameHash(str):
        __slots__ = ()

        def __hash__(self) -> int:
            return 7

        def __eq__(self, other: object) -> bool:
            return True

    blocks = [{**BLOCK, "id": SameHash(str(number)), "order": number} for number in range(50)]
    result = implementation.place_context_blocks(chat(), blocks, LAYOUT)
    assert [placement.id for placement in result.placements] == [str(number) for number in range(50)]


def test_words_may_be_members_of_an_enum(implementation: Implementation) -> None:
    words: list[Any] = [Position.AT_DEPTH, OddText("at_depth")]
    if sys.version_info >= (3, 11):
        words += enum.StrEnum("Words", {"AT_DEPTH": "at_depth"})
    for word in words:
        block = {**BLOCK, "position": word, "role": OddText("system"), "id": OddText("b")}
        result = implementation.place_context_blocks(
            chat(), [block], LAYOUT, tool_exchanges=OddText("keep"), separator=OddText("; ")
        )
        placement = result.placements[0]
        assert (placement.position, placement.role, placement.id) == ("at_depth", "system", "b")
        assert type(placement.position) is type(placement.role) is type(placement.id) is str
        assert result.messages[2] == {"role": "system", "content": "B"}
        assert type(result.messages[2]["role"]) is str


def test_odd_text_is_read_as_the_text_that_it_is(implementation: Implementation) -> None:
    messages = [{"role": "system", "content": OddText("You are {{outlet::who}}.")}, {"role": "user", "content": "u"}]
    blocks = [
        {"id": "w", "position": "outlet", "outlet_name": OddText("who"), "content": OddText("Ann")},
        {**BLOCK, "content": OddText("long text")},
    ]
    layout = {"conversation": {"message_indices": [1]}, "outlets": {OddText("who"): 0}}
    result = implementation.place_context_blocks(messages, blocks, layout, separator=OddText("; "))
    assert result.messages[0]["content"] == "You are Ann."
    assert type(result.messages[0]["content"]) is str
    assert result.messages[1]["content"] is blocks[1]["content"]
    assert result.placements[0].span == (8, 11)
    built = implementation.assemble_fragments(
        [{**FRAGMENT, "value": OddText("long text")}, {**FRAGMENT, "id": "g"}], 100, merge_adjacent=True
    )
    assert built.messages == [{"role": "user", "content": "long text\n\nF"}]
    assert built.fragment_usage[0].chars == 9


def test_a_text_that_is_alone_in_its_message_stays_the_object_it_is(implementation: Implementation) -> None:
    value = OddText("long text")
    built = implementation.assemble_fragments([{**FRAGMENT, "value": value}], 100)
    assert built.messages[0]["content"] is value


def test_a_user_string_is_no_text(implementation: Implementation) -> None:
    with pytest.raises(BlockError) as refused:
        implementation.place_context_blocks(chat(), [{**BLOCK, "content": UserString("B")}], LAYOUT)
    assert refused.value.code == "invalid_type"


def test_json_values_of_subclasses_are_json(implementation: Implementation) -> None:
    value = OrderedDict(b=[DictSubclass(a=(1, OddText("é")))], a=True)
    built = implementation.assemble_fragments([{**FRAGMENT, "value": value, "max_chars": 99}], 99)
    assert built.messages[0]["content"] == '{"b":[{"a":[1,"é"]}],"a":true}'


def test_a_value_that_holds_itself_is_too_deep(implementation: Implementation) -> None:
    loop: list[Any] = []
    loop.append(loop)
    tower: Any = "x"
    for _ in range(100_000):
        tower = [tower]
    for value in (loop, {"a": loop}, tower):
        with pytest.raises(PlanError) as refused:
            implementation.assemble_fragments([{**FRAGMENT, "value": value}], 99)
        assert refused.value.code == "invalid_value"


@pytest.mark.parametrize("nest", [lambda value: [value], lambda value: (value,), lambda value: {"key": value}])
def test_a_value_is_as_deep_as_two_hundred_containers(implementation: Implementation, nest: Any) -> None:
    def assembled(depth: int) -> Any:
        value: Any = 1
        for _ in range(depth):
            value = nest(value)
        return implementation.assemble_fragments([{**FRAGMENT, "value": value, "max_chars": math.inf}], math.inf)

    assert "1" in assembled(200).messages[0]["content"]
    with pytest.raises(PlanError) as refused:
        assembled(201)
    assert refused.value.code == "invalid_value"


@pytest.mark.parametrize(
    "value", [{"a": 1, 7: 2}, {7: 2, "a": 1}, {"a": 1, "b": b""}, [1, b""], [b"", 1], {"a": [1, {"b": math.nan}]}]
)
def test_all_of_a_value_must_be_json(implementation: Implementation, value: Any) -> None:
    with pytest.raises(PlanError) as refused:
        implementation.assemble_fragments([{**FRAGMENT, "value": value}], 99)
    assert refused.value.code == "invalid_value"


@pytest.mark.parametrize("identifier", [chr(0xD800), chr(0xDFFF), "a\ud800", "\udfffa"])
def test_an_id_with_a_surrogate_anywhere_is_none(implementation: Implementation, identifier: str) -> None:
    with pytest.raises(BlockError) as refused:
        implementation.place_context_blocks(chat(), [{**BLOCK, "id": identifier}], LAYOUT)
    assert refused.value.code == "invalid_id"


def test_the_neighbours_of_surrogates_are_characters(implementation: Implementation) -> None:
    block = {**BLOCK, "id": "\ud7ff\ue000"}
    assert implementation.place_context_blocks(chat(), [block], LAYOUT).placements[0].id == "\ud7ff\ue000"


@pytest.mark.parametrize("long", ["x" * 10_000, 10**5_000, ["x" * 10_000]], ids=["str", "int", "list"])
def test_a_message_is_short_whatever_was_found(implementation: Implementation, long: Any) -> None:
    with pytest.raises(BlockError) as refused:
        implementation.place_context_blocks(chat(), [{**BLOCK, "position": long}], LAYOUT)
    assert len(str(refused.value)) < 500
