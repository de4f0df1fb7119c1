"""The option that gives blocks other roles where a role is not welcome."""

from __future__ import annotations

import copy
import pickle
from types import MappingProxyType
from typing import Any

import pytest

from interleaf import ContextBlock, InterleafError, place_context_blocks
from interleaf.adapters import MixedAdapter

MESSAGES: list[Any] = [
    {"role": "system", "content": "Card."},
    {"role": "user", "content": "a"},
    {"role": "assistant", "content": "b"},
    {"role": "user", "content": "c"},
]
LAYOUT: dict[str, Any] = {"character": (0, 1), "author_note": 0, "conversation": {"message_indices": [1, 2, 3]}}


def at_depth(depth: int, role: str = "system") -> dict[str, Any]:
    return {"id": f"d{depth}", "position": "at_depth", "depth": depth, "content": "x", "role": role}


def roles(blocks: list[Any], changes: Any, **options: Any) -> list[tuple[Any, Any]]:
    result = place_context_blocks(MESSAGES, blocks, LAYOUT, mid_conversation_roles=changes, **options)
    for placement in result.placements:
        if placement.gap is not None and "create_message" not in options and "render_messages" not in options:
            assert result.messages[placement.message_index]["role"] == placement.role
    return [(each.role, each.requested_role) for each in result.placements]


def test_only_what_lands_after_the_first_conversation_message_is_mapped() -> None:
    blocks = [
        {"id": "card", "position": "after_character", "content": "x", "role": "system"},
        *(at_depth(depth) for depth in range(4)),
    ]
    system, mapped = ("system", "system"), ("user", "system")
    assert roles(blocks, {"system": "user"}) == [system, system, mapped, mapped, mapped]
    assert roles(blocks, None) == [system] * 5
    assert roles(blocks, {}) == [system] * 5


def test_it_is_the_gap_where_the_block_lands_that_counts_and_not_the_one_it_asked_for() -> None:
    messages = [
        {"role": "assistant", "tool_calls": [{}]},
        {"role": "tool", "content": "r"},
        {"role": "user", "content": "c"},
    ]
    layout = {"conversation": {"message_indices": [0, 1, 2]}}
    result = place_context_blocks(
        messages, [at_depth(2), at_depth(1)], layout, mid_conversation_roles={"system": "user"}
    )
    assert [(each.gap, each.role) for each in result.placements] == [(0, "system"), (2, "user")]


def test_roles_are_mapped_once_and_each_by_its_own_entry() -> None:
    changes = MappingProxyType({"system": "user", "user": "assistant"})
    blocks = [at_depth(0, "user"), at_depth(1), at_depth(2, "developer")]
    assert roles(blocks, changes) == [("developer", "developer"), ("user", "system"), ("assistant", "user")]


def test_embedded_blocks_have_the_role_of_their_host_and_requested_none() -> None:
    block = {"id": "n", "position": "author_note_top", "content": "x", "role": "user"}
    assert roles([block], {"system": "user"}) == [("system", None)]


def test_without_conversation_messages_nothing_is_mapped() -> None:
    layout = {"character": (0, 1), "conversation": {"message_indices": [], "empty_index": 1}}
    result = place_context_blocks(MESSAGES[:1], [at_depth(0)], layout, mid_conversation_roles={"system": "user"})
    assert result.messages[1] == {"role": "system", "content": "x"}


def test_whatever_makes_the_message_gets_the_final_role() -> None:
    seen: list[Any] = []

    def create(message: dict[str, str]) -> Any:
        seen.append(message["role"])
        return message

    class Adapter(MixedAdapter):
        def create(self, role: str, content: str, /) -> Any:
            seen.append(role)
            return super().create(role, content)

    assert roles([at_depth(0), at_depth(9)], {"system": "user"}, create_message=create) == [
        ("system", "system"),
        ("user", "system"),
    ]
    roles([at_depth(0), at_depth(9)], {"system": "user"}, adapter=Adapter())
    assert seen == ["system", "user"] * 2


def test_messages_that_a_callback_makes_whole_have_the_roles_it_gave_them() -> None:
    def render(block: Any, content: str) -> list[Any]:
        return [{"role": block["role"], "content": content}]

    assert roles([at_depth(0)], {"system": "user"}, render_messages=render) == [("system", "system")]


@pytest.mark.parametrize(
    "changes",
    [
        "system",
        [("system", "user")],
        5,
        {"system": "tool"},
        {"tool": "user"},
        {"system": None},
        {None: "user"},
        {"sytem": "user"},
    ],
)
def test_what_is_no_mapping_from_roles_to_roles_is_refused(changes: Any) -> None:
    with pytest.raises(InterleafError, match=r"expected a mapping from roles to roles.*developer") as caught:
        place_context_blocks(MESSAGES, [], LAYOUT, mid_conversation_roles=changes)
    assert type(caught.value) is InterleafError
    assert (caught.value.code, caught.value.path) == ("invalid_option", "mid_conversation_roles")


def test_it_is_the_last_of_the_options_to_be_checked() -> None:
    with pytest.raises(InterleafError) as caught:
        place_context_blocks(MESSAGES, [], LAYOUT, separator=5, mid_conversation_roles=5)  # type: ignore[call-overload]
    assert caught.value.path == "separator"
    with pytest.raises(InterleafError) as caught:
        place_context_blocks(MESSAGES, [5], {"outlets": 5}, mid_conversation_roles=5)  # type: ignore[call-overload]
    assert caught.value.path == "mid_conversation_roles"


def test_the_record_has_the_field_after_moved_and_can_be_copied() -> None:
    block = ContextBlock(id="b", position="at_depth", depth=0, content="x", role="system")
    (placement,) = place_context_blocks(MESSAGES, [block], LAYOUT, mid_conversation_roles={"system": "user"}).placements
    names = list(placement.to_dict())
    assert names[names.index("moved") + 1] == "requested_role"
    assert placement.to_dict()["requested_role"] == "system"
    assert placement.__match_args__[names.index("requested_role")] == "requested_role"
    for again in (copy.copy(placement), pickle.loads(pickle.dumps(placement))):  # noqa: S301
        assert again == placement
        assert again.requested_role == "system"
    assert "requested_role='system'" in repr(placement)
