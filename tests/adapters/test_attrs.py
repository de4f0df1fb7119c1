"""Messages that are attrs classes."""

from __future__ import annotations

from typing import Any

import pytest

from integration_libraries import library
from interleaf import place_context_blocks

attrs = library("attrs")


@pytest.mark.parametrize("make", ["define", "frozen", "mutable"])
@pytest.mark.parametrize("slots", [True, False])
def test_a_class_is_evolved_with_every_other_field(make: str, slots: bool) -> None:
    @getattr(attrs, make)(slots=slots)
    class Message:
        role: Any
        content: str
        id: str = "m1"
        number: int = attrs.field(init=False, default=0)

    message = Message("user", "note", "m7")
    object.__setattr__(message, "number", 7)
    block = {"id": "tone", "position": "author_note_bottom", "content": "soft"}
    (changed,) = place_context_blocks([message], [block], {"author_note": 0}).messages
    assert type(changed) is Message
    assert (changed.role, changed.content, changed.id, changed.number) == ("user", "note\nsoft", "m7", 7)
    assert message.content == "note"


def test_what_is_computed_of_the_text_is_computed_again() -> None:
    @attrs.define
    class Message:
        role: str
        content: str
        size: int = attrs.field(init=False)

        def __attrs_post_init__(self) -> None:
            self.size = len(self.content)

    block = {"id": "tone", "position": "author_note_bottom", "content": "soft"}
    (changed,) = place_context_blocks([Message("user", "note")], [block], {"author_note": 0}).messages
    assert changed.size == 9
