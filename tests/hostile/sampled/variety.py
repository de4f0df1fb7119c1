"""What a run has met, counted, and what it must have met: a sampler that draws the same thing over and over finds nothing."""

from __future__ import annotations

from collections import Counter
from typing import Any

from comparison import Refusal
from hostile.sampled.calls import ASSEMBLE, ASSEMBLE_FRAGMENTS, PLACE
from interleaf.reference.words import LIFETIMES, POSITIONS, ROLES, TRUSTS, UNITS

_SHARED = ("invalid_type", "missing_field", "unknown_field", "duplicate_field")
_CODES = {
    "LayoutError": (
        *_SHARED,
        *("invalid_range", "invalid_index", "unordered_conversation", "overlapping_regions", "invalid_outlet_name"),
        *("outlet_marker_missing", "outlet_marker_repeated", "outlet_unfilled", "content_not_text"),
    ),
    "BlockError": (
        *_SHARED,
        *("invalid_id", "duplicate_id", "invalid_position", "invalid_role", "invalid_order", "invalid_depth"),
        *("invalid_outlet_name", "missing_anchor", "nested_outlet", "invalid_render", "empty_render", "unsafe_content"),
    ),
    "PlanError": (
        *_SHARED,
        *("invalid_id", "duplicate_id", "invalid_trust", "invalid_lifetime", "invalid_role", "invalid_value"),
        *("invalid_budget", "invalid_unit", "additional_not_user", "mutable_without_originals", "unknown_mutable_id"),
        "trust_role",
    ),
    "MutationError": ("mutated",),
    "BudgetExceededError": ("fragment_over_budget", "input_over_budget"),
    "InterleafError": ("invalid_option",),
}
_VIOLATIONS = ("removed", "added", "reordered", "value_changed", "field_changed")

MUST_BE_MET = frozenset(
    [f"{error} {code}" for error, codes in _CODES.items() for code in codes]
    + [f"violation {kind}" for kind in _VIOLATIONS]
    + [f"position {position}" for position in POSITIONS]
    + [f"role {role}" for role in ROLES]
    + [f"trust {trust}" for trust in TRUSTS]
    + [f"lifetime {lifetime}" for lifetime in LIFETIMES]
    + [f"unit {unit}" for unit in UNITS]
    + [f"function {name}" for name in (PLACE, ASSEMBLE, ASSEMBLE_FRAGMENTS)]
    + ["TypeError", "Planted", "block moved", "block in a part", "outlet unfilled", "finding", "order is a float"]
    + ["no block", "role changed", "span behind other text", "empty range beside blocks", "several messages of a block"]
    + ["fragments merged", "opaque part", "JSON value", "infinite budget", "static messages", "native objects"]
    + ["second pass", "capabilities"]
    + [f"hostile call {ending}" for ending in ("answered", "refused", "planted", "ordinary exception")]
    + [f"hostile object {act}" for act in ("raises", "calls again", "empties a container", "empties everything")]
    + ["hostile object lets the last reference go"]
)
# Of the requests that both implementations answer. With more refusals, the code behind the checks would hardly run.
ACCEPTED_SHARE = (0.4, 0.8)


class Tally:
    """Counts of what was met."""

    def __init__(self) -> None:
        self.met: Counter[str] = Counter()

    def count(self, *what: str) -> None:
        """Count these."""
        self.met.update(what)

    def add_ending(self, function: str, ending: Any) -> None:
        """Count what can be seen of a result or a refusal."""
        self.count(f"function {function}")
        if isinstance(ending, Refusal):
            self.count("refused", f"{ending.error_class.__name__} {ending.code}".rstrip())
            if ending.code == "mutated":
                self.met.update(f"violation {violation['kind']}" for violation in ending.details)
            return
        self.count("accepted")
        if function == PLACE:
            self._add_placements(ending)
        else:
            self._add_context(ending)

    def faults(self) -> list[str]:
        """Say what a long enough run should have met and has not."""
        missing = [f"never met: {what}" for what in sorted(MUST_BE_MET) if not self.met[what]]
        least, most = ACCEPTED_SHARE
        if not least <= self.accepted_share() <= most:
            missing.append(f"{self.accepted_share():.0%} accepted; expected {least:.0%} to {most:.0%}")
        return missing

    def accepted_share(self) -> float:
        """Of the requests that were compared."""
        compared = self.met["accepted"] + self.met["refused"]
        return self.met["accepted"] / compared if compared else 0.0

    def _add_placements(self, result: Any) -> None:
        met = self.met
        if not result.placements:
            met["no block"] += 1
        for placed in result.placements:
            met[f"position {placed.position}"] += 1
            if placed.role in ROLES:
                met[f"role {placed.role}"] += 1
            met["block moved"] += placed.moved
            met["block in a part"] += placed.part_index is not None
            met["order is a float"] += isinstance(placed.order, float)
            met["role changed"] += placed.requested_role not in (None, placed.role)
            met["several messages of a block"] += placed.message_count > 1
            met["span behind other text"] += placed.span is not None and placed.span[0] > 0
        met["outlet unfilled"] += bool(result.unfilled_outlets)
        met["finding"] += bool(result.findings)
        empty = [
            bounds for bounds in (result.layout.character, result.layout.examples) if bounds and len(set(bounds)) == 1
        ]
        met["empty range beside blocks"] += bool(empty) and bool(result.placements)

    def _add_context(self, built: Any) -> None:
        met = self.met
        met[f"unit {built.unit}"] += 1
        met["opaque part"] += built.opaque_parts > 0
        met["static messages"] += built.static_messages > 0
        met["infinite budget"] += isinstance(built.max_input_chars, float)
        made = {used.message_index for used in built.fragment_usage}
        met["fragments merged"] += len(made) < len(built.fragment_usage)
        for used in built.fragment_usage:
            met[f"trust {used.trust}"] += 1
            met[f"lifetime {used.lifetime}"] += 1
            met[f"role {used.role}"] += 1
