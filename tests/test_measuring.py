"""What texts and additional messages measure, on both implementations."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from implementations import Implementation


@pytest.mark.parametrize(
    ("unit", "sizes"),
    [("codepoint", (1,) * 10), ("utf16", (1, 1, 1, 1, 1, 1, 1, 1, 2, 2)), ("utf8", (1, 1, 2, 2, 3, 3, 3, 3, 4, 4))],
)
def test_the_first_and_the_last_characters_of_each_size(
    implementation: Implementation, unit: str, sizes: tuple[int, ...]
) -> None:
    characters = "\x00\x7f\x80\u07ff\u0800\ud800\udfff\uffff\U00010000\U0010ffff"
    for character, size in zip(characters, sizes, strict=True):
        message = {"role": "user", "content": character * 3}
        built = implementation.assemble_context_plan(
            {"fragments": [], "max_input_chars": 99, "additional_messages": [message], "unit": unit}
        )
        assert built.additional_chars == 3 * size


@pytest.mark.parametrize(
    ("content", "chars", "opaque"),
    [
        ("text", 4, 0),
        ([{"type": "text", "text": "one"}, {"type": "input_text", "text": "two"}], 6, 0),
        ([{"type": "text", "text": 5}, {"type": "output_text", "text": "no"}, {"text": "no"}, "no", 7, None], 0, 6),
        ([{"type": "other", "content": "no"}], 0, 1),
        ([{"type": "tool_result", "content": "result"}], 6, 0),
        ([{"type": "tool_result", "content": [{"type": "text", "text": "a"}, {"type": "image"}]}], 1, 1),
        ([{"type": "tool_result", "content": [{"type": "tool_result", "content": "no"}]}], 0, 1),
        ([{"type": "tool_result", "content": ("no",)}, {"type": "tool_result"}], 0, 2),
        # Parts may be objects, as client libraries have them in their answers.
        ([SimpleNamespace(type="text", text="one"), SimpleNamespace(type="image")], 3, 1),
        ([SimpleNamespace(type="tool_result", content="result")], 6, 0),
        ([{"type": "tool_result", "content": [SimpleNamespace(type="text", text="one")]}], 3, 0),
    ],
)
def test_text_of_parts(implementation: Implementation, content: Any, chars: int, opaque: int) -> None:
    message = {"role": "user", "content": content}
    built = implementation.assemble_context_plan(
        {"fragments": [], "max_input_chars": math.inf, "additional_messages": [message]}
    )
    assert (built.additional_chars, built.opaque_parts, built.input_chars) == (chars, opaque, chars)
    assert built.messages == [message]
    assert built.messages[0] is message
