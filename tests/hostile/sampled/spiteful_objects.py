"""Objects that are not what they say: lengths, keys, equality and numbers that lie, change, or raise."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from hostile.sampled.source import Source
from hostile.tripwire import Tripwire, WatchedIndex, WatchedInt, WatchedMapping, WatchedSequence, WatchedStr

# No lie asks for memory that the machine might have.
_LENGTHS: tuple[Any, ...] = (-1, 0, 1, 2, 3, 7, 2**62, 2**63 - 1, 2**70, "x", None, 1.5)


class NoTruth:
    """Neither true nor false: what a comparison may return."""

    def __bool__(self) -> bool:
        raise RuntimeError("no truth value")


_ANSWERS: tuple[Any, ...] = (True, False, NotImplemented, None, NoTruth(), 0, "yes")


class LyingSequence:
    """Its length is not the number of its items, which it hands out as long as it likes."""

    def __init__(self, items: list[Any], source: Source) -> None:
        self.items = items
        self.source = source

    def __len__(self) -> int:
        length: int = self.source.one_of((*_LENGTHS, len(self.items), len(self.items)))
        return length

    def __getitem__(self, index: Any) -> Any:
        if self.source.chance(0.1):
            raise self.source.one_of((IndexError, KeyError, RuntimeError, ValueError))("spite")
        if not isinstance(index, int) or not self.items or index > len(self.items) + 3:
            raise IndexError(index)
        return self.items[index % len(self.items)]


class RestlessMapping(Mapping[Any, Any]):
    """Its keys are others each time they are listed, and a key that was listed may be gone."""

    def __init__(self, items: dict[Any, Any], source: Source) -> None:
        self.given = items
        self.source = source

    def __len__(self) -> int:
        return self.source.below(len(self.given) + 3)

    def __iter__(self) -> Iterator[Any]:
        keys = [key for key in self.given if self.source.chance(0.9)]
        extra: tuple[Any, ...] = ("unknown", 7, None, ["id"], *self.given)
        return iter([*keys, self.source.one_of(extra)] if self.source.chance(0.3) else keys)

    def __getitem__(self, key: Any) -> Any:
        if self.source.chance(0.1):
            raise self.source.one_of((KeyError, RuntimeError, ValueError))("spite")
        return self.given[key]


class RestlessDict(dict[Any, Any]):
    """A real dict, whose methods tell something else than it holds."""

    source: Source

    def __len__(self) -> int:
        return self.source.below(9)

    def __iter__(self) -> Iterator[Any]:
        return iter(["unknown", *list(dict.keys(self))] if self.source.chance(0.5) else [])

    def __getitem__(self, key: Any) -> Any:
        return self.source.one_of((None, 7, "x", dict.get(self, key)))

    def get(self, key: Any, default: Any = None) -> Any:
        return self.source.one_of((default, "assistant", dict.get(self, key)))

    def keys(self) -> Any:
        return list(self)

    def items(self) -> Any:
        return [(key,) if self.source.chance(0.2) else (key, self[key]) for key in self]


class DeceitfulStr(str):
    """Text that compares, hashes and shows itself as it likes."""

    source: Source
    __slots__ = ("source",)

    def __eq__(self, other: object) -> Any:
        return self.source.one_of(_ANSWERS)

    def __ne__(self, other: object) -> Any:
        return self.source.one_of(_ANSWERS)

    def __hash__(self) -> int:
        if self.source.chance(0.2):
            raise RuntimeError("no hash")
        return self.source.one_of((0, 1, str.__hash__(self)))

    def __str__(self) -> Any:
        return self.source.one_of(("other", "", 7, None))

    def __repr__(self) -> Any:
        return self.source.one_of(("other", "", 7, None))

    def __len__(self) -> int:
        length: int = self.source.one_of(_LENGTHS)
        return length

    def encode(self, *_: Any) -> Any:
        return self.source.one_of((b"\xff", None))


class DeceitfulIndex:
    """An index that is another each time, or none."""

    def __init__(self, source: Source) -> None:
        self.source = source

    def __index__(self) -> Any:
        if self.source.chance(0.2):
            raise self.source.one_of((RuntimeError, ValueError, KeyError))("no index")
        return self.source.one_of((0, 1, 2, 3, -1, True, 2**70, "x", None, 1.5))


class DeceitfulFloat(float):
    """A number that neither compares nor converts."""

    source: Source

    def __eq__(self, other: object) -> Any:
        return self.source.one_of(_ANSWERS)

    def __lt__(self, other: object) -> Any:
        return self.source.one_of(_ANSWERS)

    def __hash__(self) -> int:
        raise RuntimeError("no hash")

    def __float__(self) -> Any:
        return self.source.one_of((float("nan"), "x", None))


def self_containing(source: Source) -> Any:
    """Draw a container that contains itself, or one too deep to walk."""
    kind = source.below(5)
    inner: list[Any] = []
    if kind == 0:
        inner.append(inner)
        return inner
    if kind == 1:
        mapping: dict[str, Any] = {"type": "tool_result"}
        mapping["content"] = [mapping]
        return mapping
    if kind == 2:
        pair = (inner, "x")
        inner.append({"pair": pair})
        return pair
    if kind == 3:
        part: dict[str, Any] = {"type": "text", "text": "x"}
        part["text"] = part
        return [part, inner]
    for _ in range(3000):
        inner = [inner]
    return inner


def spiteful(value: Any, source: Source, wire: Tripwire) -> Any:
    """Put a hostile object in the place of a value, of a kind with it as often as not."""
    if source.chance(0.1):
        return self_containing(source)
    lies = source.chance(0.5)
    if isinstance(value, dict):
        if not lies:
            return WatchedMapping(value, wire)
        if source.chance(0.5):
            return RestlessMapping(value, source)
        restless = RestlessDict(value)
        restless.source = source
        return restless
    if isinstance(value, (list, tuple, range)):
        items = list(value[:20])
        return LyingSequence(items, source) if lies else WatchedSequence(items, wire)
    if isinstance(value, str):
        made: Any = DeceitfulStr(value) if lies else WatchedStr(value)
        setattr(made, "source" if lies else "wire", source if lies else wire)
        return made
    if isinstance(value, float):
        number = DeceitfulFloat(value)
        number.source = source
        return number
    if type(value) is int and not lies:
        watched = WatchedInt(value)
        watched.wire = wire
        return watched if source.chance(0.5) else WatchedIndex(value, wire)
    return DeceitfulIndex(source)
