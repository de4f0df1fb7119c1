"""Text of the length and mix that real requests have, the same in every run."""

from itertools import cycle, islice

__all__ = ["chinese", "english", "with_emoji"]

_ENGLISH = (
    "The ferry leaves the north quay when the bell has rung twice.",
    "Nobody in the valley remembers who built the second lock.",
    "She keeps the ledger in a drawer that sticks when it rains.",
    "A copper lamp burns in the window of the customs house.",
    "The miller's son has read every map in the archive, and trusts none of them.",
    "Bread is paid for in salt on this side of the river.",
    "When the wind turns east, the watch lights a second fire.",
    "I asked for the short way, and was shown a door without a handle.",
)
_CHINESE = (
    "渡船在钟声响过两次之后离开北码头。",
    "山谷里没有人记得第二道水闸是谁建的。",
    "她把账本放在一个下雨时就打不开的抽屉里。",
    "海关大楼的窗前点着一盏铜灯。",
    "磨坊主的儿子读过档案馆里的每一张地图，却一张也不相信。",
)
_EMOJI = "🏮🚢🌧️🗺️🔑"


def _joined(sentences: tuple[str, ...], separator: str, length: int, start: int) -> str:
    """Return exactly `length` characters of the sentences in turn, beginning with number `start`."""
    turns = islice(cycle(sentences), start % len(sentences), None)
    pieces: list[str] = []
    total = 0
    while total < length:
        piece = next(turns) + separator
        pieces.append(piece)
        total += len(piece)
    return "".join(pieces)[:length]


def english(length: int, start: int = 0) -> str:
    """Return `length` characters of ASCII."""
    return _joined(_ENGLISH, " ", length, start)


def chinese(length: int, start: int = 0) -> str:
    """Return `length` characters of Chinese, two bytes each in memory and three in UTF-8."""
    return _joined(_CHINESE, "", length, start)


def with_emoji(length: int) -> str:
    """Return `length` characters of Chinese with an emoji after each sentence: four bytes each in memory."""
    sentences = tuple(sentence + emoji for sentence, emoji in zip(_CHINESE, _EMOJI, strict=False))
    return _joined(sentences, "", length, 0)
