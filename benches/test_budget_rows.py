"""Rows about counting and checking tokens: 400 messages of 100,000 tokens, beside tiktoken and other libraries' counters.

Rows that need a library are skipped where it is not installed: `pip install tiktoken litellm langchain-core` for all of them.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import warnings
from itertools import count as count_up
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

import pytest

from interleaf.budget import Budget, TokenCounter, check_budget, count_tokens, stable_prefix
from prose import english
from rounds import SHORT, record, time_in_turn

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_benchmark.fixture import BenchmarkFixture

# LiteLLM would fetch its price list from the network at import.
os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")

MESSAGES, TOKENS = 400, 100_000


def library(name: str) -> Any:
    """Import a library that a row needs."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return importlib.import_module(name)
    except ModuleNotFoundError:
        pytest.skip(f"{name} is not installed")


@pytest.fixture(scope="module")
def encoding() -> Any:
    """o200k, from the ranks in litellm's wheel."""
    tiktoken = library("tiktoken")
    spec = importlib.util.find_spec("litellm")
    if spec is None or spec.origin is None:
        pytest.skip("litellm, whose wheel has the ranks of tiktoken's encodings, is not installed")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TIKTOKEN_CACHE_DIR", str(Path(spec.origin).parent / "litellm_core_utils" / "tokenizers"))
        return tiktoken.get_encoding("o200k_base")


def chat(messages: int) -> list[dict[str, str]]:
    """Return messages of 250 tokens of their own text."""
    # 1,050 characters of the English of these benches are 250 tokens of o200k.
    text = english(1_050 * messages)
    roles = ("user", "assistant")
    return [
        {"role": roles[index % 2], "content": f"{index}: {text[index * 1_050 : (index + 1) * 1_050]}"}
        for index in range(messages)
    ]


def fresh(messages: list[dict[str, str]]) -> list[dict[str, str]]:
    """Return the same messages with strings that are new objects, as a request that was just parsed has them."""
    return [{"role": each["role"], "content": (each["content"] + ".")[:-1]} for each in messages]


def words(text: str) -> int:
    """Count words: a counter that costs little, for rows in which it hardly runs."""
    return text.count(" ")


def best(call: Callable[[Any], Any], inputs: Callable[[], Any], rounds: int) -> float:
    """Return the least time of a call, in seconds, each time with an input of its own that is not timed."""
    least = float("inf")
    for _ in range(rounds):
        given = inputs()
        start = perf_counter()
        call(given)
        least = min(least, perf_counter() - start)
    return least


@pytest.mark.parametrize(("messages", "row"), [(40, "check 40 messages, warm"), (MESSAGES, "check 400 messages, warm")])
def test_warm(benchmark: BenchmarkFixture, messages: int, row: str) -> None:
    conversation = chat(messages)
    counter = TokenCounter(words)
    budget = Budget(max_tokens=10**9, counter=counter)
    tokens = check_budget(conversation, budget).tokens
    misses = counter.stats()["misses"]
    names = {"check": check_budget, "messages": conversation, "budget": budget}
    # The least there is: a look at every content.
    time_in_turn(benchmark, row, "check(messages, budget)", {"bare": "[len(m['content']) for m in messages]"}, names)
    assert check_budget(conversation, budget).tokens == tokens
    assert counter.stats()["misses"] == misses


def test_warm_beside_others(benchmark: BenchmarkFixture, encoding: Any) -> None:
    conversation = chat(MESSAGES)
    counter = TokenCounter.tiktoken(encoding)
    budget = Budget(max_tokens=10**9, counter=counter)
    usage = check_budget(conversation, budget)
    assert usage.tokens is not None
    assert 0.95 < usage.tokens / TOKENS < 1.05
    litellm, langchain = library("litellm"), library("langchain_core.messages")
    # It extrapolates from a part of long texts, and counts that part again on every call.
    counted = litellm.token_counter(model="gpt-4o", messages=conversation)
    assert 0.98 < counted / usage.tokens < 1.02
    # It divides characters by four.
    approximate = library("langchain_core.messages.utils").count_tokens_approximately
    converted = langchain.convert_to_messages(conversation)
    assert 0.5 < approximate(converted) / usage.tokens < 2
    names = {
        "check": check_budget,
        "messages": conversation,
        "budget": budget,
        "encode": encoding.encode_ordinary,
        "litellm": lambda: litellm.token_counter(model="gpt-4o", messages=conversation),
        "langchain": lambda: approximate(converted),
    }
    others = {
        "tiktoken": "[len(encode(m['content'])) for m in messages]",
        "litellm": "litellm()",
        "langchain": "langchain()",
    }
    time_in_turn(benchmark, "check 400 messages, warm, beside others", "check(messages, budget)", others, names)


def test_fresh_strings(benchmark: BenchmarkFixture) -> None:
    conversation = chat(MESSAGES)
    counter = TokenCounter(words)
    budget = Budget(max_tokens=10**9, counter=counter)
    check_budget(conversation, budget)
    misses = counter.stats()["misses"]
    least = best(lambda given: check_budget(given, budget), lambda: fresh(conversation), 40 if SHORT else 300)
    assert counter.stats()["misses"] == misses
    record(benchmark, "check 400 messages, warm, fresh strings", {"us": least * 1e6})


def test_cold(benchmark: BenchmarkFixture, encoding: Any) -> None:
    conversation = chat(MESSAGES)

    def count(text: str) -> int:
        return len(encoding.encode_ordinary(text))

    texts = list(dict.fromkeys(each[key] for each in conversation for key in ("role", "content")))
    counter = TokenCounter(count)
    assert count_tokens(conversation, counter).total == sum(map(count, texts)) + 398 * 1 + 3 * MESSAGES + 3
    alone = own = float("inf")
    # In turn, so that a slow moment of the machine hits both.
    for _ in range(8 if SHORT else 60):
        given = fresh(conversation)
        start = perf_counter()
        for text in texts:
            count(text)
        middle = perf_counter()
        counter.clear()
        begin = perf_counter()
        count_tokens(given, counter)
        end = perf_counter()
        alone, own = min(alone, middle - start), min(own, end - begin)
    figures = {"us": own * 1e6, "bare": own / alone, "counter alone": own / alone}
    record(benchmark, "count 400 messages, cold", figures)


def test_one_new_message(benchmark: BenchmarkFixture, encoding: Any) -> None:
    conversation = chat(MESSAGES)
    counter = TokenCounter.tiktoken(encoding)
    budget = Budget(max_tokens=10**9, counter=counter)
    check_budget(conversation, budget)
    number = count_up()
    text = chat(1)[0]["content"]
    alone = own = float("inf")
    for _ in range(100 if SHORT else 2_000):
        grown = [*conversation, {"role": "user", "content": f"{next(number):09} {text}"}]
        other = f"{next(number):09} {text}"
        start = perf_counter()
        len(encoding.encode_ordinary(other))
        middle = perf_counter()
        check_budget(grown, budget)
        end = perf_counter()
        alone, own = min(alone, middle - start), min(own, end - middle)
    record(benchmark, "check 400 messages and a new one, beyond its count", {"us": (own - alone) * 1e6})


def test_full_cache(benchmark: BenchmarkFixture) -> None:
    conversation = chat(MESSAGES)
    sizes = TokenCounter(words)
    count_tokens(conversation, sizes)
    needed = sizes.stats()["bytes"]
    number = count_up()

    def full_of(cache_bytes: int) -> TokenCounter:
        counter = TokenCounter(words, cache_bytes=cache_bytes)
        count_tokens([{"content": f"{next(number):09} {'x' * 1_000}"} for _ in range(1_000)], counter)
        count_tokens(conversation, counter)
        return counter

    full, roomy = full_of(2 * needed), TokenCounter(words, cache_bytes=10**10)
    names = {"count": count_tokens, "messages": conversation, "new": number, "full": full, "roomy": roomy}
    # Each call counts a text that is new, for which the full cache gives one up.
    statement = "count(messages, {0}); count([{{'content': f'{{next(new):0999}}'}}], {0})"
    count_tokens(conversation, roomy)
    time_in_turn(
        benchmark,
        "check 400 messages, cache evicting",
        statement.format("full"),
        {"not full": statement.format("roomy")},
        names,
    )
    stats = full.stats()
    assert stats["max_bytes"] - stats["bytes"] < 2_000
    # Nothing of the conversation was given up.
    assert count_tokens(conversation, full) == count_tokens(conversation, sizes)
    assert full.stats()["misses"] == stats["misses"]


def test_stable_prefix(benchmark: BenchmarkFixture) -> None:
    conversation = chat(MESSAGES)
    grown = [*conversation, {"role": "user", "content": "Go on."}]
    prefix = stable_prefix(conversation, grown)
    assert (prefix.messages, prefix.first_changed) == (MESSAGES, None)
    names = {"stable_prefix": stable_prefix, "before": conversation, "now": grown}
    time_in_turn(
        benchmark,
        "stable prefix of 400 messages, per item",
        "stable_prefix(before, now)",
        {"bare": "before == now[:400]"},
        names,
        items={"native": MESSAGES, "bare": MESSAGES},
    )
