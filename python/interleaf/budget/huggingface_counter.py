"""Counting functions of Hugging Face's tokenizers."""

from __future__ import annotations

from os import PathLike, fspath
from typing import Any

from ..errors import InterleafError

__all__ = ["huggingface_functions"]


def huggingface_functions(tokenizer: Any) -> dict[str, Any]:
    """Return `count`, `count_batch` and `name` for a tokenizer.

    Args:
        tokenizer: a `tokenizers.Tokenizer`, the path of a `tokenizer.json`, or a tokenizer of `transformers`.

    Raises:
        ModuleNotFoundError: a path was given and tokenizers is not installed.
        InterleafError: it is no such tokenizer, or the file cannot be read.
    """
    name = ""
    if isinstance(tokenizer, str | PathLike):
        name = fspath(tokenizer)
        tokenizer = _read(name)
    else:
        name = str(getattr(tokenizer, "name_or_path", ""))
    # A fast tokenizer of transformers wraps one of tokenizers, which is asked without the wrapper's dicts.
    backend = getattr(tokenizer, "backend_tokenizer", tokenizer)
    if hasattr(backend, "encode_batch") and hasattr(backend, "token_to_id"):
        return {**_native(backend), "name": name}
    if callable(tokenizer) and hasattr(tokenizer, "encode"):
        return {**_slow(tokenizer), "name": name}
    raise InterleafError(
        f"found {type(tokenizer).__name__}, expected a tokenizers.Tokenizer, the path of a tokenizer.json or a tokenizer "
        "of transformers",
        "invalid_option",
        "tokenizer",
    )


def _read(path: str) -> Any:
    """Return the tokenizer of a file."""
    try:
        from tokenizers import Tokenizer
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            'TokenCounter.huggingface needs tokenizers: pip install "interleaf[huggingface]"', name=error.name
        ) from error
    try:
        return Tokenizer.from_file(path)
    except MemoryError:
        raise
    except Exception as error:  # tokenizers raises a bare Exception, and says what is wrong in it
        raise InterleafError(f"{path}: {error}", "invalid_option", "tokenizer") from error


def _native(tokenizer: Any) -> dict[str, Any]:
    """Count with a `tokenizers.Tokenizer`."""
    # Without offsets, which nobody asks for here, a batch is encoded faster.
    encode_batch = getattr(tokenizer, "encode_batch_fast", tokenizer.encode_batch)

    def count(text: str) -> int:
        return len(tokenizer.encode(text, add_special_tokens=False))

    def count_batch(texts: list[str]) -> list[int]:
        return [len(encoded) for encoded in encode_batch(texts, add_special_tokens=False)]

    return {"count": count, "count_batch": count_batch}


def _slow(tokenizer: Any) -> dict[str, Any]:
    """Count with a tokenizer written in Python."""

    def count(text: str) -> int:
        return len(tokenizer.encode(text, add_special_tokens=False))

    return {"count": count}
