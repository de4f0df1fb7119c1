"""Budgets, what a check counts, what it raises, and what each block of a placement costs."""

from __future__ import annotations

import math
import pickle
from collections.abc import Mapping
from typing import Any

import pytest

from interleaf import BudgetExceededError, InterleafError, place_context_blocks, reference
from interleaf.budget import BlockUsage, Budget, TokenCounter, check_budget, count_chars, count_tokens

CHAT = [
    {"role": "system", "content": "s" * 30},
    {"role": "user", "content": "u" * 10},
    {"role": "assistant", "content": "😀" * 20},
]


def letters(**options: Any) -> TokenCounter:
    return TokenCounter(len, tokens_per_message=0, tokens_priming=0, **options)


class TestWithinBudget:
    def test_exactly_at_the_budget_is_within_it(self) -> None:
        # 60 code points, 80 UTF-16 units, 120 bytes; 60 + 6 + 4 + 9 tokens.
        for unit, size in (("codepoint", 60), ("utf16", 80), ("utf8", 120)):
            budget: Any = Budget(max_chars=size, unit=unit)  # type: ignore[arg-type]
            usage = check_budget(CHAT, budget)
            assert (usage.chars, usage.remaining_chars, usage.tokens, usage.remaining_tokens) == (size, 0, None, None)
        usage = check_budget(CHAT, Budget(max_tokens=100, counter=letters(), reserve_tokens=21))
        assert (usage.tokens, usage.remaining_tokens, usage.chars, usage.exactness) == (79, 0, None, "estimated")

    def test_everything_counted_is_in_the_usage(self) -> None:
        counter = letters()
        usage = check_budget(CHAT, Budget(max_chars=math.inf, unit="utf8", max_tokens=math.inf, counter=counter))
        assert usage.char_count == count_chars(CHAT, "utf8")
        assert usage.token_count == count_tokens(CHAT, counter)
        assert (usage.remaining_chars, usage.remaining_tokens, usage.blocks) == (math.inf, math.inf, ())
        assert usage.largest(2) == ((0, 36), (2, 29))
        assert usage.to_dict()["tokens"]["per_message"] == [36, 14, 29]

    def test_without_a_limit_it_counts_all_the_same(self) -> None:
        assert check_budget(CHAT, Budget()).chars == 60
        assert check_budget(CHAT, Budget(counter=letters())).tokens == 79
        assert check_budget([], Budget(max_chars=0, max_tokens=0, counter=letters())).largest() == ()

    def test_parts_without_a_price_are_told(self) -> None:
        chat = [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "data:..."}}]}]
        usage = check_budget(chat, Budget(max_tokens=10, counter=letters()))
        assert [part.type for part in usage.unpriced_parts] == ["image_url"]


class TestExceeded:
    def test_characters(self) -> None:
        with pytest.raises(BudgetExceededError) as caught:
            check_budget(CHAT, Budget(max_chars=119, unit="utf8"))
        error = caught.value
        assert (error.code, error.path, error.limit, error.actual, error.unit) == (
            "input_over_budget",
            "max_chars",
            119,
            120,
            "utf8",
        )
        assert error.usage.char_count.per_message == (30, 10, 80)
        assert error.fragment_ids == ()
        assert str(error) == (
            "max_chars: found 120 utf8 characters, expected at most 119; largest: messages[2] (80), messages[0] (30), messages[1] (10)"
        )

    def test_tokens_with_a_reserve(self) -> None:
        with pytest.raises(BudgetExceededError) as caught:
            check_budget(CHAT, Budget(max_tokens=100, counter=letters(), reserve_tokens=22))
        error = caught.value
        assert (error.path, error.limit, error.actual, error.unit) == ("max_tokens", 100, 101, "tokens")
        assert (error.usage.tokens, error.usage.remaining_tokens) == (79, -1)
        assert "found 79 tokens and 22 in reserve, expected at most 100; largest: messages[0] (36)" in str(error)

    def test_both_are_told_and_characters_come_first(self) -> None:
        with pytest.raises(BudgetExceededError) as caught:
            check_budget(CHAT, Budget(max_chars=59, max_tokens=78, counter=letters()))
        assert (caught.value.path, caught.value.actual) == ("max_chars", 60)
        assert "60 codepoint characters" in str(caught.value)
        assert "79 tokens" in str(caught.value)
        # Everything was counted before it was raised.
        assert (caught.value.usage.chars, caught.value.usage.tokens) == (60, 79)

    def test_the_error_pickles_with_its_usage(self) -> None:
        with pytest.raises(BudgetExceededError) as caught:
            check_budget(CHAT, Budget(max_tokens=1, counter=letters()))
        copy = pickle.loads(pickle.dumps(caught.value))  # noqa: S301
        assert copy.usage == caught.value.usage
        assert (copy.limit, copy.actual, copy.unit) == (1, 79, "tokens")


class TestBudgetValues:
    @pytest.mark.parametrize(
        ("values", "path"),
        [
            ({"max_chars": -1}, "max_chars"),
            ({"max_chars": True}, "max_chars"),
            ({"max_chars": 1.5}, "max_chars"),
            ({"max_chars": math.nan}, "max_chars"),
            ({"max_tokens": "5", "counter": letters()}, "max_tokens"),
            ({"max_tokens": 5}, "counter"),
            ({"max_tokens": 5, "counter": len}, "counter"),
            ({"unit": "bytes"}, "unit"),
            ({"unit": ["utf8"]}, "unit"),
            ({"reserve_tokens": -1}, "reserve_tokens"),
            ({"reserve_tokens": math.inf}, "reserve_tokens"),
        ],
    )
    def test_a_wrong_one_is_refused(self, values: dict[str, Any], path: str) -> None:
        with pytest.raises(InterleafError, match="expected") as caught:
            Budget(**values)
        assert (caught.value.code, caught.value.path) == ("invalid_option", path)

    def test_what_is_no_budget_is_a_type_error(self) -> None:
        with pytest.raises(TypeError, match="budget must be a Budget; found dict"):
            check_budget(CHAT, {"max_chars": 5})  # type: ignore[arg-type]
        with pytest.raises(TypeError, match="messages must be a sequence"):
            check_budget(5, Budget())  # type: ignore[arg-type]


LAYOUT = {
    "character": (0, 1),
    "conversation": {"message_indices": [2, 3]},
    "author_note": 1,
    "outlets": {"weather": 0},
}
HISTORY: list[dict[str, Any]] = [
    {"role": "system", "content": "You keep the light. {{outlet::weather}}"},
    {"role": "system", "content": "Note."},
    {"role": "user", "content": "Who goes?"},
    {"role": "assistant", "content": [{"type": "text", "text": "A friend."}]},
]
BLOCKS: list[dict[str, Any]] = [
    {"id": "before", "position": "before_character", "role": "system", "content": "The storm."},
    {"id": "deep", "position": "at_depth", "depth": 1, "role": "user", "content": "Lore 灯塔"},
    {"id": "rain", "position": "outlet", "outlet_name": "weather", "content": "It rains."},
    {"id": "hail", "position": "outlet", "outlet_name": "weather", "content": "It hails."},
    {"id": "top", "position": "author_note_top", "content": "Top words."},
]


class TestPlacements:
    @pytest.mark.parametrize("place", [place_context_blocks, reference.place_context_blocks])
    def test_each_block_says_what_it_costs(self, place: Any) -> None:
        def words(text: str) -> int:
            return len(text.split())

        result = place(HISTORY, BLOCKS, LAYOUT)
        counter = TokenCounter(words, tokens_per_message=3)
        usage = check_budget(result, Budget(max_chars=1000, max_tokens=1000, counter=counter))
        assert usage.tokens == count_tokens(result.messages, counter).total
        assert usage.blocks == (
            BlockUsage("before", 0, 1, 10, 3 + 1 + 2),
            # Between "hail" and "rain" is the separator, which stays with the host.
            BlockUsage("hail", 1, 0, 9, 2),
            BlockUsage("rain", 1, 0, 9, 2),
            BlockUsage("top", 2, 0, 10, 2),
            BlockUsage("deep", 4, 1, 7, 3 + 1 + 2),
        )
        assert [block.embedded for block in usage.blocks] == [False, True, True, True, False]

    def test_an_embedded_one_costs_the_difference_of_its_host_with_and_without_it(self, cl100k_im: Any) -> None:
        history = [{"role": "system", "content": "They stay to{{outlet::x}}ether."}]
        block = {"id": "x", "position": "outlet", "outlet_name": "x", "content": "g"}
        result = place_context_blocks(history, [block], {"outlets": {"x": 0}})
        counter = TokenCounter.tiktoken(cl100k_im)
        usage = check_budget(result, Budget(max_tokens=1000, counter=counter))
        tokens = cl100k_im.encode("They stay together."), cl100k_im.encode("They stay toether.")
        assert usage.blocks[0].tokens == len(tokens[0]) - len(tokens[1])
        # With the block it is one word of one token, so it costs less than nothing.
        assert usage.blocks[0].tokens < 0 < len(cl100k_im.encode("g"))

    def test_with_a_template_the_host_is_rendered_with_and_without_it(self) -> None:
        seen: list[Any] = []

        def render(message: Any) -> str:
            seen.append(message)
            return f"<{message['role']}>{message['content']}"

        result = place_context_blocks(HISTORY[:2], BLOCKS[2:4], {"outlets": {"weather": 0}})
        before = [dict(message) for message in result.messages]
        usage = check_budget(result, Budget(counter=TokenCounter(len, render=render)))
        assert [block.tokens for block in usage.blocks] == [9, 9]
        assert seen[2]["content"] == "You keep the light. \nIt rains."
        assert result.messages == before

    def test_misses_of_messages_and_of_hosts_without_a_block_go_in_one_call(self) -> None:
        batches: list[int] = []

        def count_batch(texts: list[str]) -> list[int]:
            batches.append(len(texts))
            return [len(text) for text in texts]

        result = place_context_blocks(HISTORY, BLOCKS, LAYOUT)
        check_budget(result, Budget(counter=TokenCounter(len, count_batch=count_batch)))
        # Six texts and three roles, and three hosts without one block.
        assert batches == [12]

    def test_in_a_list_of_parts_only_the_part_changes(self) -> None:
        image: dict[str, Any] = {"type": "image_url", "image_url": {}}
        history = [{"role": "user", "content": [image, {"type": "input_text", "text": "see {{outlet::x}}!"}]}]
        blocks = [
            {"id": "x", "position": "outlet", "outlet_name": "x", "content": "here"},
            {"id": "note", "position": "author_note_bottom", "content": "Be brief."},
        ]
        result = place_context_blocks(history, blocks, {"outlets": {"x": 0}, "author_note": 0})
        usage = check_budget(result, Budget(max_chars=1000, counter=letters(part_tokens={"image_url": 85})))
        assert [(block.id, block.chars, block.tokens) for block in usage.blocks] == [("x", 4, 4), ("note", 9, 9)]
        assert usage.tokens == 4 + 85 + len("see here!\nBe brief.")

    def test_hosts_that_are_other_mappings(self) -> None:
        class Frozen(Mapping[str, Any]):
            def __init__(self, **items: Any) -> None:
                self.items_ = items

            def __getitem__(self, key: str) -> Any:
                return self.items_[key]

            def __iter__(self) -> Any:
                return iter(self.items_)

            def __len__(self) -> int:
                return len(self.items_)

        result = place_context_blocks([HISTORY[0]], BLOCKS[2:3], {"outlets": {"weather": 0}})
        host = Frozen(**result.messages[0])
        usage = check_budget(result.replace(messages=[host]), Budget(max_chars=100, counter=letters()))
        assert [(block.chars, block.tokens) for block in usage.blocks] == [(9, 9)]


class Said:
    """A message that is no mapping."""

    def __init__(self, role: str, text: Any, **more: Any) -> None:
        self.role, self.text = role, text
        self.__dict__.update(more)


class SaidAdapter:
    text_separator = "|"

    def role(self, message: Said) -> str:
        return message.role

    def text_parts(self, message: Said) -> Any:
        return message.text

    def with_text(self, message: Said, text: Any) -> Said:
        if isinstance(text, str):
            return Said(message.role, text)
        return Said(message.role, [message.text[index] if new is None else new for index, new in text])

    def joined(self, previous: Said, message: Said) -> bool:  # noqa: ARG002
        return False

    def waiting(self, message: Said) -> bool:  # noqa: ARG002
        return False

    def create(self, role: str, content: str) -> Said:
        return Said(role, content)


class TestAdapters:
    def test_messages_are_read_by_the_adapter_given(self) -> None:
        call = {"name": "look", "args": {"at": 1}}
        part = {"type": "image_url"}
        messages = [
            Said("user", "hello", name="Mira"),
            Said("assistant", ["one", None, "two"], content=["one", part, "two"], tool_calls=[call]),
            Said("user", None),
        ]
        count = count_tokens(messages, letters(part_tokens={"image_url": 85}), adapter=SaidAdapter())
        assert count.per_message == (4 + 1 + 4 + 5, 9 + len("one|two") + 4 + len('{"at":1}') + 85, 4)
        chars = count_chars(messages, adapter=SaidAdapter())
        assert (chars.per_message, chars.opaque_parts) == ((5, 7 + 4 + 8, 0), 1)

    def test_blocks_of_a_placement_are_counted_through_it(self) -> None:
        history = [Said("system", "see {{outlet::x}}!"), Said("user", ["ask", "{{outlet::y}} more"])]
        blocks = [
            {"id": "x", "position": "outlet", "outlet_name": "x", "content": "here"},
            {"id": "y", "position": "outlet", "outlet_name": "y", "content": "for"},
        ]
        adapter: Any = SaidAdapter()
        result = place_context_blocks(history, blocks, {"outlets": {"x": 0, "y": 1}}, adapter=adapter)
        usage = check_budget(result, Budget(max_chars=100, counter=letters()), adapter=adapter)
        assert [(block.id, block.chars, block.tokens) for block in usage.blocks] == [("x", 4, 4), ("y", 3, 3)]
        assert usage.chars == len("see here!") + len("ask|for more")
