"""Compares a budget check with what people use for one today, and prints a Markdown table.

Every contestant gets a conversation that fits its character budget, and says so:

- a plain loop: `sum(len(message["content"]) ...) <= budget` over the list of dicts, and nothing else;
- interleaf: `assemble_fragments`, which measures, checks every fragment's budget and the total, and builds the list of
  messages that goes to the model; from native fragments that were made when each message arrived, or from mappings that it
  reads and checks on each call; and `place_context_blocks` of eight blocks into the conversation before that;
- langchain-core: `trim_messages` over its own message objects, made beforehand, with a counter that adds up `len(content)`;
- litellm: `trim_messages` over the dicts. It can only count tokens, so it is timed as it is, and once more with its counter
  replaced by one that adds up `len(content)`, which is the same check as that of the others.

The trimmers can do more than check: they can cut a conversation that is too long. That work is not in these times, for
nothing here is too long. Before anything is timed, each one must keep all messages of a conversation at its budget, and must
trim or refuse one that is over it.
"""

from __future__ import annotations

import datetime
import importlib
import json
import math
import os
import platform
import sys
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from timeit import Timer
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
# litellm would ask a server for prices, and the tokenizer for its tables; both are in the package.
os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"

import interleaf
from prose import english
from workloads import AGENT_RUNS_FILE

Message = dict[str, Any]
Check = Callable[[], object]

MESSAGE_CHARS = 400
SIZES = (20, 200, 2_000, 20_000)
SECONDS = 1.0
"""How long each cell is measured, one call at least."""


def text_of(message: Message) -> str:
    """Return the text of a message; one that only calls tools has none."""
    return message["content"] or ""


def count_dicts(messages: list[Message]) -> int:
    """Return the characters of all contents."""
    return sum(len(message["content"] or "") for message in messages)


def count_objects(messages: list[Any]) -> int:
    """Return the characters of all contents of langchain messages."""
    return sum(len(message.content) for message in messages)


def generated(count: int) -> list[Message]:
    """Return `count` messages of 400 characters."""
    roles = ("user", "assistant")
    return [{"role": roles[turn % 2], "content": english(MESSAGE_CHARS, turn)} for turn in range(count)]


def recorded() -> list[list[Message]]:
    """Return the 110 agent runs, tool calls and results included."""
    runs = json.loads(AGENT_RUNS_FILE.read_text(encoding="utf-8"))
    return [run["traj"] for run in runs]


def fragment_map(number: int, message: Message) -> Message:
    """Return a message as a fragment. A tool's result is vouched for by the tool, and said to the model as the user says it."""
    role = message["role"]
    return {
        "id": f"turn-{number}",
        "source_id": "history",
        "trust": {"assistant": "external"}.get(role, role),
        "lifetime": "static" if role == "system" else "session",
        "role": "user" if role == "tool" else role,
        "max_chars": math.inf,
        "value": text_of(message),
    }


class Contestants:
    """Makes the checks of one conversation, by the name of the column."""

    def __init__(self) -> None:
        self.langchain: Any = importlib.import_module("langchain_core.messages")
        self.litellm: Any = importlib.import_module("litellm.utils")
        self.count_tokens = self.litellm.token_counter
        self.blocks = [
            interleaf.ContextBlock(
                id=f"entry-{depth}", position="at_depth", depth=depth, role="system", content=english(160, depth)
            )
            for depth in (0, 1, 2, 3, 4, 8, 12, 16)
        ]

    def with_characters(self, call: Check) -> Check:
        """Return the call with litellm's counter replaced by one of characters."""

        def run() -> object:
            self.litellm.token_counter = lambda *, messages, **_: count_dicts(messages)
            try:
                return call()
            finally:
                self.litellm.token_counter = self.count_tokens

        return run

    def checks(self, messages: list[Message], budget: int) -> dict[str, Check]:
        """Return what each contestant does with a conversation and a budget of characters."""
        maps = [fragment_map(number, message) for number, message in enumerate(messages)]
        native = [interleaf.ContextFragment(**fragment) for fragment in maps]
        layout = interleaf.Layout(conversation=interleaf.Conversation(range(len(messages))))
        objects = self.langchain.convert_to_messages(messages)

        def place_and_assemble() -> object:
            interleaf.place_context_blocks(messages, self.blocks, layout)
            return interleaf.assemble_fragments(native, budget)

        def trim_with_litellm(limit: int) -> object:
            # litellm keeps what is below the limit, the others what is at it.
            return self.litellm.trim_messages(messages, model="gpt-4o", max_tokens=limit + 1)

        return {
            "plain loop": lambda: count_dicts(messages) <= budget,
            "interleaf": lambda: interleaf.assemble_fragments(native, budget),
            "interleaf, mappings": lambda: interleaf.assemble_fragments(maps, budget),
            "interleaf, 8 blocks placed too": place_and_assemble,
            "langchain-core": lambda: self.langchain.trim_messages(
                objects, max_tokens=budget, token_counter=count_objects, strategy="last"
            ),
            "litellm, counting by `len`": self.with_characters(lambda: trim_with_litellm(budget)),
            # As many tokens as there are characters always fit.
            "litellm, counting tokens": lambda: trim_with_litellm(budget),
        }

    def assert_same_check(self, messages: list[Message]) -> None:
        """Each one keeps everything at the budget, and does not when it is ten characters less."""
        total = count_dicts(messages)
        kept = self.checks(messages, total)
        assert kept["plain loop"]() is True
        for name in ("interleaf", "interleaf, mappings"):
            result = kept[name]()
            assert isinstance(result, interleaf.BuiltContext)
            assert result.input_chars == total
            assert [message["content"] for message in result.messages] == [text_of(message) for message in messages]
        for name in ("langchain-core", "litellm, counting by `len`", "litellm, counting tokens"):
            assert len(list(kept[name]())) == len(messages), name  # type: ignore[call-overload]
        # Ten, because litellm counts as fitting only what is below its limit, but then trims to what is at it.
        over = self.checks(messages, total - 10)
        assert over["plain loop"]() is False
        for name in ("interleaf", "interleaf, mappings", "interleaf, 8 blocks placed too"):
            assert is_refused(over[name]), name
        assert len(list(over["langchain-core"]())) < len(messages)  # type: ignore[call-overload]
        trimmed = over["litellm, counting by `len`"]()
        assert count_dicts(trimmed) < total  # type: ignore[arg-type]


def is_refused(call: Check) -> bool:
    """Tell whether interleaf says that the budget does not hold."""
    try:
        call()
    except interleaf.BudgetExceededError:
        return True
    return False


def microseconds(calls: list[Check]) -> list[float]:
    """Return the least time of each call, taken in turn until each has had its share of seconds."""
    timers = [Timer(call) for call in calls]
    numbers = [max(1, round(0.002 / timer.timeit(1))) for timer in timers]
    best = [math.inf] * len(calls)
    spent = [0.0] * len(calls)
    while min(spent) < SECONDS:
        for index, (timer, number) in enumerate(zip(timers, numbers, strict=True)):
            if spent[index] < SECONDS:
                seconds = timer.timeit(number)
                best[index] = min(best[index], seconds / number)
                spent[index] += seconds
    return [seconds * 1e6 for seconds in best]


def row_of(contestants: Contestants, conversations: list[list[Message]]) -> dict[str, float]:
    """Return microseconds a conversation, on average, for each contestant."""
    for messages in conversations[:3]:
        contestants.assert_same_check(messages)
    checks = [contestants.checks(messages, count_dicts(messages)) for messages in conversations]

    def all_of(name: str) -> Check:
        own = [check[name] for check in checks]

        def run() -> None:
            for call in own:
                call()

        return run

    names = list(checks[0])
    times = microseconds([all_of(name) for name in names])
    return {name: time / len(conversations) for name, time in zip(names, times, strict=True)}


def machine() -> str:
    """Return the processor's name, if the system tells."""
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        for line in cpuinfo.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def shown(time: float) -> str:
    """Return microseconds with three digits that count."""
    return f"{time:.3g}" if time < 100 else f"{time:,.0f}"


def main() -> None:
    """Print the table."""
    contestants = Contestants()
    rows: dict[str, dict[str, float]] = {}
    if AGENT_RUNS_FILE.exists():
        rows["110 agent runs, mean"] = row_of(contestants, recorded())
    else:
        print(f"The agent runs are left out: there is no {AGENT_RUNS_FILE}.\n", file=sys.stderr)
    for size in SIZES:
        rows[f"{size:,} messages of 400 characters"] = row_of(contestants, [generated(size)])
    columns = list(rows[next(iter(rows))])
    print("| µs a check | " + " | ".join(columns) + " |")
    print("|---" + "|---:" * len(columns) + "|")
    for name, times in rows.items():
        print(f"| {name} | " + " | ".join(shown(times[column]) for column in columns) + " |")
    versions = ", ".join(f"{name} {version(name)}" for name in ("interleaf", "langchain-core", "litellm", "tiktoken"))
    today = datetime.datetime.now(tz=datetime.timezone.utc).date()
    print(f"\n{today}; {versions}; Python {platform.python_version()}; {machine()}, {platform.system()}.")


if __name__ == "__main__":
    main()
