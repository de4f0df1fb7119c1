"""The caller's tokenizer, with what a message costs besides its texts and a cache of what was counted."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, SupportsIndex

from .. import _interleaf

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["PartTokens", "TokenCounter"]

PartTokens = Mapping[str, int] | Callable[[Any], int | None]
"""What parts that are no text cost: by their type, or by a function of the part (None: it has no price)."""


class TokenCounter(_interleaf.TokenCounter):
    """Counts the tokens of texts with a tokenizer of yours, and each text once.

    Without `render`, a message costs `tokens_per_message`, its role, its text, its name (and `tokens_per_name`), and name
    and arguments of each tool call; the list costs `tokens_priming` more: the rule of OpenAI's cookbook. That is an
    estimate and says so (`exactness` is `"estimated"`). With `render` a message costs what its rendered text counts, which
    is exact (`"rendered"`) where the template puts special tokens between messages; nothing is added for the list then.

    Counts are kept by the `str`: a text that is the same object or equal is not counted again. The cache gives up what was
    used longest ago, is safe under threads, and is not locked while the counter runs.

    Args:
        count: returns the number of tokens of a text.
        count_batch: returns one number for each text of a list; all texts of a call that are not cached go in one list.
        name: what errors call this counter.
        render: writes a message as the chat template does, special tokens and all. What it raises passes through.
        tokens_per_message: tokens, besides its texts, of a message.
        tokens_per_name: tokens of having a name.
        tokens_priming: tokens of the list besides its messages.
        part_tokens: tokens of parts that are no text (images, audio, files): a mapping from part type, or a function of
            the part. A part without a price counts 0 and is listed.
        cache_bytes: most bytes that the cache holds, the texts included. 0 caches nothing.

    Raises:
        TypeError: a function is not callable.
        InterleafError: an option has a wrong value (`invalid_option`).

    >>> from interleaf.budget import TokenCounter, count_tokens
    >>> words = TokenCounter(lambda text: len(text.split()), name="words")
    >>> count_tokens([{"role": "user", "content": "Who guards the gate?"}], words).per_message
    (8,)
    >>> words.stats()["misses"]
    2
    """

    __slots__ = ()

    def __new__(  # noqa: D102 # the class says it
        cls,
        count: Callable[[str], int],
        *,
        count_batch: Callable[[list[str]], Sequence[int]] | None = None,
        name: str = "",
        render: Callable[[Any], str] | None = None,
        tokens_per_message: SupportsIndex = 3,
        tokens_per_name: SupportsIndex = 1,
        tokens_priming: SupportsIndex = 3,
        part_tokens: PartTokens | None = None,
        cache_bytes: SupportsIndex = 64 * 2**20,
    ) -> Self:
        return super().__new__(
            cls,
            count,
            count_batch=count_batch,
            name=name,
            render=render,
            tokens_per_message=tokens_per_message,
            tokens_per_name=tokens_per_name,
            tokens_priming=tokens_priming,
            part_tokens=part_tokens,
            cache_bytes=cache_bytes,
        )

    @classmethod
    def tiktoken(cls, name: Any, **options: Any) -> Self:
        """Return a counter with an encoding of tiktoken.

        Args:
            name: an encoding (`"o200k_base"`), a model that tiktoken knows (`"gpt-4o"`), or a `tiktoken.Encoding`.
            **options: those of `TokenCounter`. With `render`, special tokens in a rendered text count as such; without,
                text that looks like one counts as the text it is.

        Raises:
            ModuleNotFoundError: tiktoken is not installed.
            InterleafError: tiktoken knows neither an encoding nor a model of that name (`invalid_option`).
        """
        from .tiktoken_counter import tiktoken_functions

        return cls(**tiktoken_functions(name, special="render" in options), **options)

    @classmethod
    def huggingface(cls, tokenizer: Any, **options: Any) -> Self:
        """Return a counter with a tokenizer of Hugging Face.

        Args:
            tokenizer: a `tokenizers.Tokenizer`, the path of a `tokenizer.json`, or a tokenizer of `transformers`.
            **options: those of `TokenCounter`. No special tokens are added to a text; those that it holds count as such.

        Raises:
            ModuleNotFoundError: a path was given and tokenizers is not installed.
            InterleafError: it is no such tokenizer, or the file cannot be read (`invalid_option`).
        """
        from .huggingface_counter import huggingface_functions

        return cls(**huggingface_functions(tokenizer), **options)
