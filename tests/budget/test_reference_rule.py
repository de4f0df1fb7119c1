"""What messages of a plan cost, and what is said of a counter that fails: right answers that both implementations must give."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from interleaf import AdapterError
from interleaf.budget import TokenCounter
from interleaf.errors import CounterError

if TYPE_CHECKING:
    from collections.abc import Callable

    from implementations import Implementation

IMAGE = {"type": "image", "text": "not read"}
CALL = {"function": {"name": "look_up", "arguments": {"at": "é", "n": 1}}}


def assembled(implementation: Implementation, count: Callable[[str], Any], *messages: Any, **options: Any) -> Any:
    """A plan of additional messages, whose envelope costs nothing."""
    counter = TokenCounter(count, **{"tokens_per_message": 0, "tokens_per_name": 0, "tokens_priming": 0, **options})
    return implementation.assemble_context_plan(
        {
            "fragments": [],
            "max_input_chars": math.inf,
            "additional_messages": messages,
            "token_counter": counter,
        }
    )


def user(content: Any, **fields: Any) -> dict[str, Any]:
    return {"role": "user", "content": content, **fields}


@pytest.mark.parametrize(
    ("message", "tokens", "unpriced"),
    [
        (user("text"), 4, 0),
        (user([]), 0, 0),
        (user("", tool_calls=None), 0, 0),
        (user("", tool_calls=[CALL, {"function": {"name": "f", "arguments": "{ }"}}]), 7 + 16 + 1 + 3, 0),
        (user("", name="Mira"), 4, 0),
        (user("", name=5), 0, 0),
        (user([{"text": "no type"}]), 7, 0),
        (user([{"type": "output_text", "text": "out"}, {"type": "input_text", "text": "in"}]), 5, 0),
        (user([{"type": "text", "text": 5}]), 0, 1),
        (user(["bare", 7, None]), 4, 2),
        (user([IMAGE, SimpleNamespace(type="image")]), 0, 2),
        (user([{"type": "other", "content": "not read"}]), 0, 1),
        (user([SimpleNamespace(type="tool_result", content="result"), SimpleNamespace(type="text", text="a")]), 7, 0),
        (user([{"type": "tool_result", "content": "result"}]), 6, 0),
        (user([{"type": "tool_result", "content": ({"type": "text", "text": "one"}, IMAGE)}]), 3, 1),
        (user([{"type": "tool_result"}]), 0, 1),
    ],
)
def test_what_counts(implementation: Implementation, message: Any, tokens: int, unpriced: int) -> None:
    built = assembled(implementation, len, message)
    assert (built.input_tokens, built.unpriced_parts) == (len("user") + tokens, unpriced)


@pytest.mark.parametrize(
    ("content", "tokens"),
    [(None, 0), ("text", 4), ([{"type": "text", "text": "abc"}], 3), (({"type": "text", "text": "abc"},), 3)],
)
def test_content_that_a_callback_makes(implementation: Implementation, content: Any, tokens: int) -> None:
    built = made(implementation, content)
    assert (built.input_tokens, built.unpriced_parts) == (len("user") + tokens, 0)


@pytest.mark.parametrize("content", [5, b"text", {"type": "text", "text": "abc"}])
def test_content_that_cannot_be_read_is_refused(implementation: Implementation, content: Any) -> None:
    with pytest.raises(AdapterError, match="expected") as caught:
        made(implementation, content)
    assert (caught.value.code, caught.value.path) == ("unreadable_message", "messages[0].content")


def made(implementation: Implementation, content: Any) -> Any:
    """A plan of one fragment, of which a callback makes a message with this content."""
    fragment = {"id": "a", "source_id": "app", "trust": "user", "lifetime": "turn", "role": "user", "value": "four"}
    plan = {
        "fragments": [{**fragment, "max_chars": 4}],
        "max_input_chars": 4,
        "token_counter": TokenCounter(len, tokens_per_message=0, tokens_priming=0),
    }
    return implementation.assemble_context_plan(plan, create_message=lambda _: {"role": "user", "content": content})


def test_prices_of_parts(implementation: Implementation) -> None:
    message = user([IMAGE, SimpleNamespace(type="image"), {"type": "free"}, 7, {"type": "file"}])
    built = assembled(implementation, len, message, part_tokens={"image": 10, "free": 0})
    assert (built.input_tokens, built.unpriced_parts) == (4 + 20, 2)
    built = assembled(implementation, len, message, part_tokens=lambda part: 3 if isinstance(part, dict) else None)
    assert (built.input_tokens, built.unpriced_parts) == (4 + 9, 2)


def test_a_text_is_refused_as_it_is_and_counted_with_its_surrogates_replaced(implementation: Implementation) -> None:
    def strict(text: str) -> int:
        return len(text.encode())

    built = assembled(implementation, strict, user("a\ud800\udfffb"))
    assert built.input_tokens == 4 + 8
    rendered = assembled(implementation, strict, user("a"), user("b"), render=lambda message: message["content"])
    assert (rendered.input_tokens, rendered.exactness) == (2, "rendered")
    replaced = assembled(implementation, strict, user("a"), user("\udc00"), render=lambda message: message["content"])
    assert (replaced.input_tokens, replaced.exactness) == (4, "estimated")


def refused(implementation: Implementation, count: Callable[[str], Any], message: Any, **options: Any) -> Any:
    with pytest.raises(CounterError, match="expected") as caught:
        assembled(implementation, count, user("ok"), message, **options)
    return caught.value


@pytest.mark.parametrize("answer", [-1, True, "1", 2**63, None, 1.5])
def test_what_is_no_count_is_refused(implementation: Implementation, answer: Any) -> None:
    error = refused(implementation, lambda text: answer if text == "bad" else 0, user("bad"))
    assert (error.code, error.path, error.text_length) == ("invalid_count", "messages[1].content", 3)


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("Mira", "messages[1].name"),
        ("look_up", "messages[1].tool_calls"),
        ('{"at":"é","n":1}', "messages[1].tool_calls"),
        ("part", "messages[1].content"),
        ("surrogate \ud800", "messages[1].content"),
    ],
)
def test_a_counter_that_fails_is_told_with_the_place(implementation: Implementation, text: str, path: str) -> None:
    def count(given: str) -> int:
        if given in (text, text.replace("\ud800", "\ufffd")):
            raise ZeroDivisionError
        return 0

    content = text if path.endswith("content") else "part of another name"
    error = refused(implementation, count, user([{"type": "text", "text": content}], name="Mira", tool_calls=[CALL]))
    assert (error.code, error.path, error.text_length) == ("counter_failed", path, len(text))
    assert isinstance(error.__cause__, ZeroDivisionError)


def test_a_role_and_a_rendered_text_have_places_too(implementation: Implementation) -> None:
    def count(text: str) -> int:
        return -1 if text in ("user", "rendered") else 0

    with pytest.raises(CounterError) as caught:
        assembled(implementation, count, user("a"))
    assert (caught.value.path, caught.value.text_length) == ("messages[0].role", 4)
    with pytest.raises(CounterError) as caught:
        assembled(implementation, count, user("a"), render=lambda _: "rendered")
    assert (caught.value.path, caught.value.text_length) == ("messages[0].render", 8)


def test_a_fragment_has_a_place_where_it_shares_a_message(implementation: Implementation) -> None:
    fields = {"source_id": "app", "trust": "user", "lifetime": "turn", "role": "user", "max_chars": math.inf}
    plan = {
        "fragments": [{"id": "a", "value": "good", **fields}, {"id": "b", "value": "bad", **fields}],
        "max_input_chars": math.inf,
        "merge_adjacent": True,
        "token_counter": TokenCounter(lambda text: -1 if text == "bad" else 0),
    }
    with pytest.raises(CounterError) as caught:
        implementation.assemble_context_plan(plan)
    assert (caught.value.code, caught.value.path) == ("invalid_count", "fragments[1].value")


@pytest.mark.parametrize("price", [-1, True, "1", 2**63, 1.5])
def test_what_is_no_price_is_refused(implementation: Implementation, price: Any) -> None:
    message = user([{"type": "text", "text": "see"}, {"type": "tool_result", "content": [IMAGE]}])
    error = refused(implementation, len, message, part_tokens=lambda _: price)
    assert (error.code, error.path, error.text_length) == ("invalid_count", "messages[1].content[1]", 0)


def test_what_a_price_function_raises_is_the_cause(implementation: Implementation) -> None:
    def price(part: Any) -> int:
        raise KeyError(part["type"])

    error = refused(implementation, len, user([IMAGE]), part_tokens=price)
    assert (error.code, error.path, repr(error.__cause__)) == (
        "counter_failed",
        "messages[1].content[0]",
        "KeyError('image')",
    )


def test_a_template_that_gives_no_text_is_refused(implementation: Implementation) -> None:
    error = refused(
        implementation, len, user("bad"), render=lambda message: "" if message["content"] == "ok" else b"bad"
    )
    assert (error.code, error.path) == ("invalid_render", "messages[1]")
