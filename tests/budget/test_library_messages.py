"""Messages of another library, read through the adapter for their type."""

from __future__ import annotations

from typing import Any

import pytest

from budget.libraries import needed
from interleaf import AdapterError, place_context_blocks
from interleaf.budget import Budget, TokenCounter, check_budget, count_chars, count_tokens, stable_prefix

LETTERS = TokenCounter(len, tokens_per_message=0, tokens_priming=0, part_tokens={"image_url": 85})


def test_langchain_messages_count_as_the_dicts_they_stand_for() -> None:
    langchain = needed("langchain_core.messages")
    call = {"name": "look", "args": {"at": "灯"}, "id": "1"}
    image = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
    messages = [
        langchain.SystemMessage("Be brief."),
        langchain.HumanMessage(
            [{"type": "text", "text": "What is "}, {"type": "text", "text": "this?"}, image], name="Mira"
        ),
        langchain.AIMessage("", tool_calls=[call]),
        langchain.ToolMessage("A lamp.", tool_call_id="1"),
    ]
    texts = ["Be brief.", "What is this?", 'look{"at":"灯"}', "A lamp."]
    roles = ["system", "user", "assistant", "tool"]
    envelopes = [len(role) for role in roles]
    envelopes[1] += len("Mira") + 1 + 85
    count = count_tokens(messages, LETTERS)
    assert count.per_message == tuple(len(text) + more for text, more in zip(texts, envelopes, strict=True))
    chars = count_chars(messages)
    assert (chars.per_message, chars.opaque_parts) == (tuple(map(len, texts)), 1)


def test_blocks_in_langchain_messages_say_what_they_cost() -> None:
    langchain = needed("langchain_core.messages")
    history = [langchain.SystemMessage("See {{outlet::x}}!"), langchain.HumanMessage("Hello.")]

    def turn(content: str) -> Any:
        block = {"id": "x", "position": "outlet", "outlet_name": "x", "content": content}
        return place_context_blocks(history, [block], {"outlets": {"x": 0}})

    usage = check_budget(turn("here"), Budget(max_chars=100, counter=LETTERS))
    assert [(block.id, block.chars, block.tokens) for block in usage.blocks] == [("x", 4, 4)]
    prefix = stable_prefix(turn("here"), turn("there"), counter=LETTERS)
    assert (prefix.first_changed, prefix.changed_by, prefix.chars, prefix.tokens) == (0, "x", 4, 3)


def test_a_type_that_no_adapter_knows_is_refused() -> None:
    for call in (count_chars, lambda messages: count_tokens(messages, LETTERS)):
        with pytest.raises(AdapterError) as caught:
            call([{"role": "user", "content": "x"}, 5])
        assert caught.value.path == "messages[1]"
