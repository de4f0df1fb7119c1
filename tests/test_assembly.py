"""What an assembled plan says of itself: right answers that both implementations must give."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from interleaf import MutationError, PlanError

if TYPE_CHECKING:
    from implementations import Implementation


def fragment(identifier: str, **changes: Any) -> dict[str, Any]:
    return {
        "id": identifier,
        "source_id": "chat",
        "trust": "user",
        "lifetime": "turn",
        "role": "user",
        "max_chars": 100,
        "value": identifier,
        **changes,
    }


def test_a_message_of_several_lifetimes_counts_as_its_shortest(implementation: Implementation) -> None:
    fragments = [
        fragment("rules", lifetime="static", role="system"),
        fragment("a", lifetime="static"),
        fragment("b", lifetime="session"),
        fragment("c", lifetime="static", role="system"),
        fragment("d", lifetime="session"),
        fragment("e", lifetime="turn"),
    ]
    built = implementation.assemble_fragments(fragments, 100, merge_adjacent=True)
    assert [message["content"] for message in built.messages] == ["rules", "a\n\nb", "c", "d\n\ne"]
    assert (built.static_messages, built.session_messages) == (1, 3)


def test_json_of_the_same_text_is_another_value(implementation: Implementation) -> None:
    originals = [fragment("a", value="[1]"), fragment("b", value=[1]), fragment("c", value=[1])]
    given = [fragment("a", value=[1]), fragment("b", value="[1]"), fragment("c", value=(1,))]
    plan = {"fragments": given, "original_fragments": originals, "max_input_chars": 100}
    with pytest.raises(MutationError) as refused:
        implementation.assemble_context_plan(plan)
    assert [(each.kind, each.fragment_id) for each in refused.value.violations] == [
        ("value_changed", "a"),
        ("value_changed", "b"),
    ]


@pytest.mark.parametrize("name", ["original_fragments", "mutable_fragment_ids", "additional_messages"])
@pytest.mark.parametrize("value", [7, "text", {"a": 1}])
def test_lists_of_a_plan_are_iterables(implementation: Implementation, name: str, value: Any) -> None:
    with pytest.raises(PlanError) as refused:
        implementation.assemble_context_plan({"fragments": [], "max_input_chars": 0, name: value})
    assert (refused.value.code, refused.value.path) == ("invalid_type", name)
