"""Numbers of every kind: what is an int, what is too large, and how orders compare."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import pytest

from inputs.odd_types import BLOCK, FRAGMENT, LAYOUT, chat
from interleaf import BlockError, InterleafError, LayoutError, PlanError

if TYPE_CHECKING:
    from collections.abc import Callable

    from implementations import Implementation


class Index:
    """An int as NumPy's are."""

    def __init__(self, value: int, effect: Callable[[], object] = lambda: None) -> None:
        self._value = value
        self._effect = effect

    def __index__(self) -> int:
        self._effect()
        return self._value


class OddInt(int):
    """An int that lies about itself wherever it can."""

    def __str__(self) -> str:
        return "odd"

    __repr__ = __str__

    def __int__(self) -> int:
        return -7

    def __index__(self) -> int:
        return -7

    def __add__(self, other: object) -> int:
        return -7


class OddFloat(float):
    """A float that lies about itself wherever it can."""

    def __repr__(self) -> str:
        return "odd"

    def __float__(self) -> float:
        return math.nan


@pytest.mark.parametrize("number", [Index(1), OddInt(1), 1])
def test_ints_are_anything_with_an_index(implementation: Implementation, number: Any) -> None:
    expected = implementation.place_context_blocks(chat(), [BLOCK], {**LAYOUT, "author_note": 0, "character": (0, 1)})
    one = number if not isinstance(number, OddInt) else Index(1)
    layout = {
        "author_note": Index(0),
        "character": [Index(0), one],
        "conversation": {"message_indices": [one, Index(2)]},
    }
    result = implementation.place_context_blocks(chat(), [{**BLOCK, "depth": number}], layout)
    assert result.to_dict() == expected.to_dict()
    assert type(result.placements[0].depth) is int
    result = implementation.place_context_blocks(chat(), [{**BLOCK, "order": number}], layout)
    assert (type(result.placements[0].order), result.placements[0].order) == (int, 1)
    built = implementation.assemble_fragments([{**FRAGMENT, "max_chars": number}], Index(1))
    assert (type(built.fragment_usage[0].max_chars), built.fragment_usage[0].max_chars) == (int, 1)
    assert type(built.max_input_chars) is int


@pytest.mark.parametrize("number", [True, False, 1.0, "1", 1j, None, [1], math.nan, 2**63, -(2**63) - 1, 10**40])
def test_what_is_no_int_of_64_bits_is_no_index(implementation: Implementation, number: Any) -> None:
    place = implementation.place_context_blocks
    for layout in (
        {"author_note": number},
        {"outlets": {"who": number}},
        {"conversation": {"message_indices": [number]}},
        {"conversation": {"message_indices": [], "empty_index": number}},
        {"character": (0, number)},
        {"outlets": {"who": {"message_index": 0, "start": number, "end": 23}}},
        {"outlets": {"who": {"message_index": 0, "start": 8, "end": 23, "part_index": number}}},
    ):
        if number is None and ("author_note" in layout or "part_index" in repr(layout)):
            place(chat(), [], layout)  # as if it was not there
            continue
        with pytest.raises(LayoutError) as refused:
            place(chat(), [], layout)
        is_missing = number is None and ("empty_index" in repr(layout) or "start" in repr(layout))
        expected = "invalid_range" if "character" in layout else "missing_field" if is_missing else "invalid_index"
        assert refused.value.code == expected


def test_a_huge_int_is_no_order_and_no_depth_but_a_budget(implementation: Implementation) -> None:
    for field in ("order", "depth"):
        for number in (2**63, 10**5000):
            with pytest.raises(BlockError) as refused:
                implementation.place_context_blocks(chat(), [{**BLOCK, field: number}], LAYOUT)
            assert refused.value.code == f"invalid_{field}"
            assert len(str(refused.value)) < 300
        implementation.place_context_blocks(chat(), [{**BLOCK, field: 2**63 - 1}], LAYOUT)
    built = implementation.assemble_fragments([{**FRAGMENT, "max_chars": 10**5000}], 10**5000)
    assert built.max_input_chars == built.fragment_usage[0].max_chars == 10**5000


def test_the_smallest_order_and_the_one_below(implementation: Implementation) -> None:
    block = {**BLOCK, "order": -(2**63)}
    assert implementation.place_context_blocks(chat(), [block], LAYOUT).placements[0].order == -(2**63)
    with pytest.raises(BlockError) as refused:
        implementation.place_context_blocks(chat(), [{**BLOCK, "order": -(2**63) - 1}], LAYOUT)
    assert refused.value.code == "invalid_order"


def test_subclasses_of_numbers_count_by_what_they_are(implementation: Implementation) -> None:
    blocks = [
        {**BLOCK, "id": "a", "order": OddFloat(2.5)},
        {**BLOCK, "id": "b", "order": OddInt(2)},
        {**BLOCK, "id": "c", "order": Index(1)},
    ]
    result = implementation.place_context_blocks(chat(), blocks, LAYOUT)
    assert [(type(each.order), each.order) for each in result.placements] == [(int, 1), (int, 2), (float, 2.5)]


def test_orders_compare_as_python_compares_numbers(implementation: Implementation) -> None:
    orders = [2**53 + 1, float(2**53), 2**53, 2**63 - 1, 9.3e18, -0.0, 0, 5e-324, -(2**63), -9.3e18, 1e308, 0.1]
    blocks = [{**BLOCK, "id": f"{at:02}", "order": order} for at, order in enumerate(orders)]
    result = implementation.place_context_blocks(chat(), blocks, LAYOUT)
    placed = [(placement.order, placement.id) for placement in result.placements]
    assert placed == sorted(zip(orders, (block["id"] for block in blocks), strict=True))


def test_nan_is_carried_but_never_a_number(implementation: Implementation) -> None:
    messages = [{"role": "user", "content": "u", "score": math.nan}]
    block = {**BLOCK, "metadata": math.nan}
    result = implementation.place_context_blocks(messages, [block], {"conversation": {"message_indices": [0]}})
    assert result.messages[1] is messages[0]
    assert result.placements[0].metadata is block["metadata"]
    for bad in ({"order": math.nan}, {"depth": math.nan}):
        with pytest.raises(BlockError):
            implementation.place_context_blocks(chat(), [{**BLOCK, **bad}], LAYOUT)
    for limit in (math.nan, -math.inf, 1e3):
        with pytest.raises(PlanError) as refused:
            implementation.assemble_fragments([], limit)
        assert refused.value.code == "invalid_budget"


@pytest.mark.parametrize("error", [ValueError("own"), KeyboardInterrupt(), ZeroDivisionError()])
def test_an_index_that_raises_passes_its_exception_on(implementation: Implementation, error: BaseException) -> None:
    def fail() -> None:
        raise error

    number = Index(0, fail)
    calls: tuple[Callable[[], Any], ...] = (
        lambda: implementation.place_context_blocks(chat(), [], {"author_note": number}),
        lambda: implementation.place_context_blocks(chat(), [], {"character": (0, number)}),
        lambda: implementation.place_context_blocks(chat(), [{**BLOCK, "depth": number}], LAYOUT),
        lambda: implementation.assemble_fragments([], number),
    )
    for call in calls:
        with pytest.raises(type(error)) as raised:
            call()
        assert raised.value is error


def test_an_index_that_raises_a_type_error_is_no_int(implementation: Implementation) -> None:
    def fail() -> None:
        raise TypeError

    with pytest.raises(BlockError) as refused:
        implementation.place_context_blocks(chat(), [{**BLOCK, "depth": Index(0, fail)}], LAYOUT)
    assert refused.value.code == "invalid_depth"


@pytest.mark.parametrize("target", ["messages", "blocks", "indices", "outlets", "layout", "block"])
@pytest.mark.parametrize("kind", ["clear", "grow"])
def test_an_index_that_changes_the_input_crashes_nothing(
    implementation: Implementation, target: str, kind: str
) -> None:
    def change() -> None:
        container = containers[target]
        if kind == "clear":
            container.clear()
        elif isinstance(container, list):
            container.extend([{"id": "x"}, 7] * 50)
        else:
            container.update({f"x{number}": number for number in range(50)})

    messages = chat()
    block = {**BLOCK, "depth": Index(1, change)}
    indices: list[Any] = [Index(1, change), 2]
    outlets: dict[str, Any] = {"who": Index(0, change)}
    layout: dict[str, Any] = {
        "conversation": {"message_indices": indices},
        "author_note": Index(0, change),
        "outlets": outlets,
    }
    blocks = [{**BLOCK, "id": "first", "order": Index(0, change)}, block, {**BLOCK, "id": "last"}]
    containers: dict[str, Any] = {
        "messages": messages,
        "blocks": blocks,
        "indices": indices,
        "outlets": outlets,
        "layout": layout,
        "block": block,
    }
    try:
        result = implementation.place_context_blocks(messages, blocks, layout)
    except (InterleafError, RuntimeError):
        # What was read is refused, or the list is seen to have changed.
        return
    assert None not in result.messages
    assert sorted(map(str, result.messages)) == sorted(map(str, list(result.messages)))
    assert {placement.id for placement in result.placements} <= {"first", "b", "last"}
