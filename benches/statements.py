"""The statements that the rows time, and what they may name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import interleaf
from interleaf import reference

if TYPE_CHECKING:
    from workloads import AssembleWork, PlaceWork

__all__ = [
    "ASSEMBLE",
    "ASSEMBLE_MAPPINGS",
    "ASSEMBLE_PLAINLY",
    "BARE",
    "PLACE",
    "PLACE_LAYOUT_ANEW",
    "PLACE_MAPPINGS",
    "PLACE_PLAINLY",
    "assemble_names",
    "place_names",
    "refused",
]

BARE = '[{"role": r, "content": c} for r, c in pairs] + messages'
"""What the output costs to build when everything is known: the yardstick of both functions."""

PLACE = "place(messages, blocks, layout)"
PLACE_PLAINLY = "place_plainly(messages, blocks, layout)"
PLACE_LAYOUT_ANEW = (
    "place(messages, blocks, Layout(character=(1, 3), examples=(3, 11), conversation=Conversation(history), "
    "author_note=12, outlets=outlets))"
)
PLACE_MAPPINGS = "place(messages, block_maps, layout_map)"

ASSEMBLE = "assemble(plan)"
ASSEMBLE_PLAINLY = "assemble_plainly(plan)"
ASSEMBLE_MAPPINGS = "assemble(plan_map)"


def refused(statement: str) -> str:
    """Return a statement that expects another one to be refused."""
    return f"try:\n    {statement}\nexcept InterleafError:\n    pass"


def place_names(work: PlaceWork) -> dict[str, Any]:
    """Return what statements about placing may name."""
    return work.names() | {
        "place": interleaf.place_context_blocks,
        "place_plainly": reference.place_context_blocks,
        "misspelt": work.layout_map | {"charcter": (1, 2)},
        "InterleafError": interleaf.InterleafError,
    }


def assemble_names(work: AssembleWork) -> dict[str, Any]:
    """Return what statements about assembling may name."""
    return work.names() | {
        "assemble": interleaf.assemble_context_plan,
        "assemble_plainly": reference.assemble_context_plan,
        "audited": work.audited(allowed=True),
        "InterleafError": interleaf.InterleafError,
    }
