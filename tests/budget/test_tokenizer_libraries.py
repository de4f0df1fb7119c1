"""Counters made from other libraries' tokenizers, and what is said where a library is missing."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import pytest

from budget.libraries import needed
from interleaf import InterleafError
from interleaf.budget import TokenCounter, count_tokens

if TYPE_CHECKING:
    from pathlib import Path

CHAT = [{"role": "user", "content": "Who goes there? 灯塔 😀"}]


def text_tokens(counter: TokenCounter) -> int:
    bare = count_tokens([{"role": "user"}], counter).total
    return count_tokens(CHAT, counter).total - bare


def test_tiktoken_by_encoding_name_and_by_object(cl100k_im: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from budget.libraries import litellm_tokenizers

    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(litellm_tokenizers()))
    expected = len(cl100k_im.encode(CHAT[0]["content"]))
    for name in ("cl100k_base", "gpt-4", cl100k_im):
        counter = TokenCounter.tiktoken(name, tokens_per_message=9)
        assert text_tokens(counter) == expected
        assert counter.tokens_per_message == 9
    assert TokenCounter.tiktoken("gpt-4").name == "cl100k_base"
    o200k = needed("tiktoken").get_encoding("o200k_base")
    assert text_tokens(TokenCounter.tiktoken("gpt-4o")) == len(o200k.encode(CHAT[0]["content"]))


def test_a_large_batch_of_tiktoken_counts_what_single_texts_count(cl100k_im: Any) -> None:
    # Long enough for its threads.
    texts = [f"{number} grüße 灯塔 " * 200 for number in range(60)]
    assert sum(map(len, texts)) > 50_000
    for options in ({}, {"render": lambda message: message["content"]}):
        counter = TokenCounter.tiktoken(cl100k_im, **options)
        assert counter.count_batch is not None
        assert list(counter.count_batch(texts)) == [counter.count(text) for text in texts]


def test_an_unknown_name_is_refused() -> None:
    needed("tiktoken")
    for name in ("no_such_base", 5):
        with pytest.raises(InterleafError, match="expected") as caught:
            TokenCounter.tiktoken(name)
        assert (caught.value.code, caught.value.path) == ("invalid_option", "name")


def test_huggingface_by_object_and_by_file(small_bpe: Any, tmp_path: Path) -> None:
    expected = len(small_bpe.encode(CHAT[0]["content"], add_special_tokens=False))
    path = tmp_path / "tokenizer.json"
    small_bpe.save(str(path))
    for tokenizer in (small_bpe, path, str(path)):
        assert text_tokens(TokenCounter.huggingface(tokenizer)) == expected
    assert TokenCounter.huggingface(str(path)).name == str(path)


def test_the_tokenizer_inside_a_fast_one_of_transformers_is_asked(small_bpe: Any) -> None:
    class Fast:
        backend_tokenizer = small_bpe
        name_or_path = "org/model"

    counter = TokenCounter.huggingface(Fast())
    assert (text_tokens(counter), counter.name) == (text_tokens(TokenCounter.huggingface(small_bpe)), "org/model")


def test_a_slow_tokenizer_of_transformers_is_asked_itself() -> None:
    class Slow:
        def __call__(self, text: str) -> dict[str, list[int]]:
            raise AssertionError(text)

        def encode(self, text: str, add_special_tokens: bool = True) -> list[int]:
            return [0] * (len(text.split()) + 2 * add_special_tokens)

    assert text_tokens(TokenCounter.huggingface(Slow())) == 5


def test_special_tokens_are_not_added(small_bpe: Any) -> None:
    tokenizers = needed("tokenizers")
    adding = tokenizers.Tokenizer.from_str(small_bpe.to_str())
    adding.post_processor = tokenizers.processors.TemplateProcessing(
        single="<|im_start|> $A <|im_end|>", special_tokens=[("<|im_start|>", 0), ("<|im_end|>", 1)]
    )
    assert len(adding.encode("x")) == 3
    assert text_tokens(TokenCounter.huggingface(adding)) == text_tokens(TokenCounter.huggingface(small_bpe))


def test_what_a_native_tokenizer_raises_on_a_lone_surrogate_is_mended(small_bpe: Any) -> None:
    counter = TokenCounter.huggingface(small_bpe, render=lambda message: message["content"])
    result = count_tokens([{"content": "a\ud800b"}, {"content": "fine"}], counter)
    assert result.exactness == "estimated"
    assert result.per_message[0] == len(small_bpe.encode("a\ufffdb", add_special_tokens=False))


@pytest.mark.parametrize("tokenizer", [5, object(), None])
def test_what_is_no_tokenizer_is_refused(tokenizer: Any) -> None:
    with pytest.raises(InterleafError, match=r"expected a tokenizers\.Tokenizer") as caught:
        TokenCounter.huggingface(tokenizer)
    assert (caught.value.code, caught.value.path) == ("invalid_option", "tokenizer")


def test_a_file_that_is_no_tokenizer_is_refused(tmp_path: Path) -> None:
    needed("tokenizers")
    broken = tmp_path / "tokenizer.json"
    broken.write_text("{")
    for path in (broken, tmp_path / "absent.json"):
        with pytest.raises(InterleafError, match=path.name) as caught:
            TokenCounter.huggingface(path)
        assert caught.value.code == "invalid_option"


@pytest.mark.parametrize("library", ["tiktoken", "tokenizers"])
def test_a_missing_library_says_what_to_install(library: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, library, None)
    cases: dict[str, tuple[Any, str, str]] = {
        "tiktoken": (TokenCounter.tiktoken, "cl100k_base", "tiktoken"),
        "tokenizers": (TokenCounter.huggingface, "tokenizer.json", "huggingface"),
    }
    make, argument, extra = cases[library]
    with pytest.raises(ModuleNotFoundError) as caught:
        make(argument)
    assert f'pip install "interleaf[{extra}]"' in str(caught.value)
