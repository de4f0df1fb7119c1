"""From position to gap, and the order of what stands at one gap."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from .tool_exchanges import joined_gap
from .words import STANDALONE_POSITIONS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..adapters.protocol import MessageAdapter
    from .blocks import Block
    from .records import Conversation, Layout

# The phases at a gap: what belongs to the region that ends there, regions that are empty, the region that begins.
ENDS_HERE, LIES_HERE, BEGINS_HERE = range(3)
# Empty regions at one gap stand in this order.
CHARACTER, EXAMPLES, CONVERSATION = range(3)
# What belongs to one region stands before it or after it.
BEFORE, REGION, AFTER = range(3)


class Rank(NamedTuple):
    """Where something stands among everything at gaps.

    Only regions that are empty need `region` and `side`: no two others end, or begin, at one gap.
    Two things of the same rank are blocks of one position (and depth): `order` and `id` decide between them.
    """

    gap: int
    phase: int
    region: int = 0
    side: int = 0
    minus_depth: int = 0


@dataclass(frozen=True)
class Slot:
    """A block that makes messages of its own, with its rank and the gap it gets."""

    block: Block
    rank: Rank
    gap: int

    @property
    def requested_gap(self) -> int:
        """The gap that its position asks for."""
        return self.rank.gap


def slots_in_order(
    blocks: Sequence[Block],
    layout: Layout,
    messages: Sequence[Any],
    adapter: MessageAdapter[Any] | None,
    tool_exchanges: str,
) -> list[Slot]:
    """Put the blocks that make messages of their own into prompt order, with their gaps."""
    ranked = [(_rank(block, layout), block) for block in blocks if block.position in STANDALONE_POSITIONS]
    ranked.sort(key=lambda pair: (pair[0], pair[1].order_and_id))
    gaps = {rank.gap: rank.gap for rank, _ in ranked}
    if tool_exchanges == "keep":
        gaps = {gap: joined_gap(gap, messages, adapter) for gap in gaps}
    return [Slot(block, rank, gaps[rank.gap]) for rank, block in ranked]


def _rank(block: Block, layout: Layout) -> Rank:
    if block.position == "at_depth":
        return _depth_rank(cast("int", block.depth), cast("Conversation", layout.conversation))
    side, name = block.position.split("_")
    start, end = getattr(layout, name)
    if start == end:
        region = CHARACTER if name == "character" else EXAMPLES
        return Rank(start, LIES_HERE, region, BEFORE if side == "before" else AFTER)
    return Rank(start, BEGINS_HERE) if side == "before" else Rank(end, ENDS_HERE)


def _depth_rank(depth: int, conversation: Conversation) -> Rank:
    """Rank a block at a depth of the conversation, the deeper first."""
    indices = conversation.message_indices
    if not indices:
        return Rank(
            cast("int", conversation.empty_index), LIES_HERE, CONVERSATION, BEFORE if depth > 0 else AFTER, -depth
        )
    if depth == 0:
        return Rank(indices[-1] + 1, ENDS_HERE)
    return Rank(indices[max(0, len(indices) - depth)], BEGINS_HERE, minus_depth=-depth)
