"""Budgets in characters and in tokens, and what a prefix cache keeps of a prompt."""

from .._interleaf import CharCount, TokenCount, UnpricedPart
from .chars import count_chars
from .counter import PartTokens, TokenCounter
from .tokens import count_tokens

__all__ = [
    "CharCount",
    "PartTokens",
    "TokenCount",
    "TokenCounter",
    "UnpricedPart",
    "count_chars",
    "count_tokens",
]
