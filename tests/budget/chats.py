"""Random chats in English, Chinese, code and emoji, and the ChatML template."""

from __future__ import annotations

import random
from typing import Any

ENGLISH = [
    "the",
    "keeper",
    "of",
    "lighthouses",
    "wrote:",
    "storms",
    "don't",
    "wait,",
    "isn't",
    "it",
    '"never"',
    "—",
    "1897",
    "(twice).",
]
CHINESE = list("灯塔看守人说过暴风雨从不等人，是不是？海港里的船都回来了。“真的”：一八九七年")
CODE = [
    "def f(x):\n",
    "    return x  # twice\n",
    "\t\tif (a != b) {\n",
    "}\n\n",
    "x += 1;\r\n",
    "λ = [i**2 for i in y]\n",
    "//  \n",
]
EMOJI = ["😀", "👩‍👩‍👧", "🏳️‍🌈", " 🔥", "é", "e\u0301", "ﬁ", "\u00a0", "\u200b", "👍🏽"]
ROLES = ("system", "user", "assistant", "tool")


def random_text(chance: random.Random) -> str:
    pieces = []
    for _ in range(chance.randrange(0, 25)):
        kind = chance.randrange(4)
        if kind == 0:
            pieces.append(" ".join(chance.choices(ENGLISH, k=chance.randrange(1, 6))))
        elif kind == 1:
            pieces.append("".join(chance.choices(CHINESE, k=chance.randrange(1, 9))))
        elif kind == 2:
            pieces.append(chance.choice(CODE))
        else:
            pieces.append("".join(chance.choices(EMOJI, k=chance.randrange(1, 3))))
        pieces.append(chance.choice(["", " ", "  ", "\n", "\n\n"]))
    return "".join(pieces)


def random_chat(seed: int) -> list[dict[str, Any]]:
    chance = random.Random(seed)  # noqa: S311 # the same chats in every run
    return [{"role": chance.choice(ROLES), "content": random_text(chance)} for _ in range(chance.randrange(0, 12))]


def chatml(message: dict[str, Any]) -> str:
    return f"<|im_start|>{message['role']}\n{message['content']}<|im_end|>\n"
