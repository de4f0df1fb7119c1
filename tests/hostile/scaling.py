"""Run on its own: time per unit of input, from 10 units to a million, for everything that could be quadratic.

    python tests/hostile/scaling.py [LARGEST]

Prints a table for docs/reliability.md. No time is asserted: read the lines from left to right. A line that stays flat is linear; one that
grows by ten from column to column is quadratic. Sorting grows slowly, with the logarithm, and where the data leaves the caches
a line doubles or so.
"""

from __future__ import annotations

import gc
import sys
import time
from collections.abc import Callable
from typing import Any

import interleaf

Case = Callable[[int], Callable[[], object]]


def _refused(call: Callable[[], object]) -> Callable[[], object]:
    def run() -> object:
        try:
            return call()
        except interleaf.InterleafError as error:
            return error

    return run


def _blocks(count: int, **changed: Any) -> list[interleaf.ContextBlock]:
    given = {"position": "at_depth", "depth": 1, "content": "x", "role": "system", **changed}
    # Not in order, so that sorting has work to do.
    return [interleaf.ContextBlock(id=f"block-{index * 7919 % count:07}", **given) for index in range(count)]


CONVERSATION = interleaf.Layout(conversation=interleaf.Conversation([0]))
ONE = [{"role": "user", "content": "hi"}]


def sorting(count: int) -> Callable[[], object]:
    blocks = _blocks(count)
    return lambda: interleaf.place_context_blocks(ONE, blocks, CONVERSATION)


def duplicate_ids(count: int) -> Callable[[], object]:
    blocks = _blocks(count)
    blocks.append(blocks[0])
    return _refused(lambda: interleaf.place_context_blocks(ONE, blocks, CONVERSATION))


def duplicate_mappings(count: int) -> Callable[[], object]:
    blocks = [
        {"id": f"{index}", "position": "at_depth", "depth": 1, "content": "x", "role": "system"}
        for index in range(count)
    ]
    blocks.append(dict(blocks[0]))
    return _refused(lambda: interleaf.place_context_blocks(ONE, blocks, CONVERSATION))


def markers(piece: str) -> Case:
    def case(count: int) -> Callable[[], object]:
        text = piece * (count // len(piece) + 1)
        message = {"role": "system", "content": text + "}} {{outlet::lore}}"}
        block = interleaf.ContextBlock(id="b", position="outlet", outlet_name="lore", content="!")
        layout = interleaf.Layout(outlets={"lore": 0})
        return lambda: interleaf.place_context_blocks([message], [block], layout)

    return case


def nested_markers(count: int) -> Callable[[], object]:
    block = interleaf.ContextBlock(id="b", position="outlet", outlet_name="a", content="{{outlet::" * (count // 10 + 1))
    layout = interleaf.Layout(outlets={"a": 0})
    return lambda: interleaf.place_context_blocks([{"role": "system", "content": "{{outlet::a}}"}], [block], layout)


def outlets_in_one_host(count: int) -> Callable[[], object]:
    names = [f"outlet-{index}" for index in range(count)]
    message = {"role": "system", "content": "".join(f"{{{{outlet::{name}}}}}" for name in names)}
    blocks = [
        interleaf.ContextBlock(id=name, position="outlet", outlet_name=name, content=name) for name in reversed(names)
    ]
    layout = interleaf.Layout(outlets=dict.fromkeys(names, 0))
    return lambda: interleaf.place_context_blocks([message], blocks, layout)


def outlets_in_many_hosts(count: int) -> Callable[[], object]:
    names = [f"outlet-{index}" for index in range(count)]
    messages = [{"role": "system", "content": f"{{{{outlet::{name}}}}}"} for name in names]
    blocks = [
        interleaf.ContextBlock(id=name, position="outlet", outlet_name=name, content=name) for name in reversed(names)
    ]
    layout = interleaf.Layout(outlets={name: index for index, name in enumerate(names)})
    return lambda: interleaf.place_context_blocks(messages, blocks, layout)


def parts_in_one_host(count: int) -> Callable[[], object]:
    parts = [{"type": "text", "text": f"{{{{outlet::{index}}}}}"} for index in range(count)]
    layout = interleaf.Layout(outlets={str(index): 0 for index in range(count)})
    return lambda: interleaf.place_context_blocks([{"role": "system", "content": parts}], [], layout)


def long_exchange(count: int) -> Callable[[], object]:
    messages = [{"role": "tool", "content": ""}] * count
    blocks = [
        interleaf.ContextBlock(id=f"{index}", position="at_depth", depth=index + 1, content="x", role="system")
        for index in range(count)
    ]
    layout = interleaf.Layout(conversation=interleaf.Conversation(range(count)))
    return lambda: interleaf.place_context_blocks(messages, blocks, layout)


def _fragments(count: int) -> list[interleaf.ContextFragment]:
    return [
        interleaf.ContextFragment(
            id=f"{index}", source_id="s", trust="user", lifetime="turn", role="user", max_chars=9, value="x"
        )
        for index in range(count)
    ]


def audit(count: int) -> Callable[[], object]:
    fragments = _fragments(count)
    plan = interleaf.ContextPlan(fragments=fragments, original_fragments=fragments, max_input_chars=10**9)
    return lambda: interleaf.assemble_context_plan(plan)


def audit_of_another_order(count: int) -> Callable[[], object]:
    fragments = _fragments(count)
    plan = {"fragments": fragments[::-1], "original_fragments": fragments, "max_input_chars": 10**9}
    return _refused(lambda: interleaf.assemble_context_plan(plan))


def audit_where_all_changed(count: int) -> Callable[[], object]:
    fragments = _fragments(count)
    changed = [interleaf.ContextFragment(**{**fragment.to_dict(), "value": "y"}) for fragment in fragments]
    plan = {"fragments": changed, "original_fragments": fragments, "max_input_chars": 10**9}
    return _refused(lambda: interleaf.assemble_context_plan(plan))


def merging(count: int) -> Callable[[], object]:
    fragments = _fragments(count)
    return lambda: interleaf.assemble_fragments(fragments, 10**9, merge_adjacent=True)


def next_pass(count: int) -> Callable[[], object]:
    result = interleaf.place_context_blocks(ONE, _blocks(count), CONVERSATION)
    return lambda: interleaf.place_context_blocks(result.messages, [], result.layout)


CASES: dict[str, tuple[str, Case]] = {
    "blocks sorted at one depth": ("block", sorting),
    "duplicate id, native blocks": ("block", duplicate_ids),
    "duplicate id, mappings": ("block", duplicate_mappings),
    "search in `{{outlet::{{outlet::…`": ("character", markers("{{outlet::")),
    "search in `{{{{{{…`": ("character", markers("{")),
    "search in `{{outlet::a}}{{outlet::a}}…`": ("character", markers("{{outlet::a}}")),
    "search in `龙{{outlet::lor龙…`": ("character", markers("龙{{outlet::lor")),
    "nested marker in a block": ("character", nested_markers),
    "outlets in one host": ("outlet", outlets_in_one_host),
    "outlets in as many hosts": ("outlet", outlets_in_many_hosts),
    "outlets in the parts of one host": ("outlet", parts_in_one_host),
    "blocks inside one tool exchange": ("block", long_exchange),
    "audit of equals": ("fragment", audit),
    "audit, reversed": ("fragment", audit_of_another_order),
    "audit, every value changed": ("fragment", audit_where_all_changed),
    "fragments merged into one": ("fragment", merging),
    "a second pass over the result": ("message", next_pass),
}


def nanoseconds(call: Callable[[], object], count: int) -> float:
    """Best of some runs, for each unit of input: processor time, without the collector, as on a machine with nothing else to do."""
    best = float("inf")
    for _ in range(3 if count >= 100_000 else 7):
        repeats = max(1, 10_000 // count)
        started = time.process_time_ns()
        for _ in range(repeats):
            call()
        best = min(best, (time.process_time_ns() - started) / repeats / count)
    return best


def main() -> None:
    """The table."""
    largest = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    sizes = [10**power for power in range(1, 7) if 10**power <= largest]
    print("| ns for each | unit |", " | ".join(f"{size:,}" for size in sizes), "|")
    print("|---|---|", "---:|" * len(sizes), sep="")
    for name, (unit, case) in CASES.items():
        gc.collect()
        gc.disable()
        times = [nanoseconds(case(size), size) for size in sizes]
        gc.enable()
        print(
            f"| {name} | {unit} |",
            " | ".join(f"{one:.3g}" if one < 100 else f"{one:.0f}" for one in times),
            "|",
            flush=True,
        )


if __name__ == "__main__":
    main()
