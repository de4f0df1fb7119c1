"""A few thousand random requests; and that the sampler would tell, if there was something to tell."""

from __future__ import annotations

import queue
import subprocess
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

import interleaf
from comparison import Refusal
from hostile import sampling
from hostile.effort import LONG
from hostile.sampled import differences, requests, run, spite
from hostile.sampled.calls import PLACE, Call, callbacks
from hostile.sampled.differences import Difference, Untouched, compare
from hostile.sampled.source import Source
from hostile.sampled.variety import MUST_BE_MET, Tally
from hostile.tripwire import Planted
from implementations import NATIVE

SCRIPT = Path(__file__).resolve().parent / "sampling.py"


@dataclass
class Number:
    value: int = 0


@pytest.mark.skipif(LONG, reason="the long form has a process of its own: make fuzz-bindings")
def test_a_few_thousand_requests() -> None:
    outcome = run.run(seed=2, first=0, count=4_000, progress=Number(), patience=0)
    assert outcome.faults == []
    assert outcome.runs == 4_000
    assert outcome.tally.faults() == []


def test_the_same_seed_and_number_make_the_same_request() -> None:
    for number in range(40):
        once, again = (str(requests.draw(Source.of_request(3, number), number)) for _ in range(2))
        assert _without_addresses(once) == _without_addresses(again)
    assert str(requests.draw(Source.of_request(3, 0), 0)) != str(requests.draw(Source.of_request(4, 0), 0))


def _without_addresses(text: str) -> str:
    return "\n".join(line.partition(" at 0x")[0] for line in text.split("\n"))


def _native_with(monkeypatch: pytest.MonkeyPatch, **functions: Any) -> None:
    """Put wrong functions into the place of the native ones."""
    wrong = replace(NATIVE, **functions)
    monkeypatch.setattr(differences, "NATIVE", wrong)
    monkeypatch.setattr(spite, "NATIVE", wrong)


def _faults(count: int = 400) -> list[str]:
    return run.run(seed=2, first=0, count=count, progress=Number()).faults


def test_a_wrong_index_is_found_and_told_with_the_command_that_repeats_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def off_by_one(messages: Any, blocks: Any, layout: Any, **options: Any) -> Any:
        if isinstance(layout, dict) and type(layout.get("author_note")) is int:
            layout = {**layout, "author_note": max(0, layout["author_note"] - 1)}
        return interleaf.place_context_blocks(messages, blocks, layout, **options)

    _native_with(monkeypatch, place_context_blocks=off_by_one)
    (fault,) = _faults()
    number = fault.split()[1]
    assert f"sampling.py --seed 2 --first {number} --runs 1" in fault
    assert "place_context_blocks(" in fault


def test_another_refusal_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuses_otherwise(plan: Any, **options: Any) -> Any:
        try:
            return interleaf.assemble_context_plan(plan, **options)
        except interleaf.PlanError as error:
            error.path += "!"
            raise

    _native_with(monkeypatch, assemble_context_plan=refuses_otherwise)
    (fault,) = _faults()
    assert "reference" in fault


@pytest.mark.parametrize("error", [SystemError("a result with an exception set"), BaseException("a panic")])
def test_a_panic_is_found(monkeypatch: pytest.MonkeyPatch, error: BaseException) -> None:
    def panics(*arguments: Any, **options: Any) -> Any:
        raise error

    _native_with(monkeypatch, place_context_blocks=panics)
    (fault,) = _faults()
    assert str(error) in fault


def test_a_changed_input_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def changes(messages: Any, blocks: Any, layout: Any, **options: Any) -> Any:
        result = interleaf.place_context_blocks(messages, blocks, layout, **options)
        if isinstance(messages, list):
            messages.reverse()
            messages.append({})
        return result

    _native_with(monkeypatch, place_context_blocks=changes)
    (fault,) = _faults()
    assert "the input was changed" in fault


def test_a_callback_that_is_called_twice_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def calls_twice(*arguments: Any, **options: Any) -> Any:
        interleaf.place_context_blocks(*arguments, **options)
        return interleaf.place_context_blocks(*arguments, **options)

    _native_with(monkeypatch, place_context_blocks=calls_twice)
    log: list[Any] = []
    block = {"id": "a", "position": "before_character", "content": "", "role": "user"}
    render = {"render_block": callbacks(log, raise_at=-1)["render_block"]}
    with pytest.raises(Difference, match="callbacks were called with"):
        compare(Call(PLACE, [[], [block], {"character": (0, 0)}], render, log=log))


def test_a_planted_exception_that_is_swallowed_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def swallows(*arguments: Any, **options: Any) -> Any:
        try:
            return interleaf.place_context_blocks(*arguments, **options)
        except Planted as planted:
            raise KeyError("swallowed") from planted

    # The comparison of plain requests would find it too.
    monkeypatch.setattr(spite, "NATIVE", replace(NATIVE, place_context_blocks=swallows))
    faults = _faults(4_000)
    assert "an exception was planted, but the call ordinary exception" in faults[0]


def test_a_leak_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    kept: list[Any] = []

    def leaks(plan: Any, **options: Any) -> Any:
        kept.append(object())
        return interleaf.assemble_context_plan(plan, **options)

    monkeypatch.setattr(run, "SPARE_BLOCKS", 0)
    monkeypatch.setattr(run, "check", lambda *_: leaks({"fragments": [], "max_input_chars": 0}))
    (fault,) = _faults(3_000)
    assert fault.startswith("a leak: ")
    monkeypatch.setattr(run, "check", lambda *_: None)
    kept.clear()
    assert _faults(3_000) == []


def test_requests_that_are_all_alike_are_found() -> None:
    tally = Tally()
    call = Call(PLACE, [[], [], {}])
    for _ in range(10):
        tally.add_ending(PLACE, compare(call))
    faults = tally.faults()
    assert "never met: position at_depth" in faults
    assert "100% accepted; expected 40% to 80%" in faults
    tally.count(*MUST_BE_MET)
    for _ in range(10):
        tally.add_ending(PLACE, Refusal(TypeError))
    assert tally.faults() == []


def test_untouched_sees_what_was_changed_at_any_depth() -> None:
    inner: list[Any] = [1]
    itself: list[Any] = [{"a": (inner,)}]
    itself.append(itself)
    before = Untouched(itself)
    assert before.is_so_still()
    inner[0] = 1.0
    assert not before.is_so_still()


def test_a_request_that_hangs_ends_the_process_and_shows_where() -> None:
    code = (
        "import sys, time\n"
        "from types import SimpleNamespace\n"
        f"sys.path.insert(0, {str(SCRIPT.parent.parent)!r})\n"
        "from hostile.sampled import run\n"
        "def hangs(*_): time.sleep(100)\n"
        "run.check = hangs\n"
        "run.run(1, 0, 10, SimpleNamespace(value=0), patience=0.1)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=90)  # noqa: S603
    assert done.returncode == 1
    assert "in hangs" in done.stderr


class Gone:
    """A process that crashed, and its queue."""

    exitcode = -11

    def is_alive(self) -> bool:
        return False

    def get(self, timeout: float) -> Any:  # noqa: ARG002  # as a queue is asked
        raise queue.Empty


def test_a_crash_is_told_with_the_command_that_repeats_it(capsys: pytest.CaptureFixture[str]) -> None:
    outcome = sampling.outcome_of(Gone(), Number(77), Gone(), seed=5)
    assert "ended with -11" in outcome.faults[0]
    assert "--seed 5 --first 77 --runs 1" in capsys.readouterr().err


def test_the_script_shares_requests_out() -> None:
    arguments = [str(SCRIPT), "--runs", "30", "--first", "7", "--processes", "2"]
    done = subprocess.run([sys.executable, *arguments], capture_output=True, text=True, check=False)  # noqa: S603
    assert (done.returncode, done.stderr) == (0, "")
    assert "sampling: 30 requests with seed 1" in done.stdout
