"""Times statements against each other: in turn, in one process, so that a slow moment of the machine hits all of them."""

from __future__ import annotations

import os
from dataclasses import dataclass
from timeit import Timer
from typing import TYPE_CHECKING, Any

from goals import ROWS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_benchmark.fixture import BenchmarkFixture

__all__ = ["EFFORT", "SHORT", "record", "time_in_turn"]

# Set by `table.py --short`.
SHORT = os.environ.get("INTERLEAF_BENCH") == "short"


@dataclass(frozen=True)
class Effort:
    """How much is measured.

    Attributes:
        rounds: How often each statement has its turn.
        round_seconds: How long a turn lasts; below a scheduler's time slice, so that many turns are never interrupted.
        rare: A statement of which one call takes longer than a turn has one turn in so many.
    """

    rounds: int
    round_seconds: float
    rare: int


EFFORT = Effort(rounds=60, round_seconds=0.000_3, rare=10) if SHORT else Effort(400, 0.000_5, 8)


class _Turns:
    """The turns of one statement."""

    def __init__(self, statement: str, names: Mapping[str, Any]) -> None:
        # `timeit` compiles the statement into its loop, so nothing but the statement is timed, with the collector off.
        self.timer = Timer(statement, globals=dict(names))
        once = min(self.timer.repeat(3, 1))
        self.calls = max(1, round(EFFORT.round_seconds / once))
        self.every = EFFORT.rare if once > EFFORT.round_seconds else 1
        self.best = float("inf")

    def take(self, turn: int) -> None:
        if turn % self.every == 0:
            self.best = min(self.best, self.timer.timeit(self.calls) / self.calls)


def record(benchmark: BenchmarkFixture, row: str, figures: Mapping[str, float]) -> None:
    """Write the figures of a row, none of them a time to compare, into the report."""
    assert row in ROWS, f"{row} is not in goals.py"
    # The report has an entry only for a test that times something.
    benchmark.pedantic(lambda: None, rounds=1)  # type: ignore[no-untyped-call]
    benchmark.extra_info.update(row=row, figures=dict(figures))


def time_in_turn(
    benchmark: BenchmarkFixture,
    row: str,
    native: str,
    yardsticks: Mapping[str, str],
    names: Mapping[str, Any],
    items: Mapping[str, int] | None = None,
) -> None:
    """Time a statement and its yardsticks in turn, and write the best time of each into the report.

    The minimum of many short turns is what the code costs; everything above it is what else the machine did.

    Args:
        benchmark: Keeps the time of every turn of `native`.
        row: The name of the row in `goals.ROWS`.
        native: The statement the row is about.
        yardsticks: Statements it is compared with, by the name that the goals use.
        names: What the statements may name.
        items: Divides the times of `native` and of the yardsticks named in it, for times per item.
    """
    assert row in ROWS, f"{row} is not in goals.py"
    own = _Turns(native, names)
    others = {name: _Turns(statement, names) for name, statement in yardsticks.items()}
    turn = 0

    def take_others() -> None:
        for other in others.values():
            other.take(turn)

    def take_own() -> None:
        nonlocal turn
        own.take(turn)
        turn += 1

    own.every = 1
    benchmark.group = row
    benchmark.pedantic(take_own, setup=take_others, rounds=EFFORT.rounds, iterations=1)  # type: ignore[no-untyped-call]
    shares = {"native": 1, **dict.fromkeys(others, 1), **(items or {})}
    times = {"native": own.best, **{name: other.best for name, other in others.items()}}
    benchmark.extra_info.update(
        row=row,
        calls_per_turn=own.calls,
        us={name: seconds * 1e6 / shares[name] for name, seconds in times.items()},
    )
