"""A row of requests, with an eye on the memory and on the clock."""

from __future__ import annotations

import faulthandler
import gc
import os
import sys
import traceback
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from hostile.sampled.requests import check, draw
from hostile.sampled.source import Source
from hostile.sampled.variety import Tally

# Caches and free lists are full after so many requests, or after half of a short run.
WARM_UP = 20_000
# A run shorter than this says nothing about memory.
SHORTEST_FOR_MEMORY = 2_000
# Blocks of Python's allocator and bytes that may be left for each request. A leak of one object in one request of a hundred is more.
BLOCKS_EACH, BYTES_EACH = 0.01, 4
# What may come and go without being a leak.
SPARE_BLOCKS, SPARE_BYTES = 1_000, 8 << 20
REARMED_EVERY = 256


class Progress(Protocol):
    """Where the number of the request at hand is kept, for whoever looks after a crash."""

    value: int


@dataclass
class Memory:
    """What the process holds."""

    blocks: int
    resident: int

    @classmethod
    def now(cls) -> Memory:
        """Look, after the garbage is gone."""
        gc.collect()
        return cls(sys.getallocatedblocks(), _resident_bytes())


@dataclass
class Outcome:
    """What a run met, and what was wrong."""

    runs: int = 0
    tally: Tally = field(default_factory=Tally)
    faults: list[str] = field(default_factory=list)
    grown: list[tuple[int, int]] = field(default_factory=list)

    def add(self, other: Outcome) -> None:
        """Add the outcome of another process."""
        self.runs += other.runs
        self.tally.met.update(other.tally.met)
        self.faults += other.faults
        self.grown += other.grown


def _resident_bytes() -> int:
    """Resident memory, where the system tells it without a library."""
    statm = Path("/proc/self/statm")
    return int(statm.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") if statm.exists() else 0


def run(seed: int, first: int, count: int, progress: Progress, patience: float = 0) -> Outcome:
    """Check so many requests; the first fault ends it. With `patience`, a request that hangs for so long ends the process."""
    outcome = Outcome()
    warm_up = min(WARM_UP, count // 2)
    before = None
    for number in range(first, first + count):
        if patience and (number - first) % REARMED_EVERY == 0:
            faulthandler.dump_traceback_later(patience, exit=True)
        if number - first == warm_up:
            before = Memory.now()
            # What has come to stay need not be looked through again and again; its garbage is gone by now.
            gc.freeze()
        progress.value = number
        try:
            check(seed, number, outcome.tally)
        except BaseException as error:
            if isinstance(error, KeyboardInterrupt):
                raise
            outcome.faults.append(as_a_case(seed, number, "".join(traceback.format_exception(error))))
            break
        outcome.runs += 1
    gc.unfreeze()
    if patience:
        faulthandler.cancel_dump_traceback_later()
    if before is not None and not outcome.faults and count >= SHORTEST_FOR_MEMORY:
        _look_at_memory(before, outcome, count - warm_up)
    return outcome


def _look_at_memory(before: Memory, outcome: Outcome, runs: int) -> None:
    after = Memory.now()
    blocks, resident = after.blocks - before.blocks, after.resident - before.resident
    outcome.grown.append((blocks, resident))
    if blocks > SPARE_BLOCKS + BLOCKS_EACH * runs or resident > SPARE_BYTES + BYTES_EACH * runs:
        outcome.faults.append(f"a leak: {blocks} blocks and {resident} bytes more after {runs} requests")


def as_a_case(seed: int, number: int, what: str) -> str:
    """Tell a fault with all that is needed to see it again."""
    told = f"request {number} of seed {seed}: {what}\nTo see it again:\n  {command(seed, number)}\n"
    try:
        source = Source.of_request(seed, number)
        source.random()
        return told + f"The call, before hostile objects are put into it, if any:\n{draw(source, number)}"
    except Exception as error:
        return told + f"The call cannot be shown: {error!r}"


def command(seed: int, number: int) -> str:
    """The command line for one request alone."""
    return f"python tests/hostile/sampling.py --seed {seed} --first {number} --runs 1"


def worker(seed: int, first: int, count: int, progress: Progress, patience: float, answers: Any) -> None:
    """A run in a process of its own."""
    faulthandler.enable()
    outcome = run(seed, first, count, progress, patience)
    # At once: the other processes may take a while yet.
    for fault in outcome.faults:
        print(fault, file=sys.stderr, flush=True)
    answers.put(outcome)
