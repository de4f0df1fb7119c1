"""What two prompts have in common at their start, and which block ended it."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interleaf import InterleafError, place_context_blocks
from interleaf.budget import StablePrefix, TokenCounter, stable_prefix

SYSTEM = {"role": "system", "content": "You keep the light."}
ASK = {"role": "user", "content": "Who goes there?"}
ANSWER = {"role": "assistant", "content": "A friend of the house."}
MORE = {"role": "user", "content": "Come in."}
LETTERS = TokenCounter(len, tokens_per_message=3, tokens_priming=100)


class TestMessages:
    def test_a_chat_that_only_grew(self) -> None:
        prefix = stable_prefix([SYSTEM, ASK], [SYSTEM, ASK, ANSWER])
        assert prefix == StablePrefix(messages=2, first_changed=None, chars=34)
        assert stable_prefix([SYSTEM, ASK], [SYSTEM, ASK]) == prefix
        assert stable_prefix([], [ASK]) == StablePrefix(messages=0, first_changed=None, chars=0)

    def test_equal_messages_are_the_same_as_identical_ones(self) -> None:
        prefix = stable_prefix([SYSTEM, ASK], (dict(SYSTEM), dict(ASK), ANSWER))
        assert (prefix.messages, prefix.first_changed) == (2, None)

    def test_a_message_that_changed(self) -> None:
        changed = {"role": "user", "content": "Who goes home?"}
        prefix = stable_prefix([SYSTEM, ASK, ANSWER], [SYSTEM, changed, ANSWER])
        assert prefix == StablePrefix(messages=1, first_changed=1, chars=19 + len("Who goes "))

    def test_one_of_another_role_has_no_start_in_common(self) -> None:
        prefix = stable_prefix([SYSTEM, ASK], [SYSTEM, {**ASK, "role": "assistant"}])
        assert prefix == StablePrefix(messages=1, first_changed=1, chars=19)

    def test_a_chat_that_was_cut_changed_where_it_ends(self) -> None:
        assert stable_prefix([SYSTEM, ASK, ANSWER], [SYSTEM, ASK]) == StablePrefix(
            messages=2, first_changed=2, chars=34
        )
        assert stable_prefix([SYSTEM], []) == StablePrefix(messages=0, first_changed=0, chars=0)

    def test_a_changed_text_in_parts(self) -> None:
        def parts(text: str) -> dict[str, Any]:
            return {"role": "user", "content": [{"type": "text", "text": "see "}, {"type": "text", "text": text}]}

        assert stable_prefix([parts("here")], [parts("her")]).chars == 7

    def test_an_equality_that_changes_the_lists_harms_nothing(self) -> None:
        class Sly(dict[str, Any]):
            def __eq__(self, other: object) -> bool:
                before.clear()
                now.clear()
                return True

            __hash__ = None

        before: list[Any] = [Sly(), ASK]
        now: list[Any] = [Sly(), ASK]
        assert stable_prefix(before, now).messages == 1

    def test_what_an_equality_raises_passes(self) -> None:
        class Broken(dict[str, Any]):
            def __eq__(self, other: object) -> bool:
                raise LookupError

            __hash__ = None

        with pytest.raises(LookupError):
            stable_prefix([Broken()], [Broken()])

    @pytest.mark.parametrize("bad", [None, 5, "text", {"role": "user"}])
    def test_what_is_no_sequence_is_a_type_error(self, bad: Any) -> None:
        with pytest.raises(TypeError, match="previous must be a sequence"):
            stable_prefix(bad, [])
        with pytest.raises(TypeError, match="current must be a sequence"):
            stable_prefix([], bad)

    @given(st.lists(st.sampled_from("abcd")), st.lists(st.sampled_from("abcd")))
    def test_it_agrees_with_a_plain_comparison(self, before: list[str], now: list[str]) -> None:
        prefix = stable_prefix([{"content": text} for text in before], [{"content": text} for text in now])
        same = 0
        while same < min(len(before), len(now)) and before[same] == now[same]:
            same += 1
        assert (prefix.messages, prefix.chars) == (same, same)
        assert prefix.first_changed == (None if same == len(before) else same)


class TestTokens:
    def test_whole_messages_without_the_priming(self) -> None:
        prefix = stable_prefix([SYSTEM, ASK], [SYSTEM, ASK, ANSWER], counter=LETTERS, block_size=10)
        tokens = 3 + 6 + 19 + 3 + 4 + 15
        assert (prefix.tokens, prefix.cache_blocks) == (tokens, tokens // 10)
        assert stable_prefix([SYSTEM, ASK], [SYSTEM, ASK]).tokens is None

    def test_the_start_of_a_changed_text_up_to_the_last_word_that_surely_stayed(self) -> None:
        before = {"role": "system", "content": "The date is 2024-05-01."}
        now = {"role": "system", "content": "The date is 2024-05-02."}
        prefix = stable_prefix([before], [now], counter=LETTERS)
        assert (prefix.chars, prefix.tokens) == (21, len("The date is 2024-05"))

    def test_with_a_template_the_start_of_the_rendered_text(self) -> None:
        def render(message: Any) -> str:
            return f"<|{message['role']}|>{message['content']}<|end|>"

        counter = TokenCounter(len, render=render)
        prefix = stable_prefix([SYSTEM, ASK], [SYSTEM, {**ASK, "content": "Who went there?"}], counter=counter)
        assert prefix.tokens == len("<|system|>You keep the light.<|end|>") + len("<|user|>Who")
        # The role's word stands in the rendered text, and so does what is before it.
        other = stable_prefix([ASK], [{**ASK, "role": "assistant"}], counter=counter)
        assert (other.tokens, other.chars) == (0, 0)

    def test_tokens_are_never_more_than_those_in_common(self, cl100k_im: Any) -> None:
        from budget.chats import chatml, random_chat

        counter = TokenCounter.tiktoken(cl100k_im, render=chatml)
        claimed = found = 0
        for seed in range(300):
            chat, other = random_chat(seed), random_chat(seed + 1000)
            if not chat or not other:
                continue
            at = seed % len(chat)
            text = chat[at]["content"]
            cut = text[: len(text) * (seed % 7) // 7] + other[0]["content"]
            changed = [*chat[:at], {**chat[at], "content": cut}, *chat[at + 1 :]]
            before = cl100k_im.encode("".join(map(chatml, chat)), allowed_special="all")
            now = cl100k_im.encode("".join(map(chatml, changed)), allowed_special="all")
            same = next((place for place, (a, b) in enumerate(zip(before, now, strict=False)) if a != b), len(now))
            prefix = stable_prefix(chat, changed, counter=counter)
            assert prefix.tokens is not None
            assert prefix.tokens <= same
            claimed += prefix.tokens
            found += same
        # It claims most of what there is.
        assert claimed > 0.9 * found

    @pytest.mark.parametrize("size", [0, -1, True, 1.5, "16"])
    def test_a_wrong_block_size_is_refused(self, size: Any) -> None:
        with pytest.raises(InterleafError) as caught:
            stable_prefix([], [], block_size=size)
        assert (caught.value.code, caught.value.path) == ("invalid_option", "block_size")


HISTORY = [SYSTEM, ASK, ANSWER, MORE]


def lore(content: str = "Lore.", depth: int = 1, **changes: Any) -> dict[str, Any]:
    return {"id": "lore", "position": "at_depth", "depth": depth, "role": "system", "content": content, **changes}


def placed(history: list[Any], *blocks: Any, **anchors: Any) -> Any:
    count = len(history)
    layout = {"conversation": {"message_indices": range(1, count), "empty_index": count}, **anchors}
    return place_context_blocks(history, blocks, layout)


class TestChangedBy:
    def test_a_block_that_moves_with_its_depth(self) -> None:
        last, now = placed(HISTORY[:3], lore()), placed(HISTORY, lore())
        for previous in (last, last.messages):
            prefix = stable_prefix(previous, now)
            # [system, ask, LORE, answer] became [system, ask, answer, LORE, more].
            assert (prefix.messages, prefix.first_changed, prefix.changed_by) == (2, 2, "lore")

    def test_a_block_whose_text_changed(self) -> None:
        last, now = placed(HISTORY, lore("Lore one.")), placed(HISTORY, lore("Lore two."))
        for previous in (last, last.messages):
            prefix = stable_prefix(previous, now)
            assert (prefix.first_changed, prefix.changed_by) == (3, "lore")
            assert prefix.chars == sum(len(message["content"]) for message in HISTORY[:3]) + len("Lore ")

    def test_a_block_that_is_new(self) -> None:
        last, now = placed(HISTORY), placed(HISTORY, lore())
        for previous in (last, last.messages):
            assert stable_prefix(previous, now).changed_by == "lore"

    def test_a_block_that_is_gone(self) -> None:
        assert stable_prefix(placed(HISTORY, lore()), placed(HISTORY)).changed_by == "lore"

    def test_a_history_that_changed(self) -> None:
        edited = [SYSTEM, {**ASK, "content": "Who is it?"}, ANSWER, MORE]
        last, now = placed(HISTORY, lore()), placed(edited, lore())
        for previous in (last, last.messages):
            prefix = stable_prefix(previous, now)
            assert (prefix.first_changed, prefix.changed_by) == (1, None)

    def test_a_history_that_lost_a_message_before_a_block(self) -> None:
        # [system, ask, answer, LORE, more] became [system, ask, LORE, more].
        last, now = placed(HISTORY, lore()), placed([SYSTEM, ASK, MORE], lore())
        prefix = stable_prefix(last, now)
        assert (prefix.first_changed, prefix.changed_by) == (2, None)

    def test_a_chat_that_only_grew_was_changed_by_nothing(self) -> None:
        last = placed(HISTORY[:3], lore(position="after_character"), character=(0, 1))
        now = placed(HISTORY, lore(position="after_character"), character=(0, 1))
        prefix = stable_prefix(last, now)
        assert (prefix.messages, prefix.first_changed, prefix.changed_by) == (4, None, None)

    def test_for_a_list_nothing_is_said(self) -> None:
        assert stable_prefix(placed(HISTORY[:3], lore()), placed(HISTORY, lore()).messages).changed_by is None

    @pytest.mark.parametrize("in_parts", [False, True])
    @pytest.mark.parametrize(
        ("before", "after", "changed_by"),
        [
            (("rain", "cold"), ("hail", "cold"), "weather"),
            (("rain", "cold"), ("rains", "cold"), "weather"),
            (("rains", "cold"), ("rain", "cold"), "weather"),
            (("rain", "cold"), ("rain", "colder"), "air"),
            (("rain", "cold"), ("rain", "warm"), "air"),
            (("rain", "cold"), ("", "cold"), "weather"),
        ],
    )
    def test_an_embedded_block_is_found_by_where_the_texts_part(
        self, before: Any, after: Any, changed_by: str, in_parts: bool
    ) -> None:
        text = "Now: {{outlet::weather}}, air: {{outlet::air}}. End."
        content: Any = [{"type": "text", "text": "Hear."}, {"type": "text", "text": text}] if in_parts else text
        host = {"role": "system", "content": content}

        def turn(weather: str, air: str) -> Any:
            blocks = [
                {"id": "weather", "position": "outlet", "outlet_name": "weather", "content": weather},
                {"id": "air", "position": "outlet", "outlet_name": "air", "content": air},
            ]
            return place_context_blocks([host, ASK], blocks, {"outlets": {"weather": 0, "air": 0}})

        last, now = turn(*before), turn(*after)
        for previous in (last, last.messages):
            prefix = stable_prefix(previous, now)
            assert (prefix.first_changed, prefix.changed_by) == (0, changed_by)

    def test_an_edited_host_was_changed_by_no_block(self) -> None:
        block = {"id": "weather", "position": "outlet", "outlet_name": "weather", "content": "rain"}

        def turn(end: str) -> Any:
            host = {"role": "system", "content": "Now: {{outlet::weather}}. " + end}
            return place_context_blocks([host, ASK], [block], {"outlets": {"weather": 0}})

        assert stable_prefix(turn("The end."), turn("To be continued.")).changed_by is None

    def test_a_note_block_in_a_host_of_parts(self) -> None:
        host = {"role": "system", "content": [{"type": "text", "text": "Note."}]}

        def turn(top: str) -> Any:
            block = {"id": "top", "position": "author_note_top", "content": top}
            return place_context_blocks([host], [block], {"author_note": 0})

        assert stable_prefix(turn("Be kind."), turn("Be brief.")).changed_by == "top"
        assert stable_prefix([host], turn("Be brief.")).changed_by == "top"
