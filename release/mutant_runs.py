"""Runs the tests on changed modules of the reference, a fork for each.

A process for each mutant would spend its time on imports. So pytest collects the tests once, here, and runs all of them to note how
long each takes and which lines of the reference it reaches. Then each mutant gets a fork, in which everything is warm: it runs the
changed file in the namespace of its module, and then the tests that reach the changed lines, the shortest first and those that
caught its neighbours, until one fails.
"""

from __future__ import annotations

import ast
import functools
import gc
import graphlib
import importlib
import os
import pickle
import resource
import signal
import sys
import time
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from types import CodeType, FrameType

    from mutations import Mutant

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = "interleaf.reference"
REFERENCE = ROOT / "python" / "interleaf" / "reference"
# Those that reach the reference.
TESTS = (
    "tests/test_assembly.py",
    "tests/test_callbacks.py",
    "tests/test_conformance.py",
    "tests/test_differential_*.py",
    "tests/test_docstrings.py",
    "tests/test_errors.py",
    "tests/test_hosts.py",
    "tests/test_layouts.py",
    "tests/test_measuring.py",
    "tests/test_placement_properties.py",
    "tests/test_real_data.py",
    "tests/test_records.py",
    "tests/test_reference_package.py",
    "tests/test_tool_exchanges.py",
    "tests/adapters",
    "tests/budget",
    "tests/inputs",
    "tests/scan",
)
# Of one test. The slowest takes three seconds; the second limit is for a test that waits instead of running.
PROCESSOR_SECONDS, SECONDS = 15, 120
MORE_MEMORY = 2 << 30
OUT_OF_TIME = "OUT OF TIME"


@dataclass(frozen=True)
class Measured:
    """One test: whether it passes, how long it takes, and the lines of the reference that it reaches, by file."""

    item: pytest.Item
    passed: bool
    seconds: float
    lines: dict[str, set[int]]


@dataclass
class Outcome:
    """What became of the mutants: by what each was caught, and which survived."""

    killers: dict[Mutant, str] = field(default_factory=dict)
    survivors: list[Mutant] = field(default_factory=list)


class MutantRuns:
    """A plugin that runs the collected tests on each mutant instead of once."""

    def __init__(self, mutants: Sequence[Mutant], show_killers: bool) -> None:
        self.mutants = mutants
        self.show_killers = show_killers
        self.outcome = Outcome()
        self.failed = False

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Remember a failure."""
        self.failed = self.failed or report.failed

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Measure the tests without a mutant, then look for one that fails with each."""
        started = time.monotonic()
        on_import = _traced(lambda: install({}))
        tests = self._measure(session.items)
        # Whatever a fork does not touch is not copied.
        gc.collect()
        gc.freeze()
        if broken := self._run({}, [test.item for test in tests]):
            sys.exit(f"a fork fails without any mutant: {broken}")
        print(f"\n{len(tests)} tests reach the reference, {time.monotonic() - started:.0f} s until now", flush=True)
        killed_before: defaultdict[tuple[str, str], Counter[str]] = defaultdict(Counter)
        for number, mutant in enumerate(self.mutants, 1):
            killers = killed_before[mutant.path.name, mutant.scope.function]
            reaching = [test for test in tests if _reaches(test, mutant, on_import)]
            reaching.sort(key=lambda test: _promise(test, mutant, killers))
            killer = self._run({mutant.path: mutant.code()}, [test.item for test in reaching])
            if killer:
                killers[killer] += 1
                self.outcome.killers[mutant] = killer
            else:
                self.outcome.survivors.append(mutant)
            if not killer or killer == OUT_OF_TIME or self.show_killers:
                print(f"{killer or f'SURVIVED {len(reaching)} tests'}: {mutant}", flush=True)
            if number % 100 == 0:
                spent, alive = time.monotonic() - started, len(self.outcome.survivors)
                print(f"{number} run, {alive} survived, {spent:.0f} s", flush=True)
        return True

    def _measure(self, items: Iterable[pytest.Item]) -> list[Measured]:
        """Run all tests; return those that reach the reference."""
        tests: list[Measured] = []
        for item in items:
            started = time.perf_counter()
            lines = _traced(lambda: self._run_tests([item]))  # noqa: B023  # it is called at once
            tests.append(Measured(item, not self.failed, time.perf_counter() - started, lines))
        _limit_time(0, 0)
        if broken := [test.item.nodeid for test in tests if not test.passed]:
            sys.exit(f"tests fail without any mutant: {', '.join(broken)}")
        return [test for test in tests if test.lines]

    def _run(self, changed: dict[Path, CodeType], items: Sequence[pytest.Item]) -> str:
        """Run tests on changed files in a fork; return the one that failed, or what else went wrong, or nothing."""

        def attempt() -> str:
            try:
                install(changed)
            except Exception as error:  # whatever the change makes of the module
                return f"{type(error).__name__} on import"
            return self._run_tests(items)

        ended_by, failed = in_fork(attempt)
        if ended_by in (signal.SIGPROF, signal.SIGALRM):
            return OUT_OF_TIME
        return signal.Signals(ended_by).name if ended_by else str(failed)

    def _run_tests(self, items: Sequence[pytest.Item]) -> str:
        """Run tests until one fails, and return its name."""
        self.failed = False
        for item, following in zip(items, [*items[1:], None], strict=True):
            _limit_time(PROCESSOR_SECONDS, SECONDS)
            item.ihook.pytest_runtest_protocol(item=item, nextitem=following)
            if self.failed:
                return item.nodeid
        return ""


def run(mutants: Sequence[Mutant], show_killers: bool) -> Outcome:
    """Run the tests on all of these."""
    os.environ["INTERLEAF_HYPOTHESIS_PROFILE"] = "mutants"
    runs = MutantRuns(mutants, show_killers)
    tests = [str(found) for pattern in TESTS for found in sorted(ROOT.glob(pattern))]
    if code := pytest.main(["-q", "--capture=no", "-p", "no:cacheprovider", *tests], plugins=[runs]):
        sys.exit(f"the tests cannot be run: {code!r}")
    return runs.outcome


def install(changed: dict[Path, CodeType]) -> None:
    """Run all modules of the reference anew, some of them changed, each in the namespace that it has.

    So the names that modules import from each other are new ones. Functions that tests hold stay the objects they are and get the
    new code, for tests hold functions of the reference and nothing else. A function with a closure is a new one: it keeps what a
    change may change.
    """
    for path, code in _in_order_of_imports():
        module = importlib.import_module(PACKAGE if path.stem == "__init__" else f"{PACKAGE}.{path.stem}")
        namespace = vars(module)
        held = {name: value for name, value in namespace.items() if isinstance(value, FunctionType)}
        # Nothing of the module before is left, or what a change leaves out would be there all the same.
        for name in [name for name, value in namespace.items() if not _belongs_to_importing(name, value)]:
            del namespace[name]
        exec(changed.get(path, code), namespace)  # noqa: S102  # a file of the package, with one place changed
        for name, function in held.items():
            new = namespace.get(name)
            if isinstance(new, FunctionType) and new.__module__ == module.__name__ and not new.__closure__:
                function.__code__, function.__defaults__ = new.__code__, new.__defaults__
                function.__kwdefaults__ = new.__kwdefaults__
                namespace[name] = function


def _belongs_to_importing(name: str, value: object) -> bool:
    return name.startswith("__") or isinstance(value, ModuleType)


@functools.cache
def _in_order_of_imports() -> list[tuple[Path, CodeType]]:
    """The files of the reference, compiled, each after those that it imports from."""
    sources = {path: path.read_text(encoding="utf-8") for path in sorted(REFERENCE.glob("*.py"))}
    imports = {
        path: {
            REFERENCE / f"{node.module}.py"
            for node in ast.parse(source).body
            if isinstance(node, ast.ImportFrom) and node.level == 1
        }
        for path, source in sources.items()
    }
    order = graphlib.TopologicalSorter(imports).static_order()
    return [(path, compile(sources[path], str(path), "exec")) for path in order]


def _reaches(test: Measured, mutant: Mutant, on_import: dict[str, set[int]]) -> bool:
    path, lines = str(mutant.path), mutant.scope.lines
    if mutant.scope.runs_on_import or not on_import[path].isdisjoint(lines):
        return True
    return not test.lines.get(path, set()).isdisjoint(lines)


def _promise(test: Measured, mutant: Mutant, killers: Counter[str]) -> tuple[bool, float]:
    """First what reaches the file, then what takes the shortest time for each neighbour that it caught."""
    return str(mutant.path) not in test.lines, test.seconds / (killers[test.item.nodeid] + 0.1)


def _traced(work: Callable[[], object]) -> dict[str, set[int]]:
    """Return the lines of the reference that run meanwhile."""
    lines: defaultdict[str, set[int]] = defaultdict(set)
    folder = str(REFERENCE)

    def trace(frame: FrameType, _event: str, _argument: object) -> Any:
        path = frame.f_code.co_filename
        if not path.startswith(folder):
            return None
        lines[path].add(frame.f_lineno)
        return trace

    sys.settrace(trace)
    try:
        work()
    finally:
        sys.settrace(None)
    return dict(lines)


def in_fork(work: Callable[[], object]) -> tuple[int, object]:
    """Do work in a fork; return the number of the signal that ended it, 0 if none did, and the result."""
    read_end, write_end = os.pipe()
    child = os.fork()
    if not child:
        try:
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
            _limit_memory()
            with open(write_end, "wb") as result:
                pickle.dump(work(), result)
        finally:
            os._exit(0)
    os.close(write_end)
    with open(read_end, "rb") as results:
        written = results.read()
    _, status = os.waitpid(child, 0)
    ended_by = os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
    return ended_by, pickle.loads(written) if written else "no answer"  # noqa: S301  # what the fork wrote


def _limit_time(processor_seconds: float, seconds: float) -> None:
    """End the process after that; 0 for no limit."""
    signal.setitimer(signal.ITIMER_PROF, processor_seconds)
    signal.setitimer(signal.ITIMER_REAL, seconds)


def _limit_memory() -> None:
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    limit = pages * resource.getpagesize() + MORE_MEMORY
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
