"""Which gaps part a tool exchange, one rule of the contract at a time, on both implementations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from interleaf.adapters import MixedAdapter

if TYPE_CHECKING:
    from implementations import Implementation

USER = {"role": "user", "content": "u"}


def gap_used(implementation: Implementation, messages: list[Any], gap: int, **options: Any) -> int:
    """The gap that a block asking for this one gets."""
    layout = {"character": (gap, len(messages))}
    block = {"id": "b", "position": "before_character", "content": "B", "role": "system"}
    if gap == len(messages):
        layout, block["position"] = {"character": (0, gap)}, "after_character"
    (placement,) = implementation.place_context_blocks(messages, [block], layout, **options).placements
    assert placement.requested_gap == gap
    assert isinstance(placement.gap, int)
    return placement.gap


def parted(*keys: str) -> list[Any]:
    return [{"role": "user", holder: [{"type": "other"}, {key: {}}]} for key in keys for holder in ("content", "parts")]


@pytest.mark.parametrize(
    "message",
    [
        {"role": "tool", "content": ""},
        {"role": "function", "content": ""},
        {"type": "function_call_output"},
        {"type": "_output"},
        {"role": "user", "content": [{"type": "tool_result"}]},
        {"role": "user", "parts": [{"type": "tool_result"}]},
        *parted("toolResult", "function_response", "functionResponse"),
    ],
)
def test_a_result_stays_behind_what_is_before_it(implementation: Implementation, message: Any) -> None:
    assert gap_used(implementation, [USER, USER, message], 2) == 1


@pytest.mark.parametrize(
    "message",
    [
        {"role": "tools", "content": ""},
        {"type": "output"},
        {"type": "function_call_output_"},
        {"role": "user", "content": [{"type": "tool_result_"}, {"toolResult": None}, {"toolResults": {}}, None]},
        {"role": "user", "content": {"type": "tool_result"}},
        *parted("toolUse", "function_call", "functionCall"),
    ],
)
def test_what_is_no_result_may_be_parted(implementation: Implementation, message: Any) -> None:
    assert gap_used(implementation, [USER, USER, message], 2) == 2


@pytest.mark.parametrize(
    ("previous", "message", "gap"),
    [
        ({"type": "reasoning"}, USER, 1),
        ({"type": "reasoning"}, {"type": "message"}, 1),
        ({"type": "reasoning_"}, USER, 2),
        ({"role": "reasoning"}, USER, 2),
        ({"type": "function_call"}, {"type": "custom_call"}, 1),
        ({"type": "function_call"}, {"type": "function_call_"}, 2),
        ({"type": "function_call_"}, {"type": "function_call"}, 2),
        ({"type": "function_call"}, USER, 2),
        (USER, {"type": "function_call"}, 2),
        (USER, {"type": "reasoning"}, 2),
    ],
)
def test_what_an_item_must_be_followed_by(
    implementation: Implementation, previous: Any, message: Any, gap: int
) -> None:
    assert gap_used(implementation, [USER, previous, message], 2) == gap


@pytest.mark.parametrize(
    "message",
    [
        {"role": "assistant", "content": "", "tool_calls": [{}]},
        {"role": "assistant", "content": "", "function_call": {"name": "f"}},
        {"type": "function_call"},
        {"role": "assistant", "content": [{"type": "tool_use"}]},
        *parted("toolUse", "function_call", "functionCall"),
    ],
)
def test_a_call_at_the_end_waits_for_its_result(implementation: Implementation, message: Any) -> None:
    assert gap_used(implementation, [USER, message], 2) == 1


@pytest.mark.parametrize(
    "message",
    [
        {"role": "assistant", "content": "", "tool_calls": [], "function_call": None},
        {"role": "assistant", "content": "", "tool_calls": None, "function_call": {}},
        {"type": "function_call_"},
        {"role": "assistant", "content": [{"type": "tool_use_"}, {"toolUse": None}]},
        {"type": "reasoning"},
        *parted("toolResult", "function_response", "functionResponse"),
    ],
)
def test_nothing_else_at_the_end_waits(implementation: Implementation, message: Any) -> None:
    assert gap_used(implementation, [USER, message], 2) == 2


def test_an_adapter_is_asked_about_mappings_too(implementation: Implementation) -> None:
    class Loose(MixedAdapter):
        def joined(self, _previous: Any, _message: Any, /) -> bool:
            return False

    messages = [USER, {"role": "tool", "content": ""}]
    assert gap_used(implementation, messages, 1) == 0
    assert gap_used(implementation, messages, 1, adapter=Loose()) == 1
