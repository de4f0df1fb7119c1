"""Fragments in their order: the fields of each in table order, then its id among the others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..errors import PlanError
from .fields import read_fields
from .json_text import json_text
from .plans import A_BUDGET
from .values import as_budget, as_id, as_word, describe, one_of
from .words import FRAGMENT_FIELDS, LIFETIMES, ROLES, TRUSTS

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True)
class Fragment:
    """A checked fragment with the text it sends."""

    id: str
    source_id: str
    trust: str
    lifetime: str
    role: str
    max_chars: int | float
    text: str
    is_json: bool
    metadata: Any


def read_fragments(given_fragments: Sequence[object], name: str) -> list[Fragment]:
    """Check all fragments of a list."""
    fragments: list[Fragment] = []
    seen: dict[str, int] = {}
    for index, given in enumerate(given_fragments):
        fragment = _read_fragment(given, f"{name}[{index}]")
        first = seen.setdefault(fragment.id, index)
        if first != index:
            path = f"{name}[{index}].id"
            raise PlanError(
                f"{path} is {describe(fragment.id)}, which is the id of {name}[{first}] too; expected unique ids",
                "duplicate_id",
                path,
            )
        fragments.append(fragment)
    return fragments


def _read_fragment(given: object, path: str) -> Fragment:
    fields = read_fields(given, "ContextFragment", FRAGMENT_FIELDS, path, PlanError)
    if fields is None:
        raise PlanError(f"{path} is {describe(given)}; expected a ContextFragment or a mapping", "invalid_type", path)
    an_id = "a str that is not empty and can be encoded as UTF-8"
    identifier = fields.required("id", as_id, "invalid_id", an_id)
    fields.whose = f" of fragment {describe(identifier)}"
    return Fragment(
        id=identifier,
        source_id=fields.required("source_id", as_id, "invalid_id", an_id),
        trust=fields.required("trust", as_word(TRUSTS), "invalid_trust", one_of(TRUSTS)),
        lifetime=fields.required("lifetime", as_word(LIFETIMES), "invalid_lifetime", one_of(LIFETIMES)),
        role=fields.required("role", as_word(ROLES), "invalid_role", one_of(ROLES)),
        max_chars=fields.required("max_chars", as_budget, "invalid_budget", A_BUDGET),
        text=fields.required("value", json_text, "invalid_value", "a str or a JSON value that is not too deep"),
        is_json=not isinstance(fields.values["value"], str),
        metadata=fields.values["metadata"],
    )
