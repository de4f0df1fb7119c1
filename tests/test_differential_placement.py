"""The native placement against the reference: the same result, or the same refusal."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from hypothesis import given

from comparison import Refusal, Unchanged, attempt, identities, parts_of, same
from implementations import NATIVE, REFERENCE
from strategies import REQUESTS, faulty_requests, in_native_form, mapping_requests

if TYPE_CHECKING:
    from implementations import Implementation
    from strategies import Request


def _place(implementation: Implementation, request: Request) -> Any:
    return attempt(
        lambda: implementation.place_context_blocks(request.messages, request.blocks, request.layout, **request.options)
    )


def _assert_same_outcome(request: Request) -> tuple[Any, Any]:
    """Place with both implementations; return what they did, which is the same."""
    before = Unchanged(request.messages, request.blocks, request.layout)
    native = _place(NATIVE, request)
    reference = _place(REFERENCE, request)
    before.check()
    if isinstance(native, Refusal) or isinstance(reference, Refusal):
        assert native == reference
        return native, reference
    assert same(native.to_dict(), reference.to_dict())
    assert same(native.messages, reference.messages)
    originals = list(request.messages)
    assert identities(native.messages, originals) == identities(reference.messages, originals)
    parts = parts_of(originals)
    assert identities(parts_of(native.messages), parts) == identities(parts_of(reference.messages), parts)
    for one, other in zip(native.placements, reference.placements, strict=True):
        assert one.metadata is other.metadata
        assert (one.span, one.moved) == (other.span, other.moved)
    return native, reference


@given(REQUESTS)
def test_well_formed_requests(request: Request) -> None:
    native, _ = _assert_same_outcome(request)
    if isinstance(native, Refusal):
        # Random texts repeat a marker, open one in an outlet, or leave an outlet unfilled that must not be. Nothing
        # else may be wrong with these requests.
        assert native.code in {
            "outlet_marker_missing",
            "outlet_marker_repeated",
            "overlapping_regions",
            "outlet_unfilled",
            "nested_outlet",
            "content_not_text",
        }


@given(mapping_requests())
def test_second_pass_with_the_layout_of_the_first(request: Request) -> None:
    native, reference = _assert_same_outcome(request)
    if isinstance(native, Refusal):
        return
    anchors = native.layout.to_dict()
    still_there = [
        block
        for block in request.blocks
        if "outlet" not in block["position"] or _name(block) in anchors.get("outlets", {})
    ]
    again = replace(request, messages=native.messages, blocks=still_there, layout=native.layout)
    mapping = replace(again, layout=anchors)
    _assert_same_outcome(again)
    from_mapping, _ = _assert_same_outcome(mapping)
    from_reference = _place(REFERENCE, replace(again, layout=reference.layout))
    if isinstance(from_mapping, Refusal):
        assert from_mapping == from_reference
    else:
        assert same(from_mapping.to_dict(), from_reference.to_dict())


def _name(block: dict[str, Any]) -> Any:
    return block.get("outlet_name", block.get("outletName"))


@given(faulty_requests())
def test_one_fault(request: Request) -> None:
    _assert_same_outcome(request)


@given(mapping_requests())
def test_native_objects_place_as_their_mappings_do(request: Request) -> None:
    from_mappings = _place(NATIVE, request)
    from_objects = _place(NATIVE, in_native_form(request))
    if isinstance(from_mappings, Refusal):
        assert from_objects == from_mappings
    else:
        assert same(from_objects.to_dict(), from_mappings.to_dict())


@given(faulty_requests())
def test_capabilities(request: Request) -> None:
    native = attempt(lambda: NATIVE.get_placement_capabilities(request.layout))
    reference = attempt(lambda: REFERENCE.get_placement_capabilities(request.layout))
    if isinstance(native, Refusal) or isinstance(reference, Refusal):
        assert native == reference
    else:
        assert native.to_dict() == reference.to_dict()
