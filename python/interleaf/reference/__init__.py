"""The whole library once more, in plain Python: slow, obvious, and the yardstick of the differential tests.

Nothing here is shared with the native implementation except the exception classes. Every function is about one rule
of the contract, does its checks in the order the contract gives, and takes no short cuts. Where the two
implementations differ, one of them is wrong.

>>> from interleaf.reference import place_context_blocks
>>> result = place_context_blocks(
...     [{"role": "system", "content": "You guard the gate."}, {"role": "user", "content": "Let me in."}],
...     [{"id": "rule", "position": "after_character", "content": "Nobody passes.", "role": "system"}],
...     {"character": (0, 1)},
... )
>>> [message["content"] for message in result.messages]
['You guard the gate.', 'Nobody passes.', 'Let me in.']
"""

from .assembling import assemble_context_plan, assemble_fragments
from .capabilities import get_placement_capabilities
from .placing import place_context_blocks
from .records import (
    BuiltContext,
    Conversation,
    Finding,
    FragmentUsage,
    Layout,
    Mutation,
    OutletSpan,
    Placement,
    PlacementCapabilities,
    PlacementResult,
)

__all__ = [
    "BuiltContext",
    "Conversation",
    "Finding",
    "FragmentUsage",
    "Layout",
    "Mutation",
    "OutletSpan",
    "Placement",
    "PlacementCapabilities",
    "PlacementResult",
    "assemble_context_plan",
    "assemble_fragments",
    "get_placement_capabilities",
    "place_context_blocks",
]
