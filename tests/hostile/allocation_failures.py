"""Run on its own: memory runs out at every point of every call, and nothing comes out but a `MemoryError` or the right answer.

    python tests/hostile/allocation_failures.py [first] [once] [on] [--every N] [--only TEXT]

`once`: each allocation of a call fails alone, one after the other, and the call works afterwards. `on`: all allocations fail from each
one on, until the call is over, in a process of its own. `first`: as `once`, in the first call of its kind in a process that has the modules it imports. All
three unless some are named. `--every` takes each N-th point, `--only` the calls whose name has the text in it.

Exits with 1 if something came out that should not: a wrong answer, another exception, a message on stderr, an input that changed, a
call that does not work afterwards, a process that died. It has a process of its own because an interpreter without memory is allowed
to be in a bad way for a moment, and because a crash must not take the other tests with it.

CPython loses an exception that passes through a frame of Python code if the object of that frame cannot be made, and
raises a SystemError that says so (on 3.11 and later `(lambda: int("x"))()` will do). That is counted by itself, and allowed where Python code ran.
"""

from __future__ import annotations

import argparse
import contextlib
import copy
import gc
import importlib
import os
import signal
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from types import GeneratorType
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import _testcapi  # type: ignore[import-not-found]  # CPython's own, where it was built with its tests

from hostile.allocation_requests import FIRST, GROUPS, Request

MEMORY, RIGHT, LOST = "MemoryError", "right answer", "exception lost by a frame"
LOST_WORDS = ("error return without exception set", "returned NULL without setting an exception")
ALLOWED = {MEMORY, RIGHT, LOST}
# A failure can be overcome, as by a cache that stays empty; that many in a row, and the call is over.
ROW = 25
# No call has that many.
MOST = 10_000

# CPython 3.12 and 3.13 free the code of a generator expression that could not be made, and crash when it is made again: a call in
# which Python code of the library's runs is the last one of its process there.
FRAGILE = sys.version_info >= (3, 12)

# What an interpreter tells stderr of instead of raising it.
ignored: list[str] = []


def note_ignored(told: Any) -> None:
    """Notes what would be told on stderr. A generator that is left before its end asks for memory to be closed, and can do without."""
    if not isinstance(told.object, GeneratorType):
        ignored.append(f"{told.exc_value!r} in {told.object!r}: {told.err_msg}")


def data_of(result: Any) -> Any:
    """The result as data that can be compared."""
    if hasattr(result, "to_dict") and not isinstance(result, type):
        return data_of(result.to_dict())
    if isinstance(result, dict):
        return {key: data_of(value) for key, value in result.items()}
    return [data_of(item) for item in result] if isinstance(result, (list, tuple)) else result


def refusal(error: BaseException) -> Any:
    """What is told by an exception."""
    return type(error), getattr(error, "code", None), getattr(error, "path", None), str(error)


def outcome(call: Callable[[], Any]) -> Any:
    """The result as data, or the refusal."""
    try:
        return data_of(call())
    except Exception as error:
        return refusal(error)


def outcome_without_memory(call: Callable[[], Any], first: int, end: int) -> Callable[[], Any]:
    """The same where allocations fail, looked at when they do so no more."""
    gc.collect()  # gives up the freed dicts, lists and tuples that are kept to be used again, and would hide allocations
    sys._getframe()  # the object of this frame is made, so that it loses nothing
    _testcapi.set_nomemory(first, end)
    try:
        result = call()
    except BaseException as error:
        _testcapi.remove_mem_hooks()
        return lambda error=error: MEMORY if isinstance(error, MemoryError) else refusal(error)  # type: ignore[misc]
    _testcapi.remove_mem_hooks()
    return lambda: data_of(result)


def ending(told: Any, expected: Any) -> str:
    """The name of an outcome."""
    if ignored:
        return f"ignored: {ignored.pop()}"
    if told == MEMORY:
        return MEMORY
    if told == expected:
        return RIGHT
    if isinstance(told, tuple) and any(words in told[-1] for words in LOST_WORDS):
        return LOST
    return f"instead of the right answer: {told!r}"[:300]


def in_a_process(work: Callable[[Callable[[str], object]], object]) -> tuple[list[str], str]:
    """The lines that a function tells in a process that ends with it, and how the process died if it did."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        work(lambda line: os.write(writing, (line.replace("\n", " ") + "\n").encode(errors="backslashreplace")))
        os._exit(0)
    os.close(writing)
    with open(reading, "rb") as pipe:
        lines = pipe.read().decode().split("\n")[:-1]
    status = os.waitpid(child, 0)[1]
    if os.WIFSIGNALED(status):
        return lines, f"died of {signal.Signals(os.WTERMSIG(status)).name}"
    return lines, f"ended with {status}" if status else ""


def until_undisturbed(tell: Callable[[str], object], ending_at: Callable[[int], str], first: int, every: int) -> None:
    """The endings from one allocation on until the call is over."""
    at, undisturbed = first, 0
    while undisturbed < ROW:
        if at > MOST:
            tell("no end")
            return
        told = ending_at(at)
        tell(told)
        undisturbed = undisturbed + 1 if told == RIGHT else 0
        at += every


def counted_without_row(told: list[str]) -> Counter[str]:
    """How often each ending was, without the right answers of a call that was over."""
    while told and told[-1] == RIGHT:
        told.pop()
    return Counter(told)


def each(mode: str, request: Request, expected: Any, every: int, alone: bool) -> Counter[str]:
    """The endings where each allocation fails alone, or all from each one on: in this process, or `alone` each in one of its own."""

    def ending_at(at: int) -> str:
        end = at + 1 if mode == "once" else 0
        return ending(outcome_without_memory(request.call, at, end)(), expected)

    def ending_alone(at: int) -> str:
        lines, death = in_a_process(lambda tell: tell(ending_at(at)))
        return death or lines[0]

    told: list[str] = []
    if alone or mode == "once":
        until_undisturbed(told.append, ending_alone if alone else ending_at, 0, every)
        return counted_without_row(told)
    death = "not yet"
    while death:  # a process goes on until it dies, and another one from there
        first = len(told) * every
        lines, death = in_a_process(lambda tell, first=first: until_undisturbed(tell, ending_at, first, every))  # type: ignore[misc]
        told += [*lines, death] if death else lines
    return counted_without_row(told)


def each_first(group: Callable[[], list[Request]], name: str, every: int) -> Counter[str]:
    """The endings where each allocation fails alone in the first such call of a process, which works afterwards."""

    modules: list[str] = []

    def in_a_new_process(work: Callable[[Callable[[], Any]], Any]) -> str:
        def prepared(tell: Callable[[str], object]) -> None:
            call = called(group, name)
            for module in modules:
                importlib.import_module(module)
            tell(str(work(call)))

        lines, death = in_a_process(prepared)
        return death or lines[0]

    def ending_at(at: int) -> str:
        def work(call: Callable[[], Any]) -> str:
            told = outcome_without_memory(call, at, at + 1)()
            afterwards = outcome(call)
            return ending(told, afterwards) if repr(afterwards) == expected else f"afterwards: {afterwards!r}"[:300]

        return in_a_new_process(work)

    expected = in_a_new_process(lambda call: repr(outcome(call)))
    modules += in_a_new_process(lambda call: " ".join(modules_imported(call))).split()
    files = [file for file in in_a_new_process(lambda call: "\t".join(files_run(call))).split("\t") if file]
    if FRAGILE and runs_library_code(files):
        return Counter()
    told: list[str] = []
    until_undisturbed(told.append, ending_at, 0, every)
    return without_excuse("first", files, counted_without_row(told))


def called(group: Callable[[], list[Request]], name: str) -> Callable[[], Any]:
    """The call of a request. Nothing of the library's is called to find it."""
    return next(request.call for request in group() if request.name == name)


def files_run(call: Callable[[], Any]) -> list[str]:
    """The files of the Python code that runs in a call."""
    files: list[str] = []
    with contextlib.suppress(Exception):
        sys.setprofile(lambda frame, event, _: files.append(frame.f_code.co_filename) if event == "call" else None)
        try:
            call()
        finally:
            sys.setprofile(None)
    return files


def modules_imported(call: Callable[[], Any]) -> list[str]:
    """The modules that a first call imports. CPython's compiler and its imports crash by themselves where memory runs out."""
    before = set(sys.modules)
    outcome(call)
    return [name for name in sys.modules if name not in before]


def may_lose(mode: str, files: list[str]) -> bool:
    """Whether an exception of a call can pass through a frame and then fail to: those of refusals are raised past their own."""
    return any(mode == "on" or not file.endswith("interleaf/errors.py") for file in files)


def runs_library_code(files: list[str]) -> bool:
    """Whether Python code of the library's runs in a call, besides that of the exceptions."""
    return any("/interleaf/" in file and not file.endswith("/interleaf/errors.py") for file in files)


def checked(mode: str, request: Request, every: int) -> Counter[str]:
    """The endings of a call, and whether all is as it was."""
    for _ in range(3):
        expected = outcome(request.call)
    files = files_run(request.call)
    alone = FRAGILE and runs_library_code(files)
    before = copy.deepcopy(request.inputs)
    counted = each(mode, request, expected, every, alone)
    gc.collect()
    if before != request.inputs:
        counted["changed input"] += 1
    if (afterwards := outcome(request.call)) != expected:
        counted[f"afterwards: {afterwards!r}"[:300]] += 1
    return without_excuse(mode, files, counted)


def without_excuse(mode: str, files: list[str], counted: Counter[str]) -> Counter[str]:
    """The endings, where an exception that was lost by no frame has another name."""
    if not may_lose(mode, files) and counted[LOST]:
        counted[f"{LOST}, and none was there"] = counted.pop(LOST)
    return counted


def each_request(mode: str, only: str, every: int) -> Iterator[tuple[str, Counter[str]]]:
    """The endings of every call, each with its name."""
    if mode != "first":
        for request in (request for group in GROUPS for request in group() if only in request.name):
            yield request.name, checked(mode, request, every)
        return
    for group in FIRST:
        names, _ = in_a_process(lambda tell, group=group: [tell(request.name) for request in group()])  # type: ignore[misc]
        for name in names:
            if only in name:
                yield name, each_first(group, name, every)


def main() -> int:
    """All of it."""
    parser = argparse.ArgumentParser()
    parser.add_argument("modes", nargs="*", default=["first", "once", "on"])
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    sys.unraisablehook = note_ignored
    gc.disable()
    gc.freeze()  # what is there is not looked at again, or each collection would take milliseconds
    faults = 0
    for mode in options.modes:
        total: Counter[str] = Counter()
        for name, counted in each_request(mode, options.only, options.every):
            for what in counted.keys() - ALLOWED:
                print(f"{mode}, {name}: {what} ({counted[what]} times)", flush=True)
            total += counted
        faults += sum(count for what, count in total.items() if what not in ALLOWED)
        print(f"{mode}: {', '.join(f'{what} {total[what]}' for what in (MEMORY, RIGHT, LOST))}", flush=True)
    return min(faults, 1)


if __name__ == "__main__":
    sys.exit(main())
