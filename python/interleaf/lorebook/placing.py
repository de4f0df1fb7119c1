"""Whether a layout has the anchors that blocks ask for, asked before anything raises."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from .._interleaf import ContextBlock, get_placement_capabilities
from .fields import shown
from .records import Lorebook

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from .._interleaf import Layout
    from ..types import LayoutDict, Position

__all__ = ["AnchoredBlocks", "LayoutFit", "Unanchored", "drop_unanchored", "layout_for"]

_ANCHORS: dict[Position, str] = {
    "before_character": "character",
    "after_character": "character",
    "before_examples": "examples",
    "after_examples": "examples",
    "at_depth": "conversation",
    "author_note_top": "author_note",
    "author_note_bottom": "author_note",
}

AnyLayout: TypeAlias = "Layout | LayoutDict | Mapping[str, Any]"
Blocks: TypeAlias = "Lorebook | Iterable[ContextBlock | Mapping[str, Any]]"


@dataclass(frozen=True, slots=True)
class Unanchored:
    """A block that a layout has no place for.

    Attributes:
        id: the block's id.
        position: where it is to stand.
        outlet_name: which outlet, for a block of one.
        missing: what the layout lacks: `character`, `examples`, `conversation`, `author_note` or `outlets["name"]`.
    """

    id: str
    position: Position
    outlet_name: str | None
    missing: str

    def to_dict(self) -> dict[str, str | None]:
        """Returns the fields as JSON."""
        return {"id": self.id, "position": self.position, "outlet_name": self.outlet_name, "missing": self.missing}


@dataclass(frozen=True, slots=True)
class LayoutFit:
    """How blocks and a layout fit together.

    Attributes:
        blocks: all of them, as `ContextBlock`s, in the order given.
        unanchored: those the layout has no place for, in that order.
    """

    blocks: tuple[ContextBlock, ...]
    unanchored: tuple[Unanchored, ...]

    @property
    def fits(self) -> bool:
        """Whether every block has its anchor."""
        return not self.unanchored

    @property
    def missing(self) -> tuple[str, ...]:
        """What the layout lacks, each once, in the order it was first asked for."""
        return tuple(dict.fromkeys(unanchored.missing for unanchored in self.unanchored))

    def to_dict(self) -> dict[str, Any]:
        """Returns the fields as JSON, blocks by their ids."""
        return {
            "fits": self.fits,
            "missing": list(self.missing),
            "blocks": [block.id for block in self.blocks],
            "unanchored": [unanchored.to_dict() for unanchored in self.unanchored],
        }


class AnchoredBlocks(NamedTuple):
    """Blocks with a place, and those that were dropped for want of one."""

    blocks: tuple[ContextBlock, ...]
    dropped: tuple[Unanchored, ...]


def layout_for(book_or_blocks: Blocks, layout: AnyLayout) -> LayoutFit:
    """Says which blocks a layout has no anchor for.

    Only what the layout declares is looked at, as in `get_placement_capabilities`: whether an index lies within a
    message list is checked when blocks are placed into one.

    Args:
        book_or_blocks: a lorebook, of which the enabled entries count, or blocks.
        layout: a `Layout` or a mapping.

    Returns:
        The fit; `unanchored` is empty if all is well.

    Raises:
        LayoutError: the layout is malformed.
        BlockError: a mapping among the blocks is malformed.
        TypeError: the blocks are not iterable.

    >>> from interleaf import ContextBlock
    >>> fit = layout_for([ContextBlock(id="lore", position="outlet", content="...", outlet_name="gate")],
    ...     {"character": (0, 1)})
    >>> fit.fits, fit.missing
    (False, ('outlets["gate"]',))
    """
    blocks, lacking = _lacking(book_or_blocks, layout)
    return LayoutFit(blocks, tuple(unanchored for unanchored in lacking if unanchored is not None))


def drop_unanchored(book_or_blocks: Blocks, layout: AnyLayout) -> AnchoredBlocks:
    """Drops the blocks that a layout has no anchor for, and says which.

    Placing raises for such a block, because nothing is dropped in silence. This is how a caller says that it may be.

    Args:
        book_or_blocks: a lorebook, of which the enabled entries count, or blocks.
        layout: a `Layout` or a mapping.

    Returns:
        `blocks` to place, in the order given, and what was `dropped`.

    Raises:
        LayoutError: the layout is malformed.
        BlockError: a mapping among the blocks is malformed.
        TypeError: the blocks are not iterable.

    >>> from interleaf import ContextBlock
    >>> blocks = [ContextBlock(id=p, position=p, content="...", role="system") for p in ("before_character", "after_examples")]
    >>> kept, dropped = drop_unanchored(blocks, {"character": (0, 1)})
    >>> [block.id for block in kept], [(block.id, block.missing) for block in dropped]
    (['before_character'], [('after_examples', 'examples')])
    """
    blocks, lacking = _lacking(book_or_blocks, layout)
    # By place in the list and not by id: ids may repeat, which is for placing to say.
    kept = tuple(block for block, unanchored in zip(blocks, lacking, strict=True) if unanchored is None)
    return AnchoredBlocks(kept, tuple(unanchored for unanchored in lacking if unanchored is not None))


def _lacking(book_or_blocks: Blocks, layout: AnyLayout) -> tuple[tuple[ContextBlock, ...], list[Unanchored | None]]:
    """Returns the blocks, and beside each what it lacks or None."""
    given = book_or_blocks.blocks() if isinstance(book_or_blocks, Lorebook) else book_or_blocks
    blocks = tuple(block if isinstance(block, ContextBlock) else ContextBlock.from_dict(block) for block in given)
    capabilities = get_placement_capabilities(layout)
    positions, outlets = frozenset(capabilities.positions), frozenset(capabilities.outlets)
    lacking: list[Unanchored | None] = []
    for block in blocks:
        if block.position == "outlet":
            anchored, missing = block.outlet_name in outlets, f"outlets[{shown(block.outlet_name)}]"
        else:
            anchored, missing = block.position in positions, _ANCHORS[block.position]
        name = block.outlet_name if block.position == "outlet" else None
        lacking.append(None if anchored else Unanchored(block.id, block.position, name, missing))
    return blocks, lacking
