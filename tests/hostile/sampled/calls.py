"""A random call: its arguments, and how to make it with either implementation."""

from __future__ import annotations

import collections
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from hostile.tripwire import Planted
from implementations import Implementation

PLACE = "place_context_blocks"
ASSEMBLE = "assemble_context_plan"
ASSEMBLE_FRAGMENTS = "assemble_fragments"
CAPABILITIES = "get_placement_capabilities"

# What a sequence of messages may be, and what an iterable of blocks or fragments.
SEQUENCES: tuple[Callable[[Any], Any], ...] = (tuple, collections.deque, collections.UserList)
ITERABLES: tuple[Callable[[Any], Any], ...] = (
    *SEQUENCES,
    iter,
    lambda items: (item for item in items),
    lambda items: dict(enumerate(items)).values(),
)


@dataclass
class Call:
    """A function by its name, and what it is called with."""

    function: str
    arguments: list[Any]
    options: dict[str, Any] = field(default_factory=dict)
    # What lists are made into before they are handed over, by the index of the argument.
    forms: dict[int, Callable[[Any], Any]] = field(default_factory=dict)
    # What the callbacks were called with; they raise by its length.
    log: list[Any] = field(default_factory=list)

    def make(self, implementation: Implementation) -> Any:
        """Call it, as if for the first time."""
        self.log.clear()
        arguments = list(self.arguments)
        # Iterators are used up by a call, so each call gets its own.
        for index, form in self.forms.items():
            if type(arguments[index]) is list:
                arguments[index] = form(arguments[index])
        return getattr(implementation, self.function)(*arguments, **self.options)

    def __str__(self) -> str:
        """Write the call as Python, but for callbacks and forms."""
        written = [repr(argument) for argument in self.arguments]
        written += [f"{name}={value!r}" for name, value in self.options.items()]
        return f"{self.function}(\n    " + ",\n    ".join(written) + ",\n)"


def _given(block: Any) -> dict[str, Any]:
    fields: dict[str, Any] = block if isinstance(block, dict) else block.to_dict()
    return fields


def callbacks(log: list[Any], raise_at: int) -> dict[str, Callable[..., Any]]:
    """The callbacks of a call: they note what they are called with, and raise at the chosen call."""

    def note(*what: Any) -> None:
        if len(log) == raise_at:
            raise Planted(raise_at)
        log.append(what)

    def create_message(message: dict[str, str]) -> Any:
        note("create_message", tuple(message.items()))
        return {**message, "made": True}

    def render_block(block: Any) -> str:
        given = _given(block)
        note("render_block", given["id"])
        return f"<{given['id']}>{given['content']}"

    def render_messages(block: Any, content: str) -> Iterable[Any]:
        given = _given(block)
        note("render_messages", given["id"], content)
        made = [{"role": given["role"], "content": content, "number": number} for number in range(len(content) % 3 + 1)]
        return made if len(content) % 2 else tuple(made)

    return {each.__name__: each for each in (create_message, render_block, render_messages)}
