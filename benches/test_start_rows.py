"""Rows about what the library costs before its first call: to import, and to download."""

from __future__ import annotations

import io
import resource
import statistics
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

import interleaf
from rounds import SHORT, record

if TYPE_CHECKING:
    from pytest_benchmark.fixture import BenchmarkFixture

PROCESSES = 12 if SHORT else 60


def seconds_of(code: str) -> float:
    """Return the processor time of an interpreter that runs `code`.

    Not the time on the clock: with ten processes waiting for two cores that was 71 ms where it is 12 on an idle machine,
    and with the byte code in the file cache nothing is waited for.
    """
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-c", code], check=True)  # noqa: S603 (our own interpreter)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def test_import(benchmark: BenchmarkFixture) -> None:
    seconds_of("import interleaf")  # writes the byte code
    pairs = [(seconds_of("import interleaf"), seconds_of("pass")) for _ in range(PROCESSES)]
    record(benchmark, "import", {"ms": statistics.median(full - empty for full, empty in pairs) * 1e3})


def test_wheel(benchmark: BenchmarkFixture) -> None:
    """A wheel is a zip of the package and a few kB of metadata; packing what is installed needs no second build."""
    package = Path(interleaf.__file__).parent
    files = [path for path in package.rglob("*") if path.is_file() and path.suffix != ".pyc"]
    assert any(path.suffix in {".so", ".pyd"} for path in files)

    wheel = io.BytesIO()
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in files:
            archive.write(path, path.relative_to(package.parent))
    record(benchmark, "wheel", {"MB": len(wheel.getvalue()) / 1e6})
