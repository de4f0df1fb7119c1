"""Runs a script under valgrind's memcheck and judges what it says.

    python release/memcheck.py SCRIPT [ARGUMENT ...]

A fault is: any invalid read, write or free; anything at all with the native module in its stack; memory that is definitely lost. Left
alone is what CPython does by itself with values it has not set: its `int.from_bytes` compares one (longobject.c), and all that is
computed from it is told again. "Possibly lost" is not asked for: each object that the collector tracks begins before its pointer.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

MODULE = "_interleaf"
OF_CPYTHON = ("Conditional jump or move depends on uninitialised", "Use of uninitialised value")


def records(log: str) -> list[str]:
    """The reports, each as one text."""
    lines = (re.sub(r"^==\d+== ?", "", line) for line in log.splitlines())
    return [record for record in "\n".join(lines).split("\n\n") if re.search(r"^ +(at|by) 0x", record, re.MULTILINE)]


def main() -> int:
    """0 if nothing was found."""
    valgrind = shutil.which("valgrind")
    if valgrind is None:
        print("valgrind is not installed")
        return 2
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "log"
        # Python's own allocator would hide each object from valgrind inside an arena.
        command = [
            valgrind,
            "--leak-check=full",
            "--show-leak-kinds=definite",
            "--num-callers=40",
            f"--log-file={log}",
        ]
        done = subprocess.run(
            [*command, sys.executable, *sys.argv[1:]], env=os.environ | {"PYTHONMALLOC": "malloc"}, check=False
        )
        told = log.read_text()
    of_cpython = 0
    faults = []
    for record in records(told):
        first = record.strip().splitlines()[0]
        if MODULE not in record and any(kind in first for kind in OF_CPYTHON):
            of_cpython += 1
        else:
            faults.append(record)
    for fault in faults[:10]:
        print(*fault.splitlines()[:24], sep="\n", end="\n\n")
    print(f"memcheck: exit {done.returncode}, {len(faults)} faults, {of_cpython} reports about CPython alone")
    for line in re.findall(r"(?:definitely|indirectly) lost: .*", told):
        print(f"  {line}")
    return 1 if faults or done.returncode else 0


if __name__ == "__main__":
    sys.exit(main())
