"""Budgets in characters and in tokens, and what a prefix cache keeps of a prompt.

`count_chars` and `count_tokens` count messages, `check_budget` raises when they exceed a `Budget`, and `stable_prefix` says
what a prefix cache can reuse of the last prompt. A `TokenCounter` takes any tokenizer and counts each text once.
"""

from .._interleaf import CharCount, StablePrefix, TokenCount, UnpricedPart
from ..errors import CounterError
from .chars import count_chars
from .check import Budget, check_budget
from .counter import PartTokens, TokenCounter
from .prefix import stable_prefix
from .tokens import count_tokens
from .usage import BlockUsage, BudgetUsage

__all__ = [
    "BlockUsage",
    "Budget",
    "BudgetUsage",
    "CharCount",
    "CounterError",
    "PartTokens",
    "StablePrefix",
    "TokenCount",
    "TokenCounter",
    "UnpricedPart",
    "check_budget",
    "count_chars",
    "count_tokens",
    "stable_prefix",
]
