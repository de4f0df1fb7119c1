"""The public classes: how they read, compare, hash, copy, match, replace and write themselves."""

from __future__ import annotations

import copy
import gc
import json
import math
import sys
import weakref
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, get_args, get_origin

import pytest

import interleaf
from copies import copies_of
from interleaf import (
    BlockError,
    BuiltContext,
    ContextBlock,
    ContextFragment,
    ContextPlan,
    Conversation,
    FragmentUsage,
    InterleafError,
    Layout,
    LayoutError,
    Mutation,
    MutationError,
    OutletSpan,
    Placement,
    PlacementResult,
    PlanError,
    TrustPolicy,
    assemble_context_plan,
    get_placement_capabilities,
    place_context_blocks,
)
from interleaf.budget import TokenCounter

if TYPE_CHECKING:
    from collections.abc import Callable


def _fragment(**changes: Any) -> ContextFragment:
    given = {
        "id": "task",
        "source_id": "chat",
        "trust": "user",
        "lifetime": "turn",
        "role": "user",
        "max_chars": 100,
        "value": {"open": [True, None, 1.5]},
        "metadata": {"from": "ui"},
    }
    return ContextFragment(**{**given, **changes})


def _plan(**changes: Any) -> ContextPlan:
    given = {
        "fragments": [_fragment()],
        "max_input_chars": math.inf,
        "additional_messages": [{"role": "user", "content": "Now."}],
        "original_fragments": [_fragment(value="before")],
        "mutable_fragment_ids": ["task"],
        "unit": "utf16",
        "merge_adjacent": True,
        "separator": "\n",
        "trust_policy": TrustPolicy.strict(),
    }
    return ContextPlan(**{**given, **changes})


def _block(**changes: Any) -> ContextBlock:
    given = {"id": "gate", "position": "at_depth", "content": "Shut.", "role": "system", "depth": 2, "order": 1.5}
    return ContextBlock(**{**given, "outlet_name": "lore", "metadata": ["book"], **changes})


def _layout() -> Layout:
    return Layout(
        character=(0, 1),
        examples={"start": 1, "end": 1},
        conversation=Conversation(range(1, 3)),
        author_note=3,
        outlets={"lore": 0, "世界": OutletSpan(0, 0, 15, 1)},
    )


def _result() -> PlacementResult[Any]:
    return place_context_blocks(
        [{"role": "system", "content": "{{outlet::lore}}"}, {"role": "user", "content": "Hello."}],
        [
            ContextBlock(id="rule", position="outlet", outlet_name="lore", content="Be brief.", metadata={"n": 1}),
            ContextBlock(id="time", position="at_depth", depth=0, content="Noon.<s>", role="system"),
        ],
        Layout(conversation=Conversation([1]), outlets={"lore": 0}),
        content_policy="report",
    )


def _violation() -> Mutation:
    with pytest.raises(MutationError) as refused:
        assemble_context_plan(_plan(mutable_fragment_ids=None))
    violation = refused.value.violations[0]
    assert isinstance(violation, Mutation)
    return violation


MAKERS: dict[str, Callable[[], Any]] = {
    "ContextBlock": _block,
    "Conversation": lambda: Conversation([1, 2, 5], 1),
    "OutletSpan": lambda: OutletSpan(0, 3, 9, part_index=1),
    "Layout": _layout,
    "Placement": lambda: _result().placements[0],
    "PlacementResult": _result,
    "Finding": lambda: _result().findings[0],
    "PlacementCapabilities": lambda: get_placement_capabilities(_layout()),
    "ContextFragment": _fragment,
    "ContextPlan": _plan,
    "TrustPolicy": TrustPolicy.strict,
    "FragmentUsage": lambda: assemble_context_plan(_plan()).fragment_usage[0],
    "Mutation": _violation,
    "BuiltContext": lambda: assemble_context_plan(_plan()),
}
INPUTS = ("ContextBlock", "Layout", "ContextFragment", "ContextPlan")
# Classes that hold a list have no hash.
UNHASHABLE = ("PlacementResult", "BuiltContext")

every_class = pytest.mark.parametrize("name", MAKERS)


def test_every_public_class_is_here() -> None:
    public = {
        name
        for name in interleaf.__all__
        if isinstance(getattr(interleaf, name), type) and not issubclass(getattr(interleaf, name), Exception)
    }
    assert public >= set(MAKERS)
    native = {name for name in public if getattr(interleaf, name).__module__ == "interleaf"}
    assert native == set(MAKERS)


@every_class
def test_classes_say_where_they_are_from(name: str) -> None:
    value = MAKERS[name]()
    assert type(value) is getattr(interleaf, name)
    assert type(value).__module__ == "interleaf"
    assert type(value).__name__ == name
    assert type(value).__doc__


@every_class
def test_equality_and_hash(name: str) -> None:
    one, other = MAKERS[name](), MAKERS[name]()
    assert one == one  # with itself
    assert one == other
    assert not one != other  # noqa: SIM202  # the operator is tested
    assert one != object()
    assert one != one.to_dict()
    if name in UNHASHABLE:
        with pytest.raises(TypeError):
            hash(one)
    else:
        assert hash(one) == hash(other)
        assert len({one, other}) == 1


@every_class
def test_changing_any_field_makes_it_unequal(name: str) -> None:
    value = MAKERS[name]()
    changes = CHANGES[name]
    for field, changed in changes.items():
        # Where a finding ends in another part is told by two fields, together or not at all.
        together = ("end_part_index", "end_offset") if field.startswith("end_") else (field,)
        assert value.replace(**{each: changes[each] for each in together}) != value, (field, changed)
    # Whether a block was moved follows from its gaps; a plan's budget in tokens is refused without a counter.
    unchanged = {"moved"} | ({"max_input_tokens"} if name == "ContextPlan" else set())
    assert set(changes) == set(type(value).__match_args__) - unchanged


CHANGES: dict[str, dict[str, Any]] = {
    "ContextBlock": {
        "id": "wall",
        "position": "before_character",
        "content": "Open.",
        "role": "user",
        "order": 1,
        "depth": 3,
        "outlet_name": "other",
        "metadata": None,
    },
    "Conversation": {"message_indices": (1, 2), "empty_index": None},
    "OutletSpan": {"message_index": 1, "start": 4, "end": 8, "part_index": None},
    "Layout": {
        "character": (0, 0),
        "examples": None,
        "conversation": None,
        "author_note": None,
        "outlets": {"lore": 1},
    },
    "Placement": {
        "requested_role": "user",
        "id": "other",
        "position": "at_depth",
        "role": "user",
        "order": 3,
        "depth": 1,
        "outlet_name": "other",
        "message_index": 7,
        "message_count": 7,
        "part_index": 7,
        "span": (0, 1),
        "gap": 7,
        "requested_gap": 7,
        "block_index": 7,
        "metadata": None,
    },
    "PlacementResult": {
        "messages": [],
        "placements": (),
        "unfilled_outlets": ("x",),
        "layout": Layout(),
        "findings": (),
    },
    "Finding": {
        "kind": "invisible",
        "text": "other",
        "span": (0, 1),
        "message_index": 7,
        "part_index": 7,
        "result_index": 7,
        "end_part_index": 7,
        "end_offset": 7,
        "block_id": None,
    },
    "TrustPolicy": {"system": (), "developer": None, "user": (), "assistant": ()},
    "PlacementCapabilities": {"positions": (), "outlets": ()},
    "ContextFragment": {
        "id": "other",
        "source_id": "other",
        "trust": "tool",
        "lifetime": "static",
        "role": "system",
        "max_chars": 99,
        "value": '{"open":[true,null,1.5]}',
        "metadata": None,
    },
    "ContextPlan": {
        "fragments": [],
        "max_input_chars": 10,
        "additional_messages": [],
        "original_fragments": [],
        "mutable_fragment_ids": [],
        "unit": "utf8",
        "merge_adjacent": False,
        "separator": "",
        "trust_policy": None,
        "token_counter": TokenCounter(len),
    },
    "FragmentUsage": {
        "id": "other",
        "source_id": "other",
        "trust": "tool",
        "lifetime": "static",
        "role": "system",
        "chars": 0,
        "max_chars": 0,
        "message_index": 7,
        "span": (0, 0),
        "metadata": None,
        "tokens": 7,
    },
    "Mutation": {"kind": "removed", "fragment_id": "other", "field": "role"},
    "BuiltContext": {
        "messages": [],
        "fragment_usage": (),
        "static_messages": 7,
        "session_messages": 7,
        "additional_chars": 7,
        "opaque_parts": 7,
        "separator_chars": 7,
        "input_chars": 7,
        "max_input_chars": 7,
        "unit": "utf8",
        "input_tokens": 7,
        "max_input_tokens": 7,
        "exactness": "estimated",
        "unpriced_parts": 7,
    },
}


@every_class
def test_copies_are_equal_and_of_the_same_class(name: str) -> None:
    value = MAKERS[name]()
    for clone in copies_of(value):
        assert type(clone) is type(value)
        assert clone == value
        assert clone.to_dict() == value.to_dict()


@every_class
def test_replace_with_nothing_is_an_equal_object(name: str) -> None:
    value = MAKERS[name]()
    assert value.replace() == value
    if sys.version_info >= (3, 13):
        assert copy.replace(value) == value


@every_class
def test_replace_refuses_fields_that_do_not_exist(name: str) -> None:
    value = MAKERS[name]()
    field = type(value).__match_args__[0]
    with pytest.raises(TypeError, match=f"did you mean '{field}'"):
        value.replace(**{field + "s": 1})
    with pytest.raises(TypeError):
        value.replace("positional")


@pytest.mark.parametrize(
    ("value", "changes", "error", "code"),
    [
        (_block(), {"depth": -1}, BlockError, "invalid_depth"),
        (_block(), {"depth": None}, BlockError, "missing_field"),
        (_block(depth=None, position="outlet"), {"position": "at_depth"}, BlockError, "missing_field"),
        (_layout(), {"examples": (0, 2)}, LayoutError, "overlapping_regions"),
        (_layout(), {"author_note": 1}, LayoutError, "overlapping_regions"),
        (Conversation([1]), {"message_indices": ()}, LayoutError, "missing_field"),
        (OutletSpan(0, 1, 2), {"start": -1}, LayoutError, "invalid_index"),
        (_fragment(), {"role": "tool"}, PlanError, "invalid_role"),
        (_plan(), {"original_fragments": None}, PlanError, "mutable_without_originals"),
        (_plan(), {"unit": "bytes"}, PlanError, "invalid_unit"),
    ],
)
def test_replace_checks_again(value: Any, changes: dict[str, Any], error: type[InterleafError], code: str) -> None:
    with pytest.raises(error) as refused:
        value.replace(**changes)
    assert refused.value.code == code


@every_class
def test_nothing_can_be_set_or_deleted(name: str) -> None:
    value = MAKERS[name]()
    for field in (*type(value).__match_args__, "new_field"):
        with pytest.raises(AttributeError):
            setattr(value, field, None)
        with pytest.raises(AttributeError):
            delattr(value, field)


@every_class
def test_to_dict_has_every_field_as_plain_data(name: str) -> None:
    value = MAKERS[name]()
    data = value.to_dict()
    # What says something of tokens is left out where none were counted.
    of_tokens = {"tokens", "token_counter", "input_tokens", "max_input_tokens", "exactness", "unpriced_parts"}
    assert list(data) == [field for field in type(value).__match_args__ if field not in of_tokens]
    assert json.loads(json.dumps(data)) == data
    assert value.to_dict() is not data


@pytest.mark.parametrize("name", INPUTS)
def test_round_trip_through_json(name: str) -> None:
    value = MAKERS[name]()
    text = json.dumps(value.to_dict())
    assert type(value).from_dict(json.loads(text)) == value
    assert type(value).from_dict(MappingProxyType(value.to_dict())) == value


@pytest.mark.parametrize("name", INPUTS)
def test_from_dict_takes_mappings_only(name: str) -> None:
    for odd in (None, 7, [("id", "x")], "id"):
        with pytest.raises(InterleafError) as refused:
            getattr(interleaf, name).from_dict(odd)
        assert refused.value.code == "invalid_type"


def test_absent_anchors_are_left_out_of_the_dict() -> None:
    assert Layout().to_dict() == {}
    assert Layout(author_note=0).to_dict() == {"author_note": 0}
    assert Layout(outlets={}).to_dict() == {}


def test_reprs_read_like_calls() -> None:
    assert repr(Conversation([1, 2])) == "Conversation(message_indices=(1, 2))"
    assert repr(Conversation((), 3)) == "Conversation(message_indices=(), empty_index=3)"
    assert repr(OutletSpan(0, 3, 9)) == "OutletSpan(message_index=0, start=3, end=9)"
    assert (
        repr(ContextBlock(id="gate", position="at_depth", content="Shut.", role="system", depth=2))
        == "ContextBlock(id='gate', position='at_depth', content='Shut.', role='system', depth=2)"
    )
    assert repr(Layout()) == "Layout()"
    assert (
        repr(Layout(character=(0, 1), outlets={"世界": OutletSpan(0, 0, 14)}))
        == "Layout(character=(0, 1), outlets={'世界': OutletSpan(message_index=0, start=0, end=14)})"
    )
    assert repr(_violation()) == "Mutation(kind='value_changed', fragment_id='task')"
    assert repr(get_placement_capabilities({"author_note": 0})) == (
        "PlacementCapabilities(positions=('author_note_top', 'author_note_bottom'), outlets=())"
    )


@pytest.mark.parametrize("name", [*INPUTS, "Conversation", "OutletSpan", "Mutation", "PlacementCapabilities"])
def test_reprs_can_be_evaluated(name: str) -> None:
    value = MAKERS[name]()
    text = repr(value)
    assert text.startswith(f"{name}(")
    assert " object at 0x" not in text
    names = {each: getattr(interleaf, each) for each in MAKERS}
    assert eval(text, {**names, "inf": math.inf}) == value  # noqa: S307  # what this library wrote


def test_long_text_is_cut_in_a_repr() -> None:
    text = repr(ContextBlock(id="x", position="outlet", outlet_name="lore", content="世" * 5000))
    assert len(text) < 250
    assert "…" in text
    with_surrogate = repr(ContextBlock(id="x", position="outlet", outlet_name="lore", content="\ud800" * 500))
    with_surrogate.encode("utf-8")


def test_structural_pattern_matching() -> None:
    match _block():
        case ContextBlock("gate", "at_depth", content, role, depth=depth):
            assert (content, role, depth) == ("Shut.", "system", 2)
        case _:
            pytest.fail("the positional fields are those of the table")
    match _result():
        case PlacementResult(messages=[first, *_], placements=[Placement(id="rule", span=(start, end)), *_]):
            assert first["content"][start:end] == "Be brief."
        case _:
            pytest.fail("fields match by name")
    match _layout():
        case Layout((start, end), _, Conversation(indices)):
            assert (start, end, indices) == (0, 1, (1, 2))
        case _:
            pytest.fail("the positional fields are those of the table")
    match assemble_context_plan(_plan()):
        case BuiltContext(fragment_usage=[FragmentUsage("task", chars=chars)], unit="utf16"):
            assert chars == 24
        case _:
            pytest.fail("fields match by name")


def test_values_are_normalised() -> None:
    class Word(str):
        __slots__ = ()

    class Number:
        def __index__(self) -> int:
            return 3

    given: dict[str, Any] = {
        "id": Word("gate"),
        "position": Word("at_depth"),
        "content": Word("Shut."),
        "role": Word("user"),
        "depth": Number(),
        "order": Number(),
    }
    block = ContextBlock(**given)
    assert [type(value) for value in (block.id, block.position, block.role)] == [str, str, str]
    assert type(block.depth) is type(block.order) is int
    assert type(block.content) is Word
    layout = Layout(character=[0, Number()], conversation={"message_indices": range(3, 5)})
    assert layout.character == (0, 3)
    assert layout.conversation == Conversation((3, 4))
    assert isinstance(layout.outlets, MappingProxyType)
    assert type(_fragment(max_chars=Number()).max_chars) is int


def test_order_is_the_number_given() -> None:
    for order in (0, -(2**63), 2**63 - 1, 0.5, -0.0, 1e300):
        kept = _block(order=order).order
        assert (type(kept), repr(kept)) == (type(order), repr(order))


def test_placement_and_built_context_know_their_types() -> None:
    for generic in (PlacementResult[dict[str, Any]], BuiltContext[dict[str, Any]]):
        assert get_origin(generic) in (PlacementResult, BuiltContext)
        assert get_args(generic) == (dict[str, Any],)


def test_generated_defaults() -> None:
    block = ContextBlock(id="x", position="outlet", content="", outlet_name="lore")
    assert (block.role, block.order, block.depth, block.metadata) == (None, 0, None, None)
    plan = ContextPlan(fragments=[], max_input_chars=0)
    assert (plan.additional_messages, plan.original_fragments, plan.mutable_fragment_ids) == ((), None, ())
    assert (plan.unit, plan.merge_adjacent, plan.separator) == ("codepoint", False, "\n\n")


def test_constructors_take_keywords_only() -> None:
    for name in (*INPUTS, "Placement", "Mutation"):
        with pytest.raises(TypeError):
            getattr(interleaf, name)("x")
    with pytest.raises(TypeError):
        ContextBlock(id="x", position="outlet", content="", outletname="lore")  # type: ignore[call-arg]


class _Witness:
    """Something that can be weakly referenced, and so be seen to go."""

    def __init__(self) -> None:
        self.holds: Any = None


def _cycles() -> dict[str, Callable[[_Witness], Any]]:
    message = {"role": "user", "content": "x"}

    def placed(witness: _Witness) -> PlacementResult[Any]:
        blocks = [{"id": "b", "position": "at_depth", "depth": 0, "content": "c", "role": "user", "metadata": witness}]
        return place_context_blocks(
            [{**message, "witness": witness}], blocks, {"conversation": {"message_indices": [0]}}
        )

    return {
        "block": lambda witness: _block(metadata=witness),
        "fragment": lambda witness: _fragment(metadata=witness),
        "plan": lambda witness: _plan(additional_messages=[{**message, "witness": witness}]),
        "plan of fragments": lambda witness: _plan(fragments=[_fragment(metadata=witness)]),
        "result": placed,
        "placements": lambda witness: placed(witness).placements,
        "read result": lambda witness: _read(placed(witness), "placements", "layout"),
        "read context": lambda witness: _read(
            assemble_context_plan(_plan(fragments=[_fragment(metadata=witness)])), "fragment_usage"
        ),
        "context": lambda witness: assemble_context_plan(_plan(fragments=[_fragment(metadata=witness)])),
        "usage": lambda witness: assemble_context_plan(_plan(fragments=[_fragment(metadata=witness)])).fragment_usage,
        "additional": lambda witness: assemble_context_plan(_plan(additional_messages=[{**message, "w": witness}])),
    }


def _read(value: Any, *names: str) -> Any:
    """Read some fields, which may be built when they are first asked for, and drop what was read."""
    for name in names:
        assert getattr(value, name) is not None
    return value


@pytest.mark.parametrize("name", _cycles())
def test_cycles_are_collected(name: str) -> None:
    witness = _Witness()
    gone = weakref.ref(witness)
    witness.holds = _cycles()[name](witness)
    gc.collect()
    assert gone() is not None
    del witness
    gc.collect()
    assert gone() is None


def test_a_cycle_through_a_refusal_is_collected() -> None:
    witness = _Witness()
    gone = weakref.ref(witness)
    with pytest.raises(interleaf.BudgetExceededError) as refused:
        interleaf.assemble_fragments([_fragment(metadata=witness, max_chars=1)], 10)
    witness.holds = refused.value.usage
    del witness, refused
    gc.collect()
    assert gone() is None


def test_inputs_are_not_kept_alive() -> None:
    witness = _Witness()
    gone = weakref.ref(witness)
    messages = [{"role": "user", "content": "x"}, {"role": "user", "content": "y", "witness": witness}]
    result = place_context_blocks(messages, [], {})
    del result.messages[1]
    del witness, messages
    gc.collect()
    assert gone() is None
    assert len(result.messages) == 1


def test_whether_a_block_was_moved_follows_from_its_gaps() -> None:
    placement = _result().placements[1]
    assert not placement.moved
    assert placement.replace(requested_gap=9).moved
