"""Callbacks: when they are called, with what, and what becomes of what they do."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

import pytest

from interleaf import BlockError, ContextBlock, ContextFragment

if TYPE_CHECKING:
    from collections.abc import Callable

    from implementations import Implementation

LAYOUT: dict[str, Any] = {
    "character": (0, 1),
    "conversation": {"message_indices": [1, 2]},
    "author_note": 3,
    "outlets": {"late": 0, "early": 0},
}
# In prompt order: into the first message, after it, before and behind the conversation, into the note.
IN_ORDER = ["early", "late-1", "late-2", "after", "deep", "deep-2", "shallow", "top", "bottom"]


def messages() -> list[dict[str, Any]]:
    return [
        {"role": "system", "content": "{{outlet::early}} and {{outlet::late}}"},
        {"role": "user", "content": "u"},
        {"role": "assistant", "content": "a"},
        {"role": "system", "content": "note"},
    ]


def blocks() -> list[dict[str, Any]]:
    return [
        {"id": "bottom", "position": "author_note_bottom", "content": "bottom text"},
        {"id": "shallow", "position": "at_depth", "depth": 0, "content": "shallow text", "role": "system"},
        {"id": "late-2", "position": "outlet", "outlet_name": "late", "order": 2, "content": "late text 2"},
        {"id": "deep-2", "position": "at_depth", "depth": 9, "order": 1, "content": "deep text 2", "role": "user"},
        {"id": "after", "position": "after_character", "content": "after text", "role": "developer"},
        {"id": "top", "position": "author_note_top", "content": "top text"},
        {"id": "deep", "position": "at_depth", "depth": 9, "content": "deep text", "role": "system"},
        {"id": "late-1", "position": "outlet", "outlet_name": "late", "order": 1, "content": "late text 1"},
        {"id": "early", "position": "outlet", "outlet_name": "early", "content": "early text"},
    ]


def test_render_block_is_called_once_a_block_in_prompt_order(implementation: Implementation) -> None:
    given = blocks()
    seen: list[Any] = []

    def render(block: Any) -> str:
        seen.append(block)
        return f"<{block['content']}>"

    result = implementation.place_context_blocks(messages(), given, LAYOUT, render_block=render)
    assert [block["id"] for block in seen] == IN_ORDER == [placement.id for placement in result.placements]
    assert {id(block) for block in seen} == {id(block) for block in given}
    assert result.messages[0]["content"] == "<early text> and <late text 1>\n<late text 2>"
    assert result.messages[-1]["content"] == "<top text>\nnote\n<bottom text>"
    assert result.messages[1] == {"role": "developer", "content": "<after text>"}


def test_blocks_are_rendered_in_prompt_order_where_one_was_moved(implementation: Implementation) -> None:
    """A block that moves in front of a tool exchange also moves in front of a host that it asked to stand behind."""
    chat = [
        {"role": "user", "content": "hi"},
        {"role": "assistant", "content": "{{outlet::lore}}", "tool_calls": [{"id": "1"}]},
        {"role": "tool", "tool_call_id": "1", "content": "sunny"},
    ]
    given = [
        {"id": "behind", "position": "after_character", "content": "B", "role": "system"},
        {"id": "inside", "position": "outlet", "content": "I", "outlet_name": "lore"},
    ]
    seen: list[str] = []

    def render(block: Any) -> str:
        seen.append(block["id"])
        return str(block["content"])

    result = implementation.place_context_blocks(
        chat, given, {"character": (0, 2), "outlets": {"lore": 1}}, render_block=render
    )
    assert [message["content"] for message in result.messages] == ["hi", "B", "I", "sunny"]
    assert [placement.id for placement in result.placements] == seen == ["behind", "inside"]


def test_native_blocks_are_given_as_they_are(implementation: Implementation) -> None:
    given = [ContextBlock.from_dict(block) for block in blocks()]
    seen: list[Any] = []

    def render(block: ContextBlock) -> str:
        seen.append(block)
        return block.content.upper()

    result = implementation.place_context_blocks(messages(), given, LAYOUT, render_block=render)
    assert all(any(block is one for one in given) for block in seen)
    assert [block.id for block in seen] == IN_ORDER
    assert result.messages[1]["content"] == "AFTER TEXT"


def test_render_messages_makes_one_or_more_and_never_embeds(implementation: Implementation) -> None:
    seen: list[tuple[str, str]] = []

    def render(block: Any, content: str) -> tuple[Any, ...]:
        seen.append((block["id"], content))
        count = 3 if block["id"] == "deep" else 1
        return tuple({"role": "user", "content": content, "number": number} for number in range(count))

    result = implementation.place_context_blocks(
        messages(), blocks(), LAYOUT, render_messages=render, render_block=lambda block: block["id"]
    )
    standing = ["after", "deep", "deep-2", "shallow"]
    assert seen == [(identifier, identifier) for identifier in standing]
    by_id = {placement.id: placement for placement in result.placements}
    assert [by_id[identifier].message_count for identifier in standing] == [1, 3, 1, 1]
    assert [by_id[identifier].message_index for identifier in standing] == [1, 2, 5, 8]
    assert [message["number"] for message in result.messages[2:5]] == [0, 1, 2]
    assert by_id["early"].message_count == 0
    assert result.layout.conversation.message_indices == (6, 7)


@pytest.mark.parametrize("nothing", [[], (), range(0)])
def test_render_messages_may_not_drop_a_block(implementation: Implementation, nothing: Any) -> None:
    with pytest.raises(BlockError) as refused:
        implementation.place_context_blocks(messages(), blocks(), LAYOUT, render_messages=lambda *_: nothing)
    assert (refused.value.code, refused.value.path) == ("empty_render", "blocks[4]")


@pytest.mark.parametrize("odd", [None, 7, "text", {"role": "user"}, iter([]), {1}])
def test_render_messages_must_return_a_sequence(implementation: Implementation, odd: Any) -> None:
    with pytest.raises(BlockError) as refused:
        implementation.place_context_blocks(messages(), blocks(), LAYOUT, render_messages=lambda *_: odd)
    assert (refused.value.code, refused.value.path) == ("invalid_render", "blocks[4]")


def test_rendered_text_of_an_outlet_may_open_no_other(implementation: Implementation) -> None:
    with pytest.raises(BlockError) as refused:
        implementation.place_context_blocks(
            messages(), blocks(), LAYOUT, render_block=lambda block: "{{outlet::" + block["id"] + "}}"
        )
    assert (refused.value.code, refused.value.path) == ("nested_outlet", "blocks[8].content")
    assert "early" in str(refused.value)


def test_rendered_markers_elsewhere_stay_text(implementation: Implementation) -> None:
    def render(block: Any) -> str:
        return "plain" if block["position"] == "outlet" else "{{outlet::early}}"

    result = implementation.place_context_blocks(messages(), blocks(), LAYOUT, render_block=render)
    assert result.messages[0]["content"] == "plain and plain\nplain"
    assert result.messages[-1]["content"] == "{{outlet::early}}\nnote\n{{outlet::early}}"


def test_create_message_makes_every_standalone_message(implementation: Implementation) -> None:
    seen: list[dict[str, str]] = []

    def create(message: dict[str, str]) -> tuple[str, str]:
        seen.append(message)
        return message["role"], message["content"]

    result = implementation.place_context_blocks(messages(), blocks(), LAYOUT, create_message=create)
    assert [list(message) for message in seen] == [["role", "content"]] * 4
    assert result.messages[1:4] == [("developer", "after text"), ("system", "deep text"), ("user", "deep text 2")]
    assert len({id(message) for message in seen}) == 4


def test_render_messages_goes_before_create_message(implementation: Implementation) -> None:
    result = implementation.place_context_blocks(
        messages(),
        blocks(),
        LAYOUT,
        render_messages=lambda _, content: [content],
        create_message=lambda _: pytest.fail("not asked for"),
    )
    assert result.messages[1] == "after text"


def _fragment(identifier: str, role: str = "user", trust: str = "user") -> dict[str, Any]:
    return {
        "id": identifier,
        "source_id": "test",
        "trust": trust,
        "lifetime": "turn",
        "role": role,
        "max_chars": 10,
        "value": identifier,
    }


def test_create_message_makes_every_message_of_fragments(implementation: Implementation) -> None:
    seen: list[Any] = []

    def create(message: dict[str, str]) -> Any:
        seen.append(dict(message))
        return ("made", message["content"])

    additional = {"role": "user", "content": "extra"}
    fragments = [_fragment("a"), _fragment("b"), ContextFragment.from_dict(_fragment("c", "system", "system"))]
    plan = {"fragments": fragments, "max_input_chars": 100, "merge_adjacent": True, "additional_messages": [additional]}
    built = implementation.assemble_context_plan(plan, create_message=create)
    assert seen == [{"role": "user", "content": "a\n\nb"}, {"role": "system", "content": "c"}]
    assert built.messages[:2] == [("made", "a\n\nb"), ("made", "c")]
    assert built.messages[2] is additional
    alone = implementation.assemble_fragments(fragments, 10, create_message=create)
    assert alone.messages == [("made", "a"), ("made", "b"), ("made", "c")]


def test_no_message_is_made_of_a_plan_that_is_refused(implementation: Implementation) -> None:
    def create(message: dict[str, str]) -> Any:
        pytest.fail("the plan is over its budget")

    with pytest.raises(ValueError, match="expected"):
        implementation.assemble_fragments([_fragment("a"), _fragment("too long")], 3, create_message=create)


class _OwnError(Exception):
    pass


@pytest.mark.parametrize(
    "error",
    [_OwnError("own"), KeyboardInterrupt(), SystemExit(3), StopIteration(), TypeError("own"), ValueError("own")],
)
@pytest.mark.parametrize("callback", ["render_block", "render_messages", "create_message"])
def test_exceptions_pass_through_as_they_are(
    implementation: Implementation, callback: str, error: BaseException
) -> None:
    def fail(*_: Any) -> Any:
        raise error

    given = messages()
    before = copy.deepcopy(given)
    with pytest.raises(type(error)) as raised:
        implementation.place_context_blocks(given, blocks(), LAYOUT, **{callback: fail})
    assert raised.value is error
    assert given == before
    if callback == "create_message":
        with pytest.raises(type(error)) as raised:
            implementation.assemble_fragments([_fragment("a")], 10, create_message=fail)
        assert raised.value is error


def test_a_late_exception_leaves_no_trace(implementation: Implementation) -> None:
    given = messages()
    before = copy.deepcopy(given)

    def fail_at_last(block: Any) -> str:
        if block["id"] == "bottom":
            raise _OwnError
        return str(block["content"])

    with pytest.raises(_OwnError):
        implementation.place_context_blocks(given, blocks(), LAYOUT, render_block=fail_at_last)
    assert given == before


@pytest.mark.parametrize(
    "change",
    [
        lambda chat, _: chat.clear(),
        lambda chat, _: chat.append({"role": "user", "content": "more"}),
        lambda chat, _: chat.insert(0, {"role": "user", "content": "more"}),
        lambda chat, _: chat.extend([None] * 1000),
        lambda _, given: given.clear(),
        lambda _, given: given.extend(blocks()),
        lambda chat, given: (chat.clear(), given.clear()),
    ],
)
@pytest.mark.parametrize("callback", ["render_block", "render_messages", "create_message"])
def test_a_callback_that_changes_the_lists_changes_nothing_of_the_result(
    implementation: Implementation, callback: str, change: Callable[[Any, Any], None]
) -> None:
    def render_block(block: Any) -> str:
        change(chat, given)
        return str(block["content"])

    def render_messages(block: Any, content: str) -> list[Any]:
        change(chat, given)
        return [{"role": block["role"], "content": content}]

    def create_message(message: dict[str, str]) -> Any:
        change(chat, given)
        return message

    chat, given = messages(), blocks()
    expected = implementation.place_context_blocks(messages(), blocks(), LAYOUT).to_dict()
    callbacks = {"render_block": render_block, "render_messages": render_messages, "create_message": create_message}
    result = implementation.place_context_blocks(chat, given, LAYOUT, **{callback: callbacks[callback]})
    assert result.to_dict() == expected


def test_a_callback_that_changes_a_host_corrupts_nothing(implementation: Implementation) -> None:
    """What is written of a message that changes under the call is one of its two states, whole."""
    chat = [
        {"role": "system", "content": [{"type": "text", "text": "{{outlet::lore}}"}, {"type": "text", "text": "x"}]}
    ]

    def render(block: Any) -> str:
        chat[0]["content"].clear()  # type: ignore[attr-defined]
        return "L"

    given = [{"id": "l", "position": "outlet", "outlet_name": "lore", "content": "l"}]
    result = implementation.place_context_blocks(chat, given, {"outlets": {"lore": 0}}, render_block=render)
    assert result.messages[0]["content"] == [{"type": "text", "text": "L"}, {"type": "text", "text": "x"}]


def test_a_callback_may_place_something_itself(implementation: Implementation) -> None:
    def render(block: Any) -> str:
        inner = implementation.place_context_blocks(messages(), blocks(), LAYOUT)
        return f"{block['content']} of {len(inner.messages)}"

    result = implementation.place_context_blocks(messages(), blocks(), LAYOUT, render_block=render)
    assert result.messages[1]["content"] == "after text of 8"


def test_a_str_subclass_is_text_like_any_other(implementation: Implementation) -> None:
    class Text(str):
        __slots__ = ()

        def __str__(self) -> str:
            return "something else"

    result = implementation.place_context_blocks(
        messages(), blocks(), LAYOUT, render_block=lambda block: Text(block["content"])
    )
    assert result.messages[0]["content"] == "early text and late text 1\nlate text 2"
