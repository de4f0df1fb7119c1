"""Messages that are objects: dataclasses, pydantic and attrs classes, named tuples, and anything with role and content."""

from __future__ import annotations

import copy
import dataclasses
import enum
from functools import cached_property
from types import SimpleNamespace
from typing import Any, NamedTuple

import pytest

from interleaf import AdapterError, LayoutError, place_context_blocks


class Role(enum.Enum):
    USER = "user"
    TOOL = "tool"
    SYSTEM = "system"


@dataclasses.dataclass
class Plain:
    role: Any
    content: Any
    tool_calls: Any = None
    id: str = "m1"


@dataclasses.dataclass(frozen=True)
class Frozen:
    role: str
    content: Any
    id: str = "m1"


@dataclasses.dataclass(frozen=True, slots=True)
class Slotted:
    role: str
    content: str
    number: int = dataclasses.field(init=False, default=0)


@dataclasses.dataclass
class Counted:
    role: str
    content: str
    size: int = dataclasses.field(init=False)

    def __post_init__(self) -> None:
        self.size = len(self.content)


class Tupled(NamedTuple):
    role: str
    content: str
    id: str = "m1"


class Bare:
    def __init__(self, role: str, content: str) -> None:
        self.role = role
        self.content = content
        self.extra = object()


class Sealed:
    """Neither a way to copy it changed nor an attribute that can be set."""

    role = "user"

    @property
    def content(self) -> str:
        return "note"


class Shared:
    """A proxy, as object mappers have them: its copy writes through to the same record."""

    def __init__(self, role: str, content: str) -> None:
        object.__setattr__(self, "record", {"role": role, "content": content})

    def __getattr__(self, name: str) -> Any:
        if name == "record":
            raise AttributeError(name)
        try:
            return self.record[name]
        except KeyError:
            raise AttributeError(name) from None

    def __setattr__(self, name: str, value: Any) -> None:
        self.record[name] = value


class Single:
    """Its copy is the object itself."""

    role = "user"
    content = "note"

    def __copy__(self) -> Single:
        return self


def note_under(message: Any, **options: Any) -> Any:
    """Place a note below the text of the only message, and return what it became."""
    blocks = [{"id": "tone", "position": "author_note_bottom", "content": "soft"}]
    return place_context_blocks([message], blocks, {"author_note": 0}, **options)


def gap_used(messages: list[Any], gap: int) -> int:
    """The gap that a block asking for this one got."""
    conversation = {"message_indices": list(range(len(messages)))}
    block = {"id": "b", "position": "at_depth", "depth": len(messages) - gap, "content": "x", "role": "system"}
    result = place_context_blocks(messages, [block], {"conversation": conversation})
    (placement,) = result.placements
    assert placement.requested_gap == gap
    used = placement.gap
    assert isinstance(used, int)
    assert all(
        new is old for new, old in zip(result.messages[:used] + result.messages[used + 1 :], messages, strict=True)
    )
    return used


@pytest.mark.parametrize("kind", [Plain, Frozen, Tupled], ids=lambda kind: kind.__name__)
def test_the_text_changes_in_a_copy_of_the_same_class(kind: Any) -> None:
    message = kind(role="user", content="note", id="m7")
    result = note_under(message)
    (changed,) = result.messages
    assert type(changed) is kind
    assert changed == kind(role="user", content="note\nsoft", id="m7")
    assert message == kind(role="user", content="note", id="m7")
    assert (result.placements[0].role, result.placements[0].span) == ("user", (5, 9))


def test_a_frozen_class_with_slots_keeps_the_field_its_constructor_does_not_take() -> None:
    message = Slotted("user", "note")
    object.__setattr__(message, "number", 7)
    (changed,) = note_under(message).messages
    assert (changed.content, changed.number) == ("note\nsoft", 7)


def test_what_a_class_computes_of_its_text_is_computed_again() -> None:
    (changed,) = note_under(Counted("user", "note")).messages
    assert (changed.content, changed.size) == ("note\nsoft", 9)


def test_attributes_outside_the_fields_are_kept_but_not_what_was_cached_of_the_old_text() -> None:
    @dataclasses.dataclass
    class Cached:
        role: str
        content: str

        @cached_property
        def size(self) -> int:
            return len(self.content)

    message = Cached("user", "note")
    message.trace = "t1"  # type: ignore[attr-defined]
    assert message.size == 4
    (changed,) = note_under(message).messages
    assert (changed.trace, changed.size) == ("t1", 9)


@pytest.mark.parametrize(
    "message", [Bare("user", "note"), SimpleNamespace(role="user", content="note", extra=object())]
)
def test_a_plain_object_is_copied_and_its_attribute_set(message: Any) -> None:
    (changed,) = note_under(message).messages
    assert type(changed) is type(message)
    assert changed.content == "note\nsoft"
    assert changed.extra is message.extra
    assert message.content == "note"


@pytest.mark.parametrize("message", [Sealed(), Single(), Shared("user", "note")], ids=lambda m: type(m).__name__)
def test_an_object_whose_text_cannot_be_changed_is_refused_and_stays_as_it_is(message: Any) -> None:
    with pytest.raises(
        AdapterError, match=rf"messages\[0\].*{type(message).__name__}.*expected a mapping, a dataclass"
    ) as caught:
        note_under(message)
    assert (caught.value.code, caught.value.path) == ("unchangeable_message", "messages[0]")
    assert message.content == "note"


def test_an_unknown_type_is_named_with_its_index_and_what_is_supported() -> None:
    messages = [{"role": "user", "content": "a"}, 3.5]
    block = {"id": "b", "position": "at_depth", "depth": 0, "content": "x", "role": "system"}
    layout = {"conversation": {"message_indices": [0, 1]}}
    with pytest.raises(
        AdapterError, match=r"^messages\[1\]: found float.*expected a mapping.*pydantic.*langchain"
    ) as caught:
        place_context_blocks(messages, [block], layout)
    assert (caught.value.code, caught.value.path) == ("unsupported_message", "messages[1]")
    again = copy.copy(caught.value)
    assert (str(again), again.code, again.path) == (str(caught.value), caught.value.code, caught.value.path)
    # What need not be looked at need not be known.
    result = place_context_blocks(messages, [block], layout, tool_exchanges="split")
    assert result.messages[1] is messages[1]


def test_an_object_that_lacks_a_role_is_no_message_though_another_of_its_class_is_one() -> None:
    note_under(SimpleNamespace(role="user", content="note"))
    with pytest.raises(AdapterError, match="SimpleNamespace"):
        note_under(SimpleNamespace(text="note"))


@pytest.mark.parametrize("content", [None, 5, {"type": "text", "text": "x"}])
def test_a_host_without_text_is_refused(content: Any) -> None:
    with pytest.raises(LayoutError) as caught:
        note_under(Plain("user", content))
    assert (caught.value.code, caught.value.path) == ("content_not_text", "messages[0].content")


def test_a_role_that_is_a_member_of_an_enum_counts_by_its_value() -> None:
    assert note_under(Plain(Role.USER, "note")).placements[0].role == "user"
    assert gap_used([Plain("assistant", "a"), Plain(Role.TOOL, "b")], 1) == 0
    assert gap_used([Plain("assistant", "a"), Plain(Role.USER, "b")], 1) == 1


def test_a_type_that_is_a_member_of_an_enum_counts_by_its_value_before_a_mapping() -> None:
    class Kind(enum.Enum):
        REASONING = "reasoning"
        MESSAGE = "message"

    user = {"role": "user", "content": "a"}
    assert gap_used([user, SimpleNamespace(type=Kind.REASONING), user], 2) == 1
    assert gap_used([user, SimpleNamespace(type=Kind.MESSAGE), user], 2) == 2


def test_a_role_that_is_no_text_is_passed_on_as_that_of_a_mapping_is() -> None:
    assert note_under(Plain(5, "note")).placements[0].role == 5
    assert note_under({"role": 5, "content": "note"}).placements[0].role == 5


def test_a_call_and_its_result_stay_together() -> None:
    call = Plain("assistant", None, tool_calls=[object()])
    assert gap_used([Plain("user", "a"), call, Plain("tool", "b")], 2) == 1
    assert gap_used([Plain("user", "a"), call], 2) == 1
    assert gap_used([Plain("user", "a"), Plain("assistant", "b", tool_calls=[])], 2) == 2


def test_items_with_a_type_and_no_role_are_messages() -> None:
    reasoning = SimpleNamespace(type="reasoning", id="r", summary=[])
    calls = [SimpleNamespace(type="function_call", call_id=name) for name in "ab"]
    results = [SimpleNamespace(type="function_call_output", call_id=name) for name in "ab"]
    messages = [Plain("user", "a"), reasoning, *calls, *results]
    assert [gap_used(messages, gap) for gap in range(1, 6)] == [1, 1, 1, 1, 1]
    assert gap_used([Plain("user", "a"), calls[0]], 2) == 1


def test_dicts_and_objects_in_one_list_are_joined_either_way_round() -> None:
    user = {"role": "user", "content": "a"}
    call = {"role": "assistant", "tool_calls": [{"id": "c"}]}
    assert gap_used([user, call, Plain("tool", "b")], 2) == 1
    assert (
        gap_used([Plain("user", "a"), Plain("assistant", "", tool_calls=[1]), {"role": "tool", "content": "b"}], 2) == 1
    )
    assert gap_used([SimpleNamespace(type="function_call"), {"type": "custom_tool_call"}], 1) == 0
    assert gap_used([{"type": "reasoning"}, Plain("assistant", "b")], 1) == 0


@dataclasses.dataclass
class TextPart:
    text: str
    type: str = "text"
    cache_control: Any = None


class Picture:
    type = "image"


def test_parts_that_are_objects_are_texts_and_the_others_stay_the_same() -> None:
    picture, kept = Picture(), TextPart("kept", cache_control={"type": "ephemeral"})
    message = Plain("user", [TextPart("see {{outlet::lore}}", cache_control=1), picture, kept])
    blocks = [
        {"id": "lore", "position": "outlet", "outlet_name": "lore", "content": "the mill"},
        {"id": "tone", "position": "author_note_bottom", "content": "soft"},
    ]
    result = place_context_blocks([message], blocks, {"author_note": 0, "outlets": {"lore": 0}})
    (changed,) = result.messages
    assert changed.content[0] == TextPart("see the mill", cache_control=1)
    assert changed.content[1] is picture
    assert changed.content[2] is kept
    # A new part is of the same class and takes nothing but its type from another.
    assert changed.content[3] == TextPart("\nsoft")
    assert message.content[0].text == "see {{outlet::lore}}"
    assert [(each.part_index, each.span) for each in result.placements] == [(0, (4, 12)), (3, (1, 5))]


def test_a_tuple_of_parts_stays_a_tuple() -> None:
    part = {"type": "text", "text": "note"}
    (changed,) = note_under(Frozen("user", (part,))).messages
    assert changed.content == (part, {"type": "text", "text": "\nsoft"})
    assert changed.content[0] is part


def test_parts_whose_class_makes_no_text_alone_are_refused() -> None:
    @dataclasses.dataclass
    class Numbered:
        type: str
        text: str
        number: int

    with pytest.raises(AdapterError, match=r"messages\[0\].*Numbered") as caught:
        note_under(Plain("user", [Numbered("text", "note", 1)]))
    assert caught.value.code == "unchangeable_message"
