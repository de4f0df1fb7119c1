"""Blocks in input order: the fields of each in table order, its id among the others, its anchor."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..errors import BlockError
from .fields import read_fields
from .values import as_id, as_index, as_order, as_outlet_name, as_str, as_word, describe, one_of
from .words import ANCHOR_OF_POSITION, BLOCK_FIELDS, POSITIONS, ROLES, STANDALONE_POSITIONS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .records import Layout

DEFAULT_ORDER: float = 0


@dataclass(frozen=True)
class Block:
    """A checked block, with the object the caller gave and its place in the input."""

    index: int
    given: Any
    id: str
    position: str
    content: str
    role: Any
    order: int | float
    depth: int | None
    outlet_name: str | None
    metadata: Any

    @property
    def order_and_id(self) -> tuple[int | float, str]:
        """The order within one position: `order`, then `id` by code point."""
        return self.order, self.id


def read_blocks(given_blocks: Sequence[object], layout: Layout) -> list[Block]:
    """Check all blocks, and that the layout has a place for each."""
    blocks: list[Block] = []
    seen: dict[str, int] = {}
    for index, given in enumerate(given_blocks):
        block = _read_block(given, index)
        first = seen.setdefault(block.id, index)
        if first != index:
            path = f"blocks[{index}].id"
            raise BlockError(
                f"{path} is {describe(block.id)}, which is the id of blocks[{first}] too; expected unique ids",
                "duplicate_id",
                path,
            )
        _refuse_missing_anchor(block, layout)
        blocks.append(block)
    return blocks


def _read_block(given: object, index: int) -> Block:
    path = f"blocks[{index}]"
    fields = read_fields(given, "ContextBlock", BLOCK_FIELDS, path, BlockError)
    if fields is None:
        raise BlockError(f"{path} is {describe(given)}; expected a ContextBlock or a mapping", "invalid_type", path)

    identifier = fields.required("id", as_id, "invalid_id", "a str that is not empty and can be encoded as UTF-8")
    fields.whose = f" of block {describe(identifier)}"
    position = fields.required("position", as_word(POSITIONS), "invalid_position", one_of(POSITIONS))
    needs_role, needs_depth, needs_name = position in STANDALONE_POSITIONS, position == "at_depth", position == "outlet"
    why = f", because of its position {position!r}"
    an_int, a_name = "an int of 64 bits that is not negative", "a str that is not empty and has neither '{{' nor '}}'"
    return Block(
        index=index,
        given=given,
        id=identifier,
        position=position,
        content=fields.required("content", as_str, "invalid_type", "a str"),
        role=fields.when(needs_role, "role", as_word(ROLES), "invalid_role", one_of(ROLES), why),
        order=fields.defaulted(
            "order", DEFAULT_ORDER, as_order, "invalid_order", "an int of 64 bits or a finite float"
        ),
        depth=fields.when(needs_depth, "depth", as_index(), "invalid_depth", an_int, why),
        outlet_name=fields.when(needs_name, "outlet_name", as_outlet_name, "invalid_outlet_name", a_name, why),
        metadata=fields.values["metadata"],
    )


def _refuse_missing_anchor(block: Block, layout: Layout) -> None:
    if block.position == "outlet":
        if block.outlet_name not in layout.outlets:
            path = f"blocks[{block.index}].outlet_name"
            raise BlockError(
                f"{path} of block {describe(block.id)} is {describe(block.outlet_name)}, which the layout does not "
                f"declare; expected {one_of(list(layout.outlets))}",
                "missing_anchor",
                path,
            )
        return
    anchor = ANCHOR_OF_POSITION[block.position]
    if getattr(layout, anchor) is None:
        path = f"blocks[{block.index}].position"
        raise BlockError(
            f"{path} of block {describe(block.id)} is {block.position!r}, but the layout has no {anchor}; "
            f"expected a layout that declares {anchor}",
            "missing_anchor",
            path,
        )
