"""Messages that are mappings of other types than dict, and parts of dict messages that are no dicts."""

from __future__ import annotations

import collections
from collections.abc import Iterator, Mapping, MutableMapping
from types import MappingProxyType, SimpleNamespace
from typing import Any

import pytest

from interleaf import AdapterError, place_context_blocks

NOTE = [{"id": "tone", "position": "author_note_bottom", "content": "soft"}]


class Attributed(dict[str, Any]):
    """A dict subclass with attributes, as clients of several services have them."""


class Wrapper(MutableMapping[str, Any]):
    """Keeps its items in another mapping, which a copy by the default protocol would share."""

    def __init__(self, items: dict[str, Any]) -> None:
        self.items_ = items

    def __getitem__(self, key: str) -> Any:
        return self.items_[key]

    def __setitem__(self, key: str, value: Any) -> None:
        self.items_[key] = value

    def __delitem__(self, key: str) -> None:
        del self.items_[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self.items_)

    def __len__(self) -> int:
        return len(self.items_)


class CopiedWrapper(Wrapper):
    def __copy__(self) -> CopiedWrapper:
        return CopiedWrapper(dict(self.items_))


class SharingWrapper(Wrapper):
    def __copy__(self) -> SharingWrapper:
        return SharingWrapper(self.items_)


class ReadOnly(Mapping[str, Any]):
    def __init__(self, items: dict[str, Any]) -> None:
        self.items_ = items

    def __getitem__(self, key: str) -> Any:
        return self.items_[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self.items_)

    def __len__(self) -> int:
        return len(self.items_)


def with_note(message: Any, **options: Any) -> Any:
    return place_context_blocks([message], NOTE, {"author_note": 0}, **options).messages[0]


def gap_used(messages: list[Any], gap: int) -> Any:
    block = {"id": "b", "position": "at_depth", "depth": len(messages) - gap, "content": "x", "role": "system"}
    layout = {"conversation": {"message_indices": list(range(len(messages)))}}
    (placement,) = place_context_blocks(messages, [block], layout).placements
    assert placement.requested_gap == gap
    return placement.gap


@pytest.mark.parametrize(
    "kind", [collections.OrderedDict, collections.UserDict, Attributed, CopiedWrapper], ids=lambda kind: kind.__name__
)
def test_a_mapping_with_a_copy_of_its_own_keeps_its_type_and_every_other_key(kind: Any) -> None:
    extra = object()
    message = kind({"name": "n", "role": "user", "content": "note", "extra": extra})
    changed = with_note(message)
    assert type(changed) is kind
    assert list(changed) == ["name", "role", "content", "extra"]
    assert changed["content"] == "note\nsoft"
    assert changed["extra"] is extra
    assert message["content"] == "note"


@pytest.mark.parametrize("kind", [MappingProxyType, ReadOnly, Wrapper], ids=lambda kind: kind.__name__)
def test_a_mapping_that_cannot_be_copied_by_itself_becomes_a_dict(kind: Any) -> None:
    message = kind({"name": "n", "role": "user", "content": "note"})
    changed = with_note(message)
    assert type(changed) is dict
    assert list(changed.items()) == [("name", "n"), ("role", "user"), ("content", "note\nsoft")]
    assert message["content"] == "note"


def test_an_attribute_of_a_dict_subclass_is_kept() -> None:
    message = Attributed(role="user", content="note")
    message.trace = "t1"  # type: ignore[attr-defined]
    assert with_note(message).trace == "t1"


def test_a_mapping_whose_copy_writes_through_is_refused_and_stays_as_it_is() -> None:
    message = SharingWrapper({"role": "user", "content": "note"})
    with pytest.raises(AdapterError, match=r"^messages\[0\].*SharingWrapper.*shares its items") as caught:
        with_note(message)
    assert (caught.value.code, caught.value.path) == ("unchangeable_message", "messages[0]")
    assert dict(message) == {"role": "user", "content": "note"}


@pytest.mark.parametrize("kind", [MappingProxyType, collections.UserDict])
def test_parts_in_list_content_are_changed_one_by_one(kind: Any) -> None:
    picture = {"type": "image_url", "image_url": {"url": "data:,"}}
    text = kind({"type": "input_text", "text": "see {{outlet::lore}}", "cache_control": 1})
    message = kind({"role": "user", "content": [picture, text]})
    blocks = [*NOTE, {"id": "lore", "position": "outlet", "outlet_name": "lore", "content": "the mill"}]
    result = place_context_blocks([message], blocks, {"author_note": 0, "outlets": {"lore": 0}})
    content = result.messages[0]["content"]
    assert content[0] is picture
    assert dict(content[1]) == {"type": "input_text", "text": "see the mill", "cache_control": 1}
    assert content[2] == {"type": "input_text", "text": "\nsoft"}
    assert dict(text)["text"] == "see {{outlet::lore}}"


@pytest.mark.parametrize("kind", [dict, MappingProxyType, collections.UserDict])
@pytest.mark.parametrize(
    ("call", "result"),
    [
        ({"role": "assistant", "tool_calls": [{}]}, {"role": "tool", "content": ""}),
        ({"role": "assistant", "function_call": {"name": "f"}}, {"role": "function", "content": ""}),
        ({"type": "function_call"}, {"type": "function_call_output"}),
        ({"type": "computer_call"}, {"type": "computer_call_output"}),
        (
            {"role": "assistant", "content": [{"type": "tool_use"}]},
            {"role": "user", "content": [{"type": "tool_result"}]},
        ),
        ({"role": "assistant", "content": ({"toolUse": {}},)}, {"role": "user", "content": ({"toolResult": {}},)}),
        ({"role": "model", "parts": [{"functionCall": {}}]}, {"role": "user", "parts": [{"functionResponse": {}}]}),
        ({"role": "model", "parts": [{"function_call": {}}]}, {"role": "user", "parts": [{"function_response": {}}]}),
    ],
)
def test_calls_and_results_stay_together_in_every_shape(kind: Any, call: Any, result: Any) -> None:
    user = kind({"role": "user", "content": "a"})
    assert gap_used([user, kind(call), kind(result)], 2) == 1
    assert gap_used([user, kind(call)], 2) == 1
    assert gap_used([user, kind(call), kind(result), user], 3) == 3


def test_objects_among_the_parts_of_a_dict_are_read_like_its_dicts() -> None:
    user = {"role": "user", "content": "a"}
    call = {"role": "assistant", "content": [SimpleNamespace(type="tool_use", id="t")]}
    answer = {"role": "user", "content": [SimpleNamespace(type="tool_result", tool_use_id="t")]}
    assert gap_used([user, call, answer], 2) == 1
    assert gap_used([user, call], 2) == 1
    contents = [{"role": "model", "parts": [SimpleNamespace(function_call={})]}]
    assert gap_used([user, *contents], 2) == 1


def test_a_text_part_that_is_an_object_is_changed_in_a_copy() -> None:
    part = SimpleNamespace(type="text", text="see {{outlet::lore}}", citations=None)
    blocks = [{"id": "lore", "position": "outlet", "outlet_name": "lore", "content": "the mill"}]
    message = {"role": "assistant", "content": [part]}
    (changed,) = place_context_blocks([message], blocks, {"outlets": {"lore": 0}}).messages
    assert changed["content"] == [SimpleNamespace(type="text", text="see the mill", citations=None)]
    assert part.text == "see {{outlet::lore}}"


def test_a_text_part_that_cannot_be_changed_is_refused_with_its_message() -> None:
    class Sealed:
        __slots__ = ()
        type = "text"
        text = "see {{outlet::lore}}"

    message = {"role": "assistant", "content": [Sealed()]}
    with pytest.raises(AdapterError, match=r"^messages\[0\].*Sealed") as caught:
        place_context_blocks([message], [], {"outlets": {"lore": 0}})
    assert (caught.value.code, caught.value.path) == ("unchangeable_message", "messages[0]")


def test_an_iterator_in_a_message_is_never_read() -> None:
    def once() -> Iterator[Any]:
        yield {"type": "tool_result"}

    content, calls = once(), once()
    messages: list[Any] = [
        {"role": "user", "content": content},
        MappingProxyType({"role": "assistant", "content": content, "tool_calls": calls}),
    ]
    assert gap_used(messages, 1) == 1
    # A call of which nothing is known but that there is one waits for its result.
    assert gap_used(messages, 2) == 1
    assert [len(list(each)) for each in (content, calls)] == [1, 1]
