"""Where random requests come from: a generator of its own for each, and the small values that they are made of."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any, TypeVar

T = TypeVar("T")

# The widths in which Python stores text: ASCII, Latin-1, two bytes (with lone surrogates), four bytes.
_ALPHABETS = ("ab \n", "aéÿ{}", "a世界\ud800\udfff{}", "a😀𝒳é世\udc00}")
# Markers whole and in pieces, and what a scan of content looks for.
_PIECES = (
    *("{{outlet::", "}}", "{{", "}", "lore", "世界", "{{outlet::lore}}", "{{outlet::a}}", "é", "😀"),
    *("<|im_start|>", "[INST]", "\u200b", "\u202e"),
)
# The code points at which the encoded lengths of a text grow.
_EDGES = "\x7f\x80\u07ff\u0800\uffff\U00010000"
_IDS = ("a", "b", "ab", "é", "世界", "😀", "\uffff", "Z", "0", "block-7", "block-10")
# Numbers that compare equal, or only differ past the precision of a float.
_ORDERS = (
    *(-2, -1, 0, 1, 2, 0.5, -0.0, 0.0, 1.0, -0.5, 1e300, -1e300, 2**53, 2**53 + 1, float(2**53)),
    *(2**63 - 1, -(2**63), 9.223372036854775807e18, 5e-324),
)
_DEPTHS = (0, 1, 2, 3, 4, 5, 6, 0, 1, 100, 2**63 - 1)
_METADATA = (None, 0, "note", ["tags"], {"source": "book"})


class Source(random.Random):
    """The random choices of one request. The same seed and number make the same request, on every machine."""

    @classmethod
    def of_request(cls, seed: int, number: int) -> Source:
        """Return the source of one request, which needs none of the requests before it."""
        return cls(seed << 64 | number)

    def chance(self, share: float) -> bool:
        """Say yes in that share of all cases."""
        return self.random() < share

    def below(self, count: int) -> int:
        """Draw from 0 up to and not including `count`. A third of the time of `randrange`, and this is most of the work."""
        return int(self.random() * count)

    def one_of(self, items: Sequence[T]) -> T:
        """Draw one."""
        return items[int(self.random() * len(items))]

    def several(self, items: Sequence[T], most: int) -> list[T]:
        """Draw up to `most`, each once."""
        return self.sample(items, min(len(items), self.below(most + 1)))

    def text(self) -> str:
        """Draw a short text of any width."""
        kind = self.random()
        if kind < 0.6:
            alphabet = self.one_of(_ALPHABETS)
            return "".join([self.one_of(alphabet) for _ in range(self.below(9))])
        if kind < 0.65:
            return "".join([self.one_of(_EDGES) for _ in range(self.below(4))])
        if kind < 0.85:
            return "".join([self.one_of(_PIECES) for _ in range(self.below(5))])
        return "".join([chr(self.below(0x110000)) for _ in range(self.below(5))])

    def identifier(self) -> str:
        """Draw an id."""
        if self.chance(0.7):
            return self.one_of(_IDS)
        # Below the surrogates, which an id may not hold.
        return "".join([chr(self.below(0xD800)) for _ in range(1 + self.below(3))])

    def identifiers(self, most: int) -> list[str]:
        """Draw ids that differ."""
        return list(dict.fromkeys([self.identifier() for _ in range(self.below(most + 1))]))

    def order(self) -> int | float:
        """Draw what blocks are sorted by."""
        return self.one_of(_ORDERS)

    def depth(self) -> int:
        """Draw a depth."""
        return self.one_of(_DEPTHS)

    def metadata(self) -> Any:
        """Draw metadata; a container is a new object each time, so that identity tells one from another."""
        metadata = self.one_of(_METADATA)
        return metadata.copy() if isinstance(metadata, (list, dict)) else metadata

    def spelling(self, name: str) -> str:
        """Draw snake_case or camelCase."""
        first, *rest = name.split("_")
        return first + "".join([word.capitalize() for word in rest]) if rest and self.chance(0.4) else name
