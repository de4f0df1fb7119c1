"""What messages cost in tokens: the rule in plain steps, nothing cached."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..errors import CounterError
from .values import as_small_int, describe, is_surrogate, str_field

if TYPE_CHECKING:
    from .._interleaf import TokenCounter


class TokenRule:
    """Counts messages with the functions and prices of a counter.

    Attributes:
        replaced: whether a text was counted with its lone surrogates replaced.
        unpriced_parts: how many parts counted nothing, because they are no text and have no price.
    """

    def __init__(self, counter: TokenCounter) -> None:
        self.counter = counter
        self.replaced = False
        self.unpriced_parts = 0

    @property
    def exactness(self) -> str:
        """Whether the counts are those of rendered messages."""
        return "rendered" if self.counter.render is not None and not self.replaced else "estimated"

    def count_messages(self, messages: Sequence[Any]) -> int:
        """Count a list of messages, with what the list costs besides."""
        priming = 0 if self.counter.render is not None else self.counter.tokens_priming
        return priming + sum(self._count_message(message) for message in messages)

    def count_text(self, text: str) -> int:
        """Count one text: as it is, or with its lone surrogates replaced if the counter refuses it as it is."""
        try:
            answer: Any = self.counter.count(text)
        except (KeyboardInterrupt, SystemExit, MemoryError):
            raise
        except BaseException as error:
            if not any(map(is_surrogate, text)):
                raise CounterError(
                    f"the counter failed on {describe(text)}", "counter_failed", text_length=len(text)
                ) from error
            self.replaced = True
            text = "".join("\ufffd" if is_surrogate(char) else char for char in text)
            answer = self.counter.count(text)
        count = as_small_int(answer)
        if count is None or count < 0:
            raise CounterError(
                f"the counter returned {describe(answer)}; expected an int of 0 or more",
                "invalid_count",
                text_length=len(text),
            )
        return count

    def _count_message(self, message: Any) -> int:
        content = message.get("content")
        parts = content if isinstance(content, list) else []
        cost = sum(self._price(part) for part in _no_texts(parts))
        if self.counter.render is not None:
            return cost + self.count_text(self.counter.render(message))
        cost += self.counter.tokens_per_message
        if (role := message.get("role")) is not None:
            cost += self.count_text(str.__str__(role))
        if (texts := [content] if isinstance(content, str) else _texts(parts)) != []:
            cost += self.count_text("".join(texts))
        if isinstance(name := message.get("name"), str):
            cost += self.counter.tokens_per_name + self.count_text(name)
        return cost + sum(self.count_text(text) for call in message.get("tool_calls") or () for text in _call(call))

    def _price(self, part: Any) -> int:
        prices = self.counter.part_tokens
        price = prices.get(str_field(part, "type")) if isinstance(prices, Mapping) else prices and prices(part)
        self.unpriced_parts += price is None
        return price or 0


def _flat(parts: Sequence[Any]) -> list[Any]:
    """List parts with those inside tool results in their place."""
    flat: list[Any] = []
    for part in parts:
        result = part.get("content") if isinstance(part, Mapping) and str_field(part, "type") == "tool_result" else None
        flat += [result] if isinstance(result, str) else result if isinstance(result, (list, tuple)) else [part]
    return flat


def _text(part: Any) -> str | None:
    """Return the text of a part, None if it is no text."""
    if isinstance(part, str):
        return part
    if isinstance(part, Mapping) and part.get("type") in (None, "text", "input_text", "output_text"):
        text = part.get("text")
        return text if isinstance(text, str) else None
    return None


def _texts(parts: Sequence[Any]) -> list[str]:
    """List the texts of parts."""
    return [text for part in _flat(parts) if (text := _text(part)) is not None]


def _no_texts(parts: Sequence[Any]) -> list[Any]:
    """List the parts that are no text."""
    return [part for part in _flat(parts) if _text(part) is None]


def _call(call: Any) -> list[str]:
    """List name and arguments of a tool call of OpenAI's shape."""
    function = call["function"]
    arguments = function["arguments"]
    if not isinstance(arguments, str):
        arguments = json.dumps(arguments, ensure_ascii=False, separators=(",", ":"))
    return [function["name"], arguments]
