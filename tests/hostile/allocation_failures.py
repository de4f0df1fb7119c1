"""Run on its own: every allocation of a call fails once, one after the other, and then the call works.

    python tests/hostile/allocation_failures.py

Prints a line for each kind of call, and exits with 1 if something came out that should not: a wrong answer, an unknown exception, an
input that changed, a call that does not work afterwards. It has a process of its own because an interpreter without memory is allowed
to be in a bad way for a moment, and because a crash must not take the other tests with it.
"""

from __future__ import annotations

import copy
import gc
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import _testcapi  # type: ignore[import-not-found]  # CPython's own, where it was built with its tests

import interleaf
from hostile.requests import BLOCKS, LAYOUT, MESSAGES, PLAN, callbacks, copied
from hostile.tripwire import Tripwire

# PyO3's constructors for dicts, strings and ints do not return a MemoryError but panic, with an exception that has this text. The call
# ends in order all the same; nothing is left half done.
KNOWN = {"PanicException: PyObject pointer is null", "SystemError: error return without exception set"}
BINDINGS = "exception of the bindings"
ALLOWED = {"MemoryError", "right answer", BINDINGS}
ROW = 25


def with_text_alone(plan: dict[str, Any]) -> dict[str, Any]:
    """The plan with no JSON values: the json module of CPython 3.12 and 3.13 crashes by itself where memory runs out."""
    fragments = [{**fragment, "value": str(fragment["value"])} for fragment in copied(plan["fragments"])]
    return {**copied(plan), "fragments": fragments, "original_fragments": fragments}


def requests() -> dict[str, tuple[Any, Callable[[], Any]]]:
    """Inputs and the call on them."""
    mappings = copied([MESSAGES, BLOCKS, LAYOUT])
    native: list[Any] = [
        copied(MESSAGES),
        [interleaf.ContextBlock(**block) for block in copied(BLOCKS)],
        interleaf.Layout(
            character=(0, 1),
            examples=(1, 2),
            conversation=interleaf.Conversation(range(2, 6)),
            author_note=6,
            outlets={"lore": 0, "example": 1},
        ),
    ]
    plan = with_text_alone(PLAN)
    fragments = [interleaf.ContextFragment(**fragment) for fragment in plan["fragments"]]
    unplaced = copied([MESSAGES, BLOCKS, {}])
    over = {**with_text_alone(PLAN), "max_input_chars": 3}
    options = callbacks(Tripwire())
    return {
        "place mappings": (mappings, lambda: interleaf.place_context_blocks(*mappings, **options)),
        "place native objects": (native, lambda: interleaf.place_context_blocks(*native)),
        "read all records": (native, lambda: interleaf.place_context_blocks(*native).to_dict()),
        "refuse a placement": (unplaced, lambda: interleaf.place_context_blocks(*unplaced)),
        "capabilities": (mappings, lambda: interleaf.get_placement_capabilities(mappings[2])),
        "assemble a plan": (plan, lambda: interleaf.assemble_context_plan(plan)),
        "assemble native fragments": (fragments, lambda: interleaf.assemble_fragments(fragments, 10**6).to_dict()),
        "refuse a budget": (over, lambda: interleaf.assemble_context_plan(over)),
        "build a block": (BLOCKS, lambda: interleaf.ContextBlock(**BLOCKS[4])),
        "build a layout": (LAYOUT, lambda: interleaf.Layout(character=(0, 1), outlets={"a": 1})),
    }


def outcome(call: Callable[[], Any]) -> Any:
    """The result as data, or the refusal."""
    try:
        result = call()
    except interleaf.InterleafError as error:
        return type(error), error.code, error.path
    return result.to_dict() if hasattr(result, "to_dict") else result


def fail_once_at_each(call: Callable[[], Any], expected: Any, most: int) -> Counter[str]:
    """How the call ended for each of its allocations; `most` bounds how many are tried."""
    outcomes: Counter[str] = Counter()
    undisturbed = 0
    for at in range(most):
        ending = ""
        _testcapi.set_nomemory(at, at + 1)
        try:
            result = call()
        except BaseException as error:
            _testcapi.remove_mem_hooks()
            ending = name_of(error, expected)
        else:
            _testcapi.remove_mem_hooks()
            ending = "right answer" if outcome(lambda result=result: result) == expected else "wrong answer"  # type: ignore[misc]
        outcomes[ending] += 1
        # A failure can be overcome, as by a cache that stays empty; a row of right answers means that the call is over.
        undisturbed = undisturbed + 1 if ending == "right answer" else 0
        if undisturbed == ROW:
            outcomes["right answer"] -= ROW
            break
    return +outcomes


def name_of(error: BaseException, expected: Any) -> str:
    """The kind of an ending."""
    if isinstance(error, MemoryError):
        return "MemoryError"
    if isinstance(error, interleaf.InterleafError):
        return "right answer" if (type(error), error.code, error.path) == expected else "wrong refusal"
    told = f"{type(error).__name__}: {error}"
    return BINDINGS if told in KNOWN else told


def main() -> int:
    """All of it."""
    faults = 0
    most = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    for name, (inputs, call) in requests().items():
        for _ in range(3):
            expected = outcome(call)
        try:
            before = copy.deepcopy(inputs)
        except TypeError:
            before = None
        outcomes = fail_once_at_each(call, expected, most)
        gc.collect()
        if before is not None and before != inputs:
            outcomes["changed input"] += 1
        if outcome(call) != expected:
            outcomes["does not work afterwards"] += 1
        print(f"{name}: {', '.join(f'{what} {count}' for what, count in sorted(outcomes.items()))}", flush=True)
        faults += sum(count for what, count in outcomes.items() if what not in ALLOWED)
    return min(faults, 1)


if __name__ == "__main__":
    sys.exit(main())
