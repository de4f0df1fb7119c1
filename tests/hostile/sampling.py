"""Run on its own: random requests by the million, through the native functions and the reference.

    python tests/hostile/sampling.py [--runs 1000000] [--seed 1] [--processes 2] [--first 0]

Every request is known by seed and number, whatever came before it and however many processes there are. The run fails with the
first difference, exception, crash or hang it meets, with the command that repeats it; and at its end if memory has grown, or if
the requests were not as varied as `hostile/sampled/variety.py` says.
"""

from __future__ import annotations

import argparse
import itertools
import multiprocessing
import queue
import signal
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from hostile.sampled.run import Outcome, command, worker

# With fewer requests, some of what must be met is met by chance only.
SHORTEST_FOR_VARIETY = 4_000


def main() -> int:
    """Share the requests out, wait, and tell."""
    parser = argparse.ArgumentParser(description="Random requests through both implementations.")
    parser.add_argument("--runs", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="the number of the first request")
    parser.add_argument("--patience", type=float, default=300, help="seconds after which a request is said to hang")
    given = parser.parse_args()
    # Whoever ends this process ends those that it started.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    started = time.monotonic()
    outcome = sample(given.seed, given.first, given.runs, given.processes, given.patience)
    if outcome.runs >= SHORTEST_FOR_VARIETY:
        unmet = outcome.tally.faults()
        print("\n".join(unmet), file=sys.stderr)
        outcome.faults += unmet
    report(outcome, given.seed, time.monotonic() - started)
    return min(len(outcome.faults), 1)


def sample(seed: int, first: int, runs: int, processes: int, patience: float) -> Outcome:
    """Run the requests in so many processes, which may crash without taking this one with them."""
    context = multiprocessing.get_context("spawn")
    bounds = [first + runs * share // processes for share in range(processes + 1)]
    workers = []
    for start, end in itertools.pairwise(bounds):
        # One number is written by one process: it needs no lock.
        progress = context.RawValue("q", start)
        answers = context.Queue()
        arguments = (seed, start, end - start, progress, patience, answers)
        process = context.Process(target=worker, args=arguments, daemon=True)
        process.start()
        workers.append((process, progress, answers))
    total = Outcome()
    for process, progress, answers in workers:
        total.add(outcome_of(process, progress, answers, seed))
    return total


def outcome_of(process: Any, progress: Any, answers: Any, seed: int) -> Outcome:
    """Wait for a process; one that ends without an answer has crashed, or was ended because it hung."""
    while True:
        try:
            outcome: Outcome = answers.get(timeout=1)
        except queue.Empty:
            if process.is_alive():
                continue
            # It may have answered and ended in the moment between.
            try:
                outcome = answers.get(timeout=1)
            except queue.Empty:
                at = progress.value
                told = f"the process ended with {process.exitcode}, a crash or a hang, at request {at} of seed {seed}"
                print(f"{told}\nTo see it again:\n  {command(seed, at)}", file=sys.stderr)
                return Outcome(faults=[told])
        process.join()
        return outcome


def report(outcome: Outcome, seed: int, seconds: float) -> None:
    """Print what was met, most often first; faults were told when they were found."""
    met: Counter[str] = outcome.tally.met
    print("; ".join(f"{what} {count}" for what, count in met.most_common()))
    for blocks, resident in outcome.grown:
        print(f"memory after warm-up and at the end: {blocks:+} blocks, {resident / 2**20:+.1f} MiB")
    print(f"{outcome.tally.accepted_share():.1%} of the requests that were compared were answered, the others refused")
    print(f"sampling: {outcome.runs} requests with seed {seed} in {seconds:.1f} s, {len(outcome.faults)} faults")


if __name__ == "__main__":
    sys.exit(main())
