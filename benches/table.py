"""Runs the benches and prints what they measured, row by row, beside the goals.

`--short` takes few rounds and fails only where a figure is worse than twice its goal; `--show` prints the table of the last
run; `-k place` runs only the rows that pytest's `-k` would pick.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
RESULTS = HERE / "results"
HEAD = ("row", "µs", "× bare", "× faster than reference", "goal", "measured", "met")
# Noise on a shared machine doubles a time now and then; a lost optimisation does more.
SHORT_SLACK = 2.0


class _MachineWithoutName:
    """A pytest plugin: a report says what it ran on, but not whose machine that was."""

    def pytest_benchmark_update_machine_info(self, machine_info: dict[str, Any]) -> None:
        machine_info.pop("node", None)


def run(report: Path, *, short: bool, selection: str | None) -> int:
    """Run the benches, write the report, and return pytest's exit code."""
    # Read by `rounds`, which pytest imports.
    os.environ["INTERLEAF_BENCH"] = "short" if short else "full"
    import pytest

    report.parent.mkdir(exist_ok=True)
    arguments = [str(HERE), "-q", "--benchmark-enable", "--benchmark-quiet", f"--benchmark-json={report}", "-rs"]
    if selection:
        arguments += ["-k", selection]
    return int(pytest.main(arguments, plugins=[_MachineWithoutName()]))


def figures_of(entry: dict[str, Any]) -> dict[str, float]:
    """Return the figures of one row: `us`, how many times each yardstick's time it is, and what else was recorded."""
    figures = dict(entry.get("figures", {}))
    times = entry.get("us", {})
    if times:
        figures["us"] = times["native"]
        figures |= {name: times["native"] / time for name, time in times.items() if name != "native"}
    return figures


def number(value: float) -> str:
    """Return a number with three digits that count."""
    return f"{value:.3g}" if abs(value) < 100 else f"{value:,.0f}"


def lines_of(entries: dict[str, dict[str, Any]], slack: float) -> tuple[list[tuple[str, ...]], list[str]]:
    """Return the table's lines, and the rows that are worse than `slack` times a goal."""
    from goals import ROWS, UNITS

    lines: list[tuple[str, ...]] = []
    failed: list[str] = []
    for row, goals in ROWS.items():
        if row not in entries:
            continue
        figures = figures_of(entries[row])
        measured, met = [], []
        for goal in goals:
            value = 1 / figures[goal.figure] if goal.faster else figures[goal.figure]
            measured.append(f"{number(value)} {UNITS.get(goal.figure, '×')}")
            met.append("yes" if goal.is_met(value) else "NO")
            if not goal.is_met(value, slack):
                failed.append(f"{row}: {measured[-1]}, goal {goal}")
        lines.append(
            (
                row,
                number(figures["us"]) if "us" in figures else "",
                number(figures["bare"]) if "bare" in figures else "",
                number(1 / figures["reference"]) if "reference" in figures else "",
                ", ".join(map(str, goals)),
                ", ".join(measured),
                ", ".join(met),
            )
        )
    return lines, failed


def markdown(lines: list[tuple[str, ...]]) -> str:
    """Return the lines as an aligned Markdown table."""
    table = [HEAD, *lines]
    widths = [max(len(line[column]) for line in table) for column in range(len(HEAD))]
    texts = [
        "| " + " | ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)) + " |" for line in table
    ]
    return "\n".join([texts[0], "|" + "|".join("-" * (width + 2) for width in widths) + "|", *texts[1:]])


def main() -> int:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description="Run the benches and print the table of rows and goals.")
    parser.add_argument("--short", action="store_true", help="few rounds; fail only on twice a goal")
    parser.add_argument("--show", action="store_true", help="print the table of the last full run")
    parser.add_argument("-k", dest="selection", help="only rows whose test matches")
    options = parser.parse_args()
    report = RESULTS / ("short.json" if options.short else "latest.json")
    code = 0 if options.show else run(report, short=options.short, selection=options.selection)
    if not report.exists() or not report.read_text(encoding="utf-8"):
        print("no results", file=sys.stderr)
        return code or 1
    content = json.loads(report.read_text(encoding="utf-8"))
    entries = {
        entry["extra_info"]["row"]: entry["extra_info"]
        for entry in content["benchmarks"]
        if "row" in entry["extra_info"]
    }
    lines, failed = lines_of(entries, SHORT_SLACK)
    print(markdown(lines))
    for failure in failed if options.short else []:
        print(f"worse than {SHORT_SLACK:g} times its goal: {failure}", file=sys.stderr)
        code = code or 1
    return code


if __name__ == "__main__":
    sys.exit(main())
