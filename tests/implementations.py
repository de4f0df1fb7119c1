"""The two implementations of the contract, as one type."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import interleaf
import interleaf.reference

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True)
class Implementation:
    """The functions of one implementation."""

    name: str
    place_context_blocks: Callable[..., Any]
    get_placement_capabilities: Callable[..., Any]
    assemble_context_plan: Callable[..., Any]
    assemble_fragments: Callable[..., Any]


NATIVE, REFERENCE = IMPLEMENTATIONS = tuple(
    Implementation(
        name,
        module.place_context_blocks,
        module.get_placement_capabilities,
        module.assemble_context_plan,
        module.assemble_fragments,
    )
    for name, module in (("native", interleaf), ("reference", interleaf.reference))
)
