"""Runs one row's statement over and over for a profiler, and counts the instructions of a call with callgrind.

`profile_row.py run place-60 --calls 100000` does nothing but the calls, so that what perf or callgrind sees is the library.
`profile_row.py count` prints instructions a call, native beside bare: those of a run of 2 N calls less those of one of N,
divided by N, so that the start of the interpreter and the building of the workload fall out. Unlike times, the counts
are the same on a busy machine.
"""

from __future__ import annotations

import argparse
import math
import os
import re
import subprocess
import sys
from timeit import Timer
from typing import TYPE_CHECKING, Any

import interleaf
import workloads
from prose import chinese, with_emoji
from statements import (
    ASSEMBLE,
    ASSEMBLE_MAPPINGS,
    ASSEMBLE_PLAINLY,
    BARE,
    PLACE,
    PLACE_LAYOUT_ANEW,
    PLACE_MAPPINGS,
    PLACE_PLAINLY,
    assemble_names,
    place_names,
    refused,
)

if TYPE_CHECKING:
    from collections.abc import Callable

Names = dict[str, Any]

PLACINGS = {
    "native": PLACE,
    "bare": BARE,
    "reference": PLACE_PLAINLY,
    "mappings": PLACE_MAPPINGS,
    "layout-anew": PLACE_LAYOUT_ANEW,
    "refused": refused("place(messages, blocks, misspelt)"),
}
ASSEMBLIES = {
    "native": ASSEMBLE,
    "bare": BARE,
    "reference": ASSEMBLE_PLAINLY,
    "mappings": ASSEMBLE_MAPPINGS,
    "audited": "assemble(audited)",
}
MEASUREMENTS = {
    "native": 'assemble_fragments(chinese, inf, unit="utf8")',
    "utf16": 'assemble_fragments(emoji, inf, unit="utf16")',
}


def _measure_names() -> Names:
    def fragment(text: str) -> interleaf.ContextFragment:
        return interleaf.ContextFragment(
            id="text", source_id="shelf", trust="user", lifetime="turn", role="user", max_chars=math.inf, value=text
        )

    return {
        "assemble_fragments": interleaf.assemble_fragments,
        "inf": math.inf,
        "chinese": [fragment(chinese(333_333))],
        "emoji": [fragment(with_emoji(333_333))],
    }


ROWS: dict[str, tuple[Callable[[], Names], dict[str, str], int]] = {
    "place-60": (lambda: place_names(workloads.request_of_60()), PLACINGS, 500),
    "place-16": (lambda: place_names(workloads.small_request()), PLACINGS, 1_000),
    "place-20000": (lambda: place_names(workloads.large_request()), PLACINGS, 20),
    "depth-3000": (lambda: place_names(workloads.blocks_at_one_depth(3_000)), PLACINGS, 20),
    "assemble-30": (lambda: assemble_names(workloads.fragments(30)), ASSEMBLIES, 500),
    "assemble-3000": (lambda: assemble_names(workloads.fragments(3_000)), ASSEMBLIES, 20),
    "measure": (_measure_names, MEASUREMENTS, 20),
}
# What `count` counts if it is not told.
COUNTED = {
    "place-60": ("bare", "native", "layout-anew", "mappings", "refused"),
    "place-16": ("bare", "native"),
    "place-20000": ("bare", "native"),
    "assemble-30": ("bare", "native", "audited", "mappings"),
}


def run(row: str, what: str, calls: int) -> None:
    """Make that many calls."""
    names, statements, _ = ROWS[row]
    Timer(statements[what], globals=names()).timeit(calls)


def instructions(row: str, what: str, calls: int) -> int:
    """Return how many instructions a process that makes that many calls executes."""
    python = [sys.executable, __file__, "run", row, "--what", what, "--calls", str(calls)]
    valgrind = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", *python]
    # One hash seed, so that both runs build the same dicts.
    done = subprocess.run(  # noqa: S603 (our own interpreter)
        valgrind, env=os.environ | {"PYTHONHASHSEED": "0"}, capture_output=True, text=True, check=False
    )
    counted = re.search(r"Collected\s*:\s*(\d+)", done.stderr)
    if done.returncode or not counted:
        sys.exit(f"{' '.join(valgrind)}\n{done.stderr}")
    return int(counted[1])


def count(rows: list[str]) -> None:
    """Print a table of instructions a call."""
    print(f"{'row':<14} {'what':<12} {'instructions a call':>20} {'× bare':>8}")
    for row in rows:
        calls = ROWS[row][2]
        bare = math.nan
        for what in COUNTED.get(row, tuple(ROWS[row][1])):
            a_call = (instructions(row, what, 2 * calls) - instructions(row, what, calls)) / calls
            bare = a_call if what == "bare" else bare
            print(f"{row:<14} {what:<12} {a_call:>20,.0f} {a_call / bare:>8.2f}", flush=True)


def main() -> None:
    """Do what the command line asks for."""
    parser = argparse.ArgumentParser(description="Run one row for a profiler, or count its instructions.")
    commands = parser.add_subparsers(dest="command", required=True)
    runs = commands.add_parser("run", help="make calls and nothing else")
    runs.add_argument("row", choices=ROWS)
    runs.add_argument("--what", default="native", help="native (default), bare, reference, mappings, …")
    runs.add_argument("--calls", type=int, default=100_000)
    counts = commands.add_parser("count", help="instructions a call, under valgrind")
    counts.add_argument("rows", nargs="*", help=", ".join(ROWS))
    options = parser.parse_args()
    if options.command == "run":
        run(options.row, options.what, options.calls)
    else:
        count(options.rows or list(COUNTED))


if __name__ == "__main__":
    main()
