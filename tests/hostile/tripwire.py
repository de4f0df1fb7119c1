"""Objects that notice each time the library touches them, and do something bad at the chosen time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any


class Planted(Exception):  # noqa: N818
    """The exception the tripwire raises: nothing else raises it, so it must come out unchanged."""


class Tripwire:
    """Counts touches and acts at one of them."""

    def __init__(self, at: int | None = None, act: Callable[[], object] | None = None) -> None:
        self.at = at
        self.act = act
        self.touches = 0

    def touch(self) -> None:
        """Called by every watched object, and by every callback, before it does its work."""
        self.touches += 1
        if self.touches == self.at:
            if self.act is None:
                raise Planted(self.touches)
            self.act()


class WatchedSequence(Sequence[Any]):
    """A sequence in Python code."""

    def __init__(self, items: Sequence[Any], wire: Tripwire) -> None:
        self.items = items
        self.wire = wire

    def __len__(self) -> int:
        self.wire.touch()
        return len(self.items)

    def __getitem__(self, index: Any) -> Any:
        self.wire.touch()
        return self.items[index]


class WatchedMapping(Mapping[Any, Any]):
    """A mapping in Python code."""

    def __init__(self, items: dict[Any, Any], wire: Tripwire) -> None:
        self.items_by_key = items
        self.wire = wire

    def __len__(self) -> int:
        self.wire.touch()
        return len(self.items_by_key)

    def __getitem__(self, key: Any) -> Any:
        self.wire.touch()
        return self.items_by_key[key]

    def __iter__(self) -> Iterator[Any]:
        self.wire.touch()
        return iter(list(self.items_by_key))


class WatchedStr(str):
    """A str whose equality and hash are Python code. Its text is the same, so every answer must be too."""

    wire: Tripwire
    __slots__ = ("wire",)

    def __eq__(self, other: object) -> bool:
        self.wire.touch()
        return str.__eq__(self, other)

    def __ne__(self, other: object) -> bool:
        self.wire.touch()
        return str.__ne__(self, other)

    def __hash__(self) -> int:
        self.wire.touch()
        return str.__hash__(self)


class WatchedIndex:
    """No int, but usable as one, as the integers of NumPy are."""

    def __init__(self, value: int, wire: Tripwire) -> None:
        self.value = value
        self.wire = wire

    def __index__(self) -> int:
        self.wire.touch()
        return self.value


class WatchedInt(int):
    """An int that compares and converts in Python code."""

    wire: Tripwire

    def __index__(self) -> int:
        self.wire.touch()
        return int.__index__(self)

    def __eq__(self, other: object) -> bool:
        self.wire.touch()
        return int.__eq__(self, other)

    def __hash__(self) -> int:
        self.wire.touch()
        return int.__hash__(self)

    def __lt__(self, other: int) -> bool:
        self.wire.touch()
        return int.__lt__(self, other)


def watched(value: Any, wire: Tripwire) -> Any:
    """The same data in watched objects, all the way down; keys stay plain, so that a lookup finds them."""
    if isinstance(value, dict):
        return WatchedMapping({key: watched(item, wire) for key, item in value.items()}, wire)
    if isinstance(value, (list, tuple)):
        return WatchedSequence([watched(item, wire) for item in value], wire)
    if isinstance(value, str):
        text = WatchedStr(value)
        text.wire = wire
        return text
    if type(value) is int:
        if value % 2:
            return WatchedIndex(value, wire)
        number = WatchedInt(value)
        number.wire = wire
        return number
    return value
