"""What a counter may raise or return, and what is told of it."""

from __future__ import annotations

import pickle
from typing import Any

import pytest

from interleaf import InterleafError
from interleaf.budget import TokenCounter, count_tokens
from interleaf.errors import CounterError

CHAT = [{"role": "user", "content": "fine"}, {"role": "user", "name": "Mira", "content": "odd text"}]


class Panic(BaseException):
    """Stands for what native tokenizers raise when they panic: no Exception."""


def refusing(error: BaseException, of: str = "odd text") -> Any:
    def count(text: str) -> int:
        if text == of:
            raise error
        return len(text)

    return count


@pytest.mark.parametrize("error", [ValueError("bad vocabulary"), Panic("index out of bounds"), KeyError("x")])
def test_what_the_counter_raises_is_the_cause_of_an_error_with_place_and_length(error: BaseException) -> None:
    counter = TokenCounter(refusing(error), name="broken")
    with pytest.raises(CounterError) as caught:
        count_tokens(CHAT, counter)
    assert caught.value.__cause__ is error
    assert (caught.value.code, caught.value.path, caught.value.text_length) == (
        "counter_failed",
        "messages[1].content",
        8,
    )
    for told in ("messages[1].content", "8 code points", '"broken"', type(error).__name__, str(error)):
        assert told in str(caught.value)


@pytest.mark.parametrize("error", [KeyboardInterrupt(), SystemExit(3), MemoryError()])
@pytest.mark.parametrize("batch", [False, True])
def test_what_is_not_about_the_text_passes(error: BaseException, batch: bool) -> None:
    def count_batch(texts: list[str]) -> list[int]:
        raise error

    counter = TokenCounter(refusing(error), count_batch=count_batch if batch else None)
    with pytest.raises(type(error)) as caught:
        count_tokens(CHAT, counter)
    assert caught.value is error


@pytest.mark.parametrize("answer", [True, -1, 2.0, "3", None, 2**64, [1]])
def test_what_is_no_count_is_refused(answer: Any) -> None:
    with pytest.raises(CounterError, match="expected an int of 0 or more") as caught:
        count_tokens(CHAT, TokenCounter(lambda text: answer if text == "Mira" else 1))
    assert (caught.value.code, caught.value.path, caught.value.text_length) == ("invalid_count", "messages[1].name", 4)
    with pytest.raises(CounterError) as caught:
        count_tokens(CHAT, TokenCounter(len, count_batch=lambda _: [1, 1, answer, 1]))
    assert (caught.value.code, caught.value.path) == ("invalid_count", "messages[1].content")


def test_an_int_like_count_is_a_count() -> None:
    class Seven:
        def __index__(self) -> int:
            return 7

    answer: Any = Seven()
    for count_batch in (None, lambda texts: (answer,) * len(texts)):
        count = count_tokens(CHAT[:1], TokenCounter(lambda _: answer, count_batch=count_batch))
        assert count.total == 3 + 7 + 7 + 3


@pytest.mark.parametrize(
    ("answer", "code"),
    [([1], "batch_length"), ([1] * 5, "batch_length"), (4, "invalid_count"), ("1111", "invalid_count")],
)
def test_a_batch_of_another_length_is_refused(answer: Any, code: str) -> None:
    with pytest.raises(CounterError) as caught:
        count_tokens(CHAT, TokenCounter(len, count_batch=lambda _: answer))
    # Four texts: "user", "fine", "odd text", "Mira".
    assert (caught.value.code, caught.value.path, caught.value.text_length) == (code, "messages", 20)
    if code == "batch_length":
        assert f"{len(answer)} counts for 4 texts" in str(caught.value)


def test_a_batch_that_fails_names_the_text_that_fails_alone() -> None:
    def count_batch(texts: list[str]) -> list[int]:
        raise Panic("somewhere in here")

    error = ValueError("this one")
    with pytest.raises(CounterError) as caught:
        count_tokens(CHAT, TokenCounter(refusing(error), count_batch=count_batch))
    assert caught.value.__cause__ is error
    assert caught.value.path == "messages[1].content"


def test_a_batch_that_fails_without_a_text_that_does_is_an_error_of_its_own() -> None:
    error = RuntimeError("pool is closed")

    def count_batch(texts: list[str]) -> list[int]:
        raise error

    with pytest.raises(CounterError) as caught:
        count_tokens(CHAT, TokenCounter(len, count_batch=count_batch))
    assert (caught.value.__cause__, caught.value.path, caught.value.text_length) == (error, "messages", 20)


def test_what_was_counted_before_a_failure_is_kept() -> None:
    seen: list[str] = []

    def count(text: str) -> int:
        seen.append(text)
        if text == "odd text" and seen.count("odd text") == 1:
            raise ValueError
        return 1

    counter = TokenCounter(count)
    with pytest.raises(CounterError):
        count_tokens(CHAT, counter)
    assert count_tokens(CHAT, counter).total == 3 + 2 * 3 + 5 + 1
    assert seen == ["user", "fine", "odd text", "odd text", "Mira"]


class TestLoneSurrogates:
    TEXT = "a\ud800b\udfffc"
    CHAT = [{"role": "user", "content": TEXT}]  # noqa: RUF012

    @staticmethod
    def strict(text: str) -> int:
        return len(text.encode())

    def test_a_refused_text_is_counted_with_each_replaced(self) -> None:
        seen: list[str] = []

        def count(text: str) -> int:
            seen.append(text)
            return self.strict(text)

        counter = TokenCounter(count, render=lambda message: message["content"])
        for _ in range(2):
            result = count_tokens(self.CHAT, counter)
            # Marked from the cache as well.
            assert (result.total, result.exactness) == (3 + 2 * 3, "estimated")
        assert seen == [self.TEXT, "a\ufffdb\ufffdc"]

    def test_in_a_batch_the_others_stay_as_they_are(self) -> None:
        counter = TokenCounter(
            self.strict,
            count_batch=lambda texts: [self.strict(text) for text in texts],
            render=lambda message: message["content"],
        )
        result = count_tokens([*self.CHAT, {"content": "é"}], counter)
        assert (result.per_message, result.exactness) == ((9, 2), "estimated")
        assert count_tokens([{"content": "é"}], counter).exactness == "rendered"

    def test_a_counter_that_takes_them_gets_them(self) -> None:
        counter = TokenCounter(len, render=lambda message: message["content"])
        assert count_tokens(self.CHAT, counter).exactness == "rendered"

    def test_one_that_refuses_the_replaced_text_as_well_is_an_error(self) -> None:
        with pytest.raises(CounterError) as caught:
            count_tokens(self.CHAT, TokenCounter(lambda text: 1 if text == "user" else 1 // 0))
        assert isinstance(caught.value.__cause__, ZeroDivisionError)
        assert caught.value.text_length == 5


def test_what_a_template_raises_passes_and_what_is_no_text_is_refused() -> None:
    def render(message: Any) -> str:
        raise LookupError(message["role"])

    with pytest.raises(LookupError, match="user"):
        count_tokens(CHAT, TokenCounter(len, render=render))
    with pytest.raises(CounterError, match=r"messages\[0\]: rendering: found None, expected a str") as caught:
        count_tokens(CHAT, TokenCounter(len, render=lambda _: None))  # type: ignore[arg-type,return-value]
    assert caught.value.code == "invalid_render"


def test_a_counter_error_is_an_interleaf_error_and_pickles() -> None:
    with pytest.raises(InterleafError) as caught:
        count_tokens(CHAT, TokenCounter(refusing(ValueError("x"))))
    copy = pickle.loads(pickle.dumps(caught.value))  # noqa: S301
    assert isinstance(copy, CounterError)
    assert (str(copy), copy.code, copy.path, copy.text_length) == (
        str(caught.value),
        "counter_failed",
        "messages[1].content",
        8,
    )
