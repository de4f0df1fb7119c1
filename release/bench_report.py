"""The benches of another commit and of this tree, beside each other, in ratios.

    python release/bench_report.py BASE

BASE is any commit; it is checked out and built in target/bench-base. Both run `benches/table.py --short` with the same interpreter on the
same machine, so that what is compared are times relative to the same bare build of the same objects, row by row. Writes and prints
benches/results/report.md. It fails only where this tree is worse than twice a goal, as `make bench-short` does: a ratio that is a
few per cent up is for a person to judge.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BASE_TREE = ROOT / "target" / "bench-base"


def run(*command: str | Path, cwd: Path = ROOT) -> int:
    """A command, shown."""
    print("+", *command, flush=True)
    return subprocess.run(list(map(str, command)), cwd=cwd, check=False).returncode


def must(*command: str | Path, cwd: Path = ROOT) -> None:
    """A command that has to work."""
    if code := run(*command, cwd=cwd):
        sys.exit(code)


def rows(tree: Path) -> dict[str, float]:
    """How many times the bare build each row takes."""
    report = tree / "benches" / "results" / "short.json"
    if not report.exists() or not report.stat().st_size:
        return {}
    extra = [entry["extra_info"] for entry in json.loads(report.read_text(encoding="utf-8"))["benchmarks"]]
    times = {info["row"]: info["us"] for info in extra if info.get("us", {}).get("bare")}
    return {row: us["native"] / us["bare"] for row, us in times.items()}


def main() -> int:
    """The report."""
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    base = sys.argv[1]
    run("git", "worktree", "remove", "--force", BASE_TREE)
    must("git", "worktree", "add", "--force", "--detach", BASE_TREE, base)
    here = Path(sys.executable)
    there = BASE_TREE / ".venv" / here.parent.name / here.name
    must("make", ".venv/.built", ".venv/.tools-test", f"PYTHON={here}", cwd=BASE_TREE)
    if (BASE_TREE / "benches" / "table.py").exists():
        run(there, "benches/table.py", "--short", cwd=BASE_TREE)
    code = run(here, "benches/table.py", "--short")
    before, after = rows(BASE_TREE), rows(ROOT)
    lines = [
        f"Time in multiples of the bare list build, at {base} and here.",
        "",
        "| row | before | after | change |",
        "|---|---:|---:|---:|",
    ]
    for row, ratio in after.items():
        was = before.get(row)
        change = f"{(ratio / was - 1) * 100:+.0f} %" if was else "new"
        lines.append(f"| {row} | {f'{was:.3g}' if was else ''} | {ratio:.3g} | {change} |")
    report = ROOT / "benches" / "results" / "report.md"
    report.parent.mkdir(exist_ok=True)
    report.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(report.read_text(encoding="utf-8"))
    if os.environ.get("GITHUB_STEP_SUMMARY"):
        with Path(os.environ["GITHUB_STEP_SUMMARY"]).open("a", encoding="utf-8") as summary:
            summary.write(report.read_text(encoding="utf-8"))
    return code


if __name__ == "__main__":
    sys.exit(main())
