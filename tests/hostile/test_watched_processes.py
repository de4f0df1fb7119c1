"""The same workload in interpreters that look closer."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from hostile.effort import effort

FEW_CALLS = effort(5, 1) if sys.version_info >= (3, 12) else 1
HERE = Path(__file__).resolve().parent


def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(  # noqa: S603
        [sys.executable, *arguments], capture_output=True, text=True, check=False, env=os.environ | environment
    )


@pytest.mark.parametrize("allocator", ["debug", "malloc_debug"])
def test_the_debugging_allocators_and_developer_mode_find_nothing(allocator: str) -> None:
    """They fill freed memory, guard the ends of blocks, and abort on use without the lock."""
    done = run("-X", "dev", "-W", "error", str(HERE / "workload.py"), str(effort(10, 1000)), PYTHONMALLOC=allocator)
    assert (done.returncode, done.stderr) == (0, "")
    assert "rounds" in done.stdout


@pytest.mark.skipif(
    importlib.util.find_spec("_testcapi") is None,
    reason="this interpreter was built without _testcapi, which fails allocations",
)
# From Python 3.12 on many calls need a process of their own.
@pytest.mark.parametrize(
    ("mode", "every"), [("once", FEW_CALLS), ("on", FEW_CALLS), ("first", effort(12, 1))], ids=["once", "on", "first"]
)
def test_every_allocation_of_every_call_may_fail(mode: str, every: int) -> None:
    if mode != "once" and not hasattr(os, "fork"):
        pytest.skip("each call has a process of its own, which is forked")
    done = run(str(HERE / "allocation_failures.py"), mode, "--every", str(every))
    assert done.returncode == 0, done.stdout + done.stderr[-2000:]
    raised = re.search(r"MemoryError (\d+)", done.stdout)
    assert raised is not None
    assert int(raised[1]) > 3000 / every
