"""Inputs of odd types: what is taken for what, and what cannot be broken."""

from __future__ import annotations

import enum
import math
import sys
import types
from collections import ChainMap, OrderedDict, UserDict, UserList, UserString, defaultdict, deque
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from interleaf import BlockError, ContextBlock, InterleafError, Layout, LayoutError, PlanError

if TYPE_CHECKING:
    from collections.abc import Callable

    from implementations import Implementation


class ReadOnlyMapping(Mapping[str, Any]):
    """A mapping that is nothing but a mapping."""

    def __init__(self, items: Mapping[str, Any]) -> None:
        self._items = dict(items)

    def __getitem__(self, key: str) -> Any:
        return self._items[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)


class DictSubclass(dict[str, Any]):
    """A dict with attributes of its own."""

    note = "kept"


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


class OddText(str):
    """A str that lies about itself wherever it can."""

    __slots__ = ()

    def __str__(self) -> str:
        return "odd"

    __repr__ = __str__

    def __len__(self) -> int:
        return 1

    def __eq__(self, other: object) -> bool:
        return str.__eq__(self, other) if isinstance(other, str) else False

    __hash__ = str.__hash__


class Position(str, enum.Enum):
    """A vocabulary as an application writes it; `StrEnum` from Python 3.11 on."""

    AT_DEPTH = "at_depth"

    def __str__(self) -> str:
        return "Position.AT_DEPTH"


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


def chat() -> list[dict[str, Any]]:
    return [
        {"role": "system", "content": "You are {{outlet::who}}."},
        {"role": "user", "content": "u"},
        {"role": "assistant", "content": "a"},
    ]


BLOCK: dict[str, Any] = {"id": "b", "position": "at_depth", "content": "B", "role": "system", "depth": 1}
LAYOUT: dict[str, Any] = {"conversation": {"message_indices": [1, 2]}}
CONTENTS = ["You are {{outlet::who}}.", "u", "B", "a"]


def contents(result: Any) -> list[Any]:
    return [message["content"] for message in result.messages]


MAPPING_FORMS: tuple[Callable[[dict[str, Any]], Any], ...] = (
    dict,
    DictSubclass,
    OrderedDict,
    UserDict,
    ReadOnlyMapping,
    types.MappingProxyType,
    lambda items: ChainMap({}, items),
    lambda items: defaultdict(list, items),
)
by_form = pytest.mark.parametrize("form", MAPPING_FORMS)


@by_form
def test_blocks_are_any_mapping(implementation: Implementation, form: Callable[[dict[str, Any]], Any]) -> None:
    given = form(BLOCK)
    seen: list[Any] = []

    def render(block: Any) -> str:
        seen.append(block)
        return str(block["content"])

    result = implementation.place_context_blocks(chat(), [given], LAYOUT, render_block=render)
    assert contents(result) == CONTENTS
    assert seen[0] is given
    assert dict(given) == BLOCK
    with pytest.raises(BlockError) as refused:
        implementation.place_context_blocks(chat(), [form({**BLOCK, "dept": 1})], LAYOUT)
    assert refused.value.path == "blocks[0].dept"


@by_form
def test_layouts_and_what_is_in_them_are_any_mapping(
    implementation: Implementation, form: Callable[[dict[str, Any]], Any]
) -> None:
    layout = form(
        {
            "character": form({"start": 0, "end": 1}),
            "conversation": form({"messageIndices": [1, 2]}),
            "outlets": form({"who": form({"message_index": 0, "start": 8, "end": 23})}),
        }
    )
    filler = {"id": "w", "position": "outlet", "outlet_name": "who", "content": "Ann"}
    result = implementation.place_context_blocks(chat(), [BLOCK, filler], layout)
    assert contents(result) == ["You are Ann.", "u", "B", "a"]
    assert implementation.get_placement_capabilities(layout).outlets == ("who",)
    assert len(layout) == 3


@by_form
def test_plans_and_fragments_are_any_mapping(
    implementation: Implementation, form: Callable[[dict[str, Any]], Any]
) -> None:
    fragment = form(FRAGMENT)
    plan = form(
        {"fragments": [fragment], "maxInputChars": 10, "additional_messages": [form({"role": "user", "content": "x"})]}
    )
    built = implementation.assemble_context_plan(plan)
    assert built.input_chars == 2
    assert built.messages[0] == {"role": "user", "content": "F"}
    assert built.messages[1] is plan["additional_messages"][0]


FRAGMENT: dict[str, Any] = {
    "id": "f",
    "source_id": "test",
    "trust": "user",
    "lifetime": "turn",
    "role": "user",
    "max_chars": 10,
    "value": "F",
}


@by_form
@pytest.mark.parametrize("as_parts", [False, True])
def test_hosts_are_any_mapping_and_stay_what_they_are(
    implementation: Implementation, form: Callable[[dict[str, Any]], Any], as_parts: bool
) -> None:
    text = "You are {{outlet::who}}."
    content = [form({"type": "text", "text": text, "cache": True})] if as_parts else text
    host = form({"name": "n", "content": content, "role": "system"})
    filler = {"id": "w", "position": "outlet", "outlet_name": "who", "content": "Ann"}
    result = implementation.place_context_blocks([host], [filler], {"outlets": {"who": 0}})
    changed = result.messages[0]
    # What can be copied and changed stays what it is; what cannot becomes a dict.
    is_changeable = not isinstance(host, (ReadOnlyMapping, types.MappingProxyType))
    assert type(changed) is (type(host) if is_changeable else dict)
    assert list(changed) == ["name", "content", "role"] or isinstance(host, ChainMap)
    if as_parts:
        assert type(changed["content"][0]) is type(changed)
        assert dict(changed["content"][0]) == {"type": "text", "text": "You are Ann.", "cache": True}
        assert host["content"][0]["text"] == text
    else:
        assert changed["content"] == "You are Ann."
        assert host["content"] == text
    assert result.placements[0].role == "system"


def test_reading_a_defaultdict_puts_nothing_into_it(implementation: Implementation) -> None:
    messages = [defaultdict(list, message) for message in (*chat(), {"role": "tool", "content": "t"})]
    implementation.place_context_blocks(messages, [BLOCK, {**BLOCK, "id": "c", "depth": 0}], LAYOUT)
    assert [list(message) for message in messages] == [["role", "content"]] * 4
    block = defaultdict(list, BLOCK)
    implementation.place_context_blocks(chat(), [block], LAYOUT)
    assert dict(block) == BLOCK


@by_form
def test_tool_exchanges_are_kept_in_any_mapping(
    implementation: Implementation, form: Callable[[dict[str, Any]], Any]
) -> None:
    exchange = [
        {"role": "assistant", "content": [{"type": "tool_use", "id": "1"}]},
        {"role": "user", "content": [form({"type": "tool_result", "tool_use_id": "1"})]},
    ]
    messages = [form(message) for message in exchange]
    result = implementation.place_context_blocks(messages, [BLOCK], {"conversation": {"message_indices": [0, 1]}})
    assert result.messages[1:] == messages
    assert (result.placements[0].requested_gap, result.placements[0].gap) == (1, 0)


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


def test_ids_compare_by_code_point(implementation: Implementation) -> None:
    ids = ["\uffff", "😀", "é", "e\u0301", "Z", "a", "世界", "世", "\U0010ffff", "\x00", "\ue000"]
    blocks = [{**BLOCK, "id": identifier} for identifier in ids]
    result = implementation.place_context_blocks(chat(), blocks, LAYOUT)
    assert [placement.id for placement in result.placements] == sorted(ids)


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


def test_a_user_string_is_no_text(implementation: Implementation) -> None:
    with pytest.raises(BlockError) as refused:
        implementation.place_context_blocks(chat(), [{**BLOCK, "content": UserString("B")}], LAYOUT)
    assert refused.value.code == "invalid_type"


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


@pytest.mark.parametrize(
    ("separator", "contents"),
    [("{{outlet::a}}", ["", ""]), ("}}", ["{{outlet::a", ""]), ("", ["{{outlet::", "a}}"])],
)
@pytest.mark.parametrize("in_parts", [False, True])
def test_a_host_whose_marker_is_replaced_by_the_same_text_stays_the_same_object(
    implementation: Implementation, separator: str, contents: list[str], in_parts: bool
) -> None:
    content: Any = "é{{outlet::a}}"
    if in_parts:
        content = [{"type": "image"}, {"type": "text", "text": content}]
    host = {"role": "system", "content": content}
    blocks = [
        {"id": str(at), "position": "outlet", "outlet_name": "a", "content": content}
        for at, content in enumerate(contents)
    ]
    result = implementation.place_context_blocks([host], blocks, {"outlets": {"a": 0}}, separator=separator)
    assert result.messages[0] is host
    assert [placed.part_index for placed in result.placements] == [1 if in_parts else None] * 2
    assert result.placements[0].span == (1, 1 + len(contents[0]))


def test_a_changed_part_leaves_one_that_reads_as_before(implementation: Implementation) -> None:
    parts = [{"type": "text", "text": "{{outlet::a}}"}, {"type": "text", "text": "{{outlet::b}}"}]
    blocks = [
        {"id": f"{name}{at}", "position": "outlet", "outlet_name": name, "content": ""} for name in "ab" for at in "12"
    ]
    host = {"role": "system", "content": parts}
    result = implementation.place_context_blocks(
        [host], blocks, {"outlets": {"a": 0, "b": 0}}, separator="{{outlet::a}}"
    )
    first, second = result.messages[0]["content"]
    assert first is parts[0]
    assert second == {"type": "text", "text": "{{outlet::a}}"}


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


@pytest.mark.parametrize("key", [0, None, (1, 2), b"id", 1.5, True, frozenset()])
def test_keys_that_are_no_str_are_unknown(implementation: Implementation, key: Any) -> None:
    def refused(call: Callable[[], Any]) -> tuple[str, str]:
        with pytest.raises(InterleafError) as error:
            call()
        return error.value.code, error.value.path

    place, assemble = implementation.place_context_blocks, implementation.assemble_context_plan
    plan = {"fragments": [], "max_input_chars": 0}
    assert refused(lambda: place(chat(), [{**BLOCK, key: 1}], LAYOUT)) == ("unknown_field", "blocks[0]")
    assert refused(lambda: place(chat(), [], {key: 1})) == ("unknown_field", "layout")
    assert refused(lambda: place(chat(), [], {"conversation": {key: 1}})) == ("unknown_field", "layout.conversation")
    assert refused(lambda: place(chat(), [], {"outlets": {"a": {key: 1}}})) == ("unknown_field", 'layout.outlets["a"]')
    assert refused(lambda: place(chat(), [], {"outlets": {key: 0}})) == ("invalid_outlet_name", "layout.outlets")
    assert refused(lambda: place(chat(), [], {"character": {key: 0, "end": 1}})) == (
        "invalid_range",
        "layout.character",
    )
    assert refused(lambda: assemble({**plan, key: 1})) == ("unknown_field", "")
    assert refused(lambda: assemble({**plan, "fragments": [{**FRAGMENT, key: 1}]})) == ("unknown_field", "fragments[0]")
    assert refused(lambda: assemble({**plan, "fragments": [{**FRAGMENT, "value": {key: 1}}]})) == (
        "invalid_value",
        "fragments[0].value",
    )


def test_keys_of_a_str_subclass_are_keys(implementation: Implementation) -> None:
    block = {OddText(name): value for name, value in BLOCK.items()}
    assert contents(implementation.place_context_blocks(chat(), [block], LAYOUT)) == CONTENTS


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


def test_a_mapping_that_fails_is_not_refused_but_fails(implementation: Implementation) -> None:
    class Failing(ReadOnlyMapping):
        def __getitem__(self, key: str) -> Any:
            raise OSError("gone")

    with pytest.raises(OSError, match="gone"):
        implementation.place_context_blocks(chat(), [Failing(BLOCK)], LAYOUT)
    with pytest.raises(OSError, match="gone"):
        implementation.place_context_blocks(chat(), [], Failing(LAYOUT))
    with pytest.raises(OSError, match="gone"):
        implementation.assemble_fragments([Failing(FRAGMENT)], 10)


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


def test_native_layouts_fit_any_message_list_they_fit(implementation: Implementation) -> None:
    layout = Layout(character=(0, 1), conversation={"message_indices": [1, 2]})
    assert contents(implementation.place_context_blocks(chat(), [BLOCK], layout)) == CONTENTS
    with pytest.raises(LayoutError) as refused:
        implementation.place_context_blocks(chat()[:2], [BLOCK], layout)
    assert (refused.value.code, refused.value.path) == ("invalid_index", "layout.conversation.message_indices[1]")


def test_mutable_ids_may_be_a_set_and_errors_do_not_depend_on_its_order(implementation: Implementation) -> None:
    plan = {"fragments": [FRAGMENT], "original_fragments": [FRAGMENT], "max_input_chars": 10}
    implementation.assemble_context_plan({**plan, "mutable_fragment_ids": {"f"}})
    with pytest.raises(PlanError) as refused:
        implementation.assemble_context_plan({**plan, "mutable_fragment_ids": {"f", "zz", "a", "q"}})
    assert "'a'" in str(refused.value) or '"a"' in str(refused.value)
    assert refused.value.path == "mutable_fragment_ids[0]"


def test_many_blocks_and_many_messages(implementation: Implementation) -> None:
    count = 3000
    messages = [{"role": "user", "content": str(number)} for number in range(count)]
    blocks = [{**BLOCK, "id": f"{number:05}", "depth": number, "order": -number} for number in range(count)]
    result = implementation.place_context_blocks(messages, blocks, {"conversation": {"message_indices": range(count)}})
    assert len(result.messages) == 2 * count
    assert [placement.id for placement in result.placements] == [block["id"] for block in reversed(blocks)]


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
