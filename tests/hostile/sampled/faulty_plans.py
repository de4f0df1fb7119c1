"""Random plans in which one thing is wrong."""

from __future__ import annotations

from typing import Any

from hostile.sampled.calls import ASSEMBLE, ASSEMBLE_FRAGMENTS, Call
from hostile.sampled.faults import with_one_fault, with_one_fault_inside
from hostile.sampled.plans import additional_message, assembly, fragment
from hostile.sampled.source import Source
from interleaf.reference.words import FRAGMENT_FIELDS, PLAN_FIELDS
from plan_strategies import ODD_FRAGMENT_VALUES
from strategies import ODD_ITERABLES, ODD_VALUES

_LISTS = ("fragments", "additional_messages", "original_fragments", "mutable_fragment_ids")


def _faulty_fragments(source: Source, given: list[Any]) -> list[Any]:
    if given and source.chance(0.15):
        return [*given, dict(source.one_of(given))]
    return with_one_fault_inside(source, given, FRAGMENT_FIELDS)


def _faulty_plan(source: Source, given: dict[str, Any]) -> Any:
    kind = source.random()
    if kind < 0.25:
        return with_one_fault(source, given, PLAN_FIELDS, ODD_ITERABLES)
    if kind < 0.55:
        return {**given, "fragments": _faulty_fragments(source, given["fragments"])}
    if kind < 0.65:
        odd = {**fragment(source, "odd value"), "value": source.one_of(ODD_FRAGMENT_VALUES)}
        return {**given, "fragments": [*given["fragments"], odd]}
    if kind < 0.75:
        return {**given, "original_fragments": _faulty_fragments(source, given["fragments"])}
    if kind < 0.83:
        message: Any = with_one_fault(source, additional_message(source), ("role", "content"))
        message = message if source.chance(0.8) else source.one_of(ODD_VALUES)
        return {**given, "additional_messages": [*given.get("additional_messages", []), message]}
    if kind < 0.9:
        ids = [source.identifier() for _ in range(source.below(3))]
        return {**given, "mutable_fragment_ids": ids}
    if kind < 0.98:
        odd_list = [source.one_of(ODD_VALUES) for _ in range(source.below(3))]
        return {**given, source.one_of(_LISTS): odd_list if source.chance(0.5) else source.one_of(ODD_ITERABLES)}
    return source.one_of(ODD_VALUES)


def faulty_assembly(source: Source) -> Call:
    """Draw an assembly with a fault."""
    call = assembly(source)
    if source.chance(0.05):
        odd = source.one_of(ODD_VALUES)
        call.options["create_message"] = None if odd is str else odd
    elif call.function == ASSEMBLE:
        call.arguments[0] = _faulty_plan(source, call.arguments[0])
    elif source.chance(0.4):
        call.arguments[0] = _faulty_fragments(source, call.arguments[0])
    elif source.chance(0.3):
        call.arguments[0] = source.one_of(ODD_ITERABLES)
    elif source.chance(0.3):
        call.arguments[1] = source.one_of(ODD_VALUES)
    else:
        call.options[source.one_of(("unit", "merge_adjacent", "separator"))] = source.one_of(ODD_VALUES)
    assert call.function in (ASSEMBLE, ASSEMBLE_FRAGMENTS)
    return call
