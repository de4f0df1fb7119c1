"""Layouts at the edge of what the contract allows, on both implementations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from interleaf import LayoutError

if TYPE_CHECKING:
    from implementations import Implementation

CHAT: list[dict[str, Any]] = [{"role": "user", "content": text} for text in ("{{outlet::a}}", "1", "2", "3")]


def refused(implementation: Implementation, layout: Any, messages: Any = CHAT) -> tuple[str, str]:
    with pytest.raises(LayoutError) as error:
        implementation.place_context_blocks(messages, [], layout)
    return error.value.code, error.value.path


@pytest.mark.parametrize(
    "bounds",
    [
        ("0", 1),
        (0, "1"),
        (None, 1),
        (0, None),
        (0,),
        (0, 1, 2),
        (2, 5),
        (-1, 1),
        {"start": 0, "end": 1, "step": 1},
        {"start": 0, "stop": 1},
        {"begin": 0, "end": 1},
    ],
)
def test_what_is_no_range(implementation: Implementation, bounds: Any) -> None:
    assert refused(implementation, {"character": bounds}) == ("invalid_range", "layout.character")


@pytest.mark.parametrize(
    ("layout", "path"),
    [
        ({"conversation": {"message_indices": [3], "empty_index": 5}}, "layout.conversation.empty_index"),
        ({"conversation": {"message_indices": [], "empty_index": -1}}, "layout.conversation.empty_index"),
        ({"outlets": {"a": {"message_index": 4, "start": 0, "end": 13}}}, 'layout.outlets["a"].message_index'),
        ({"outlets": {"a": {"message_index": 0, "start": 0, "end": -1}}}, 'layout.outlets["a"].end'),
        (
            {"outlets": {"a": {"message_index": 0, "start": 0, "end": 13, "part_index": -1}}},
            'layout.outlets["a"].part_index',
        ),
    ],
)
def test_what_is_no_index(implementation: Implementation, layout: Any, path: str) -> None:
    assert refused(implementation, layout) == ("invalid_index", path)


def test_the_last_message_and_the_last_gap_may_be_named(implementation: Implementation) -> None:
    chat = [*CHAT[1:], CHAT[0]]
    layout = {
        "character": (0, 0),
        "examples": (2, 3),
        "conversation": {"message_indices": [], "empty_index": 4},
        "author_note": 3,
        "outlets": {"a": {"message_index": 3, "start": 0, "end": 13}},
    }
    result = implementation.place_context_blocks(chat, [], layout)
    assert result.layout.to_dict() == {
        "character": [0, 0],
        "examples": [2, 3],
        "conversation": {"message_indices": [], "empty_index": 4},
        "author_note": 3,
    }


@pytest.mark.parametrize(
    ("character", "examples"),
    [((1, 1), (0, 2)), ((0, 2), (1, 1)), ((0, 2), (1, 3)), ((1, 3), (0, 2)), ((0, 3), (1, 2)), ((0, 1), (0, 1))],
)
def test_ranges_that_overlap(implementation: Implementation, character: Any, examples: Any) -> None:
    layout = {"character": character, "examples": examples}
    assert refused(implementation, layout) == ("overlapping_regions", "layout.examples")


@pytest.mark.parametrize(
    ("character", "examples"),
    [((0, 0), (0, 2)), ((2, 2), (0, 2)), ((0, 2), (2, 2)), ((1, 1), (1, 1)), ((2, 4), (0, 2))],
)
def test_ranges_that_only_touch(implementation: Implementation, character: Any, examples: Any) -> None:
    result = implementation.place_context_blocks(CHAT, [], {"character": character, "examples": examples})
    assert (result.layout.character, result.layout.examples) == (character, examples)


def test_the_empty_index_of_a_conversation_with_messages_is_not_used(implementation: Implementation) -> None:
    layout = {"character": (0, 2), "conversation": {"message_indices": [2], "empty_index": 1}}
    result = implementation.place_context_blocks(CHAT, [], layout)
    assert result.layout.to_dict()["conversation"] == {"message_indices": [2], "empty_index": None}


@pytest.mark.parametrize("name", ["character", "examples"])
def test_an_empty_conversation_lies_in_no_range(implementation: Implementation, name: str) -> None:
    layout = {name: (1, 3), "conversation": {"message_indices": [], "empty_index": 2}}
    assert refused(implementation, layout) == ("overlapping_regions", "layout.conversation.empty_index")
    for edge in (1, 3):
        layout["conversation"] = {"message_indices": [], "empty_index": edge}
        result = implementation.place_context_blocks(CHAT, [], layout)
        assert result.layout.conversation.empty_index == edge


@pytest.mark.parametrize(
    ("content", "span"),
    [
        ("{{outlet::a}}", (0, 0, 14, None)),
        ("{{outlet::a}}", (0, 0, 13, 0)),
        (" {{outlet::a}}", (0, 0, 13, None)),
        ([{"type": "text", "text": "{{outlet::a}}"}], (0, 0, 13, None)),
        ([{"type": "text", "text": "{{outlet::a}}"}], (0, 0, 13, 1)),
        ([{"type": "image"}], (0, 0, 13, 0)),
    ],
)
def test_a_span_that_is_no_marker(implementation: Implementation, content: Any, span: tuple[Any, ...]) -> None:
    anchor = dict(zip(("message_index", "start", "end", "part_index"), span, strict=True))
    messages = [{"role": "user", "content": content}]
    assert refused(implementation, {"outlets": {"a": anchor}}, messages) == (
        "outlet_marker_missing",
        'layout.outlets["a"]',
    )


def test_markers_that_share_text(implementation: Implementation) -> None:
    """A name may end in a brace, so one marker may be the beginning of another."""
    messages = [{"role": "user", "content": "{{outlet::a}}}"}]
    assert refused(implementation, {"outlets": {"a": 0, "a}": 0}}, messages) == (
        "overlapping_regions",
        'layout.outlets["a}"]',
    )
    apart = [
        {"role": "user", "content": [{"type": "text", "text": text} for text in ("{{outlet::a}}}", "{{outlet::b}}")]}
    ]
    assert implementation.place_context_blocks(apart, [], {"outlets": {"a": 0, "b": 0}}).messages[0]["content"] == [
        {"type": "text", "text": "}"}
    ]


def test_an_empty_conversation_is_not_drawn_into_the_range_before_it(implementation: Implementation) -> None:
    """Its depth 0 block has to go before a call at the end of that range; the conversation stays behind the range."""
    messages = [
        {"role": "system", "content": "rules"},
        {"role": "assistant", "content": "", "tool_calls": [{}]},
        {"role": "tool", "content": "result"},
    ]
    layout = {"character": (0, 2), "conversation": {"message_indices": [], "empty_index": 2}}
    block = {"id": "b", "position": "at_depth", "depth": 0, "role": "system", "content": "B"}
    result = implementation.place_context_blocks(messages, [block], layout)
    assert [message["content"] for message in result.messages] == ["rules", "B", "", "result"]
    assert result.layout.character == (0, 3)
    assert result.layout.conversation.empty_index == 3
    again = implementation.place_context_blocks(result.messages, [{**block, "id": "c"}], result.layout)
    assert again.placements[0].requested_gap == 3
