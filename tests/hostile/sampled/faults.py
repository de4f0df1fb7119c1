"""One thing of a mapping changed: most often into something that is refused."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hostile.sampled.source import Source
from strategies import ODD_KEYS, ODD_VALUES


def spellings(name: str) -> list[str]:
    """List both spellings of a field, or its only one."""
    first, *rest = name.split("_")
    return [name, first + "".join(word.capitalize() for word in rest)] if rest else [name]


def with_one_fault(
    source: Source, mapping: dict[Any, Any], names: Sequence[str], values: Sequence[Any] = ODD_VALUES
) -> dict[Any, Any]:
    """Copy a mapping with a field replaced, left out, given twice, or one that is unknown."""
    kind = source.random()
    if kind >= 0.83:
        # Only what has two spellings can be given twice.
        names = [name for name in names if "_" in name] or names
    name = source.one_of(names)
    both = spellings(name)
    present = [spelling for spelling in both if spelling in mapping]
    changed = dict(mapping)
    if kind < 0.5:
        changed[present[0] if present else name] = source.one_of(values)
    elif kind < 0.67:
        for spelling in present:
            del changed[spelling]
    elif kind < 0.83:
        changed[source.one_of(ODD_KEYS)] = source.one_of(values)
    else:
        for spelling in both:
            changed.setdefault(spelling, source.one_of(values))
    return changed


def with_one_fault_inside(
    source: Source, items: list[Any], names: Sequence[str], values: Sequence[Any] = ODD_VALUES
) -> list[Any]:
    """Copy a list of mappings with a fault in one of them, or with something else in its place."""
    if not items:
        return [source.one_of(values)]
    at = source.below(len(items))
    item = source.one_of(values)
    if isinstance(items[at], dict) and source.chance(0.9):
        item = with_one_fault(source, items[at], names, values)
    return [*items[:at], item, *items[at + 1 :]]
