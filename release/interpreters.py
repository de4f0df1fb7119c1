"""Every CPython on this machine that the package supports, newest patch release of each version.

Looks at python3.10 to python3.15 (and their free-threaded `t` forms) on the PATH and at pyenv's versions. Each candidate is asked
what it is: pyenv's shims, for one, exist for versions that do not start.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

OLDEST, NEWEST = 10, 15
_QUESTION = (
    "import json, platform, sys, sysconfig; print(json.dumps({"
    "'implementation': platform.python_implementation(), 'version': sys.version_info[:3], "
    "'free_threaded': bool(sysconfig.get_config_var('Py_GIL_DISABLED')), 'executable': sys.executable}))"
)


@dataclass(frozen=True)
class Interpreter:
    """One CPython: its version, whether it is free-threaded, and where it is."""

    version: tuple[int, int, int]
    free_threaded: bool
    executable: str

    @property
    def name(self) -> str:
        """Such as `3.13` or `3.13t`."""
        return f"{self.version[0]}.{self.version[1]}{'t' if self.free_threaded else ''}"


def ask(executable: str) -> Interpreter | None:
    """What `executable` is, or None if it does not start or is no supported CPython."""
    try:
        answer = subprocess.run([executable, "-c", _QUESTION], capture_output=True, text=True, timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        return None
    if answer.returncode != 0:
        return None
    facts = json.loads(answer.stdout)
    major, minor, patch = facts["version"]
    if facts["implementation"] != "CPython" or major != 3 or minor < OLDEST:
        return None
    return Interpreter((major, minor, patch), facts["free_threaded"], facts["executable"])


def find() -> list[Interpreter]:
    """One interpreter for each version, oldest first."""
    names = [f"python3.{minor}{suffix}" for minor in range(OLDEST, NEWEST + 1) for suffix in ("", "t")]
    candidates = [path for name in names if (path := shutil.which(name))]
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    candidates += [str(path) for path in sorted(pyenv.glob("versions/*/bin/python"))]
    best: dict[str, Interpreter] = {}
    for interpreter in filter(None, map(ask, [sys.executable, *candidates])):
        known = best.get(interpreter.name)
        # The first one found stays on a tie: that is the one the PATH names.
        if known is None or interpreter.version > known.version:
            best[interpreter.name] = interpreter
    return sorted(best.values(), key=lambda interpreter: (interpreter.version, interpreter.free_threaded))


def chosen(executables: list[str]) -> list[Interpreter]:
    """The interpreters named on the command line, or all of them."""
    if not executables:
        return find()
    found = {executable: ask(executable) for executable in executables}
    if unusable := [executable for executable, interpreter in found.items() if interpreter is None]:
        sys.exit(f"no CPython 3.{OLDEST} or newer: {', '.join(unusable)}")
    return [interpreter for interpreter in found.values() if interpreter is not None]


if __name__ == "__main__":
    for found_one in find():
        print(found_one.name, found_one.executable, sep="\t")
