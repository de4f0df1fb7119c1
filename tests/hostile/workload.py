"""Run on its own: every function and class, good and refused, a few times over.

    python tests/hostile/workload.py [ROUNDS]

For interpreters and tools that watch: -X dev, PYTHONMALLOC=debug, valgrind.
"""

from __future__ import annotations

import copy
import gc
import pickle
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import interleaf
from hostile.requests import BLOCKS, FRAGMENTS, LAYOUT, MESSAGES, PLAN, callbacks, copied, message_callbacks
from hostile.tripwire import Planted, Tripwire, watched


def once() -> int:
    """One round; returns how many calls were refused."""
    refused = 0
    for at in (None, 1, 5, 12):
        try:
            result = interleaf.place_context_blocks(
                copied(MESSAGES), copied(BLOCKS), copied(LAYOUT), **callbacks(Tripwire(at))
            )
            again = interleaf.place_context_blocks(result.messages, [], result.layout)
            assert again.messages == result.messages
            assert repr(result.placements)
            assert result.to_dict()["placements"]
            assert pickle.loads(pickle.dumps(result.layout)) == result.layout  # noqa: S301
        except Planted:
            refused += 1
    wire = Tripwire()
    interleaf.place_context_blocks(
        copied(MESSAGES), watched(copied(BLOCKS), wire), watched(copied(LAYOUT), wire)
    ).to_dict()
    interleaf.place_context_blocks(
        copied(MESSAGES), copied(BLOCKS), copied(LAYOUT), **message_callbacks(wire)
    ).to_dict()
    blocks = [interleaf.ContextBlock(**block) for block in copied(BLOCKS)]
    assert copy.deepcopy(blocks) == blocks
    assert hash(blocks[0]) == hash(copy.copy(blocks[0]))
    interleaf.get_placement_capabilities(copied(LAYOUT)).to_dict()
    interleaf.assemble_context_plan(copied(PLAN)).to_dict()
    fragments = [interleaf.ContextFragment(**fragment) for fragment in copied(FRAGMENTS)]
    interleaf.assemble_fragments(fragments, 10**6, merge_adjacent=True, unit="utf8").to_dict()
    wrong: list[Any] = [None, [], {}, -1, 2**80, float("nan"), "", "\ud800", object()]
    for value in wrong:
        for field in BLOCKS[4]:
            refused += _refused(lambda: interleaf.place_context_blocks(MESSAGES, [{**BLOCKS[4], field: value}], LAYOUT))  # noqa: B023
        for field in LAYOUT:
            refused += _refused(lambda: interleaf.place_context_blocks(MESSAGES, BLOCKS, {**LAYOUT, field: value}))  # noqa: B023
        for field in PLAN:
            refused += _refused(lambda: interleaf.assemble_context_plan({**PLAN, field: value}))  # noqa: B023
        for field in FRAGMENTS[0]:
            refused += _refused(lambda: interleaf.ContextFragment(**{**FRAGMENTS[0], field: value}))  # noqa: B023
    return refused


def _refused(call: Any) -> int:
    try:
        call()
    except (interleaf.InterleafError, TypeError):
        return 1
    return 0


def main() -> None:
    """All rounds give the same."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    refused = {once() for _ in range(rounds)}
    gc.collect()
    assert len(refused) == 1
    assert refused.pop() > 100
    print(f"{rounds} rounds")


if __name__ == "__main__":
    main()
