"""Builds the source archive and a wheel for each Python, and tests what was built instead of the tree.

    python release/build_dist.py [--out dist] [--tests FILE ...] [PYTHON ...]

Without interpreters: every CPython from 3.10 on this machine. The wheels are built from the unpacked source archive, so it is
complete or nothing comes out. Each wheel is installed into a new environment in a new folder that holds the tests of the archive
and the test requirements, no sources; then the source archive is installed by pip into another.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

from archives import check_sdist, check_wheel, workspace_version
from interpreters import Interpreter, chosen

ROOT = Path(__file__).resolve().parent.parent
# The contract, the two implementations against each other, and hostile input: the rest of the tests look at the Python face, which
# is the same file in every wheel.
QUICK_TESTS = (
    "tests/test_conformance.py",
    "tests/test_differential_placement.py",
    "tests/test_differential_assembly.py",
    "tests/hostile",
)


def run(*command: str | Path, cwd: Path, **environment: str) -> None:
    """Runs a command, shown; its failure ends the build."""
    print("+", *command, flush=True)
    # A PYTHONPATH of the caller could put the tree before the installed package.
    inherited = {name: value for name, value in os.environ.items() if name not in {"PYTHONPATH", "VIRTUAL_ENV"}}
    subprocess.run(list(map(str, command)), cwd=cwd, env=inherited | environment, check=True)


def new_environment(interpreter: Interpreter, folder: Path) -> Path:
    """A virtual environment; returns its interpreter."""
    run(interpreter.executable, "-m", "venv", folder, cwd=folder.parent)
    return folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def pip_install(python: Path, *what: str | Path, cwd: Path, **environment: str) -> None:
    """Quietly, unless something is wrong."""
    run(python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *what, cwd=cwd, **environment)


def unpack(archive: Path, into: Path) -> Path:
    """The folder of the unpacked source archive."""
    with tarfile.open(archive) as packed:
        if hasattr(tarfile, "data_filter"):
            packed.extractall(into, filter="data")
        else:  # Before 3.10.12; the archive is our own, made a moment ago.
            packed.extractall(into)  # noqa: S202
    (folder,) = into.iterdir()
    return folder


def test_wheel(wheel: Path, interpreter: Interpreter, sources: Path, tests: list[str], version: str) -> None:
    """The tests of the source archive on the installed wheel, in a folder without the package's sources."""
    with tempfile.TemporaryDirectory(prefix="interleaf-wheel-") as name:
        folder = Path(name)
        python = new_environment(interpreter, folder / "environment")
        pip_install(python, wheel, cwd=folder)
        run(python, "-I", ROOT / "release" / "check_installed.py", version, cwd=folder)
        run(python, "-m", "interleaf", "--version", cwd=folder)
        pip_install(python, "--requirement", sources / "requirements" / "test.txt", cwd=folder)
        shutil.copytree(sources / "tests", folder / "tests")
        shutil.copy(sources / "pyproject.toml", folder)
        existing = [test for test in tests if (folder / test).exists()]
        run(python, "-m", "pytest", "--quiet", *existing, cwd=folder)
        run(python, "-I", ROOT / "release" / "check_installed.py", version, cwd=folder)


def test_sdist(archive: Path, interpreter: Interpreter, version: str) -> None:
    """`pip install` of the source archive, with whatever the build asks for in an environment of its own."""
    with tempfile.TemporaryDirectory(prefix="interleaf-sdist-") as name:
        folder = Path(name)
        python = new_environment(interpreter, folder / "environment")
        # Whole-program optimisation only makes this check slow: the optimised build is what the wheel was.
        pip_install(
            python, archive, cwd=folder, CARGO_PROFILE_RELEASE_LTO="off", CARGO_PROFILE_RELEASE_CODEGEN_UNITS="16"
        )
        run(python, "-I", ROOT / "release" / "check_installed.py", version, cwd=folder)


def main() -> None:
    """Builds and tests everything."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument(
        "pythons", nargs="*", metavar="PYTHON", help="interpreters; default: every one on this machine"
    )
    arguments.add_argument("--out", type=Path, default=ROOT / "dist", help="where the archives go")
    arguments.add_argument(
        "--compatibility",
        metavar="TAG",
        help="such as manylinux_2_17: linked by zig against that C library (Linux only)",
    )
    arguments.add_argument("--tests", nargs="+", default=list(QUICK_TESTS), help="what runs on each installed wheel")
    given = arguments.parse_args()
    out = given.out.resolve()
    interpreters = chosen(given.pythons)
    version = workspace_version(ROOT)
    shutil.rmtree(out, ignore_errors=True)
    run(sys.executable, "-m", "maturin", "sdist", "--out", out, cwd=ROOT)
    (sdist,) = out.glob("*.tar.gz")
    check_sdist(sdist, ROOT)
    with tempfile.TemporaryDirectory(prefix="interleaf-sources-") as name:
        sources = unpack(sdist, Path(name))
        for interpreter in interpreters:
            before = set(out.glob("*.whl"))
            # One target folder for all: the crates that do not link to Python are built once.
            run(
                *(sys.executable, "-m", "maturin", "build", "--release", "--locked", "--out", out),
                *("--interpreter", interpreter.executable),
                *(("--zig", "--compatibility", given.compatibility) if given.compatibility else ()),
                cwd=sources,
                CARGO_TARGET_DIR=str(ROOT / "target" / "dist"),
            )
            (wheel,) = set(out.glob("*.whl")) - before
            check_wheel(wheel, version)
            test_wheel(wheel, interpreter, sources, given.tests, version)
            test_sdist(sdist, interpreter, version)
    print(f"{sdist.name} and {len(interpreters)} wheels built, installed and tested:")
    for interpreter in interpreters:
        print(f"  CPython {interpreter.name} ({'.'.join(map(str, interpreter.version))})")


if __name__ == "__main__":
    main()
