"""Messages that are the caller's own pydantic models."""

from __future__ import annotations

import enum
from typing import Any

import pytest

from integration_libraries import library
from interleaf import AdapterError, place_context_blocks

pydantic = library("pydantic")
pydantic_dataclasses = library("pydantic.dataclasses")

NOTE = [{"id": "tone", "position": "author_note_bottom", "content": "soft"}]


class Role(enum.Enum):
    USER = "user"
    TOOL = "tool"


def with_note(message: Any) -> Any:
    return place_context_blocks([message], NOTE, {"author_note": 0})


def model(**options: Any) -> Any:
    return pydantic.create_model(
        "Message",
        __config__=options or None,
        role=(Any, ...),
        content=(Any, ...),
        id=(str, "m1"),
        tool_calls=(Any, None),
    )


@pytest.mark.parametrize("options", [{}, {"frozen": True}, {"extra": "allow"}, {"validate_assignment": True}])
def test_a_model_is_copied_with_other_text_and_every_other_field(options: dict[str, Any]) -> None:
    calls: list[Any] = []
    message = model(**options)(role=Role.USER, content="note", id="m7", tool_calls=calls, trace="t1")
    result = with_note(message)
    (changed,) = result.messages
    assert type(changed) is type(message)
    assert (changed.content, changed.role, changed.id) == ("note\nsoft", Role.USER, "m7")
    assert changed.tool_calls is calls
    assert getattr(changed, "trace", None) == getattr(message, "trace", None)
    assert message.content == "note"
    assert result.placements[0].role == "user"
    type(message).model_validate(changed.model_dump(), strict=True)


def test_private_attributes_are_kept() -> None:
    class Message(pydantic.BaseModel):  # type: ignore[misc]
        role: str
        content: str
        _trace: Any = pydantic.PrivateAttr(default=None)

    message = Message(role="user", content="note")
    message._trace = trace = object()
    assert with_note(message).messages[0]._trace is trace


def test_content_that_is_not_a_field_is_refused_and_not_ignored() -> None:
    class Message(pydantic.BaseModel):  # type: ignore[misc]
        role: str
        body: str

        @property
        def content(self) -> str:
            return self.body

    message = Message(role="user", body="note")
    with pytest.raises(
        AdapterError, match=r"^messages\[0\].*Message, whose content cannot be changed.*no field"
    ) as caught:
        with_note(message)
    assert (caught.value.code, caught.value.path) == ("unchangeable_message", "messages[0]")
    assert message.body == "note"


def test_a_copy_that_keeps_the_old_text_is_refused() -> None:
    class Message(pydantic.BaseModel):  # type: ignore[misc]
        role: str
        content: str

        def model_copy(self, **_: Any) -> Message:
            return Message(role=self.role, content=self.content)

    with pytest.raises(AdapterError, match=r"^messages\[0\].*Message.*the new text") as caught:
        with_note(Message(role="user", content="note"))
    assert (caught.value.code, caught.value.path) == ("unchangeable_message", "messages[0]")


def test_a_pydantic_dataclass_is_replaced() -> None:
    @pydantic_dataclasses.dataclass(frozen=True)
    class Message:
        role: str
        content: str

    assert with_note(Message("user", "note")).messages == [Message("user", "note\nsoft")]


def test_calls_and_results_stay_together() -> None:
    kind = model()
    messages = [
        kind(role="user", content="a"),
        kind(role="assistant", content="", tool_calls=[1]),
        kind(role=Role.TOOL, content="b"),
    ]
    block = {"id": "b", "position": "at_depth", "depth": 1, "content": "x", "role": "system"}
    result = place_context_blocks(messages, [block], {"conversation": {"message_indices": [0, 1, 2]}})
    assert result.placements[0].gap == 1
    assert [result.messages[index] is messages[at] for index, at in ((0, 0), (2, 1), (3, 2))] == [True] * 3
