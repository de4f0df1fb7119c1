"""What messages cost in tokens: the rule in plain steps, nothing cached."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from ..errors import AdapterError, CounterError
from .values import as_small_int, as_str, describe, is_surrogate, part_field, part_str, plain_str

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
        return priming + sum(self._count_message(message, f"messages[{at}]") for at, message in enumerate(messages))

    def count_text(self, text: str, path: str) -> int:
        """Count one text: as it is, or with its lone surrogates replaced if the counter refuses it as it is."""
        try:
            answer: Any = self.counter.count(text)
        except (KeyboardInterrupt, SystemExit, MemoryError):
            raise
        except BaseException as error:
            if any(map(is_surrogate, text)):
                self.replaced = True
                return self.count_text("".join("\ufffd" if is_surrogate(char) else char for char in text), path)
            raise CounterError(
                f"the counter failed on {describe(text)}; expected an int of 0 or more",
                "counter_failed",
                path,
                text_length=len(text),
            ) from error
        return _as_count(answer, path, len(text))

    def _count_message(self, message: Any, path: str) -> int:
        content = message.get("content")
        if content is not None and not isinstance(content, (str, list, tuple)):
            raise AdapterError(
                f"found {describe(content)}; expected a str, a list of parts or None, to count it",
                "unreadable_message",
                f"{path}.content",
            )
        parts = content if isinstance(content, (list, tuple)) else []
        cost = sum(
            self._price(part, f"{path}.content[{at}]") for at, outer in enumerate(parts) for part in _no_texts([outer])
        )
        if self.counter.render is not None:
            return cost + self._count_rendered(message, path)
        cost += self.counter.tokens_per_message
        if (role := message.get("role")) is not None:
            cost += self.count_text(str.__str__(role), f"{path}.role")
        if (texts := [content] if isinstance(content, str) else _texts(parts)) != []:
            cost += self.count_text("".join(texts), f"{path}.content")
        if isinstance(name := message.get("name"), str):
            cost += self.counter.tokens_per_name + self.count_text(name, f"{path}.name")
        calls = [text for call in message.get("tool_calls") or () for text in _call(call)]
        return cost + sum(self.count_text(text, f"{path}.tool_calls") for text in calls)

    def _count_rendered(self, message: Any, path: str) -> int:
        rendered: object = cast("Any", self.counter.render)(message)
        if not isinstance(rendered, str):
            raise CounterError(f"the template returned {describe(rendered)}; expected a str", "invalid_render", path)
        return self.count_text(plain_str(rendered), f"{path}.render")

    def _price(self, part: Any, path: str) -> int:
        prices = self.counter.part_tokens
        if isinstance(prices, Mapping):
            price = prices.get(part_str(part, "type"))
        else:
            try:
                price = prices and prices(part)
            except Exception as error:
                raise CounterError("part_tokens failed; expected an answer", "counter_failed", path) from error
        if price is None:
            self.unpriced_parts += 1
            return 0
        return _as_count(price, path)


def _as_count(answer: object, path: str, text_length: int = 0) -> int:
    count = as_small_int(answer)
    if count is None or count < 0:
        raise CounterError(
            f"{path} counts {describe(answer)}; expected an int of 0 or more",
            "invalid_count",
            path,
            text_length=text_length,
        )
    return count


def _flat(parts: Sequence[Any]) -> list[Any]:
    """List parts with those inside tool results in their place."""
    flat: list[Any] = []
    for part in parts:
        result = part_field(part, "content") if part_str(part, "type") == "tool_result" else None
        flat += [result] if isinstance(result, str) else result if isinstance(result, (list, tuple)) else [part]
    return flat


def _text(part: Any) -> str | None:
    """Return the text of a part, None if it is no text."""
    if isinstance(part, str):
        return part
    if part_field(part, "type") in (None, "text", "input_text", "output_text"):
        return as_str(part_field(part, "text"))
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
