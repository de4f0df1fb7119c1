"""What a check counted: of the whole, of each message, and of each block of a placement."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .._interleaf import CharCount, TokenCount, UnpricedPart
    from ..types import Exactness

__all__ = ["BlockUsage", "BudgetUsage"]


@dataclass(frozen=True, slots=True)
class BlockUsage:
    """What one block of a placement costs.

    A block with messages of its own costs what they count. One that is embedded costs the difference of its host counted
    with it and without it; the separator beside it stays with the host. Tokens of neighbours in one text can merge, so
    such differences need not add up to the whole.

    Attributes:
        id: the block.
        message_index: its first message, or its host.
        message_count: how many messages it made; 0 if it is embedded.
        chars: characters, if they were counted.
        tokens: tokens, if they were counted. Less than 0 where a host costs more without the block.
    """

    id: str
    message_index: int
    message_count: int
    chars: int | None
    tokens: int | None

    @property
    def embedded(self) -> bool:
        """Whether it stands in a message of its host's."""
        return self.message_count == 0

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as JSON-like data."""
        return {
            "id": self.id,
            "message_index": self.message_index,
            "message_count": self.message_count,
            "chars": self.chars,
            "tokens": self.tokens,
        }


@dataclass(frozen=True, slots=True)
class BudgetUsage:
    """Everything that a check counted.

    Attributes:
        max_chars: the budget in characters; None if there is none.
        max_tokens: the budget in tokens; None if there is none.
        reserve_tokens: how many of those are kept free.
        char_count: characters of the whole and of each message; None if there is no budget in characters but a counter.
        token_count: tokens of the whole and of each message; None without a counter.
        blocks: what each block costs, in prompt order, for a placement; otherwise empty.
    """

    max_chars: int | float | None
    max_tokens: int | float | None
    reserve_tokens: int
    char_count: CharCount | None
    token_count: TokenCount | None
    blocks: tuple[BlockUsage, ...] = ()

    @property
    def exceeded(self) -> bool:
        """Whether a budget is exceeded."""
        chars, tokens = self.remaining_chars, self.remaining_tokens
        return (chars is not None and chars < 0) or (tokens is not None and tokens < 0)

    @property
    def chars(self) -> int | None:
        """Characters in all."""
        return None if self.char_count is None else self.char_count.total

    @property
    def tokens(self) -> int | None:
        """Tokens in all, without those reserved."""
        return None if self.token_count is None else self.token_count.total

    @property
    def exactness(self) -> Exactness | None:
        """Whether the tokens are those of rendered messages or an estimate."""
        return None if self.token_count is None else self.token_count.exactness

    @property
    def unpriced_parts(self) -> tuple[UnpricedPart, ...]:
        """The parts that count no tokens because they have no price."""
        return () if self.token_count is None else self.token_count.unpriced_parts

    @property
    def remaining_chars(self) -> int | float | None:
        """Characters left of the budget; below 0 if it is exceeded, None if there is none."""
        if self.char_count is None or self.max_chars is None:
            return None
        return self.max_chars - self.char_count.total

    @property
    def remaining_tokens(self) -> int | float | None:
        """Tokens left of the budget beside those reserved; below 0 if it is exceeded, None if there is none."""
        if self.token_count is None or self.max_tokens is None:
            return None
        return self.max_tokens - self.reserve_tokens - self.token_count.total

    def largest(self, count: int = 3) -> tuple[tuple[int, int], ...]:
        """Return the largest messages with their cost, in tokens if they were counted, else in characters.

        Args:
            count: how many at most.

        Returns:
            Pairs of message index and cost, the largest first.
        """
        counted = self.token_count or self.char_count
        return () if counted is None else largest(counted.per_message, count)

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as JSON-like data."""
        return {
            "max_chars": self.max_chars,
            "max_tokens": self.max_tokens,
            "reserve_tokens": self.reserve_tokens,
            "chars": None if self.char_count is None else self.char_count.to_dict(),
            "tokens": None if self.token_count is None else self.token_count.to_dict(),
            "remaining_chars": self.remaining_chars,
            "remaining_tokens": self.remaining_tokens,
            "blocks": [block.to_dict() for block in self.blocks],
        }


def largest(per_message: tuple[int, ...], count: int) -> tuple[tuple[int, int], ...]:
    """Return the largest of some numbers with their indices, the largest first, and of equal ones the first."""
    order = sorted(range(len(per_message)), key=lambda index: -per_message[index])
    return tuple((index, per_message[index]) for index in order[:count])
