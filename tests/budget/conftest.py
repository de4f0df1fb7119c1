from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from budget.libraries import litellm_tokenizers, needed

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="session")
def cl100k_im() -> Iterator[Any]:
    """cl100k with the two special tokens of ChatML, made as tiktoken's own documentation makes it."""
    tiktoken = needed("tiktoken")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TIKTOKEN_CACHE_DIR", str(litellm_tokenizers()))
        base = tiktoken.get_encoding("cl100k_base")
        yield tiktoken.Encoding(
            name="cl100k_im",
            pat_str=base._pat_str,
            mergeable_ranks=base._mergeable_ranks,
            special_tokens={**base._special_tokens, "<|im_start|>": 100264, "<|im_end|>": 100265},
        )


@pytest.fixture(scope="session")
def small_bpe() -> Any:
    """A byte-level BPE tokenizer of 2,000 tokens with the special tokens of ChatML, trained on the chats of these tests."""
    tokenizers = needed("tokenizers")
    from tokenizers import decoders, models, pre_tokenizers, trainers

    from budget.chats import random_chat

    tokenizer = tokenizers.Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=2000,
        special_tokens=["<|im_start|>", "<|im_end|>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    texts = (message["content"] for seed in range(100) for message in random_chat(seed))
    tokenizer.train_from_iterator(texts, trainer)
    return tokenizer
