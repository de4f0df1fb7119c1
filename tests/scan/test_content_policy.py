"""What a placement does about the rendered text of its blocks."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from comparison import Refusal, attempt, same
from implementations import NATIVE, REFERENCE
from interleaf import BlockError, Finding, InterleafError
from strategies import mapping_requests

if TYPE_CHECKING:
    from implementations import Implementation
    from strategies import Request

CHAT = [
    {"role": "system", "content": "Old <s> text."},
    {"role": "system", "content": "Note: {{outlet::lore}}"},
    {"role": "user", "content": "<|im_end|>"},
]
LAYOUT = {"conversation": {"message_indices": [2]}, "author_note": 0, "outlets": {"lore": 1}}


def block(identifier: str, content: str, position: str = "at_depth") -> dict[str, Any]:
    placed = {"id": identifier, "position": position, "content": content}
    if position == "at_depth":
        return {**placed, "depth": 1, "role": "system"}
    return {**placed, "outlet_name": "lore"} if position == "outlet" else placed


BLOCKS = [
    block("clean", "Nothing here."),
    block("turn", "Hi<|im_end|>\u200b"),
    block("lore", "a <s> b", "outlet"),
    block("note", "x[INST]", "author_note_top"),
]


def test_findings_of_standalone_and_embedded_blocks_in_prompt_order(implementation: Implementation) -> None:
    result = implementation.place_context_blocks(CHAT, BLOCKS, LAYOUT, content_policy="report")
    assert [(found.block_id, found.kind, found.text, found.span) for found in result.findings] == [
        ("note", "control_token", "[INST]", (1, 7)),
        ("lore", "sentence_token", "<s>", (2, 5)),
        ("turn", "control_token", "<|im_end|>", (2, 12)),
        ("turn", "invisible", "\u200b", (12, 13)),
    ]
    assert all(found.message_index is None and found.part_index is None for found in result.findings)
    assert result.to_dict()["findings"][0]["block_id"] == "note"
    # Reporting changes nothing else, and what was in the chat before is not looked at.
    plain = implementation.place_context_blocks(CHAT, BLOCKS, LAYOUT)
    assert plain.findings == ()
    assert "findings" not in plain.to_dict()
    assert plain.messages == result.messages
    assert plain.placements == result.placements


@pytest.mark.parametrize("policy", [None, "ignore"])
def test_nothing_is_looked_at_by_default(implementation: Implementation, policy: Any) -> None:
    assert implementation.place_context_blocks(CHAT, BLOCKS, LAYOUT, content_policy=policy).findings == ()


def test_the_first_finding_is_refused(implementation: Implementation) -> None:
    blocks = [BLOCKS[0], block("turn", "Hi\u202e")]
    with pytest.raises(BlockError) as refused:
        implementation.place_context_blocks(CHAT, blocks, LAYOUT, content_policy="refuse")
    assert (refused.value.code, refused.value.path) == ("unsafe_content", "blocks[1].content")
    for said in ("turn", "bidi_control", r"\u202e", "2 to 3"):
        assert said in str(refused.value)
    implementation.place_context_blocks(CHAT, BLOCKS[:1], LAYOUT, content_policy="refuse")


def test_what_was_rendered_is_looked_at(implementation: Implementation) -> None:
    result = implementation.place_context_blocks(
        CHAT, BLOCKS[:1], LAYOUT, content_policy="report", render_block=lambda each: f"<s>{each['content']}"
    )
    assert [(found.block_id, found.span) for found in result.findings] == [("clean", (0, 3))]
    cleaned = implementation.place_context_blocks(
        CHAT, BLOCKS, LAYOUT, content_policy="refuse", render_block=lambda each: each["id"]
    )
    assert cleaned.findings == ()


def test_an_outlet_that_opens_another_is_refused_first(implementation: Implementation) -> None:
    blocks = [block("lore", "{{outlet::x}}", "outlet")]
    with pytest.raises(BlockError) as refused:
        implementation.place_context_blocks(CHAT, blocks, LAYOUT, content_policy="refuse")
    assert refused.value.code == "nested_outlet"


@pytest.mark.parametrize("policy", ["", "Report", 1, True, ["report"]])
def test_other_policies_are_refused(implementation: Implementation, policy: Any) -> None:
    with pytest.raises(InterleafError) as refused:
        implementation.place_context_blocks(CHAT, BLOCKS, {"conversation": 3}, content_policy=policy)
    assert (refused.value.code, refused.value.path) == ("invalid_option", "content_policy")


def test_a_result_is_built_again_of_its_fields() -> None:
    import copy

    result = NATIVE.place_context_blocks(CHAT, BLOCKS, LAYOUT, content_policy="report")
    again = copy.deepcopy(result)
    assert again.findings == result.findings
    assert again == result
    assert "findings" in repr(result)
    assert "findings" not in repr(NATIVE.place_context_blocks(CHAT, BLOCKS, LAYOUT))
    assert type(result.findings[0]) is Finding


HOSTILE = st.lists(
    st.sampled_from(
        ["<|im_end|>", "[INST", "]", "＜s＞", "<s>", "\u200b", "\u200c", "م", "\u202e", "{{outlet::a", "}}", "😀", " "]
    ),
    max_size=4,
).map("".join)


def _place(implementation: Implementation, request: Request) -> Any:
    return implementation.place_context_blocks(request.messages, request.blocks, request.layout, **request.options)


@given(mapping_requests(), st.sampled_from(["report", "refuse"]), st.data())
def test_native_and_reference_agree(request: Request, policy: str, data: st.DataObject) -> None:
    blocks = [{**each, "content": each["content"] + data.draw(HOSTILE)} for each in request.blocks]
    asked = replace(request, blocks=blocks, options={**request.options, "content_policy": policy})
    native = attempt(lambda: _place(NATIVE, asked))
    reference = attempt(lambda: _place(REFERENCE, asked))
    if isinstance(native, Refusal) or isinstance(reference, Refusal):
        assert native == reference
    else:
        assert same(native.to_dict(), reference.to_dict())
        assert [found.span for found in native.findings] == [found.span for found in reference.findings]
