"""The requests of a run by their numbers, and what is checked of each."""

from __future__ import annotations

from typing import Any

from comparison import Refusal
from hostile.sampled import faulty_placements, faulty_plans, placements, plans
from hostile.sampled.calls import CAPABILITIES, PLACE, Call
from hostile.sampled.differences import compare
from hostile.sampled.source import Source
from hostile.sampled.spite import Spite
from hostile.sampled.variety import Tally

HOSTILE_SHARE = 0.1
FAULTY_SHARE = 0.35


def draw(source: Source, number: int) -> Call:
    """Draw a request: placements have even numbers, assemblies odd ones."""
    faulty, native = source.chance(FAULTY_SHARE), source.chance(0.3)
    if number % 2:
        call = faulty_plans.faulty_assembly(source) if faulty else plans.assembly(source)
        if native:
            plans.with_native_objects(source, call)
        return call
    call = faulty_placements.faulty_placement(source) if faulty else placements.placement(source)
    if native:
        placements.with_native_objects(source, call)
    return call


def check(seed: int, number: int, tally: Tally) -> None:
    """Draw the request of that number, make it, and raise what is wrong."""
    source = Source.of_request(seed, number)
    hostile = source.chance(HOSTILE_SHARE)
    call = draw(source, number)
    if hostile:
        Spite(source, call).run(tally)
        if number % 8 < 2:
            # Nothing of it is remembered: the same request without hostile objects is answered as ever.
            again = Source.of_request(seed, number)
            again.random()
            compare(draw(again, number))
        return
    ending = compare(call)
    tally.add_ending(call.function, ending)
    if call.function != PLACE:
        _count_given(call, tally)
        return
    if source.chance(0.1):
        compare(Call(CAPABILITIES, call.arguments[2:]))
        tally.count("capabilities")
    if not isinstance(ending, Refusal) and source.chance(0.2):
        tally.count("second pass")
        compare(_second_pass(call, ending, source))
    tally.count("native objects" if any(type(item).__name__ == "Layout" for item in call.arguments) else "mappings")


def _count_given(call: Call, tally: Tally) -> None:
    given = call.arguments[0]
    fragments = given.get("fragments") if isinstance(given, dict) else given
    if isinstance(fragments, list) and any(
        isinstance(each, dict) and isinstance(each.get("value"), (dict, list, tuple)) for each in fragments
    ):
        tally.count("JSON value")


def _second_pass(call: Call, result: Any, source: Source) -> Call:
    """The same blocks again, into the messages and the layout of the first pass."""
    layout = result.layout
    outlets = layout.outlets
    blocks = []
    for block in call.arguments[1]:
        fields = block if isinstance(block, dict) else block.to_dict()
        if fields["position"] != "outlet" or fields.get("outlet_name", fields.get("outletName")) in outlets:
            blocks.append(block)
    given = layout if source.chance(0.5) else layout.to_dict()
    return Call(PLACE, [result.messages, blocks, given], call.options, log=call.log)
