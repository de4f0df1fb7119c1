"""Every refusal: its class, its code, where it points, and what its message says."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

import pytest

import interleaf
from copies import copies_of
from interleaf import (
    BlockError,
    BudgetExceededError,
    ContextBlock,
    ContextFragment,
    ContextPlan,
    Conversation,
    InterleafError,
    Layout,
    LayoutError,
    MutationError,
    OutletSpan,
    PlanError,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from implementations import Implementation

MESSAGES: list[dict[str, Any]] = [
    {"role": "system", "content": "Rules: {{outlet::lore}}"},
    {"role": "user", "content": "Who guards the gate?"},
    {"role": "assistant", "content": None},
]
LAYOUT: dict[str, Any] = {"character": (0, 1), "conversation": {"message_indices": [1]}}


def block(**changes: Any) -> dict[str, Any]:
    given = {"id": "gate", "position": "at_depth", "content": "Shut.", "role": "system", "depth": 1, **changes}
    return {name: value for name, value in given.items() if value is not ...}


def fragment(**changes: Any) -> dict[str, Any]:
    given = {
        "id": "task",
        "source_id": "chat",
        "trust": "user",
        "lifetime": "turn",
        "role": "user",
        "max_chars": 10,
        "value": "Open it.",
        **changes,
    }
    return {name: value for name, value in given.items() if value is not ...}


@dataclass(frozen=True)
class Case:
    """A call that is refused, and all that the refusal must say."""

    error: type[InterleafError]
    code: str
    path: str
    call: Callable[[Implementation], Any] = field(repr=False)
    # Words of the message: whose it is, what was found, what was expected.
    says: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.error.__name__} {self.code} {self.path}"


def placing(
    *blocks: Any, layout: Any = LAYOUT, messages: Any = MESSAGES, **options: Any
) -> Callable[[Implementation], Any]:
    return lambda implementation: implementation.place_context_blocks(messages, blocks, layout, **options)


def assembling(*fragments: Any, **plan: Any) -> Callable[[Implementation], Any]:
    whole = {"fragments": fragments, "max_input_chars": 100, **plan}
    whole = {name: value for name, value in whole.items() if value is not ...}
    return lambda implementation: implementation.assemble_context_plan(whole)


def _layout_cases() -> list[Case]:
    def case(code: str, path: str, layout: Any, *says: str, **options: Any) -> Case:
        return Case(LayoutError, code, path, placing(layout=layout, **options), says)

    conversation = "layout.conversation"
    lore = 'layout.outlets["lore"]'
    return [
        case("invalid_type", "layout", 7, "7", "Layout"),
        case("invalid_type", conversation, {"conversation": [1]}, "list", "Conversation"),
        case("invalid_type", f"{conversation}.message_indices", {"conversation": {"message_indices": {1}}}, "set"),
        case("invalid_type", "layout.outlets", {"outlets": ["lore"]}, "list", "mapping"),
        case("missing_field", f"{conversation}.message_indices", {"conversation": {"empty_index": 0}}, "indices"),
        case("missing_field", f"{conversation}.empty_index", {"conversation": {"message_indices": []}}, "no messages"),
        case("missing_field", f"{lore}.end", {"outlets": {"lore": {"message_index": 0, "start": 7}}}, "int"),
        case("unknown_field", "layout.charcter", {"charcter": (0, 1)}, "charcter", "character"),
        case("unknown_field", f"{conversation}.indices", {"conversation": {"indices": []}}, "indices"),
        case("unknown_field", f"{lore}.stop", {"outlets": {"lore": {"stop": 1}}}, "stop"),
        case("unknown_field", "layout", {0: 1}, "key", "0"),
        case("duplicate_field", "layout.author_note", {"authorNote": 0, "author_note": 0}),
        case("invalid_range", "layout.character", {"character": (1, 0)}, "1", "0", "3"),
        case("invalid_range", "layout.examples", {"examples": {"start": 0}}, "start", "end"),
        case("invalid_range", "layout.examples", {"examples": range(2)}, "range", "pair"),
        case("invalid_index", "layout.author_note", {"author_note": 3}, "3"),
        case("invalid_index", "layout.author_note", {"author_note": True}, "True", "int"),
        case(
            "invalid_index", f"{conversation}.message_indices[1]", {"conversation": {"message_indices": [0, -1]}}, "-1"
        ),
        case(
            "invalid_index",
            f"{conversation}.empty_index",
            {"conversation": {"message_indices": [], "empty_index": 4}},
            "4",
        ),
        case("invalid_index", lore, {"outlets": {"lore": "0"}}, "0", "int"),
        case(
            "invalid_index", f"{lore}.start", {"outlets": {"lore": {"message_index": 0, "start": -1, "end": 1}}}, "-1"
        ),
        case(
            "unordered_conversation",
            f"{conversation}.message_indices[2]",
            {"conversation": {"message_indices": [0, 2, 1]}},
            "1",
            "2",
            "greater",
        ),
        case("overlapping_regions", "layout.examples", {"character": (0, 2), "examples": (1, 3)}, "character"),
        case(
            "overlapping_regions",
            f"{conversation}.message_indices[0]",
            {"author_note": 1, "conversation": {"message_indices": [1]}},
            "1",
            "author_note",
        ),
        case(
            "overlapping_regions",
            f"{conversation}.empty_index",
            {"character": (0, 2), "conversation": {"message_indices": [], "empty_index": 1}},
            "1",
            "character",
        ),
        case("invalid_outlet_name", 'layout.outlets["{{x"]', {"outlets": {"{{x": 0}}, "{{x", "}}"),
        case("invalid_outlet_name", "layout.outlets", {"outlets": {7: 0}}, "7", "str"),
        case("outlet_marker_missing", lore, {"outlets": {"lore": 1}}, "lore", "messages[1]", "exactly one"),
        case(
            "outlet_marker_missing",
            lore,
            {"outlets": {"lore": OutletSpan(0, 6, 22)}},
            "lore",
            "messages[0]",
            "6",
            "22",
        ),
        case(
            "outlet_marker_repeated",
            lore,
            {"outlets": {"lore": 0}},
            "lore",
            "messages[0]",
            "exactly one",
            messages=[{"role": "system", "content": "{{outlet::lore}} {{outlet::lore}}"}],
        ),
        case("outlet_unfilled", lore, {"outlets": {"lore": 0}}, "block", unfilled_outlets="error"),
        case("content_not_text", "messages[2].content", {"outlets": {"lore": 2}}, "None", "list"),
    ]


def _block_cases() -> list[Case]:
    def case(code: str, path: str, given: Any, *says: str, **options: Any) -> Case:
        return Case(BlockError, code, path, placing(given, **options), says)

    def of_gate(code: str, name: str, value: Any, *says: str, **changes: Any) -> Case:
        return case(code, f"blocks[0].{name}", block(**{name: value, **changes}), "gate", *says)

    outlets = {"outlets": {"lore": 0}}
    return [
        case("invalid_type", "blocks[0]", 7, "7", "ContextBlock"),
        of_gate("invalid_type", "content", 7, "7", "str"),
        case("missing_field", "blocks[0].id", block(id=...), "str"),
        of_gate("missing_field", "position", ..., "at_depth"),
        of_gate("missing_field", "content", None, "str"),
        of_gate("missing_field", "role", ..., "system", "at_depth"),
        of_gate("missing_field", "depth", ..., "int"),
        of_gate("missing_field", "outlet_name", ..., "str", position="outlet"),
        case("unknown_field", "blocks[0].dept", block(dept=1), "dept", "depth"),
        case("duplicate_field", "blocks[0].outlet_name", block(outlet_name="a", outletName="a")),
        case("invalid_id", "blocks[0].id", block(id=""), "str", "not empty"),
        case("invalid_id", "blocks[0].id", block(id="\ud800"), "ud800", "UTF-8"),
        case("invalid_id", "blocks[0].id", block(id=7), "7", "str"),
        of_gate("invalid_position", "position", "at_dept", "at_dept", "at_depth"),
        of_gate("invalid_role", "role", "bot", "bot", "assistant"),
        of_gate("invalid_order", "order", math.nan, "nan", "finite"),
        of_gate("invalid_order", "order", 2**63, str(2**63), "64 bits"),
        of_gate("invalid_order", "order", True, "True", "int"),
        of_gate("invalid_depth", "depth", -1, "-1", "int"),
        of_gate("invalid_depth", "depth", 1.5, "1.5", "int"),
        of_gate("invalid_outlet_name", "outlet_name", "a}}b", "a}}b", "}}"),
        Case(
            BlockError,
            "duplicate_id",
            "blocks[2].id",
            placing(block(), block(id="wall"), block()),
            ("gate", "blocks[0]"),
        ),
        of_gate("missing_anchor", "position", "author_note_top", "author_note_top"),
        Case(
            BlockError,
            "missing_anchor",
            "blocks[0].outlet_name",
            placing(block(position="outlet", outlet_name="lor"), layout=outlets),
            ("gate", "lor", "lore"),
        ),
        Case(
            BlockError,
            "nested_outlet",
            "blocks[0].content",
            placing(block(position="outlet", outlet_name="lore", content="{{outlet::x}}"), layout=outlets),
            ("gate", "marker", "without"),
        ),
        case("invalid_render", "blocks[0]", block(), "gate", "7", "render_block", render_block=lambda _: 7),
        case("invalid_render", "blocks[0]", block(), "gate", "7", "render_messages", render_messages=lambda *_: 7),
        case("empty_render", "blocks[0]", block(), "gate", "at least one", render_messages=lambda *_: []),
    ]


def _plan_cases() -> list[Case]:
    def case(code: str, path: str, given: Any, *says: str) -> Case:
        return Case(PlanError, code, path, assembling(given), says)

    def of_task(code: str, name: str, value: Any, *says: str) -> Case:
        return case(code, f"fragments[0].{name}", fragment(**{name: value}), "task", *says)

    def of_plan(code: str, path: str, *says: str, **plan: Any) -> Case:
        return Case(PlanError, code, path, assembling(fragment(), **plan), says)

    return [
        Case(PlanError, "invalid_type", "plan", lambda each: each.assemble_context_plan(7), ("7", "ContextPlan")),
        case("invalid_type", "fragments[0]", 7, "7", "ContextFragment"),
        of_plan("invalid_type", "fragments", "7", "iterable", fragments=7),
        of_plan("invalid_type", "merge_adjacent", "1", merge_adjacent=1),
        of_plan("invalid_type", "separator", "7", "str", separator=7),
        of_plan("invalid_type", "mutable_fragment_ids[0]", "7", mutable_fragment_ids=[7]),
        of_plan("invalid_type", "additional_messages[0]", "7", "mapping", additional_messages=[7]),
        of_plan(
            "invalid_type",
            "additional_messages[0].content",
            "7",
            "str",
            additional_messages=[{"role": "user", "content": 7}],
        ),
        of_plan("missing_field", "fragments", "iterable", fragments=...),
        of_plan("missing_field", "max_input_chars", "int", max_input_chars=None),
        of_plan("missing_field", "additional_messages[0].role", "user", additional_messages=[{"content": ""}]),
        of_plan("missing_field", "additional_messages[0].content", "str", additional_messages=[{"role": "user"}]),
        *(
            of_task("missing_field", name, ...)
            for name in ("source_id", "trust", "lifetime", "role", "max_chars", "value")
        ),
        case("unknown_field", "fragments[0].lifetme", fragment(lifetme="turn"), "lifetme", "lifetime"),
        of_plan("unknown_field", "fragment", "fragment", "fragments", fragment=[]),
        case("duplicate_field", "fragments[0].max_chars", fragment(maxChars=10)),
        of_plan("duplicate_field", "max_input_chars", maxInputChars=10),
        case("invalid_id", "fragments[0].id", fragment(id=""), "str", "not empty"),
        of_task("invalid_id", "source_id", "\ud800", "ud800", "UTF-8"),
        Case(
            PlanError,
            "duplicate_id",
            "fragments[1].id",
            assembling(fragment(), fragment()),
            ("task", "fragments[0]"),
        ),
        of_plan("duplicate_id", "original_fragments[1].id", "task", original_fragments=[fragment(), fragment()]),
        of_task("invalid_trust", "trust", "root", "root", "external"),
        of_task("invalid_lifetime", "lifetime", "day", "day", "session"),
        of_task("invalid_role", "role", "tool", "tool", "assistant"),
        of_task("invalid_value", "value", [math.nan], "JSON"),
        of_task("invalid_value", "value", {7: 1}, "JSON"),
        of_task("invalid_value", "value", b"x", "bytes", "JSON"),
        of_task("invalid_budget", "max_chars", -1, "-1", "math.inf"),
        of_task("invalid_budget", "max_chars", 10.0, "10.0", "int"),
        of_plan("invalid_budget", "max_input_chars", "True", "int", max_input_chars=True),
        of_plan("invalid_unit", "unit", "bytes", "utf8", unit="bytes"),
        of_plan(
            "additional_not_user",
            "additional_messages[0].role",
            "system",
            "user",
            additional_messages=[{"role": "system", "content": ""}],
        ),
        of_plan(
            "mutable_without_originals", "mutable_fragment_ids", "original_fragments", mutable_fragment_ids=["task"]
        ),
        of_plan(
            "unknown_mutable_id",
            "mutable_fragment_ids[1]",
            "tusk",
            "original",
            original_fragments=[fragment()],
            mutable_fragment_ids=["task", "tusk"],
        ),
    ]


def _other_cases() -> list[Case]:
    changed = [fragment(role="system"), fragment(id="gone")]
    return [
        Case(
            MutationError,
            "mutated",
            "fragments",
            assembling(fragment(), original_fragments=changed),
            ("task", "role", "gone", "removed"),
        ),
        Case(
            BudgetExceededError,
            "fragment_over_budget",
            "fragments[1].max_chars",
            assembling(fragment(), fragment(id="long", max_chars=7), fragment(id="longer", max_chars=3)),
            ("long", "8", "7"),
        ),
        Case(
            BudgetExceededError,
            "input_over_budget",
            "max_input_chars",
            assembling(fragment(), max_input_chars=5),
            ("8", "5"),
        ),
        Case(
            InterleafError,
            "invalid_option",
            "tool_exchanges",
            placing(tool_exchanges="both"),
            ("both", "keep", "split"),
        ),
        Case(
            InterleafError, "invalid_option", "unfilled_outlets", placing(unfilled_outlets=7), ("7", "remove", "error")
        ),
        Case(
            InterleafError,
            "invalid_option",
            "mid_conversation_roles",
            placing(mid_conversation_roles={"system": "bot"}),
            ("bot", "assistant"),
        ),
        Case(
            InterleafError,
            "invalid_option",
            "mid_conversation_roles",
            placing(mid_conversation_roles={"robot": "system"}),
            ("robot", "assistant"),
        ),
        Case(InterleafError, "invalid_option", "separator", placing(separator=b"\n"), ("bytes", "str")),
    ]


CASES = [*_layout_cases(), *_block_cases(), *_plan_cases(), *_other_cases()]

CODES = {
    LayoutError: "invalid_type missing_field unknown_field duplicate_field invalid_range invalid_index "
    "unordered_conversation overlapping_regions invalid_outlet_name outlet_marker_missing outlet_marker_repeated "
    "outlet_unfilled content_not_text",
    BlockError: "invalid_type missing_field unknown_field duplicate_field invalid_id duplicate_id invalid_position "
    "invalid_role invalid_order invalid_depth invalid_outlet_name missing_anchor nested_outlet invalid_render "
    "empty_render",
    PlanError: "invalid_type missing_field unknown_field duplicate_field invalid_id duplicate_id invalid_trust "
    "invalid_lifetime invalid_role invalid_value invalid_budget invalid_unit additional_not_user "
    "mutable_without_originals unknown_mutable_id",
    MutationError: "mutated",
    BudgetExceededError: "fragment_over_budget input_over_budget",
    InterleafError: "invalid_option",
}


def refusal(case: Case, implementation: Implementation) -> InterleafError:
    with pytest.raises(InterleafError) as refused:
        case.call(implementation)
    return refused.value


@pytest.mark.parametrize("case", CASES, ids=str)
def test_refusal(case: Case, implementation: Implementation) -> None:
    error = refusal(case, implementation)
    assert type(error) is case.error
    assert isinstance(error, ValueError)
    assert (error.code, error.path) == (case.code, case.path)
    message = str(error)
    assert "expected" in message or "did you mean" in message
    for word in case.says:
        assert re.search(rf"(?<!\w){re.escape(word)}(?!\w)", message)


def test_every_code_has_a_case() -> None:
    expected = {(error, code) for error, codes in CODES.items() for code in codes.split()}
    assert {(case.error, case.code) for case in CASES} == expected


@pytest.mark.parametrize("case", CASES, ids=str)
def test_refusals_pickle_and_copy(case: Case, implementation: Implementation) -> None:
    error = refusal(case, implementation)
    for clone in copies_of(error):
        assert type(clone) is type(error)
        assert clone.args == error.args
        assert vars(clone) == vars(error)
        assert str(clone) == str(error)


@pytest.mark.parametrize(
    ("key", "nearest"),
    [
        ("dept", "depth"),
        ("ordr", "order"),
        ("Role", "role"),
        ("contents", "content"),
        ("outlet", "outlet_?[Nn]ame"),
        ("outletname", "outlet_?[Nn]ame"),
        ("positon", "position"),
        ("meta_data", "metadata"),
    ],
)
def test_an_unknown_key_names_its_nearest_neighbour(implementation: Implementation, key: str, nearest: str) -> None:
    with pytest.raises(BlockError, match=f"did you mean ['\"]{nearest}['\"]"):
        placing(block(**{key: 1}))(implementation)


def test_unknown_keys_come_before_anything_else(implementation: Implementation) -> None:
    with pytest.raises(BlockError) as refused:
        placing({"position": 7, "dept": 1})(implementation)
    assert refused.value.code == "unknown_field"


def test_checks_come_in_the_order_of_the_contract(implementation: Implementation) -> None:
    def refused(**arguments: Any) -> tuple[str, str]:
        chosen = {"messages": MESSAGES, "layout": LAYOUT, **arguments}
        blocks = chosen.pop("blocks", [block()])
        with pytest.raises(InterleafError) as error:
            implementation.place_context_blocks(chosen.pop("messages"), blocks, chosen.pop("layout"), **chosen)
        return error.value.code, error.value.path

    bad_block = block(content=7, order="x", depth=-1)
    bad_layout = {"character": (2, 1), "author_note": 9}
    no_marker = {**LAYOUT, "outlets": {"lore": 1}, "conversation": {"message_indices": [2]}}
    assert refused(separator=7, layout=bad_layout) == ("invalid_option", "separator")
    assert refused(blocks=[bad_block], layout=bad_layout) == ("invalid_range", "layout.character")
    assert refused(blocks=[block(), bad_block], layout=no_marker) == ("invalid_type", "blocks[1].content")
    assert refused(blocks=[block(order="x", depth=-1)]) == ("invalid_order", "blocks[0].order")
    duplicate = block(position="author_note_top")
    assert refused(blocks=[block(), duplicate]) == ("duplicate_id", "blocks[1].id")
    assert refused(layout=no_marker, render_block=lambda _: 7) == ("outlet_marker_missing", 'layout.outlets["lore"]')


@pytest.mark.parametrize(
    ("build", "error", "code", "path"),
    [
        (lambda: ContextBlock(**block(depth=-1)), BlockError, "invalid_depth", "depth"),
        (lambda: ContextBlock(**block(id=None)), BlockError, "missing_field", "id"),
        (lambda: ContextBlock.from_dict(block(dept=1)), BlockError, "unknown_field", "dept"),
        (lambda: ContextBlock.from_dict(cast("Any", [])), BlockError, "invalid_type", ""),
        (lambda: Layout(character=(1, 0)), LayoutError, "invalid_range", "character"),
        (lambda: Layout(outlets={"a": -1}), LayoutError, "invalid_index", 'outlets["a"]'),
        (lambda: Layout.from_dict({"outlet": {}}), LayoutError, "unknown_field", "outlet"),
        (lambda: Conversation([1, 1]), LayoutError, "unordered_conversation", "message_indices[1]"),
        (lambda: Conversation([]), LayoutError, "missing_field", "empty_index"),
        (lambda: OutletSpan(0, -1, 2), LayoutError, "invalid_index", "start"),
        (lambda: ContextFragment(**fragment(trust="root")), PlanError, "invalid_trust", "trust"),
        (lambda: ContextFragment.from_dict(fragment(lifetme=1)), PlanError, "unknown_field", "lifetme"),
        (lambda: ContextPlan(fragments=[], max_input_chars=-1), PlanError, "invalid_budget", "max_input_chars"),
        (
            lambda: ContextPlan(fragments=[fragment(role="bot")], max_input_chars=1),
            PlanError,
            "invalid_role",
            "fragments[0].role",
        ),
    ],
)
def test_objects_built_on_their_own_name_the_bare_field(
    build: Callable[[], Any], error: type[InterleafError], code: str, path: str
) -> None:
    with pytest.raises(error) as refused:
        build()
    assert (refused.value.code, refused.value.path) == (code, path)


def test_violations_are_all_told_in_the_order_of_the_originals(implementation: Implementation) -> None:
    originals = [fragment(id=name, value=name) for name in "abcd"]
    given = [fragment(id="d", value="d"), fragment(id="a", value="A", max_chars=3), fragment(id="e"), originals[2]]
    with pytest.raises(MutationError) as refused:
        assembling(*given, original_fragments=originals, mutable_fragment_ids=["c"])(implementation)
    assert [(each.kind, each.fragment_id, each.field) for each in refused.value.violations] == [
        ("field_changed", "a", "max_chars"),
        ("value_changed", "a", None),
        ("removed", "b", None),
        ("added", "e", None),
        ("reordered", "d", None),
    ]


def test_over_budget_tells_all_of_the_usage(implementation: Implementation) -> None:
    fragments = [fragment(), fragment(id="long", max_chars=2), fragment(id="longer", value="😀" * 9, max_chars=3)]
    with pytest.raises(BudgetExceededError) as refused:
        assembling(*fragments, unit="utf16")(implementation)
    error = refused.value
    assert (error.limit, error.actual, error.unit) == (2, 8, "utf16")
    assert error.fragment_ids == ("long", "longer")
    assert [(each.id, each.chars, each.max_chars) for each in error.usage] == [
        ("task", 8, 10),
        ("long", 8, 2),
        ("longer", 18, 3),
    ]
    with pytest.raises(BudgetExceededError) as refused:
        assembling(fragment(), max_input_chars=7)(implementation)
    assert (refused.value.limit, refused.value.actual, refused.value.fragment_ids) == (7, 8, ())
    assert [each.id for each in refused.value.usage] == ["task"]


@pytest.mark.parametrize(
    "call",
    [
        lambda each: each.place_context_blocks(7, [], {}),
        lambda each: each.place_context_blocks("text", [], {}),
        lambda each: each.place_context_blocks({0: 1}, [], {}),
        lambda each: each.place_context_blocks({1}, [], {}),
        lambda each: each.place_context_blocks((message for message in MESSAGES), [], {}),
        lambda each: each.place_context_blocks([], 7, {}),
        lambda each: each.place_context_blocks([], None, {}),
        lambda each: each.place_context_blocks([], [], {}, render_block="upper"),
        lambda each: each.place_context_blocks([], [], {}, render_messages=7),
        lambda each: each.place_context_blocks([], [], {}, create_message={}),
        lambda each: each.place_context_blocks([], [], {}, lambda message: message),
        lambda each: each.place_context_blocks([], [], {}, separater="\n"),
        lambda each: each.place_context_blocks([], []),
        lambda each: each.get_placement_capabilities(),
        lambda each: each.assemble_context_plan(),
        lambda each: each.assemble_context_plan({"fragments": [], "max_input_chars": 0}, create_message=7),
        lambda each: each.assemble_fragments(7, 10),
        lambda each: each.assemble_fragments("text", 10),
        lambda each: each.assemble_fragments({}, 10),
        lambda each: each.assemble_fragments([]),
        lambda each: each.assemble_fragments([], 10, "utf8"),
        lambda each: each.assemble_fragments([], 10, create_message="role"),
    ],
)
def test_a_call_that_is_wrong_as_a_call_is_a_type_error(
    implementation: Implementation, call: Callable[[Implementation], Any]
) -> None:
    with pytest.raises(TypeError) as wrong:
        call(implementation)
    assert not isinstance(wrong.value, InterleafError)
    assert str(wrong.value)


@pytest.mark.parametrize("blocks", [7, None, object()])
def test_what_is_no_iterable_of_blocks_is_named(implementation: Implementation, blocks: Any) -> None:
    with pytest.raises(TypeError, match=r"^blocks\b"):
        implementation.place_context_blocks([], blocks, {})


def test_options_given_as_none_are_their_defaults(implementation: Implementation) -> None:
    layout = {"outlets": {"lore": 0}}
    result = implementation.place_context_blocks(
        MESSAGES, [], layout, tool_exchanges=None, unfilled_outlets=None, separator=None, create_message=None
    )
    assert result.to_dict() == implementation.place_context_blocks(MESSAGES, [], layout).to_dict()
    options = {"unit": None, "merge_adjacent": None, "separator": None}
    assert (
        implementation.assemble_fragments([fragment()], 10, **options).to_dict()
        == implementation.assemble_fragments([fragment()], 10).to_dict()
    )


def test_the_classes_are_one_family() -> None:
    for error in CODES:
        assert issubclass(error, InterleafError)
        assert getattr(interleaf, error.__name__) is error
