"""Sequences and iterables of every kind: read once, in their order, and no further than needed."""

from __future__ import annotations

from collections import UserList, deque
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from inputs.odd_types import BLOCK, CONTENTS, FRAGMENT, LAYOUT, chat, contents
from interleaf import ContextBlock, Layout, LayoutError, PlanError

if TYPE_CHECKING:
    from collections.abc import Callable

    from implementations import Implementation


class Bounds(NamedTuple):
    """A range as an application writes it."""

    start: int
    end: int


class LyingSequence:
    """A sequence whose length is not the number of its items."""

    def __init__(self, items: list[Any], length: int) -> None:
        self._items = items
        self._length = length

    def __len__(self) -> int:
        return self._length

    def __getitem__(self, index: int) -> Any:
        return self._items[index]


@pytest.mark.parametrize("form", [list, tuple, UserList, deque, lambda items: LyingSequence(items, len(items))])
def test_messages_are_any_sequence(implementation: Implementation, form: Callable[[list[Any]], Any]) -> None:
    given = form(chat())
    result = implementation.place_context_blocks(given, [BLOCK], LAYOUT)
    assert type(result.messages) is list
    assert contents(result) == CONTENTS
    assert result.messages[0] is given[0]


@pytest.mark.parametrize("length", [0, 1, 100, 2**40])
def test_a_length_that_lies_changes_nothing(implementation: Implementation, length: int) -> None:
    given = LyingSequence(chat(), length)
    if length == 2**40:
        # Python itself asks for the length before it lists the items.
        given = LyingSequence(chat(), 10**6)
    assert contents(implementation.place_context_blocks(given, [BLOCK], LAYOUT)) == CONTENTS
    layout = {"conversation": {"message_indices": LyingSequence([1, 2], length % 10**6)}}
    assert contents(implementation.place_context_blocks(chat(), [BLOCK], layout)) == CONTENTS
    made = LyingSequence([{"role": "user", "content": "B"}], length % 10**6)
    result = implementation.place_context_blocks(chat(), [BLOCK], LAYOUT, render_messages=lambda *_: made)
    assert contents(result) == CONTENTS
    assert result.placements[0].message_count == 1


def test_a_list_subclass_is_read_by_iteration(implementation: Implementation) -> None:
    class Reversed(list[Any]):
        def __iter__(self) -> Iterator[Any]:
            return reversed(self)

    result = implementation.place_context_blocks(Reversed(chat()), [], LAYOUT)
    assert [message["role"] for message in result.messages] == ["assistant", "user", "system"]


def test_a_sequence_has_a_length_and_items(implementation: Implementation) -> None:
    class Sized:
        def __len__(self) -> int:
            return 0

    class Indexable:
        def __getitem__(self, index: int) -> Any:
            raise IndexError

    for given in (Sized(), Indexable()):
        with pytest.raises(TypeError, match="messages must be"):
            implementation.place_context_blocks(given, [], {})


def test_a_range_of_messages_is_a_sequence(implementation: Implementation) -> None:
    assert implementation.place_context_blocks(range(0), [], {}).messages == []


@pytest.mark.parametrize(
    "form",
    [
        list,
        tuple,
        iter,
        deque,
        lambda items: (item for item in items),
        lambda items: {item["id"]: item for item in items}.values(),
        lambda items: map(ContextBlock.from_dict, items),
    ],
)
def test_blocks_are_any_iterable_read_once(implementation: Implementation, form: Callable[[list[Any]], Any]) -> None:
    blocks = form([{**BLOCK, "id": "2", "order": 2, "content": "C"}, {**BLOCK, "id": "1", "order": 1}])
    result = implementation.place_context_blocks(chat(), blocks, LAYOUT)
    assert contents(result) == ["You are {{outlet::who}}.", "u", "B", "C", "a"]
    assert [placement.block_index for placement in result.placements] == [1, 0]


def test_an_iterable_that_fails_is_not_to_blame_on_the_call(implementation: Implementation) -> None:
    def blocks() -> Iterator[Any]:
        yield BLOCK
        raise KeyError("source")

    with pytest.raises(KeyError, match="source"):
        implementation.place_context_blocks(chat(), blocks(), LAYOUT)


def test_one_shot_iterators_inside_messages_are_left_alone(implementation: Implementation) -> None:
    def message(role: str, **fields: Any) -> tuple[dict[str, Any], Iterator[Any]]:
        parts = iter([{"type": "tool_result"}])
        return {"role": role, "content": parts, "parts": parts, "tool_calls": None, **fields}, parts

    pairs = [message("user"), message("assistant"), message("user"), message("assistant")]
    messages = [each for each, _ in pairs]
    blocks = [{**BLOCK, "id": str(depth), "depth": depth} for depth in range(6)]
    result = implementation.place_context_blocks(messages, blocks, {"conversation": {"message_indices": range(4)}})
    assert len(result.messages) == 10
    for _, parts in pairs:
        assert next(parts) == {"type": "tool_result"}


def test_messages_that_no_gap_needs_are_not_looked_at(implementation: Implementation) -> None:
    class Unreadable(dict[str, Any]):
        def _refuse(self, *_: Any) -> Any:
            pytest.fail("this message was read")

        __getitem__ = get = keys = items = values = __iter__ = __contains__ = __len__ = __bool__ = __eq__ = _refuse
        __hash__ = None

    unreadable = [Unreadable() for _ in range(3)]
    messages = [*unreadable[:2], {"role": "user", "content": "u"}, {"role": "assistant", "content": "a"}, unreadable[2]]
    result = implementation.place_context_blocks(
        messages, [BLOCK], {"character": (0, 2), "conversation": {"message_indices": [2, 3]}}
    )
    assert [id(message) for message in result.messages] == [
        id(message) for message in (*messages[:3], result.messages[3], *messages[3:])
    ]


def test_a_range_of_indices_needs_no_memory(implementation: Implementation) -> None:
    with pytest.raises(LayoutError) as refused:
        implementation.place_context_blocks(chat(), [], {"conversation": {"message_indices": range(2**62)}})
    assert (refused.value.code, refused.value.path) == (
        "invalid_index",
        "layout.conversation.message_indices[3]",
    )
    for indices, at in ((range(5, 2**80), 0), (range(2**80), 3), (range(-1, 3), 0), (range(2**70, 2**80), 0)):
        with pytest.raises(LayoutError) as refused:
            implementation.place_context_blocks(chat(), [], {"conversation": {"message_indices": indices}})
        assert refused.value.path == f"layout.conversation.message_indices[{at}]"
    with pytest.raises(LayoutError) as refused:
        implementation.place_context_blocks(chat(), [], {"conversation": {"message_indices": range(2, -1, -1)}})
    assert refused.value.code == "unordered_conversation"
    result = implementation.place_context_blocks(chat(), [BLOCK], {"conversation": {"message_indices": range(0, 3, 2)}})
    assert contents(result) == ["You are {{outlet::who}}.", "u", "B", "a"]


def test_ranges_are_pairs_of_any_sequence(implementation: Implementation) -> None:
    for bounds in ((0, 1), [0, 1], Bounds(0, 1), UserList([0, 1]), {"start": 0, "end": 1}, {"end": 1, "start": 0}):
        block = {**BLOCK, "position": "after_character"}
        result = implementation.place_context_blocks(chat(), [block], {"character": bounds})
        assert result.layout.character == (0, 1)
        assert result.placements[0].message_index == 1


def test_native_layouts_fit_any_message_list_they_fit(implementation: Implementation) -> None:
    layout = Layout(character=(0, 1), conversation={"message_indices": [1, 2]})
    assert contents(implementation.place_context_blocks(chat(), [BLOCK], layout)) == CONTENTS
    with pytest.raises(LayoutError) as refused:
        implementation.place_context_blocks(chat()[:2], [BLOCK], layout)
    assert (refused.value.code, refused.value.path) == ("invalid_index", "layout.conversation.message_indices[1]")


def test_mutable_ids_may_be_a_set_and_errors_do_not_depend_on_its_order(implementation: Implementation) -> None:
    plan = {"fragments": [FRAGMENT], "original_fragments": [FRAGMENT], "max_input_chars": 10}
    implementation.assemble_context_plan({**plan, "mutable_fragment_ids": {"f"}})

    def refused(ids: Any) -> Any:
        with pytest.raises(PlanError) as error:
            implementation.assemble_context_plan({**plan, "mutable_fragment_ids": ids})
        return error.value

    # By code point, whatever the hashes are, and what is no text before any text.
    for ids, first in (({f"{number:02}" for number in range(50)}, "00"), ({"!", '"', "'", "a"}, "!"), ({"", "!"}, "")):
        error = refused(frozenset(ids))
        assert (error.code, error.path) == ("unknown_mutable_id", "mutable_fragment_ids[0]")
        assert f"'{first}'" in str(error) or f'"{first}"' in str(error)
    error = refused({*(f"{number:02}" for number in range(50)), 7})
    assert (error.code, error.path) == ("invalid_type", "mutable_fragment_ids[0]")
    # A list has an order of its own.
    error = refused(["zz", "a"])
    assert error.path == "mutable_fragment_ids[0]"
    assert "zz" in str(error)


def test_many_blocks_and_many_messages(implementation: Implementation) -> None:
    count = 3000
    messages = [{"role": "user", "content": str(number)} for number in range(count)]
    blocks = [{**BLOCK, "id": f"{number:05}", "depth": number, "order": -number} for number in range(count)]
    result = implementation.place_context_blocks(messages, blocks, {"conversation": {"message_indices": range(count)}})
    assert len(result.messages) == 2 * count
    assert [placement.id for placement in result.placements] == [block["id"] for block in reversed(blocks)]
