"""What of a message counts, in tokens and in characters."""

from __future__ import annotations

import base64
import enum
import json
from collections import OrderedDict, UserDict
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interleaf import AdapterError, InterleafError, place_context_blocks
from interleaf.budget import TokenCounter, UnpricedPart, count_chars, count_tokens
from interleaf.errors import CounterError

# One token a code point, so that every text shows in the sum.
LETTERS = TokenCounter(len, tokens_per_message=1000, tokens_per_name=100, tokens_priming=10_000)


def tokens(message: Any, **options: Any) -> int:
    count = count_tokens([message], LETTERS, **options)
    assert count.total == count.per_message[0] + 10_000
    return count.per_message[0] - 1000


def chars(message: Any) -> int:
    return count_chars([message]).total


IMAGE = {"type": "image_url", "image_url": {"url": "data:image/png;base64," + base64.b64encode(bytes(3000)).decode()}}


@pytest.mark.parametrize(
    ("message", "token_count", "char_count"),
    [
        ({"role": "user", "content": "hello"}, 4 + 5, 5),
        ({"content": "hello"}, 5, 5),
        ({"role": "user", "content": None}, 4, 0),
        ({}, 0, 0),
        ({"role": "user", "name": "Mira", "content": "hello"}, 4 + 100 + 4 + 5, 5),
        ({"role": "user", "content": "hello", "id": "message-17", "created": 12, 3: "x"}, 4 + 5, 5),
        (
            {"role": "user", "content": [{"type": "text", "text": "he"}, {"type": "input_text", "text": "llo"}]},
            4 + 5,
            5,
        ),
        ({"role": "assistant", "content": [{"type": "output_text", "text": "hello", "annotations": []}]}, 9 + 5, 5),
        ({"role": "user", "content": ("he", {"type": "text", "text": "llo"})}, 4 + 5, 5),
        ({"role": "user", "parts": [{"text": "he"}, {"text": "llo"}]}, 4 + 5, 5),
        ({"role": "user", "content": [IMAGE, {"type": "text", "text": "hello"}]}, 4 + 5, 5),
        (
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [
                    {"id": "call_1", "type": "function", "function": {"name": "look", "arguments": '{"at": 1}'}},
                    {"id": "call_2", "type": "custom", "custom": {"name": "run", "input": "x = 1"}},
                ],
            },
            9 + 4 + 9 + 3 + 5,
            4 + 9 + 3 + 5,
        ),
        (
            {"role": "assistant", "content": "hi", "function_call": {"name": "look", "arguments": "{}"}},
            9 + 2 + 6,
            2 + 6,
        ),
        ({"role": "tool", "tool_call_id": "call_1", "content": "done"}, 4 + 4, 4),
        # Anthropic
        (
            {"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "look", "input": {"at": "灯"}}]},
            9 + 4 + len('{"at":"灯"}'),
            4 + len('{"at":"灯"}'),
        ),
        ({"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "done"}]}, 4 + 4, 4),
        (
            {
                "role": "user",
                "content": [{"type": "tool_result", "content": [{"type": "text", "text": "done"}, IMAGE]}],
            },
            4 + 4,
            4,
        ),
        # Responses items
        ({"type": "message", "role": "user", "content": [{"type": "input_text", "text": "hello"}]}, 4 + 5, 5),
        ({"type": "function_call", "call_id": "c", "name": "look", "arguments": "{}"}, 6, 6),
        ({"type": "function_call_output", "call_id": "c", "output": "done"}, 4, 4),
        ({"type": "function_call_output", "output": [{"type": "input_text", "text": "done"}]}, 4, 4),
        # Gemini, Bedrock, LangChain
        ({"role": "model", "parts": [{"function_call": {"name": "look", "args": {"at": 1}}}]}, 5 + 4 + 8, 4 + 8),
        ({"role": "assistant", "content": [{"toolUse": {"name": "look", "input": {}}}]}, 9 + 4 + 2, 4 + 2),
        (
            {"role": "assistant", "content": "", "tool_calls": [{"name": "look", "args": {}, "id": "1"}]},
            9 + 4 + 2,
            4 + 2,
        ),
    ],
)
def test_text_envelope_and_calls_count(message: Any, token_count: int, char_count: int) -> None:
    before = json.dumps(message, default=str) if 3 not in message else None
    assert tokens(message) == token_count
    assert chars(message) == char_count
    # As parsed from JSON, whose keys are not interned, and in mappings of other classes.
    if before is not None:
        assert tokens(json.loads(before)) == token_count
        assert json.dumps(message, default=str) == before
    for other in (OrderedDict(message), MappingProxyType(message), UserDict(message)):
        assert (tokens(other), chars(other)) == (token_count, char_count)


def test_roles_of_an_enum_count_by_their_value() -> None:
    class Role(str, enum.Enum):
        USER = "user"

    class Plain(enum.Enum):
        USER = "user"

    assert tokens({"role": Role.USER, "content": "hello"}) == tokens({"role": Plain.USER, "content": "hello"}) == 9


def test_a_one_shot_iterator_is_refused_and_not_used_up() -> None:
    parts = iter([{"type": "text", "text": "hello"}])
    calls = iter([{"function": {"name": "look", "arguments": "{}"}}])
    messages = [{"role": "user", "content": "x"}, {"role": "user", "content": parts}]
    for count in (lambda: count_tokens(messages, LETTERS), lambda: count_chars(messages)):
        with pytest.raises(AdapterError, match=r"messages\[1\]\.content: found a list_iterator") as caught:
            count()
        assert (caught.value.code, caught.value.path) == ("unreadable_message", "messages[1].content")
    with pytest.raises(AdapterError) as caught:
        count_tokens([{"role": "assistant", "tool_calls": calls}], LETTERS)
    assert caught.value.path == "messages[0].tool_calls"
    with pytest.raises(AdapterError) as caught:
        count_tokens([{"role": 5, "content": "x"}], LETTERS)
    assert caught.value.path == "messages[0].role"
    assert len(list(parts)) == len(list(calls)) == 1


@pytest.mark.parametrize("messages", [None, 5, "text", b"bytes", {"role": "user"}, {1}, iter([])])
def test_what_is_no_sequence_is_a_type_error(messages: Any) -> None:
    with pytest.raises(TypeError, match="messages must be a sequence"):
        count_tokens(messages, LETTERS)
    with pytest.raises(TypeError, match="messages must be a sequence"):
        count_chars(messages)


def test_results_are_counted_by_their_messages() -> None:
    messages = [{"role": "user", "content": "hello"}]
    result = place_context_blocks(messages, [], {})
    assert count_tokens(result, LETTERS) == count_tokens(messages, LETTERS) == count_tokens(tuple(messages), LETTERS)
    assert count_chars(result) == count_chars(messages)


class TestParts:
    MESSAGES = (
        {
            "role": "user",
            "content": [{"type": "text", "text": "see"}, IMAGE, {"type": "input_audio", "input_audio": {}}],
        },
        {"role": "user", "content": [{"type": "tool_result", "content": [{"type": "text", "text": "a"}, IMAGE]}]},
        {"role": "user", "parts": [{"inlineData": {"data": "AAAA"}}]},
    )

    def test_those_without_a_price_count_nothing_and_are_listed(self) -> None:
        count = count_tokens(self.MESSAGES, TokenCounter(len, tokens_per_message=0))
        assert count.per_message == (7, 5, 4)
        assert count.unpriced_parts == (
            UnpricedPart(message_index=0, part_index=1, type="image_url"),
            UnpricedPart(message_index=0, part_index=2, type="input_audio"),
            UnpricedPart(message_index=1, part_index=0, type="image_url"),
            UnpricedPart(message_index=2, part_index=0, type="inlineData"),
        )
        assert count_chars(self.MESSAGES).opaque_parts == 4

    def test_prices_by_type(self) -> None:
        counter = TokenCounter(len, tokens_per_message=0, part_tokens={"image_url": 85, "inlineData": 0})
        count = count_tokens(self.MESSAGES, counter)
        assert count.per_message == (92, 90, 4)
        assert [part.type for part in count.unpriced_parts] == ["input_audio"]

    def test_prices_by_a_function_of_the_part(self) -> None:
        seen: list[Any] = []

        def price(part: Any) -> int | None:
            seen.append(part)
            return 1000 if part.get("type") == "image_url" else None

        counter = TokenCounter(len, tokens_per_message=0, part_tokens=price)
        count = count_tokens(self.MESSAGES, counter)
        assert count.per_message == (1007, 1005, 4)
        assert seen[0] is seen[2] is IMAGE
        assert [part.type for part in count.unpriced_parts] == ["input_audio", "inlineData"]

    def test_they_are_priced_beside_a_rendered_text(self) -> None:
        counter = TokenCounter(len, render=lambda _: "four", part_tokens={"image_url": 85})
        count = count_tokens(self.MESSAGES, counter)
        assert (count.per_message, count.total, count.exactness) == ((89, 89, 4), 182, "rendered")
        assert len(count.unpriced_parts) == 2

    @pytest.mark.parametrize("answer", [True, -1, 1.5, "85"])
    def test_a_price_that_is_no_count_is_refused(self, answer: Any) -> None:
        with pytest.raises(CounterError, match="the price of a part of type") as caught:
            count_tokens(self.MESSAGES, TokenCounter(len, part_tokens=lambda _: answer))
        assert (caught.value.code, caught.value.path) == ("invalid_count", "messages[0].content[1]")

    def test_what_a_price_function_raises_is_kept(self) -> None:
        with pytest.raises(CounterError, match="part_tokens: found KeyError: 'size'") as caught:
            count_tokens(self.MESSAGES, TokenCounter(len, part_tokens=lambda part: part["size"]))
        assert isinstance(caught.value.__cause__, KeyError)

        def interrupted(part: Any) -> int:
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            count_tokens(self.MESSAGES, TokenCounter(len, part_tokens=interrupted))


class TestOptions:
    @pytest.mark.parametrize(
        ("option", "value"),
        [
            ("tokens_per_message", -1),
            ("tokens_per_name", True),
            ("tokens_priming", 1.5),
            ("cache_bytes", -1),
            ("cache_bytes", "64"),
            ("name", 5),
            ("part_tokens", 85),
            ("part_tokens", {"image_url": -1}),
            ("part_tokens", {"image_url": True}),
            ("part_tokens", {5: 1}),
        ],
    )
    def test_a_wrong_value_is_refused(self, option: str, value: Any) -> None:
        with pytest.raises(InterleafError) as caught:
            TokenCounter(len, **{option: value})
        assert (caught.value.code, caught.value.path) == ("invalid_option", option)

    @pytest.mark.parametrize("option", ["count_batch", "render"])
    def test_what_is_not_callable_is_a_type_error(self, option: str) -> None:
        with pytest.raises(TypeError, match=f"{option} must be callable"):
            TokenCounter(len, **{option: 5})  # type: ignore[arg-type]
        with pytest.raises(TypeError, match="count must be callable; found None"):
            TokenCounter(None)  # type: ignore[arg-type]

    def test_what_was_given_can_be_read(self) -> None:
        prices = {"image_url": 85}
        counter = TokenCounter(len, name="letters", part_tokens=prices, tokens_per_message=4)
        prices["image_url"] = 0
        assert (counter.count, counter.count_batch, counter.render) == (len, None, None)
        assert (counter.tokens_per_message, counter.tokens_per_name, counter.tokens_priming) == (4, 1, 3)
        assert (counter.name, counter.part_tokens) == ("letters", {"image_url": 85})
        assert repr(counter) == "TokenCounter(name='letters', 0 texts cached)"


@pytest.mark.parametrize(("unit", "length"), [("codepoint", 4), ("utf16", 5), ("utf8", 1 + 2 + 3 + 4)])
def test_characters_in_each_unit(unit: Any, length: int) -> None:
    count = count_chars([{"role": "user", "content": "aé灯😀"}, {"role": "user", "content": ""}], unit)
    assert (count.total, count.per_message, count.unit, count.opaque_parts) == (length, (length, 0), unit, 0)


def test_an_unknown_unit_is_refused() -> None:
    with pytest.raises(InterleafError, match="expected one of") as caught:
        count_chars([], "bytes")  # type: ignore[arg-type]
    assert (caught.value.code, caught.value.path) == ("invalid_option", "unit")


TEXT = st.text(st.characters(codec=None), max_size=8)
CALL = st.fixed_dictionaries({"function": st.fixed_dictionaries({"name": TEXT, "arguments": TEXT})})
PART = st.one_of(
    st.fixed_dictionaries({"type": st.sampled_from(["text", "input_text"]), "text": TEXT}),
    st.fixed_dictionaries({"type": st.sampled_from(["image_url", "file"])}),
)
MESSAGE = st.fixed_dictionaries(
    {"role": st.sampled_from(["system", "user", "assistant"]), "content": st.one_of(st.none(), TEXT, st.lists(PART))},
    optional={"name": TEXT, "tool_calls": st.lists(CALL, max_size=2), "id": TEXT},
)
PRICES = {"image_url": 50}


def plain_count(message: dict[str, Any]) -> int:
    """The rule in plain Python, with one token a code point plus one a text: pieces that are not joined would show."""
    content = message["content"]
    total = 7 + len(message["role"]) + 1
    parts = [] if content is None else [{"text": content}] if isinstance(content, str) else content
    texts = [part["text"] for part in parts if "text" in part]
    if texts:
        total += len("".join(texts)) + 1
    total += sum(PRICES.get(part["type"], 0) for part in parts if "text" not in part)
    if "name" in message:
        total += 5 + len(message["name"]) + 1
    for call in message.get("tool_calls", []):
        total += sum(len(text) + 1 for text in call["function"].values())
    return total


@given(st.lists(MESSAGE, max_size=6))
def test_sums_agree_with_the_rule_in_plain_python(messages: list[dict[str, Any]]) -> None:
    counter = TokenCounter(
        lambda text: len(text) + 1, tokens_per_message=7, tokens_per_name=5, tokens_priming=2, part_tokens=PRICES
    )
    for _ in range(2):
        count = count_tokens(messages, counter)
        assert count.per_message == tuple(map(plain_count, messages))
        assert count.total == sum(count.per_message) + 2
