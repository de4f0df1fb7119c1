"""Puts context where a model will see it, and proves that it did.

`place_context_blocks` puts selected blocks at eight positions of a message list and returns the new messages with a
record of every placement. `assemble_context_plan` turns ordered fragments into the model input, within budgets and
audited against trusted originals. Nothing here calls a model, retrieves, stores or drops anything.
"""

from ._interleaf import (
    BuiltContext,
    ContextBlock,
    ContextFragment,
    ContextPlan,
    Conversation,
    Finding,
    FragmentUsage,
    Layout,
    Mutation,
    OutletSpan,
    Placement,
    PlacementCapabilities,
    PlacementResult,
    TrustPolicy,
    __version__,
    assemble_context_plan,
    assemble_fragments,
    get_placement_capabilities,
    place_context_blocks,
    scan_content,
)
from .errors import (
    AdapterError,
    BlockError,
    BudgetExceededError,
    CounterError,
    InterleafError,
    LayoutError,
    MutationError,
    PlanError,
)

__all__ = [
    "AdapterError",
    "BlockError",
    "BudgetExceededError",
    "BuiltContext",
    "ContextBlock",
    "ContextFragment",
    "ContextPlan",
    "Conversation",
    "CounterError",
    "Finding",
    "FragmentUsage",
    "InterleafError",
    "Layout",
    "LayoutError",
    "Mutation",
    "MutationError",
    "OutletSpan",
    "Placement",
    "PlacementCapabilities",
    "PlacementResult",
    "PlanError",
    "TrustPolicy",
    "__version__",
    "assemble_context_plan",
    "assemble_fragments",
    "get_placement_capabilities",
    "place_context_blocks",
    "scan_content",
]
