"""Sums over messages against a tokenizer run over the whole rendered prompt."""

from __future__ import annotations

from typing import Any

from budget.chats import chatml, random_chat
from interleaf.budget import TokenCounter, count_tokens


def test_a_thousand_chats_count_as_tiktoken_counts_the_whole_prompt(cl100k_im: Any) -> None:
    counter = TokenCounter.tiktoken(cl100k_im, render=chatml)
    alone = TokenCounter(lambda text: len(cl100k_im.encode(text, allowed_special="all")), render=chatml)
    tokens = 0
    for seed in range(1000):
        chat = random_chat(seed)
        prompt = "".join(map(chatml, chat))
        expected = len(cl100k_im.encode(prompt, allowed_special="all"))
        count = count_tokens(chat, counter)
        assert (count.total, count.exactness) == (expected, "rendered")
        # Without a batch, and once more from the cache.
        assert count_tokens(chat, alone).total == count_tokens(chat, counter).total == expected
        tokens += expected
    # The chats are not empty: a sum of nothing would agree as well.
    assert tokens > 100_000


def test_chats_count_as_a_trained_tokenizer_counts_the_whole_prompt(small_bpe: Any) -> None:
    counter = TokenCounter.huggingface(small_bpe, render=chatml)
    for seed in range(200, 400):
        chat = random_chat(seed)
        expected = len(small_bpe.encode("".join(map(chatml, chat)), add_special_tokens=False))
        assert count_tokens(chat, counter).total == expected


def test_pieces_of_one_message_would_not_have_added_up(cl100k_im: Any) -> None:
    # What the library never does, and why: of these splits most count differently.
    text = "the keeper of a lighthouse don't 灯塔看守人"
    whole = len(cl100k_im.encode(text))
    apart = [len(cl100k_im.encode(text[:at])) + len(cl100k_im.encode(text[at:])) for at in range(1, len(text))]
    assert sum(pieces != whole for pieces in apart) > len(apart) / 2
    parts = {"role": "user", "content": [{"type": "text", "text": text[:8]}, {"type": "text", "text": text[8:]}]}
    counter = TokenCounter.tiktoken(cl100k_im)
    joined = count_tokens([{"role": "user", "content": text}], counter)
    assert count_tokens([parts], counter).total == joined.total


def test_text_that_looks_like_a_special_token_is_text_unless_rendered(cl100k_im: Any) -> None:
    message = {"role": "user", "content": "<|im_start|>"}
    ordinary = count_tokens([message], TokenCounter.tiktoken(cl100k_im, tokens_per_message=0, tokens_priming=0))
    assert ordinary.total == 1 + len(cl100k_im.encode_ordinary("<|im_start|>"))
    rendered = count_tokens([message], TokenCounter.tiktoken(cl100k_im, render=lambda message: message["content"]))
    assert rendered.total == 1


def test_the_cookbook_rule_on_its_own_example(cl100k_im: Any) -> None:
    # The messages of OpenAI's cookbook, which gives 129 tokens for them with cl100k models.
    messages = [
        {
            "role": "system",
            "content": "You are a helpful, pattern-following assistant that translates corporate jargon into plain English.",
        },
        {"role": "system", "name": "example_user", "content": "New synergies will help drive top-line growth."},
        {
            "role": "system",
            "name": "example_assistant",
            "content": "Things working well together will increase revenue.",
        },
        {
            "role": "system",
            "name": "example_user",
            "content": "Let's circle back when we have more bandwidth to touch base on opportunities for increased leverage.",
        },
        {
            "role": "system",
            "name": "example_assistant",
            "content": "Let's talk later when we're less busy about how to do better.",
        },
        {
            "role": "user",
            "content": "This late pivot means we don't have time to boil the ocean for the client deliverable.",
        },
    ]
    count = count_tokens(messages, TokenCounter.tiktoken(cl100k_im))
    assert (count.total, count.priming, count.exactness) == (129, 3, "estimated")
