"""Mappings of every kind, with keys of every kind."""

from __future__ import annotations

import types
from collections import ChainMap, defaultdict
from typing import TYPE_CHECKING, Any

import pytest

from inputs.odd_types import BLOCK, CONTENTS, FRAGMENT, LAYOUT, MAPPING_FORMS, OddText, ReadOnlyMapping, chat, contents
from interleaf import BlockError, InterleafError

if TYPE_CHECKING:
    from collections.abc import Callable

    from implementations import Implementation

by_form = pytest.mark.parametrize("form", MAPPING_FORMS)


@by_form
def test_blocks_are_any_mapping(implementation: Implementation, form: Callable[[dict[str, Any]], Any]) -> None:
    given = form(BLOCK)
    seen: list[Any] = []

    def render(block: Any) -> str:
        seen.append(block)
        return str(block["content"])

    result = implementation.place_context_blocks(chat(), [given], LAYOUT, render_block=render)
    assert contents(result) == CONTENTS
    assert seen[0] is given
    assert dict(given) == BLOCK
    with pytest.raises(BlockError) as refused:
        implementation.place_context_blocks(chat(), [form({**BLOCK, "dept": 1})], LAYOUT)
    assert refused.value.path == "blocks[0].dept"


@by_form
def test_layouts_and_what_is_in_them_are_any_mapping(
    implementation: Implementation, form: Callable[[dict[str, Any]], Any]
) -> None:
    layout = form(
        {
            "character": form({"start": 0, "end": 1}),
            "conversation": form({"messageIndices": [1, 2]}),
            "outlets": form({"who": form({"message_index": 0, "start": 8, "end": 23})}),
        }
    )
    filler = {"id": "w", "position": "outlet", "outlet_name": "who", "content": "Ann"}
    result = implementation.place_context_blocks(chat(), [BLOCK, filler], layout)
    assert contents(result) == ["You are Ann.", "u", "B", "a"]
    assert implementation.get_placement_capabilities(layout).outlets == ("who",)
    assert len(layout) == 3


@by_form
def test_plans_and_fragments_are_any_mapping(
    implementation: Implementation, form: Callable[[dict[str, Any]], Any]
) -> None:
    fragment = form(FRAGMENT)
    plan = form(
        {"fragments": [fragment], "maxInputChars": 10, "additional_messages": [form({"role": "user", "content": "x"})]}
    )
    built = implementation.assemble_context_plan(plan)
    assert built.input_chars == 2
    assert built.messages[0] == {"role": "user", "content": "F"}
    assert built.messages[1] is plan["additional_messages"][0]


@by_form
@pytest.mark.parametrize("as_parts", [False, True])
def test_hosts_are_any_mapping_and_stay_what_they_are(
    implementation: Implementation, form: Callable[[dict[str, Any]], Any], as_parts: bool
) -> None:
    text = "You are {{outlet::who}}."
    content = [form({"type": "text", "text": text, "cache": True})] if as_parts else text
    host = form({"name": "n", "content": content, "role": "system"})
    filler = {"id": "w", "position": "outlet", "outlet_name": "who", "content": "Ann"}
    result = implementation.place_context_blocks([host], [filler], {"outlets": {"who": 0}})
    changed = result.messages[0]
    # What can be copied and changed stays what it is; what cannot becomes a dict.
    is_changeable = not isinstance(host, (ReadOnlyMapping, types.MappingProxyType))
    assert type(changed) is (type(host) if is_changeable else dict)
    assert list(changed) == ["name", "content", "role"] or isinstance(host, ChainMap)
    if as_parts:
        assert type(changed["content"][0]) is type(changed)
        assert dict(changed["content"][0]) == {"type": "text", "text": "You are Ann.", "cache": True}
        assert host["content"][0]["text"] == text
    else:
        assert changed["content"] == "You are Ann."
        assert host["content"] == text
    assert result.placements[0].role == "system"


def test_reading_a_defaultdict_puts_nothing_into_it(implementation: Implementation) -> None:
    messages = [defaultdict(list, message) for message in (*chat(), {"role": "tool", "content": "t"})]
    implementation.place_context_blocks(messages, [BLOCK, {**BLOCK, "id": "c", "depth": 0}], LAYOUT)
    assert [list(message) for message in messages] == [["role", "content"]] * 4
    block = defaultdict(list, BLOCK)
    implementation.place_context_blocks(chat(), [block], LAYOUT)
    assert dict(block) == BLOCK


@by_form
def test_tool_exchanges_are_kept_in_any_mapping(
    implementation: Implementation, form: Callable[[dict[str, Any]], Any]
) -> None:
    exchange = [
        {"role": "assistant", "content": [{"type": "tool_use", "id": "1"}]},
        {"role": "user", "content": [form({"type": "tool_result", "tool_use_id": "1"})]},
    ]
    messages = [form(message) for message in exchange]
    result = implementation.place_context_blocks(messages, [BLOCK], {"conversation": {"message_indices": [0, 1]}})
    assert result.messages[1:] == messages
    assert (result.placements[0].requested_gap, result.placements[0].gap) == (1, 0)


@pytest.mark.parametrize("key", [0, None, (1, 2), b"id", 1.5, True, frozenset()])
def test_keys_that_are_no_str_are_unknown(implementation: Implementation, key: Any) -> None:
    def refused(call: Callable[[], Any]) -> tuple[str, str]:
        with pytest.raises(InterleafError) as error:
            call()
        return error.value.code, error.value.path

    place, assemble = implementation.place_context_blocks, implementation.assemble_context_plan
    plan = {"fragments": [], "max_input_chars": 0}
    assert refused(lambda: place(chat(), [{**BLOCK, key: 1}], LAYOUT)) == ("unknown_field", "blocks[0]")
    assert refused(lambda: place(chat(), [], {key: 1})) == ("unknown_field", "layout")
    assert refused(lambda: place(chat(), [], {"conversation": {key: 1}})) == ("unknown_field", "layout.conversation")
    assert refused(lambda: place(chat(), [], {"outlets": {"a": {key: 1}}})) == ("unknown_field", 'layout.outlets["a"]')
    assert refused(lambda: place(chat(), [], {"outlets": {key: 0}})) == ("invalid_outlet_name", "layout.outlets")
    assert refused(lambda: place(chat(), [], {"character": {key: 0, "end": 1}})) == (
        "invalid_range",
        "layout.character",
    )
    assert refused(lambda: assemble({**plan, key: 1})) == ("unknown_field", "")
    assert refused(lambda: assemble({**plan, "fragments": [{**FRAGMENT, key: 1}]})) == ("unknown_field", "fragments[0]")
    assert refused(lambda: assemble({**plan, "fragments": [{**FRAGMENT, "value": {key: 1}}]})) == (
        "invalid_value",
        "fragments[0].value",
    )


def test_keys_of_a_str_subclass_are_keys(implementation: Implementation) -> None:
    block = {OddText(name): value for name, value in BLOCK.items()}
    assert contents(implementation.place_context_blocks(chat(), [block], LAYOUT)) == CONTENTS


def test_a_mapping_that_fails_is_not_refused_but_fails(implementation: Implementation) -> None:
    class Failing(ReadOnlyMapping):
        def __getitem__(self, key: str) -> Any:
            raise OSError("gone")

    with pytest.raises(OSError, match="gone"):
        implementation.place_context_blocks(chat(), [Failing(BLOCK)], LAYOUT)
    with pytest.raises(OSError, match="gone"):
        implementation.place_context_blocks(chat(), [], Failing(LAYOUT))
    with pytest.raises(OSError, match="gone"):
        implementation.assemble_fragments([Failing(FRAGMENT)], 10)
