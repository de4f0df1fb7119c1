"""The audit of fragments against their originals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from ..errors import MutationError, PlanError
from .records import Mutation
from .values import describe
from .words import AUDITED_FIELDS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from .fragments import Fragment


def audit(fragments: Sequence[Fragment], originals: Sequence[Fragment], mutable_ids: Sequence[str]) -> None:
    """Refuse fragments that are not their originals, with every violation at once."""
    original_ids = [original.id for original in originals]
    for index, identifier in enumerate(mutable_ids):
        if identifier not in original_ids:
            path = f"mutable_fragment_ids[{index}]"
            raise PlanError(
                f"{path} is {describe(identifier)}, which is the id of no original fragment; expected one of their ids",
                "unknown_mutable_id",
                path,
            )
    violations = [
        *_changes(fragments, originals, mutable_ids),
        *(Mutation("added", fragment.id) for fragment in fragments if fragment.id not in original_ids),
        *_reordering(fragments, originals),
    ]
    if violations:
        told = ", ".join(_describe_violation(violation) for violation in violations)
        raise MutationError(
            f"the fragments differ from the originals: {told}; expected no change but in the values of "
            "mutable_fragment_ids",
            "mutated",
            "fragments",
            violations=cast("Any", violations),
        )


def _describe_violation(violation: Mutation) -> str:
    return f"{describe(violation.fragment_id)} {violation.kind} {violation.field or ''}".rstrip()


def _changes(
    fragments: Sequence[Fragment], originals: Sequence[Fragment], mutable_ids: Sequence[str]
) -> Iterator[Mutation]:
    """Find what was removed or changed, in the order of the originals."""
    by_id = {fragment.id: fragment for fragment in fragments}
    for original in originals:
        fragment = by_id.get(original.id)
        if fragment is None:
            yield Mutation("removed", original.id)
            continue
        for name in AUDITED_FIELDS:
            if getattr(fragment, name) != getattr(original, name):
                yield Mutation("field_changed", original.id, name)
        same_value = fragment.is_json == original.is_json and fragment.text == original.text
        if not same_value and original.id not in mutable_ids:
            yield Mutation("value_changed", original.id)


def _reordering(fragments: Sequence[Fragment], originals: Sequence[Fragment]) -> Iterator[Mutation]:
    """Find the first fragment out of its place, among the ids that both lists have."""
    fragment_ids = [fragment.id for fragment in fragments]
    original_ids = [original.id for original in originals]
    found = [identifier for identifier in fragment_ids if identifier in original_ids]
    expected = [identifier for identifier in original_ids if identifier in fragment_ids]
    for identifier, expected_identifier in zip(found, expected, strict=True):
        if identifier != expected_identifier:
            yield Mutation("reordered", identifier)
            return
