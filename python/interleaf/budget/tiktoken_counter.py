"""Counting functions of tiktoken."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from ..errors import InterleafError

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["tiktoken_functions"]

# From this many code points on, a batch is worth tiktoken's thread pool, which takes some 300 µs to start and stop; below
# it one thread is done sooner (25,000 code points take about 2 ms).
_THREADS_FROM = 50_000


def tiktoken_functions(encoding: Any, *, special: bool) -> dict[str, Any]:
    """Return `count`, `count_batch` and `name` for an encoding, a model or the name of either.

    Args:
        encoding: a `tiktoken.Encoding` or a name.
        special: whether special tokens in a text count as such.

    Raises:
        ModuleNotFoundError: tiktoken is not installed.
        InterleafError: the name is unknown.
    """
    try:
        import tiktoken
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            'TokenCounter.tiktoken needs tiktoken: pip install "interleaf[tiktoken]"', name=error.name
        ) from error
    if isinstance(encoding, str):
        encoding = _encoding(tiktoken, encoding)
    elif not isinstance(encoding, tiktoken.Encoding):
        raise InterleafError(
            f"found {type(encoding).__name__}, expected the name of an encoding or model, or a tiktoken.Encoding",
            "invalid_option",
            "name",
        )
    encode: Callable[[str], list[int]] = encoding.encode_ordinary
    encode_batch: Callable[[list[str]], list[list[int]]] = encoding.encode_ordinary_batch
    if special:
        encode = partial(encoding.encode, allowed_special="all")
        encode_batch = partial(encoding.encode_batch, allowed_special="all")

    def count(text: str) -> int:
        return len(encode(text))

    def count_batch(texts: list[str]) -> list[int]:
        if len(texts) < 2 or sum(map(len, texts)) < _THREADS_FROM:
            return [len(encode(text)) for text in texts]
        return [len(tokens) for tokens in encode_batch(texts)]

    return {"count": count, "count_batch": count_batch, "name": encoding.name}


def _encoding(tiktoken: Any, name: str) -> Any:
    """Return the encoding of that name, or of the model of that name."""
    if name in tiktoken.list_encoding_names():
        return tiktoken.get_encoding(name)
    try:
        return tiktoken.encoding_for_model(name)
    except KeyError as error:
        known = ", ".join(sorted(tiktoken.list_encoding_names()))
        raise InterleafError(
            f"found {name!r}, expected an encoding ({known}) or a model that tiktoken knows", "invalid_option", "name"
        ) from error
