"""Tokens of messages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import _interleaf
from .messages import messages_of

if TYPE_CHECKING:
    from .._interleaf import TokenCount
    from .counter import TokenCounter
    from .messages import Countable

__all__ = ["count_tokens"]


def count_tokens(messages: Countable, counter: TokenCounter, *, adapter: Any = None) -> TokenCount:
    """Count the tokens of messages: a total, and one number for each message.

    Args:
        messages: the messages, or a result that has them.
        counter: what counts a text, and what a message costs besides.
        adapter: reads messages that are no mappings; by default the one for their type.

    Returns:
        `total`, `per_message`, `priming` (what the list costs besides), `exactness`, and `unpriced_parts`: the parts that
        count 0 because they are no text and have no price.

    Raises:
        TypeError: `messages` is no sequence.
        CounterError: the counter raised, or returned what is no count.
        AdapterError: a message cannot be read.

    >>> from interleaf.budget import TokenCounter, count_tokens
    >>> letters = TokenCounter(len, tokens_per_message=0, tokens_priming=1)
    >>> count = count_tokens([{"role": "user", "content": "Hi"}, {"role": "user", "content": "Hello"}], letters)
    >>> count.total, count.per_message, count.exactness
    (16, (6, 9), 'estimated')
    """
    return _interleaf.count_tokens(messages_of(messages), counter, adapter)
