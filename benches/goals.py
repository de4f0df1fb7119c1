"""What each row of the table is held to. The workloads are in `workloads`, what a row stands for is in README.md."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["ROWS", "Goal"]


@dataclass(frozen=True)
class Goal:
    """A bound on one figure of a row.

    Attributes:
        figure: A yardstick of the row (`bare`, `reference`, …), or a figure with a unit of its own (`us`, `ms`, `MB`, …).
        limit: The bound: how many times the yardstick's time, or in the figure's unit.
        faster: Whether `limit` is how many times faster than the yardstick the row must be, so that more is better.
    """

    figure: str
    limit: float
    faster: bool = False

    def __str__(self) -> str:
        """Return the goal as the table shows it."""
        if self.figure in UNITS:
            return f"≤ {self.limit:g} {UNITS[self.figure]}"
        return f"≥ {self.limit:g} × faster than {self.figure}" if self.faster else f"≤ {self.limit:g} × {self.figure}"

    def is_met(self, value: float, slack: float = 1.0) -> bool:
        """Tell whether `value` is within the goal, or within `slack` times it."""
        return value >= self.limit / slack if self.faster else value <= self.limit * slack


UNITS = {"us": "µs", "ms": "ms", "MB": "MB", "B": "B", "kB": "kB"}

# In the order of the table. A row without goals is there to be watched.
ROWS: dict[str, tuple[Goal, ...]] = {
    "place 60 + 24, native": (Goal("bare", 2.5), Goal("reference", 25, faster=True)),
    "place 60 + 24, layout anew from a range": (Goal("bare", 3.5),),
    "place 60 + 24, mappings": (Goal("bare", 6),),
    "place 16 + 8, native": (Goal("bare", 3),),
    "place 20,000 + 256, native": (Goal("bare", 1.5),),
    "place 110 agent runs + 8, native": (Goal("bare", 3),),
    "place 60 + 24, native, all records read": (),
    "assemble 30, native plan": (Goal("bare", 2.5), Goal("reference", 20, faster=True)),
    "assemble 30, mappings": (Goal("bare", 6),),
    "assemble 30, audited, one change allowed": (Goal("unaudited", 2),),
    "assemble 30, audited, one change refused": (),
    "assemble 3,000, per item": (Goal("at 30", 1.5),),
    "place 3,000 at one depth, per item": (Goal("at 30", 1.5),),
    "place 3,000 at one depth, shuffled, per item": (),
    "utf16 of 1 MB of ASCII": (Goal("encode", 20, faster=True),),
    "utf16 of 1 MB of Chinese": (Goal("encode", 20, faster=True),),
    "utf16 of 1 MB of Chinese with emoji": (Goal("encode", 20, faster=True),),
    "utf8 of 1 MB of ASCII": (),
    "utf8 of 1 MB of Chinese": (Goal("encode", 5, faster=True),),
    "utf8 of 1 MB of Chinese with emoji": (Goal("encode", 5, faster=True),),
    # 500 MB/s.
    "scan 1 MB of clean ASCII": (Goal("us", 2_000),),
    "scan 1 MB of HTML": (),
    "refused: block without its anchor": (Goal("us", 3),),
    "refused: unknown anchor in a layout": (Goal("us", 3),),
    "check 40 messages, warm": (Goal("us", 5),),
    "check 400 messages, warm": (Goal("us", 40),),
    "check 400 messages, warm, beside others": (
        Goal("tiktoken", 100, faster=True),
        Goal("litellm", 100, faster=True),
        Goal("langchain", 10, faster=True),
    ),
    "check 400 messages, warm, fresh strings": (Goal("us", 600),),
    "count 400 messages, cold": (Goal("counter alone", 1.05),),
    "check 400 messages and a new one, beyond its count": (Goal("us", 50),),
    "check 400 messages, cache evicting": (Goal("not full", 2),),
    "stable prefix of 400 messages, per item": (Goal("us", 0.02),),
    "import": (Goal("ms", 15),),
    "wheel": (Goal("MB", 1.5),),
    "memory of a call beyond its output": (Goal("B", 1024),),
    "memory of a plan beyond its output": (Goal("B", 1024),),
    "memory kept by 10⁶ placements": (Goal("kB", 512),),
    "memory kept by other calls": (Goal("kB", 512),),
}
