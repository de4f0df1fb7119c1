"""What holds for every placement, whatever is placed where."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from hypothesis import assume, given
from hypothesis import strategies as st

from comparison import Refusal, Unchanged, attempt, same
from interleaf import PlacementResult, place_context_blocks
from strategies import DEPTHS, ROLES, TEXTS, mapping_requests, marker

if TYPE_CHECKING:
    from interleaf import Placement
    from strategies import Request


def _placed(request: Request, **options: Any) -> PlacementResult[Any]:
    """Place a request that can be placed, with some options of the test's own."""
    chosen = {**request.options, **options}
    result = attempt(lambda: place_context_blocks(request.messages, request.blocks, request.layout, **chosen))
    assume(not isinstance(result, Refusal))
    assert isinstance(result, PlacementResult)
    return result


def _made_indices(result: PlacementResult[Any]) -> set[int]:
    """The indices of the messages that blocks made."""
    return {
        index
        for placement in result.placements
        for index in range(placement.message_index, placement.message_index + placement.message_count)
    }


def _new_indices(result: PlacementResult[Any]) -> list[int]:
    """Where the messages of the input are now: they are all that no block made."""
    made = _made_indices(result)
    return [index for index in range(len(result.messages)) if index not in made]


def _is_embedded(placement: Placement) -> bool:
    return placement.message_count == 0


def _text_of(message: Any, part_index: int | None) -> str:
    text = message["content"] if part_index is None else message["content"][part_index]["text"]
    assert isinstance(text, str)
    return text


def _rendered(request: Request, placement: Placement) -> str:
    block = request.blocks[placement.block_index]
    render = request.options.get("render_block")
    text = block["content"] if render is None else render(block)
    assert isinstance(text, str)
    return text


@given(mapping_requests())
def test_each_block_is_placed_exactly_once(request: Request) -> None:
    result = _placed(request)
    assert Counter(placement.id for placement in result.placements) == Counter(block["id"] for block in request.blocks)
    for placement in result.placements:
        block = request.blocks[placement.block_index]
        assert placement.id == block["id"]
        assert placement.position == block["position"]
        assert placement.metadata is block.get("metadata")
        if not _is_embedded(placement):
            assert placement.message_count > 0
            made = result.messages[placement.message_index]
            assert made["content"] == _rendered(request, placement)
            assert placement.requested_role == block["role"]
            if request.options.get("render_messages") is None:
                assert made["role"] == placement.role
            changes = request.options.get("mid_conversation_roles") or {}
            assert placement.role in (block["role"], changes.get(block["role"]))
    made_counts = sum(placement.message_count for placement in result.placements)
    assert (
        len(result.messages)
        == len(request.messages) + made_counts
        == len(request.messages) + len(_made_indices(result))
    )


@given(mapping_requests())
def test_placements_are_in_prompt_order(request: Request) -> None:
    result = _placed(request)
    places = [
        (placement.message_index, placement.part_index or 0, placement.span or (0, 0))
        for placement in result.placements
    ]
    assert places == sorted(places)


@given(mapping_requests())
def test_spans_cut_out_exactly_the_rendered_text(request: Request) -> None:
    result = _placed(request)
    for placement in result.placements:
        if _is_embedded(placement):
            assert placement.span is not None
            start, end = placement.span
            host = result.messages[placement.message_index]
            assert _text_of(host, placement.part_index)[start:end] == _rendered(request, placement)
            assert placement.role == host["role"]
        else:
            assert placement.span is None
            assert placement.part_index is None


@given(mapping_requests())
def test_untouched_messages_are_the_same_objects(request: Request) -> None:
    result = _placed(request)
    hosts = {placement.message_index for placement in result.placements if _is_embedded(placement)}
    for name in result.unfilled_outlets:
        anchor = request.layout["outlets"][name]
        original = anchor if isinstance(anchor, int) else _span_field(anchor, "message_index")
        hosts.add(_new_indices(result)[original])
    for original, new_index in zip(request.messages, _new_indices(result), strict=True):
        if new_index not in hosts:
            assert result.messages[new_index] is original


def _span_field(span: Any, name: str) -> Any:
    return span[name] if isinstance(span, dict) else getattr(span, name)


@given(mapping_requests())
def test_inputs_are_unchanged_and_the_list_is_new(request: Request) -> None:
    before = Unchanged(request.messages, request.blocks, request.layout)
    result = _placed(request)
    before.check()
    assert result.messages is not request.messages
    result.messages.clear()
    before.check()


@given(mapping_requests(), st.randoms(use_true_random=False))
def test_the_permutation_of_blocks_does_not_matter(request: Request, random: Any) -> None:
    result = _placed(request)
    order = list(range(len(request.blocks)))
    random.shuffle(order)
    permuted = _placed(replace(request, blocks=[request.blocks[index] for index in order]))
    assert same(permuted.messages, result.messages)
    assert permuted.layout == result.layout
    assert [replaced(each, order[each.block_index]) for each in permuted.placements] == list(result.placements)


def replaced(placement: Placement, block_index: int) -> Placement:
    return placement.replace(block_index=block_index)


@given(mapping_requests(), TEXTS)
def test_taking_out_every_placed_piece_gives_back_the_original(request: Request, separator: str) -> None:
    result = _placed(request, unfilled_outlets="keep", separator=separator)
    by_message: dict[int, list[Placement]] = {}
    for placement in result.placements:
        if _is_embedded(placement):
            by_message.setdefault(placement.message_index, []).append(placement)
    for original, new_index in zip(request.messages, _new_indices(result), strict=True):
        pieces = by_message.get(new_index, [])
        restored = _without(result.messages[new_index], pieces, separator)
        assert same(restored, original)


def _without(message: Any, pieces: list[Placement], separator: str) -> Any:
    if not pieces:
        return message
    if isinstance(message["content"], str):
        return {**message, "content": _text_without(message["content"], pieces, separator)}
    parts = list(message["content"])
    for part_index in range(len(parts)):
        here = [piece for piece in pieces if piece.part_index == part_index and piece.position == "outlet"]
        if here:
            text = _text_without(parts[part_index]["text"], here, separator)
            parts[part_index] = {**parts[part_index], "text": text}
    if pieces[-1].position == "author_note_bottom":
        del parts[-1]
    if pieces[0].position == "author_note_top":
        del parts[0]
    return {**message, "content": parts}


def _text_without(text: str, pieces: list[Placement], separator: str) -> str:
    """Undo from back to front: a note block goes with its separator; an outlet's blocks give way to the marker."""
    spans: list[tuple[int, int, str]] = []
    for piece in pieces:
        assert piece.span is not None
        start, end = piece.span
        if piece.position == "author_note_top":
            spans.append((start, end + len(separator), ""))
        elif piece.position == "author_note_bottom":
            spans.append((start - len(separator), end, ""))
        elif spans and spans[-1][2] == marker(piece.outlet_name or ""):
            spans[-1] = (spans[-1][0], end, spans[-1][2])
        else:
            spans.append((start, end, marker(piece.outlet_name or "")))
    for start, end, instead in reversed(spans):
        text = text[:start] + instead + text[end:]
    return text


@given(mapping_requests())
def test_the_new_layout_anchors_the_same_messages(request: Request) -> None:
    result = _placed(request)
    new_indices = _new_indices(result)
    old = _plain_layout(request)
    for name in ("character", "examples"):
        bounds = old.get(name)
        new = getattr(result.layout, name)
        if bounds is None:
            assert new is None
        elif bounds[0] < bounds[1]:
            assert new == (new_indices[bounds[0]], new_indices[bounds[1] - 1] + 1)
        else:
            assert new[0] == new[1]
    note = old.get("author_note")
    assert result.layout.author_note == (None if note is None else new_indices[note])
    if "conversation" not in old:
        assert result.layout.conversation is None
        return
    conversation = result.layout.conversation
    assert conversation is not None
    indices = old["conversation"]["message_indices"]
    assert list(conversation.message_indices) == [new_indices[index] for index in indices]
    assert (conversation.empty_index is None) == bool(indices)


def _plain_layout(request: Request) -> dict[str, Any]:
    """The layout of a request in one spelling."""
    from interleaf import Layout

    return Layout.from_dict(request.layout).to_dict()


@given(mapping_requests())
def test_an_empty_region_lies_between_its_own_blocks(request: Request) -> None:
    result = _placed(request, tool_exchanges="split")
    gaps = {
        name: bounds[0]
        for name in ("character", "examples")
        if (bounds := getattr(result.layout, name)) is not None and bounds[0] == bounds[1]
    }
    conversation = result.layout.conversation
    if conversation is not None and conversation.empty_index is not None:
        gaps["conversation"] = conversation.empty_index
    for placement in result.placements:
        region, is_before = _region_and_side(placement)
        if region in gaps and is_before:
            assert placement.message_index + placement.message_count <= gaps[region]
        elif region in gaps:
            assert placement.message_index >= gaps[region]


def _region_and_side(placement: Placement) -> tuple[str, bool]:
    if placement.position == "at_depth":
        return "conversation", placement.depth != 0
    side, _, region = placement.position.partition("_")
    return region, side == "before"


@st.composite
def _later_blocks(draw: st.DrawFn) -> dict[str, Any]:
    positions = ["before_character", "after_character", "before_examples", "after_examples", "at_depth"]
    block = {"id": "later", "content": "later", "position": draw(st.sampled_from(positions))}
    return {**block, "role": draw(st.sampled_from(ROLES)), "depth": draw(DEPTHS), "order": draw(st.integers(-1, 1))}


@given(mapping_requests(), _later_blocks())
def test_what_a_second_pass_places_stands_beside_its_anchor(request: Request, later: dict[str, Any]) -> None:
    first = _placed(request, tool_exchanges="split", unfilled_outlets="keep")
    old = _plain_layout(request)
    region = {"at_depth": "conversation"}.get(later["position"], later["position"].partition("_")[2])
    assume(old.get(region) is not None)
    second = place_context_blocks(
        first.messages, [later], first.layout, tool_exchanges="split", unfilled_outlets="keep"
    )
    at = second.placements[0].message_index
    assert second.messages[at] == {"role": later["role"], "content": "later"}
    # The anchor as it stands after the first pass, where a host may have been changed.
    now = [first.messages[index] for index in _new_indices(first)]
    if region == "conversation":
        indices = old[region]["message_indices"]
        if indices and later["depth"] == 0:
            assert second.messages[at - 1] is now[indices[-1]]
        elif indices:
            assert second.messages[at + 1] is now[indices[max(0, len(indices) - later["depth"])]]
    else:
        start, end = old[region]
        if start < end and later["position"].startswith("before"):
            assert second.messages[at + 1] is now[start]
        elif start < end:
            assert second.messages[at - 1] is now[end - 1]
    # Beside an empty region there are no messages of its own; its blocks of the first pass keep their sides.
    for placement in first.placements:
        if placement.position == later["position"] and not _is_embedded(placement) and not old_messages(old, region):
            came_first = placement.message_index < at
            assert came_first == _region_and_side(second.placements[0])[1] or region == "conversation"


def old_messages(layout: dict[str, Any], region: str) -> bool:
    """Whether a region of the old layout has messages."""
    if region == "conversation":
        return bool(layout[region]["message_indices"])
    return bool(layout[region][0] < layout[region][1])


@given(mapping_requests())
def test_splitting_takes_every_gap_literally(request: Request) -> None:
    result = _placed(request, tool_exchanges="split")
    assert not any(placement.moved for placement in result.placements)
    for placement in result.placements:
        assert placement.gap == placement.requested_gap
        assert (placement.gap is None) == _is_embedded(placement)


@given(mapping_requests())
def test_keeping_moves_blocks_towards_the_front_and_out_of_no_order(request: Request) -> None:
    split = _placed(request, tool_exchanges="split")
    keep = _placed(request, tool_exchanges="keep")
    literal = {placement.id: placement.gap for placement in split.placements}
    standing = [placement for placement in keep.placements if not _is_embedded(placement)]
    assert [placement.id for placement in standing] == [
        placement.id for placement in split.placements if not _is_embedded(placement)
    ]
    for placement in standing:
        assert placement.gap is not None
        assert placement.requested_gap == literal[placement.id]
        assert placement.gap <= placement.requested_gap  # type: ignore[operator]
        assert placement.moved == (placement.gap != placement.requested_gap)


# Messages that must stay next to each other, as each provider writes an exchange.
_EXCHANGES: tuple[tuple[dict[str, Any], ...], ...] = (
    (
        {"role": "assistant", "content": None, "tool_calls": [{"id": "1"}, {"id": "2"}]},
        {"role": "tool", "tool_call_id": "1", "content": "rain"},
        {"role": "tool", "tool_call_id": "2", "content": "wind"},
    ),
    (
        {"role": "assistant", "content": None, "function_call": {"name": "f"}},
        {"role": "function", "name": "f", "content": "rain"},
    ),
    (
        {"type": "reasoning", "id": "rs"},
        {"type": "function_call", "call_id": "1"},
        {"type": "function_call", "call_id": "2"},
        {"type": "function_call_output", "call_id": "1", "output": "rain"},
        {"type": "function_call_output", "call_id": "2", "output": "wind"},
    ),
    ({"type": "reasoning", "id": "rs"}, {"type": "message", "role": "assistant", "content": []}),
    (
        {"role": "assistant", "content": [{"type": "text", "text": "Let me see."}, {"type": "tool_use", "id": "1"}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "1", "content": "rain"}]},
    ),
    (
        {"role": "assistant", "content": [{"toolUse": {"toolUseId": "1"}}]},
        {"role": "user", "content": [{"toolResult": {"toolUseId": "1"}}]},
    ),
    (
        {"role": "model", "parts": [{"functionCall": {"name": "f"}}]},
        {"role": "user", "parts": [{"functionResponse": {"name": "f"}}]},
    ),
    (
        {"role": "model", "parts": ({"function_call": {"name": "f"}},)},
        {"role": "user", "parts": ({"function_response": {"name": "f"}},)},
    ),
)
_PLAIN = ({"role": "user", "content": "Hello."},), ({"role": "assistant", "content": "Yes?"},)


@st.composite
def _runs(draw: st.DrawFn) -> tuple[list[tuple[dict[str, Any], ...]], dict[str, Any], list[dict[str, Any]]]:
    """Units that must stay whole, a layout over them, and blocks everywhere."""
    units = [
        tuple(dict(message) for message in unit)
        for unit in draw(st.lists(st.sampled_from([*_PLAIN, *_EXCHANGES]), min_size=1, max_size=6))
    ]
    count = sum(len(unit) for unit in units)
    points = sorted(draw(st.lists(st.integers(0, count), min_size=4, max_size=4)))
    layout: dict[str, Any] = {"character": tuple(points[:2]), "examples": tuple(points[2:])}
    inside = {*range(*points[:2]), *range(*points[2:])}
    layout["conversation"] = {
        "message_indices": [index for index in range(count) if index not in inside],
        "empty_index": points[1],
    }
    positions = [
        *(("at_depth", depth) for depth in range(count + 2)),
        *(
            (position, None)
            for position in ("before_character", "after_character", "before_examples", "after_examples")
        ),
    ]
    blocks = [
        {"id": str(at), "position": position, "depth": depth, "role": "system", "content": "block"}
        for at, (position, depth) in enumerate(positions)
    ]
    return units, layout, blocks


@given(_runs(), st.integers(0, 4))
def test_no_exchange_is_ever_parted(run: Any, cut_off: int) -> None:
    units, layout, blocks = run
    messages = [message for unit in units for message in unit]
    result = place_context_blocks(messages, blocks, layout)
    assert len(result.placements) == len(blocks)
    at = {id(message): index for index, message in enumerate(result.messages)}
    for unit in units:
        places = [at[id(message)] for message in unit]
        assert places == list(range(places[0], places[0] + len(unit)))


@given(_runs(), st.sampled_from([exchange for exchange in _EXCHANGES if "reasoning" not in exchange[0].values()]))
def test_nothing_follows_a_call_that_waits_for_its_result(run: Any, exchange: tuple[dict[str, Any], ...]) -> None:
    units, _, blocks = run
    call = dict(exchange[0])
    messages = [*(message for unit in units for message in unit), call]
    layout = {"conversation": {"message_indices": range(len(messages))}}
    at_depths = [block for block in blocks if block["position"] == "at_depth"]
    result = place_context_blocks(messages, at_depths, layout)
    assert result.messages[-1] is call
    assert len(result.messages) == len(messages) + len(at_depths)
