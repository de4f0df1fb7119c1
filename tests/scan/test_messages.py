"""Where findings are in messages: parts, tool results, tokens spread over parts, and content that is left alone."""

from __future__ import annotations

from collections import OrderedDict, UserDict
from types import MappingProxyType, SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from interleaf import AdapterError, Finding, scan_content

if TYPE_CHECKING:
    from collections.abc import Iterator


def text(words: str, kind: str = "text") -> dict[str, Any]:
    return {"type": kind, "text": words}


def places(messages: Any) -> list[tuple[Any, ...]]:
    return [
        (found.text, found.message_index, found.part_index, found.result_index, found.span)
        for found in scan_content(messages)
    ]


def test_plain_text_has_no_message() -> None:
    assert places("x<s>") == [("<s>", None, None, None, (1, 4))]


def test_string_content() -> None:
    messages = [{"role": "user", "content": "hi"}, {"role": "user", "content": "x<s>"}]
    assert places(messages) == [("<s>", 1, None, None, (1, 4))]
    assert places(tuple(messages)) == places(messages)


def test_parts_of_all_kinds_of_text() -> None:
    content = [
        text("a"),
        text("b<s>", "input_text"),
        {"type": "image", "text": "<s>"},
        text("<s>", "output_text"),
        "c<s>",
    ]
    assert places([{"role": "user", "content": content}]) == [
        ("<s>", 0, 1, None, (1, 4)),
        ("<s>", 0, 3, None, (0, 3)),
        ("<s>", 0, 4, None, (1, 4)),
    ]
    assert places([{"role": "user", "content": tuple(content)}]) == places([{"role": "user", "content": content}])


def test_a_token_over_three_parts() -> None:
    content = [text("see <|im"), text("_"), text("start|> now"), text("<s>")]
    split, whole = scan_content([{"role": "user", "content": content}])
    assert split == Finding(
        kind="control_token",
        text="<|im_start|>",
        span=(4, 8),
        message_index=0,
        part_index=0,
        end_part_index=2,
        end_offset=7,
    )
    assert (whole.part_index, whole.span, whole.end_part_index, whole.end_offset) == (3, (0, 3), None, None)


def test_parts_of_different_widths_are_read_as_one() -> None:
    content = [text("é ＜｜im_"), text("start"), text("｜＞ 😀")]
    (finding,) = scan_content([{"role": "user", "content": content}])
    assert (finding.kind, finding.text, finding.end_part_index) == ("look_alike_token", "＜｜im_start｜＞", 2)


def test_an_image_between_parts_keeps_them_apart() -> None:
    image = {"type": "image_url", "image_url": {"url": "x"}}
    assert places([{"role": "user", "content": [text("<|im_"), image, text("end|>")]}]) == []
    # Another message is another turn.
    assert places([{"role": "user", "content": "<|im_"}, {"role": "user", "content": "end|>"}]) == []


def test_results_of_tools() -> None:
    content = [
        text("<s>"),
        {"type": "tool_result", "tool_use_id": "1", "content": "x<s>"},
        {"type": "tool_result", "tool_use_id": "2", "content": [text("ok"), text("<|im_"), text("end|>")]},
        text("</s>"),
    ]
    first, result, split, last = scan_content([{"role": "user", "content": content}])
    assert (first.part_index, first.result_index, first.span) == (0, None, (0, 3))
    assert (result.part_index, result.result_index, result.span) == (1, None, (1, 4))
    assert (split.part_index, split.result_index, split.span) == (2, 1, (0, 5))
    assert (split.text, split.end_part_index, split.end_offset) == ("<|im_end|>", 2, 5)
    assert (last.part_index, last.text) == (3, "</s>")


@pytest.mark.parametrize(
    "content", [None, 3, {"text": "<s>"}, b"<s>", [], [None, 3, {"type": "text"}, {"type": "text", "text": 3}]]
)
def test_content_without_text_gives_nothing(content: Any) -> None:
    assert scan_content([{"role": "user", "content": content}, {"role": "user"}]) == ()


def test_a_one_shot_iterator_is_left_alone() -> None:
    def parts() -> Iterator[dict[str, Any]]:
        yield text("<s>")

    content = parts()
    assert scan_content([{"role": "user", "content": content}]) == ()
    assert list(content) == [text("<s>")]


class Verbatim:
    """Messages that are their own text."""

    def role(self, _: Any, /) -> None:
        return None

    def text_parts(self, message: Any, /) -> Any:
        return message

    def with_text(self, _: Any, text: Any, /) -> Any:
        return text

    def create(self, _: str, content: str, /) -> Any:
        return content

    def joined(self, _: Any, __: Any, /) -> bool:
        return False

    def waiting(self, _: Any, /) -> bool:
        return False


def test_an_adapter_reads_the_messages() -> None:
    messages = ["x<s>", None, ["<|im_", "end|>", None, "</s>"]]
    assert [
        (found.text, found.message_index, found.part_index, found.end_part_index)
        for found in scan_content(messages, adapter=Verbatim())
    ] == [("<s>", 0, None, None), ("<|im_end|>", 2, 0, 1), ("</s>", 2, 3, None)]
    with pytest.raises(AdapterError) as refused:
        scan_content(["x", 3], adapter=Verbatim())
    assert (refused.value.code, refused.value.path) == ("invalid_adapter", "messages[1]")
    with pytest.raises(TypeError, match="adapter"):
        scan_content(["x"], adapter=object())  # type: ignore[arg-type]


def test_other_mappings_are_read_as_dicts_are() -> None:
    content = [{"type": "tool_result", "content": "<s>"}, MappingProxyType(text("</s>"))]
    messages = [OrderedDict(role="user", content=content), MappingProxyType({"content": "<s>"}), UserDict(content=None)]
    assert places(messages) == [
        ("<s>", 0, 0, None, (0, 3)),
        ("</s>", 0, 1, None, (0, 4)),
        ("<s>", 1, None, None, (0, 3)),
    ]


def test_objects_with_role_and_content_are_read_by_their_adapter() -> None:
    message = SimpleNamespace(role="user", content="x<s>")
    assert places([message]) == [("<s>", 0, None, None, (1, 4))]
    with pytest.raises(AdapterError) as refused:
        scan_content([{"content": ""}, 3])
    assert refused.value.path == "messages[1]"


@pytest.mark.parametrize("argument", [None, 3, b"<s>", {"role": "user", "content": "<s>"}, iter(["<s>"]), {"<s>"}])
def test_what_is_neither_text_nor_messages_is_a_type_error(argument: Any) -> None:
    with pytest.raises(TypeError, match="must be a str or a sequence of messages"):
        scan_content(argument)


def test_a_str_subclass_is_text() -> None:
    class Name(str):
        __slots__ = ()

    (finding,) = scan_content(Name("<s>"))
    assert type(finding.text) is str


def test_the_record() -> None:
    import copy
    import pickle

    (finding,) = scan_content("<s>")
    assert finding.to_dict() == {
        "kind": "sentence_token",
        "text": "<s>",
        "span": [0, 3],
        "message_index": None,
        "part_index": None,
        "result_index": None,
        "end_part_index": None,
        "end_offset": None,
        "block_id": None,
    }
    assert repr(finding) == "Finding(kind='sentence_token', text='<s>', span=(0, 3))"
    assert pickle.loads(pickle.dumps(finding)) == finding == copy.deepcopy(finding)  # noqa: S301 - our own bytes
    assert finding.replace(block_id="lore").block_id == "lore"
    assert len({finding, finding.replace()}) == 1
    with pytest.raises(AttributeError):
        finding.kind = "invisible"  # type: ignore[misc]
