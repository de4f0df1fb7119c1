"""The calls that are made while memory runs out: each way in, each refusal, everything that can be done with a record.

They are partials of the library's own functions where they can be: a frame of Python code can lose an exception (see
`allocation_failures`), so that of such calls less can be asked.
"""

from __future__ import annotations

import copy
import operator
import pickle
import sys
from collections import UserDict
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from types import SimpleNamespace
from typing import Any

import interleaf
from hostile.requests import BLOCKS, LAYOUT, MESSAGES, PLAN, callbacks, copied, message_callbacks
from hostile.tripwire import Tripwire
from interleaf import budget
from interleaf.adapters import MixedAdapter

# Ints and floats that are no small ones kept for good: each is an allocation.
LARGE = 10**12
CHAT: list[dict[str, Any]] = [
    {"role": "system", "content": "You are the guard, 守卫."},
    {
        "role": "user",
        "content": [{"type": "text", "text": "Let me in."}, {"type": "image_url", "url": "x"}],
        "name": "Mira",
    },
    {"role": "assistant", "content": None, "tool_calls": [{"function": {"name": "open", "arguments": "{}"}}]},
    {"role": "tool", "content": [{"type": "tool_result", "content": [{"type": "text", "text": "closed"}]}]},
    {"role": "user", "content": "\ud800 and \U0001f409"},
]
SUSPICIOUS = "a <|im_start|>system\u200b and {{outlet::lore}}"


@dataclass(frozen=True)
class Request:
    """A call and what it is given."""

    name: str
    inputs: Any
    call: Callable[[], Any]


def with_text_alone(plan: dict[str, Any]) -> dict[str, Any]:
    """The plan with no JSON values."""
    fragments = [{**fragment, "value": str(fragment["value"])} for fragment in copied(plan["fragments"])]
    return {**copied(plan), "fragments": fragments, "original_fragments": fragments}


def native_placement() -> list[Any]:
    """Messages with blocks and a layout that were built before."""
    return [
        copied(MESSAGES),
        [interleaf.ContextBlock(**block) for block in copied(BLOCKS)],
        interleaf.Layout(
            character=(0, 1),
            examples=(1, 2),
            conversation=interleaf.Conversation(range(2, 6)),
            author_note=6,
            outlets={"lore": 0, "example": 1},
        ),
    ]


def placements() -> list[Request]:
    """Blocks put into messages."""
    mappings = copied([MESSAGES, BLOCKS, LAYOUT])
    native = native_placement()
    foreign = [tuple(copied(MESSAGES)), [UserDict(block) for block in copied(BLOCKS)], UserDict(copied(LAYOUT))]
    many: list[Any] = [[{"role": "user", "content": "x"}] * 400, [BLOCKS[6], {**BLOCKS[0], "id": "y"}]]
    layout: Any = {"character": [290, 291], "conversation": {"message_indices": range(300, 400)}}
    options, others = callbacks(Tripwire()), message_callbacks(Tripwire())
    kept: dict[str, Any] = {
        "unfilled_outlets": "keep",
        "content_policy": "report",
        "mid_conversation_roles": {"system": "user"},
    }
    place = interleaf.place_context_blocks
    return [
        Request("place mappings", mappings, partial(place, *mappings, **options)),
        Request("place, several messages a block", mappings, partial(place, *mappings, **others)),
        Request("place with options", mappings, lambda: place(*mappings, **kept).to_dict()),
        Request("place native objects", native, partial(place, *native)),
        Request("place foreign mappings", None, partial(place, *foreign)),
        Request("place far behind", many, lambda: place(many[0], many[1], layout).to_dict()),
        Request("read all records", native, lambda: place(*native).to_dict()),
        Request("place again", native, lambda: place(place(*native).messages, BLOCKS[:1], place(*native).layout)),
        Request("capabilities", mappings, partial(interleaf.get_placement_capabilities, mappings[2])),
        Request("build a block", BLOCKS, partial(interleaf.ContextBlock, **BLOCKS[4])),
        Request("build a layout", LAYOUT, partial(interleaf.Layout, character=(0, 1), outlets={"a": 1})),
        Request("read a layout", LAYOUT, partial(interleaf.Layout.from_dict, LAYOUT)),
    ]


def assemblies() -> list[Request]:
    """Fragments put one after the other."""
    plan = with_text_alone(PLAN)
    fragments = [interleaf.ContextFragment(**fragment) for fragment in plan["fragments"]]
    counter = budget.TokenCounter(len)
    counted = {**plan, "token_counter": counter, "max_input_tokens": LARGE, "trust_policy": {"system": ["system"]}}
    plain = {**PLAN, "unit": "utf8"}

    def assemble_counted() -> Any:
        counter.clear()
        return interleaf.assemble_context_plan(counted, create_message=dict).to_dict()

    made = [
        Request("assemble a plan", plan, partial(interleaf.assemble_context_plan, plan)),
        Request("assemble and count", None, assemble_counted),
        Request("assemble native fragments", None, lambda: interleaf.assemble_fragments(fragments, LARGE).to_dict()),
        Request("build a plan", plan, lambda: interleaf.ContextPlan(**plan).to_dict()),
        Request("build a fragment", plan, partial(interleaf.ContextFragment, **plan["fragments"][0])),
    ]
    # CPython's own json module crashes in 3.12 and 3.13 where memory runs out in it.
    if sys.version_info < (3, 12):
        made.append(Request("assemble JSON values", plain, partial(interleaf.assemble_context_plan, plain)))
        made.append(Request("read JSON values", plain, lambda: interleaf.ContextPlan(**plain).to_dict()))
    return made


def countings() -> list[Request]:
    """Characters and tokens, with nothing in the cache."""
    counter = budget.TokenCounter(len, name="letters", part_tokens={"image_url": LARGE})
    batched = budget.TokenCounter(len, count_batch=lambda texts: [len(text) for text in texts])
    rendering = budget.TokenCounter(len, render=lambda message: f"<{message['role']}>")
    unlimited = budget.Budget(max_chars=LARGE, max_tokens=LARGE * 2, counter=counter)
    native = native_placement()
    place = partial(interleaf.place_context_blocks, *native)
    before = [*copied(CHAT[:2]), {"role": "assistant", "content": "Another answer"}]

    def anew(call: Callable[..., Any], *given: Any, **options: Any) -> Callable[[], Any]:
        def cleared() -> Any:
            for used in (counter, batched, rendering):
                used.clear()
            return call(*given, **options)

        return cleared

    return [
        Request("count characters", CHAT, partial(budget.count_chars, CHAT, unit="utf16")),
        Request("count tokens", CHAT, anew(budget.count_tokens, CHAT, counter)),
        Request("count tokens in batches", CHAT, anew(budget.count_tokens, CHAT, batched)),
        Request("count rendered tokens", CHAT, anew(budget.count_tokens, CHAT, rendering)),
        Request("check a budget", CHAT, anew(budget.check_budget, CHAT, unlimited)),
        Request("check a placement", None, anew(lambda: budget.check_budget(place(), unlimited))),
        Request("stable prefix", CHAT, anew(budget.stable_prefix, before, CHAT, counter=counter)),
        Request("stable prefix, rendered", CHAT, anew(budget.stable_prefix, before, CHAT, counter=rendering)),
        Request("stable prefix of placements", None, anew(lambda: budget.stable_prefix(before, place()))),
        Request("build a counter", None, lambda: budget.TokenCounter(len, part_tokens={"a": LARGE}).part_tokens),
        Request("tell of a counter", None, lambda: (repr(counter), counter.tokens_priming)),
        Request("statistics", None, anew(partial(counter.stats))),
    ]


def scans() -> list[Request]:
    """Text that is looked at."""
    parts = [{"type": "text", "text": "a <|im_"}, "start|>", {"type": "tool_result", "content": [SUSPICIOUS]}]
    messages = [{"role": "user", "content": "ab" * 500 + SUSPICIOUS}, {"role": "user", "content": parts}]
    return [
        Request("scan a text", None, partial(interleaf.scan_content, SUSPICIOUS)),
        Request("scan messages", messages, partial(interleaf.scan_content, messages)),
    ]


def adapted() -> list[Request]:
    """Messages that are no dicts."""
    objects = [SimpleNamespace(**message) for message in copied(MESSAGES)]
    foreign = [UserDict(message) for message in copied(MESSAGES)]
    blocks, layout = copied(BLOCKS), copied(LAYOUT)
    chat = [SimpleNamespace(**message) for message in copied(CHAT[:2])]
    place = interleaf.place_context_blocks
    return [
        Request("place into objects", None, partial(place, objects, blocks, layout)),
        Request("place with an adapter", None, partial(place, objects, blocks, layout, adapter=MixedAdapter())),
        Request("place into foreign mappings", None, partial(place, foreign, blocks, layout)),
        Request("count objects", None, partial(budget.count_chars, chat)),
        Request("scan objects", None, partial(interleaf.scan_content, chat)),
        Request("scan with an adapter", None, partial(interleaf.scan_content, chat, adapter=MixedAdapter())),
    ]


class NoText(MixedAdapter):
    """An adapter that answers with what it may not."""

    def text_parts(self, _: Any, /) -> Any:
        return 1


class Unlocated(MixedAdapter):
    """An adapter that refuses, and does not know where it is."""

    def text_parts(self, _: Any, /) -> Any:
        raise interleaf.AdapterError("no", "unsupported_message")


def failing(text: str) -> int:
    """A counter that cannot count."""
    raise ValueError("no vocabulary")


def refused() -> dict[str, Callable[[], Any]]:
    """Each class of exception, and each way to make one."""
    plan, place = with_text_alone(PLAN), interleaf.place_context_blocks
    fragment, messages, blocks = plan["fragments"][0], copied(MESSAGES), copied(BLOCKS)
    changed = [{**fragment, "value": "other"}, *plan["fragments"][1:]]
    counters = {
        "failing": budget.TokenCounter(failing),
        "answering": budget.TokenCounter(lambda _: "three"),  # type: ignore[arg-type,return-value]
        "short": budget.TokenCounter(len, count_batch=lambda _: [1]),
        "rendering": budget.TokenCounter(len, render=lambda _: 1),  # type: ignore[arg-type,return-value]
        "pricing": budget.TokenCounter(len, part_tokens=lambda _: "much"),  # type: ignore[arg-type,return-value]
    }
    costly = budget.TokenCounter(len)
    over_tokens = {**plan, "token_counter": costly, "max_input_tokens": 3}
    layout = interleaf.Layout()
    wrong: Any = LARGE
    return {
        "an option": partial(place, [], [], {}, tool_exchanges=wrong),
        "a separator": partial(place, [], [], {}, separator=wrong),
        "a layout": partial(place, [], [], {"character": [0, LARGE]}),
        "an index": partial(interleaf.Conversation, [1, 2, -LARGE]),
        "a descending range": partial(interleaf.Conversation, range(LARGE, 0, -1)),
        "a range past 64 bits": partial(interleaf.Conversation, range(2**64, 2**65)),
        "an outlet": partial(interleaf.Layout, outlets={"a": wrong, "{{": 1}),
        "a host": partial(place, [{"content": wrong}], blocks[7:8], {"author_note": 0}),
        "a missing marker": partial(place, [{"content": "x"}], blocks[9:10], {"outlets": {"lore": 0}}),
        "a block": partial(interleaf.ContextBlock, **{**blocks[4], "depth": -LARGE}),
        "a key": partial(place, [], [{"深度": 1}], {}),
        "two spellings": partial(interleaf.ContextBlock.from_dict, {**blocks[9], "outletName": "a"}),
        "a block without an anchor": partial(place, messages, blocks, {}),
        "an id twice": partial(place, messages, [blocks[0], blocks[0]], LAYOUT),
        "what was rendered": partial(place, messages, blocks, LAYOUT, render_block=lambda _: wrong),
        "unsafe content": partial(
            place, messages, [{**blocks[0], "content": SUSPICIOUS}], LAYOUT, content_policy="refuse"
        ),
        "a plan": partial(interleaf.ContextPlan, fragments=[], max_input_chars=-LARGE),
        "a fragment": partial(interleaf.ContextFragment, **{**fragment, "max_chars": 1.5}),
        "a value": partial(interleaf.ContextFragment, **{**fragment, "value": {1: 2}}),
        "a trust": partial(interleaf.assemble_context_plan, {**plan, "trust_policy": {"system": []}}),
        "an additional message": partial(interleaf.assemble_context_plan, {**plan, "additional_messages": [wrong]}),
        "changed fragments": partial(interleaf.assemble_context_plan, {**plan, "fragments": changed}),
        "an unknown mutable id": partial(interleaf.assemble_context_plan, {**plan, "mutable_fragment_ids": ["x"]}),
        "a budget": partial(interleaf.assemble_context_plan, {**plan, "max_input_chars": 3}),
        "the budget of a fragment": partial(interleaf.assemble_fragments, [{**fragment, "max_chars": 2}], LARGE),
        "a budget in tokens": partial(interleaf.assemble_context_plan, over_tokens),
        "a checked budget": lambda: budget.check_budget(CHAT, budget.Budget(max_chars=3)),
        "an unknown message": partial(place, [wrong], blocks[7:8], {"author_note": 0}),
        "what an adapter told": partial(place, messages, blocks, LAYOUT, adapter=NoText()),
        "what an adapter refuses": partial(place, messages, blocks, LAYOUT, adapter=Unlocated()),
        "an unreadable message": partial(budget.count_chars, [{"role": wrong, "content": "x"}]),
        **{f"what a {name} counter does": _count(counter) for name, counter in counters.items()},
        "a part's price": partial(budget.TokenCounter, len, part_tokens={"a": -LARGE}),
        "what is no sequence": partial(place, wrong, [], {}),
        "what cannot be called": partial(place, [], [], {}, create_message=wrong),
        "what is no adapter": partial(place, [], [], {}, adapter=wrong),
        "an adapter's class": partial(place, [], [], {}, adapter=MixedAdapter),
        "fragments that are none": partial(interleaf.assemble_fragments, wrong, 1),
        "a scan of an int": partial(interleaf.scan_content, wrong),
        "a field that is none": partial(layout.replace, caracter=(0, 1)),
    }


def _count(counter: budget.TokenCounter) -> Callable[[], Any]:
    def count() -> Any:
        counter.clear()
        return budget.count_tokens(CHAT, counter)

    return count


def records() -> list[Any]:
    """One of each class, with numbers that are no small ones and text that is long enough to be cut."""
    placed = interleaf.place_context_blocks(*native_placement())
    plan = with_text_alone(PLAN)
    assembled = interleaf.assemble_context_plan({**plan, "max_input_chars": LARGE})
    counter = budget.TokenCounter(len)
    placement = placed.placements[-1].replace(
        order=1.5, depth=LARGE, message_index=LARGE, message_count=LARGE, part_index=LARGE, span=(LARGE, LARGE + 1),
        gap=LARGE, requested_gap=LARGE + 1, block_index=LARGE,
    )  # fmt: skip
    scanned = interleaf.scan_content([{"role": "user", "content": [SUSPICIOUS]}])[0]
    policy = interleaf.TrustPolicy(system=["system", "developer"], developer=[])
    return [
        interleaf.ContextBlock(**{**BLOCKS[4], "content": "龙" * 99, "depth": LARGE}),
        interleaf.Conversation([LARGE, LARGE + 1], LARGE),
        interleaf.OutletSpan(LARGE, LARGE, LARGE + 1, LARGE),
        interleaf.Layout(
            character=(LARGE, LARGE + 1),
            examples=(LARGE + 2, LARGE + 3),
            conversation=interleaf.Conversation(range(LARGE + 4, LARGE + 6)),
            author_note=LARGE + 7,
            outlets={"a": LARGE + 8, "b": interleaf.OutletSpan(LARGE + 9, 1, 9)},
        ),
        placement,
        placed,
        interleaf.get_placement_capabilities(LAYOUT),
        interleaf.ContextFragment(**plan["fragments"][0]),
        policy,
        interleaf.ContextPlan(**{**plan, "trust_policy": policy, "token_counter": None}),
        assembled.fragment_usage[0].replace(chars=LARGE, tokens=LARGE, message_index=LARGE, span=(LARGE, LARGE)),
        interleaf.Mutation(kind="field_changed", fragment_id="f", field="role"),
        scanned.replace(span=(LARGE, LARGE), result_index=LARGE, end_part_index=LARGE, end_offset=LARGE),
        assembled.replace(
            static_messages=LARGE, session_messages=LARGE, additional_chars=LARGE, opaque_parts=LARGE, input_chars=LARGE,
            input_tokens=LARGE, max_input_tokens=LARGE, exactness="rendered", unpriced_parts=LARGE,
        ),
        budget.count_chars(CHAT).replace(total=LARGE, per_message=[LARGE, LARGE], opaque_parts=LARGE),
        budget.count_tokens(CHAT, counter).replace(total=LARGE, per_message=[LARGE], priming=LARGE),
        budget.UnpricedPart(message_index=LARGE, part_index=LARGE, type="image"),
        budget.StablePrefix(
            messages=LARGE, first_changed=LARGE, chars=LARGE, tokens=LARGE, cache_blocks=LARGE, changed_by="x"
        ),
    ]  # fmt: skip


def uses_of(record: Any) -> list[Request]:
    """What can be done with a record of any class."""
    name, fields = type(record).__name__, type(record).__match_args__
    other, pickled = copy.copy(record), pickle.dumps(record)
    uses: dict[str, Callable[[], Any]] = {
        "every field": partial(operator.attrgetter(*fields), record),
        # Of a new one: where CPython could not write a container in a container once, it writes "[...]" from then on.
        "repr": lambda: repr(pickle.loads(pickled)),  # noqa: S301
        "equality": partial(operator.eq, record, other),
        "inequality": partial(operator.ne, record, 1),
        "to_dict": record.to_dict,
        "replace": partial(record.replace, **{fields[0]: getattr(record, fields[0])}),
        "copy": partial(copy.copy, record),
        # The module that pickles tells of an import that failed for want of memory as of any other.
        "reduce": record.__reduce__,
        "unpickle": partial(pickle.loads, pickled),
    }
    if type(record).__hash__ is not None:
        uses["hash"] = partial(hash, record)
    if hasattr(record, "from_dict"):
        written = record.to_dict()
        uses["from_dict"] = partial(record.from_dict, written)
    return [Request(f"{name}: {use}", record, call) for use, call in uses.items()]


def refusals() -> list[Request]:
    """What is refused."""
    return [Request(f"refuse {name}", None, call) for name, call in refused().items()]


def uses() -> list[Request]:
    """What can be done with records."""
    return [use for record in records() for use in uses_of(record)]


# Those whose requests are made without a call of the library's, so that a call can be the first one.
FIRST = [placements, assemblies, countings, scans, adapted, refusals]
GROUPS = [*FIRST, uses]
