"""Objects of odd types, and the small request that the tests of inputs put them into."""

from __future__ import annotations

import types
from collections import ChainMap, OrderedDict, UserDict, defaultdict
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable


class ReadOnlyMapping(Mapping[str, Any]):
    """A mapping that is nothing but a mapping."""

    def __init__(self, items: Mapping[str, Any]) -> None:
        self._items = dict(items)

    def __getitem__(self, key: str) -> Any:
        return self._items[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)


class DictSubclass(dict[str, Any]):
    """A dict with attributes of its own."""

    note = "kept"


class OddText(str):
    """A str that lies about itself wherever it can."""

    __slots__ = ()

    def __str__(self) -> str:
        return "odd"

    __repr__ = __str__

    def __len__(self) -> int:
        return 1

    def __eq__(self, other: object) -> bool:
        return str.__eq__(self, other) if isinstance(other, str) else False

    __hash__ = str.__hash__


def chat() -> list[dict[str, Any]]:
    return [
        {"role": "system", "content": "You are {{outlet::who}}."},
        {"role": "user", "content": "u"},
        {"role": "assistant", "content": "a"},
    ]


BLOCK: dict[str, Any] = {"id": "b", "position": "at_depth", "content": "B", "role": "system", "depth": 1}


LAYOUT: dict[str, Any] = {"conversation": {"message_indices": [1, 2]}}


CONTENTS = ["You are {{outlet::who}}.", "u", "B", "a"]


def contents(result: Any) -> list[Any]:
    return [message["content"] for message in result.messages]


MAPPING_FORMS: tuple[Callable[[dict[str, Any]], Any], ...] = (
    dict,
    DictSubclass,
    OrderedDict,
    UserDict,
    ReadOnlyMapping,
    types.MappingProxyType,
    lambda items: ChainMap({}, items),
    lambda items: defaultdict(list, items),
)


FRAGMENT: dict[str, Any] = {
    "id": "f",
    "source_id": "test",
    "trust": "user",
    "lifetime": "turn",
    "role": "user",
    "max_chars": 10,
    "value": "F",
}
