"""What becomes of messages that something is embedded in, on both implementations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from inputs.odd_types import ReadOnlyMapping

if TYPE_CHECKING:
    from implementations import Implementation

TOP = {"id": "top", "position": "author_note_top", "content": "T"}
BOTTOM = {"id": "bottom", "position": "author_note_bottom", "content": "B"}


def filling(name: str, content: str = "filled") -> dict[str, Any]:
    return {"id": name, "position": "outlet", "outlet_name": name, "content": content}


def parts(*texts: str) -> list[dict[str, Any]]:
    return [{"type": "text", "text": text} for text in texts]


def embedded(implementation: Implementation, content: Any, *blocks: Any, outlets: str = "", **options: Any) -> Any:
    """The new content of the only message, which is the author's note and holds these outlets."""
    layout = {"author_note": 0, "outlets": dict.fromkeys(outlets, 0)}
    return implementation.place_context_blocks([{"role": "system", "content": content}], blocks, layout, **options)


def content_of(result: Any) -> Any:
    return result.messages[0]["content"]


A, B = "{{outlet::a}}", "{{outlet::b}}"


@pytest.mark.parametrize("content", [A, parts(A), parts("x", A)])
def test_a_host_whose_content_did_not_change_stays_the_same_object(
    implementation: Implementation, content: Any
) -> None:
    message = {"role": "system", "content": content}
    layout = {"outlets": {"a": 0}}
    result = implementation.place_context_blocks([message], [], layout, unfilled_outlets="keep")
    assert result.messages[0] is message
    emptied = implementation.place_context_blocks(
        [{**message, "content": "note"}], [{**TOP, "content": ""}], {"author_note": 0}, separator=""
    )
    assert emptied.placements[0].span == (0, 0)
    changed = implementation.place_context_blocks([message], [filling("a")], layout)
    assert changed.messages[0] is not message


@pytest.mark.parametrize(
    ("content", "new"),
    [
        (parts("x", A), parts("x")),
        (parts(A, "x", B), parts("x")),
        # Both markers of one part are gone, and nothing is left of it.
        (parts("x", A + B), parts("x")),
        (parts("x", f"{A} "), parts("x", " ")),
        (parts("x", f"x{A}"), parts("x", "x")),
        # If no part would remain, the first stays.
        (parts(A), parts("")),
        (parts(A, B), parts("")),
        (parts("", A), parts("")),
        ([{"type": "image"}, *parts(A)], [{"type": "image"}]),
    ],
)
def test_a_part_left_empty_by_removal_alone_is_left_out(implementation: Implementation, content: Any, new: Any) -> None:
    outlets = "ab" if B in str(content) else "a"
    assert content_of(embedded(implementation, content, outlets=outlets)) == new
    kept = embedded(implementation, content, outlets=outlets, unfilled_outlets="keep")
    assert content_of(kept) == content
    assert all(one is other for one, other in zip(content_of(kept), content, strict=True))


def test_a_part_that_something_fills_stays(implementation: Implementation) -> None:
    result = embedded(implementation, parts("x", A + B), filling("a"), outlets="ab")
    assert content_of(result) == parts("x", "filled")
    result = embedded(implementation, parts("x", A + B), filling("b", ""), outlets="ab")
    assert content_of(result) == parts("x", "")


@pytest.mark.parametrize(("block", "new"), [(TOP, parts("T\n")), (BOTTOM, parts("\nB"))])
def test_a_note_block_alone_may_remain(implementation: Implementation, block: Any, new: Any) -> None:
    assert content_of(embedded(implementation, parts(A), block, outlets="a")) == new


@pytest.mark.parametrize("content", [f"{A} {B}", parts(f"x {A}", B), parts(A, f"x {B}"), parts("x", f"x {A}", B)])
def test_fillers_are_rendered_in_the_order_of_their_markers(implementation: Implementation, content: Any) -> None:
    rendered: list[str] = []

    def render(block: Any) -> str:
        rendered.append(block["id"])
        return str(block["content"])

    layout = {"outlets": {"b": 0, "a": 0}}
    message = {"role": "system", "content": content}
    result = implementation.place_context_blocks([message], [filling("b"), filling("a")], layout, render_block=render)
    assert rendered == ["a", "b"]
    assert [placement.id for placement in result.placements] == ["a", "b"]


def test_none_as_a_separator_is_a_line_end(implementation: Implementation) -> None:
    assert content_of(embedded(implementation, "note", TOP, BOTTOM, separator=None)) == "T\nnote\nB"


def test_a_mapping_that_cannot_be_changed_becomes_a_dict_though_it_can_be_copied(
    implementation: Implementation,
) -> None:
    class Unchangeable(ReadOnlyMapping):
        def __copy__(self) -> Unchangeable:
            return Unchangeable(dict(self._items))

    message = Unchangeable({"role": "system", "content": "note"})
    result = implementation.place_context_blocks([message], [TOP], {"author_note": 0})
    assert result.messages == [{"role": "system", "content": "T\nnote"}]


def test_roles_and_metadata_are_the_objects_themselves(implementation: Implementation) -> None:
    role, metadata = ("a", "role"), [("kept",)]
    message = {"role": role, "content": "note"}
    result = implementation.place_context_blocks([message], [{**TOP, "metadata": metadata}], {"author_note": 0})
    written = result.to_dict()["placements"][0]
    assert written["role"] is role
    assert written["metadata"] is metadata


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
