"""The inputs of every row: each number in a row's name is set here and nowhere else.

Blocks are written down in prompt order, so that the standalone ones are the pairs of the bare build, and then shuffled, as
a retriever hands them over.
"""

from __future__ import annotations

import json
import math
import random
from dataclasses import dataclass, field
from itertools import cycle, islice
from pathlib import Path
from typing import Any

from interleaf import ContextBlock, ContextFragment, ContextPlan, Conversation, Layout
from prose import chinese, english

__all__ = [
    "AGENT_RUNS_FILE",
    "AssembleWork",
    "PlaceWork",
    "agent_runs",
    "blocks_at_one_depth",
    "fragments",
    "large_request",
    "long_conversation",
    "request_of_60",
    "small_request",
]

AGENT_RUNS_FILE = Path(__file__).resolve().parents[2] / "shared/data/chats/taubench_gpt4o_airline_subset.json"

EMBEDDED = frozenset({"author_note_top", "author_note_bottom", "outlet"})
MESSAGE_CHARS = 200
BLOCK_CHARS = 160


@dataclass(frozen=True)
class PlaceWork:
    """One call of `place_context_blocks`, in each form that callers use, and what its bare build needs."""

    messages: list[dict[str, Any]]
    block_maps: list[dict[str, Any]]
    layout_map: dict[str, Any]
    pairs: list[tuple[str, str]]
    blocks: list[ContextBlock] = field(init=False)
    layout: Layout = field(init=False)

    def __post_init__(self) -> None:
        """Build the native forms once, as callers that reuse them do."""
        object.__setattr__(self, "blocks", [ContextBlock(**block) for block in self.block_maps])
        object.__setattr__(self, "layout", Layout(**self.layout_map))

    @property
    def embedded(self) -> int:
        """How many blocks become text inside a message."""
        return len(self.block_maps) - len(self.pairs)

    def names(self) -> dict[str, Any]:
        """Return what the timed statements may name."""
        conversation = self.layout_map.get("conversation")
        indices = conversation["message_indices"] if conversation else []
        return {
            "messages": self.messages,
            "block_maps": self.block_maps,
            "layout_map": self.layout_map,
            "pairs": self.pairs,
            "blocks": self.blocks,
            "layout": self.layout,
            "outlets": self.layout_map.get("outlets"),
            "history": range(indices[0], indices[-1] + 1) if indices else range(0),
            "Layout": Layout,
            "Conversation": Conversation,
        }


def _block(number: int, position: str, role: str | None = "system", **fields: Any) -> dict[str, Any]:
    """Return the mapping of one block; every third is Chinese, as in a bilingual lorebook."""
    write = chinese if number % 3 == 2 else english
    block: dict[str, Any] = {"id": f"entry-{number:04}", "position": position, "content": write(BLOCK_CHARS, number)}
    if role is not None:
        block["role"] = role
    return block | {"order": 100 + number, **fields}


def _place_work(
    messages: list[dict[str, Any]], in_prompt_order: list[dict[str, Any]], layout_map: dict[str, Any]
) -> PlaceWork:
    pairs = [(block["role"], block["content"]) for block in in_prompt_order if block["position"] not in EMBEDDED]
    block_maps = random.Random(24).sample(in_prompt_order, len(in_prompt_order))  # noqa: S311 (an order, not a secret)
    return PlaceWork(messages, block_maps, layout_map, pairs)


def _turns(first: int, count: int, chars: int = MESSAGE_CHARS) -> list[dict[str, Any]]:
    """Return `count` messages of a user and an assistant in turn."""
    roles = ("user", "assistant")
    return [{"role": roles[turn % 2], "content": english(chars, first + turn)} for turn in range(count)]


def _roleplay_messages(count: int) -> list[dict[str, Any]]:
    """Return a prompt with all anchors.

    0: instructions with the outlet `world`; 1 and 2: the character; 3 to 10: eight example messages; 11: a summary with the
    outlet `memory`; 12: the author's note; from 13 on: the conversation.
    """
    head = [
        {"role": "system", "content": f"{english(400)}\n\n{{{{outlet::world}}}}\n\n{english(200, 3)}"},
        {"role": "system", "content": english(600, 1)},
        {"role": "system", "content": english(300, 2)},
        *_turns(3, 8),
        {"role": "system", "content": f"{english(300, 5)}\n{{{{outlet::memory}}}}"},
        {"role": "system", "content": english(120, 6)},
    ]
    return head + _turns(13, count - len(head))


def _roleplay_layout(count: int) -> dict[str, Any]:
    return {
        "character": (1, 3),
        "examples": (3, 11),
        "conversation": {"message_indices": list(range(13, count))},
        "author_note": 12,
        "outlets": {"world": 0, "memory": 11},
    }


def _roleplay_blocks(per_position: dict[str, int], depths: list[int]) -> list[dict[str, Any]]:
    """Return blocks in prompt order; `depths` are those of the `at_depth` blocks, deepest first."""
    numbers = iter(range(10_000))
    blocks: list[dict[str, Any]] = []

    def add(position: str, role: str | None = "system", **fields: Any) -> None:
        blocks.extend(_block(next(numbers), position, role, **fields) for _ in range(per_position[position]))

    add("before_character")
    add("after_character")
    add("before_examples")
    add("after_examples")
    blocks.extend(
        _block(next(numbers), "at_depth", "user" if depth == 0 else "system", depth=depth) for depth in depths
    )
    # Embedded ones make no messages, so where they stand in this list does not matter to the pairs.
    add("author_note_top", None)
    add("author_note_bottom", None)
    names = islice(cycle(("world", "memory")), per_position["outlet"])
    blocks.extend(_block(next(numbers), "outlet", None, outlet_name=name) for name in names)
    return blocks


def request_of_60() -> PlaceWork:
    """Return 60 messages and 24 blocks over all eight positions: 18 standalone, 6 embedded in three hosts.

    The mix is that of a role-play front end with a lorebook: most entries go around the character and to a depth, some to
    the example dialogue, one above and one below the author's note, and two into each of two outlets.
    """
    per_position = {
        "before_character": 3,
        "after_character": 4,
        "before_examples": 2,
        "after_examples": 2,
        "author_note_top": 1,
        "author_note_bottom": 1,
        "outlet": 4,
    }
    depths = [8, 4, 4, 2, 1, 0, 0]
    return _place_work(_roleplay_messages(60), _roleplay_blocks(per_position, depths), _roleplay_layout(60))


def small_request() -> PlaceWork:
    """Return 16 messages and 8 blocks, one at each of the eight positions: 5 standalone, 3 embedded in two hosts."""
    per_position = dict.fromkeys(
        (
            "before_character",
            "after_character",
            "before_examples",
            "after_examples",
            "author_note_top",
            "author_note_bottom",
            "outlet",
        ),
        1,
    )
    messages = [
        {"role": "system", "content": f"{english(200)}\n\n{{{{outlet::world}}}}"},
        {"role": "system", "content": english(300, 1)},
        *_turns(2, 4),
        {"role": "system", "content": english(120, 6)},
        *_turns(7, 9),
    ]
    layout_map = {
        "character": (1, 2),
        "examples": (2, 6),
        "conversation": {"message_indices": list(range(7, 16))},
        "author_note": 6,
        "outlets": {"world": 0},
    }
    return _place_work(messages, _roleplay_blocks(per_position, [4]), layout_map)


def large_request() -> PlaceWork:
    """Return 20,000 messages and 256 blocks over all eight positions: 232 standalone, 24 embedded in three hosts."""
    per_position = {
        "before_character": 24,
        "after_character": 24,
        "before_examples": 16,
        "after_examples": 16,
        "author_note_top": 4,
        "author_note_bottom": 4,
        "outlet": 16,
    }
    depths = [*range(151, 0, -1), 0]
    return _place_work(_roleplay_messages(20_000), _roleplay_blocks(per_position, depths), _roleplay_layout(20_000))


def blocks_at_one_depth(count: int, *, sorted_already: bool = True) -> PlaceWork:
    """Return two messages and `count` blocks at depth 1; as they come sorted, sorting costs one pass over them."""
    in_prompt_order = [_block(number, "at_depth", depth=1) for number in range(count)]
    layout_map = {"conversation": {"message_indices": [0, 1]}}
    work = _place_work(_turns(0, 2), in_prompt_order, layout_map)
    return PlaceWork(work.messages, in_prompt_order, layout_map, work.pairs) if sorted_already else work


def long_conversation(chars: int) -> PlaceWork:
    """Return a conversation of `chars` characters in messages of 10,000, and the 24 blocks of the request of 60."""
    turns = chars // 10_000
    request = request_of_60()
    messages = request.messages[:13] + _turns(13, turns, chars=10_000)
    return PlaceWork(messages, request.block_maps, _roleplay_layout(13 + turns), request.pairs)


def agent_runs() -> list[PlaceWork]:
    """Return the 110 recorded agent runs, each with 8 standalone blocks.

    Two stand behind the system message and six at the depths 16, 8, 4, 2, 1 and 0, so that several gaps of each run touch
    tool calls and their results.
    """
    runs = json.loads(AGENT_RUNS_FILE.read_text(encoding="utf-8"))
    blocks = [_block(number, "after_character") for number in range(2)]
    blocks += [_block(2 + number, "at_depth", depth=depth) for number, depth in enumerate((16, 8, 4, 2, 1, 0))]
    return [
        _place_work(
            run["traj"],
            blocks,
            {"character": (0, 1), "conversation": {"message_indices": list(range(1, len(run["traj"])))}},
        )
        for run in runs
    ]


@dataclass(frozen=True)
class AssembleWork:
    """One plan, in each form that callers use, and what its bare build needs."""

    fragment_maps: list[dict[str, Any]]
    pairs: list[tuple[str, str]]
    max_input_chars: float
    fragments: list[ContextFragment] = field(init=False)
    plan: ContextPlan = field(init=False)

    def __post_init__(self) -> None:
        """Build the native forms once, as callers that reuse them do."""
        native = [ContextFragment(**fragment) for fragment in self.fragment_maps]
        object.__setattr__(self, "fragments", native)
        object.__setattr__(self, "plan", ContextPlan(fragments=native, max_input_chars=self.max_input_chars))

    @property
    def plan_map(self) -> dict[str, Any]:
        """The plan as mappings all through."""
        return {"fragments": self.fragment_maps, "max_input_chars": self.max_input_chars}

    def audited(self, *, allowed: bool) -> ContextPlan:
        """Return the plan with its own fragments as originals, one of them changed since.

        Args:
            allowed: Whether the plan says that this one may change.
        """
        changed = len(self.fragments) // 2
        originals = list(self.fragments)
        originals[changed] = originals[changed].replace(value="What stood there before.")
        # Originals are read from a store, and so are other objects than the fragments, with ids and values of their own.
        originals = [
            original.replace(id="".join(original.id), value="".join(str(original.value))) for original in originals
        ]
        return ContextPlan(
            fragments=self.fragments,
            max_input_chars=self.max_input_chars,
            original_fragments=originals,
            mutable_fragment_ids=[self.fragments[changed].id] if allowed else None,
        )

    def names(self) -> dict[str, Any]:
        """Return what the timed statements may name."""
        return {"plan": self.plan, "plan_map": self.plan_map, "pairs": self.pairs, "messages": []}


def fragments(count: int) -> AssembleWork:
    """Return `count` fragments of 200 characters: instructions first, then memory, then what this turn found."""
    maps: list[dict[str, Any]] = []
    for number in range(count):
        third = number * 3 // count
        write = chinese if number % 3 == 2 else english
        maps.append(
            {
                "id": f"fragment-{number:04}",
                "source_id": f"source-{number % 7}",
                "trust": ("system", "developer", "external")[third],
                "lifetime": ("static", "session", "turn")[third],
                "role": ("system", "developer", "user")[third],
                "max_chars": 4_000 if number % 2 else math.inf,
                "value": write(MESSAGE_CHARS, number),
            }
        )
    pairs = [(fragment["role"], fragment["value"]) for fragment in maps]
    return AssembleWork(maps, pairs, 1_000 * count)
