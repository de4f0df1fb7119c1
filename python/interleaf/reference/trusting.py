"""Which trust may hold which role."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from ..errors import PlanError
from .calls import as_list
from .fields import read_fields
from .values import as_word, describe, one_of
from .words import ROLES, TRUSTS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .fragments import Fragment

# The trusts that may hold a role; a role that is not in it may be held by any.
Rules = dict[str, tuple[str, ...]]


def read_trust_policy(given: object) -> Rules | None:
    """Read the `trust_policy` of a plan; None lets any trust hold any role."""
    if given is None:
        return None
    fields = read_fields(given, "TrustPolicy", ROLES, "trust_policy", PlanError)
    if fields is None:
        raise PlanError(
            f"trust_policy is {describe(given)}; expected a TrustPolicy or a mapping of roles to trusts",
            "invalid_type",
            "trust_policy",
        )
    rules: Rules = {}
    for role in ROLES:
        listed: list[Any] | None = fields.optional(role, as_list, "invalid_type", "an iterable of trusts")
        if listed is None:
            continue
        words = [as_word(TRUSTS)(item) for item in listed]
        if None in words:
            path = f"trust_policy.{role}"
            strange = listed[words.index(None)]
            raise PlanError(f"{path} holds {describe(strange)}; expected {one_of(TRUSTS)}", "invalid_trust", path)
        rules[role] = tuple(cast("list[str]", words))
    return rules


def check_trust(fragments: Sequence[Fragment], rules: Rules | None) -> None:
    """Refuse the first fragment whose trust may not hold its role."""
    for index, fragment in enumerate(fragments):
        if rules is None or fragment.role not in rules or fragment.trust in rules[fragment.role]:
            continue
        path = f"fragments[{index}].role"
        raise PlanError(
            f"{path} of fragment {describe(fragment.id)} is {fragment.role!r} with trust {fragment.trust!r}; expected "
            f"one of the trusts {list(rules[fragment.role])} in that role, as trust_policy says",
            "trust_role",
            path,
        )
