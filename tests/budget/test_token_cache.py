"""What is counted once, what is forgotten, and that neither threads nor a counter that comes back harm the cache."""

from __future__ import annotations

import gc
import sys
import threading
import weakref
from collections import Counter
from typing import Any

import pytest

from interleaf.budget import TokenCounter, count_tokens


class Recorder:
    """Counts code points and remembers which texts it was asked for."""

    def __init__(self) -> None:
        self.seen: list[str] = []

    def __call__(self, text: str) -> int:
        self.seen.append(text)
        return len(text)


def chat(*contents: str) -> list[dict[str, str]]:
    return [{"content": content} for content in contents]


def fresh(text: str) -> str:
    """An equal string that is another object."""
    copy = "".join(list(text))
    assert copy is not text or len(text) < 2
    return copy


def test_equal_texts_are_counted_once_whatever_their_width() -> None:
    recorder = Recorder()
    counter = TokenCounter(recorder)
    texts = ["ascii", "café", "灯塔", "a😀", "x\ud800", ""]
    first = count_tokens(chat(*texts, *texts), counter)
    again = count_tokens(chat(*map(fresh, texts)), counter)
    assert recorder.seen == texts
    assert first.per_message[:6] == first.per_message[6:] == again.per_message
    assert counter.stats()["misses"] == 6
    assert counter.stats()["hits"] == 12


def test_texts_of_one_hash_are_told_apart() -> None:
    # Strings of one hash cannot be made to order, so each of many is asked for among many: a table of 20,000 entries shares
    # its slots and its short tags often enough.
    counter = TokenCounter(int, tokens_per_message=0, tokens_priming=0)
    numbers = [str(number) for number in range(20_000)]
    count_tokens(chat(*numbers), counter)
    assert count_tokens(chat(*map(fresh, numbers)), counter).per_message == tuple(range(20_000))
    assert counter.stats()["misses"] == 20_000


def test_a_subclass_of_str_is_counted_by_its_text() -> None:
    class Loud(str):
        __slots__ = ()

        def __eq__(self, other: object) -> bool:
            raise AssertionError

        def __hash__(self) -> int:
            raise AssertionError

    recorder = Recorder()
    counter = TokenCounter(recorder)
    assert count_tokens(chat(Loud("text"), "text"), counter).per_message == (7, 7)
    assert [type(text) for text in recorder.seen] == [str]


def test_misses_of_a_call_go_in_one_batch_and_each_text_once() -> None:
    batches: list[list[str]] = []

    def count_batch(texts: list[str]) -> list[int]:
        batches.append(list(texts))
        texts.clear()  # the list is the counter's own
        return [len(text) for text in batches[-1]]

    counter = TokenCounter(len, count_batch=count_batch, tokens_per_message=0, tokens_priming=0)
    call = {"id": "1", "type": "function", "function": {"name": "look", "arguments": "{}"}}
    messages = [
        {"role": "user", "content": "one"},
        {"role": "user", "name": "user", "content": "two"},
        {"role": "assistant", "content": None, "tool_calls": [call, call]},
        {"role": "tool", "content": "one"},
    ]
    assert count_tokens(messages, counter).per_message == (7, 4 + 4 + 1 + 3, 9 + 12, 7)
    assert batches == [["user", "one", "two", "look", "{}", "assistant", "tool"]]
    assert count_tokens([*messages, {"role": "user", "content": "three"}], counter).total == 7 + 12 + 21 + 7 + 9
    assert batches[1:] == [["three"]]


class TestBytes:
    def test_the_cache_stays_within_its_bytes_and_forgets_what_was_used_longest_ago(self) -> None:
        recorder = Recorder()
        counter = TokenCounter(recorder, cache_bytes=20_000)
        texts = [f"{number:03}" * 200 for number in range(100)]
        for text in texts:
            count_tokens(chat(texts[0], text), counter)
            assert counter.stats()["bytes"] <= 20_000
        stats = counter.stats()
        # 649 bytes of text and less than 100 for its entry.
        assert 20_000 // 749 <= stats["entries"] <= 20_000 // 649
        recorder.seen.clear()
        count_tokens(chat(texts[0], texts[1], texts[99]), counter)
        assert recorder.seen == [texts[1]]

    def test_bytes_are_those_of_the_texts_and_their_entries(self) -> None:
        counter = TokenCounter(len)
        texts = ["a" * 1000, "é" * 1000, "灯" * 1000, "😀" * 1000]
        count_tokens(chat(*texts), counter)
        sizes = sum(map(sys.getsizeof, texts))
        assert sizes < counter.stats()["bytes"] <= sizes + 4 * 100

    def test_utf8_that_a_tokenizer_made_a_text_keep_is_bytes_too(self) -> None:
        tokenizers: Any = pytest.importorskip("tokenizers", reason="a native tokenizer makes strings keep their UTF-8")
        normalizer = tokenizers.normalizers.NFC()
        text = "灯塔" * 1000
        counter = TokenCounter(lambda text: len(normalizer.normalize_str(text)))
        count_tokens(chat(text), counter)
        assert counter.stats()["bytes"] >= sys.getsizeof(text) > 4000 + 6000

    def test_a_cache_of_no_bytes_counts_every_time(self) -> None:
        recorder = Recorder()
        counter = TokenCounter(recorder, cache_bytes=0)
        for _ in range(3):
            assert count_tokens(chat("text", "text"), counter).per_message == (7, 7)
        assert recorder.seen == ["text"] * 3
        assert counter.stats() == {"hits": 3, "misses": 3, "entries": 0, "bytes": 0, "max_bytes": 0}

    def test_a_text_larger_than_the_cache_drives_nothing_out(self) -> None:
        recorder = Recorder()
        counter = TokenCounter(recorder, cache_bytes=2000)
        count_tokens(chat("small", "x" * 3000, "small"), counter)
        count_tokens(chat("small", "x" * 3000), counter)
        assert [len(text) for text in recorder.seen] == [5, 3000, 3000]

    def test_clear_forgets_everything(self) -> None:
        recorder = Recorder()
        counter = TokenCounter(recorder)
        count_tokens(chat("text"), counter)
        counter.clear()
        assert counter.stats() == {"hits": 0, "misses": 0, "entries": 0, "bytes": 0, "max_bytes": 64 * 2**20}
        count_tokens(chat("text"), counter)
        assert recorder.seen == ["text", "text"]


def test_threads_share_a_cache() -> None:
    # Small enough to evict all the time, with a counter that lets other threads in.
    started = threading.Barrier(8)
    wrong: list[Any] = []

    def count(text: str) -> int:
        event.wait(0)
        return int(text)

    event = threading.Event()
    counter = TokenCounter(count, tokens_per_message=0, tokens_priming=0, cache_bytes=20_000)

    def work(offset: int) -> None:
        started.wait()
        for turn in range(100):
            numbers = [(offset * 7 + turn * 3 + step * 11) % 500 for step in range(40)]
            if turn % 10 == 9:
                counter.clear()
            result = count_tokens(chat(*map(str, numbers)), counter).per_message
            if result != tuple(numbers) or counter.stats()["bytes"] > 20_000:
                wrong.append((numbers, result))

    threads = [threading.Thread(target=work, args=(offset,)) for offset in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_another_thread_is_served_while_a_counter_runs() -> None:
    inside, release = threading.Event(), threading.Event()

    def count(text: str) -> int:
        if text == "slow":
            inside.set()
            assert release.wait(10)
        return len(text)

    counter = TokenCounter(count)
    thread = threading.Thread(target=count_tokens, args=(chat("slow"), counter))
    thread.start()
    assert inside.wait(10)
    try:
        # With a lock held by the other thread this would wait for ever.
        assert count_tokens(chat("quick"), counter).total == 3 + 5 + 3
        assert counter.stats()["entries"] == 1
        counter.clear()
    finally:
        release.set()
        thread.join(10)
    assert not thread.is_alive()
    assert counter.stats()["entries"] == 1


def test_a_counter_may_count_with_its_own_cache() -> None:
    calls: Counter[str] = Counter()

    def count(text: str) -> int:
        calls[text] += 1
        if len(text) < 2:
            return 1
        half = len(text) // 2
        return count_tokens(chat(text[:half], text[half:]), bare).total

    bare = TokenCounter(count, tokens_per_message=0, tokens_priming=0)
    assert count_tokens(chat("abcdabcd", "abcdabcd"), bare).total == 16
    assert calls == {"abcdabcd": 1, "abcd": 1, "ab": 1, "cd": 1, "a": 1, "b": 1, "c": 1, "d": 1}


def test_a_counter_or_a_template_that_changes_the_list_harms_nothing() -> None:
    messages = chat("one", "two", "three")

    def render(message: dict[str, str]) -> str:
        messages.clear()
        gc.collect()
        return message["content"]

    assert count_tokens(messages, TokenCounter(len, render=render)).per_message == (3, 3, 5)
    messages[:] = chat("one", "two", "three")

    def count(text: str) -> int:
        messages.clear()
        return len(text)

    assert count_tokens(messages, TokenCounter(count)).per_message == (6, 6, 8)


def test_a_counter_in_a_cycle_is_collected() -> None:
    class Tokenizer:
        def __call__(self, text: str) -> int:
            return len(text)

        counter: TokenCounter

    tokenizer = Tokenizer()
    tokenizer.counter = TokenCounter(tokenizer)
    gone = weakref.ref(tokenizer)
    del tokenizer
    gc.collect()
    assert gone() is None
