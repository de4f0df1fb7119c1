"""Random plans: fragments, originals that differ from them, messages of all shapes, budgets near what is used."""

from __future__ import annotations

import math
from typing import Any

from hypothesis import strategies as st

from interleaf import ContextFragment, ContextPlan, InterleafError
from strategies import IDS, METADATA, ODD_ITERABLES, ODD_VALUES, ROLES, TEXTS, with_one_fault

TRUSTS = ("system", "developer", "user", "tool", "external")
LIFETIMES = ("static", "session", "turn")
UNITS = ("codepoint", "utf16", "utf8")
FRAGMENT_NAMES = ("id", "source_id", "trust", "lifetime", "role", "max_chars", "value", "metadata")
PLAN_NAMES = (
    "fragments",
    "max_input_chars",
    "additional_messages",
    "original_fragments",
    "mutable_fragment_ids",
    "unit",
    "merge_adjacent",
    "separator",
)

JSON_VALUES = st.recursive(
    st.one_of(
        TEXTS,
        st.integers(-3, 3),
        st.booleans(),
        st.sampled_from([0.5, -0.0, 1e300, 2**70, "\ud800", "é"]),
    ),
    lambda inner: st.one_of(
        st.lists(st.one_of(st.none(), inner), max_size=3),
        st.lists(inner, max_size=2).map(tuple),
        st.dictionaries(TEXTS, st.one_of(st.none(), inner), max_size=3),
    ),
    max_leaves=5,
)


def _nested(levels: int) -> Any:
    value: Any = []
    for level in range(levels - 1):
        value = [value] if level % 2 else {"a": value}
    return value


# 200 levels are JSON, 201 are too deep; and what no JSON can hold.
ODD_FRAGMENT_VALUES: tuple[Any, ...] = (
    *ODD_VALUES,
    _nested(200),
    _nested(201),
    {"a": {1: 2}},
    {"a": [float("nan")]},
    [b"x"],
    [{1, 2}],
    10**4000,
    10**5000,
)
BUDGETS = st.one_of(st.integers(0, 12), st.sampled_from([100, 10**30, math.inf]))


@st.composite
def _fragments(draw: st.DrawFn, identifier: str) -> dict[str, Any]:
    fragment = {
        "id": identifier,
        draw(st.sampled_from(["source_id", "sourceId"])): draw(IDS),
        "trust": draw(st.sampled_from(TRUSTS[:3])),
        "lifetime": draw(st.sampled_from(LIFETIMES)),
        "role": draw(st.sampled_from(ROLES[:2])),
        draw(st.sampled_from(["max_chars", "maxChars"])): draw(st.one_of(st.just(100), BUDGETS)),
        "value": draw(st.one_of(TEXTS, TEXTS, JSON_VALUES)),
    }
    if draw(st.booleans()):
        fragment["metadata"] = draw(METADATA)
    return fragment


@st.composite
def fragment_lists(draw: st.DrawFn) -> list[dict[str, Any]]:
    """Fragments with ids of their own."""
    return [draw(_fragments(identifier)) for identifier in draw(st.lists(IDS, max_size=6, unique=True))]


# Parts that are no text, or not what they say.
OTHER_PARTS: tuple[Any, ...] = (
    {"type": "image_url", "image_url": {}},
    {"type": "tool_result"},
    {"type": "tool_result", "content": None, "text": "x"},
    {"type": "tool_result", "content": [{"type": "tool_result", "content": "nested"}]},
    {"type": "text", "text": 7},
    {"type": "output_text", "text": "x"},
    *({}, 7, None, "text"),
)
_PARTS = st.one_of(
    st.builds(lambda text: {"type": "text", "text": text}, TEXTS),
    st.builds(lambda text: {"type": "input_text", "text": text}, TEXTS),
    st.builds(lambda text: {"type": "tool_result", "content": text}, TEXTS),
    st.builds(
        lambda text: {"type": "tool_result", "content": [{"type": "text", "text": text}, {"type": "image"}, 7]}, TEXTS
    ),
    st.sampled_from(OTHER_PARTS),
)
ADDITIONAL_MESSAGES = st.builds(
    lambda content: {"role": "user", "content": content, "name": "é"},
    st.one_of(TEXTS, st.lists(_PARTS, max_size=4)),
)


@st.composite
def _originals(draw: st.DrawFn, fragments: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The fragments as they were before a few changes."""
    originals = [dict(fragment) for fragment in fragments]
    for _ in range(draw(st.integers(0, 3))):
        change = draw(st.sampled_from(["add", "remove", "swap", "value", "field"]))
        at = draw(st.integers(0, len(originals)))
        if change == "add":
            originals.insert(at, draw(_fragments(f"new {len(originals)}")))
        elif change == "swap":
            originals = draw(st.permutations(originals))
        elif at < len(originals):
            if change == "remove":
                del originals[at]
            elif change == "value":
                originals[at]["value"] = draw(st.one_of(TEXTS, JSON_VALUES))
            else:
                name = draw(st.sampled_from(["trust", "lifetime", "role"]))
                originals[at][name] = {"trust": "tool", "lifetime": "turn", "role": "user"}[name]
    ids = [original["id"] for original in originals]
    return [original for at, original in enumerate(originals) if original["id"] not in ids[:at]]


@st.composite
def plans(draw: st.DrawFn) -> dict[str, Any]:
    """A plan that is well formed; its budgets may be too small, and its originals may differ."""
    fragments = draw(fragment_lists())
    plan: dict[str, Any] = {"fragments": fragments}
    plan[draw(st.sampled_from(["max_input_chars", "maxInputChars"]))] = draw(
        st.one_of(st.just(1000), st.integers(0, 60), st.just(math.inf))
    )
    if draw(st.booleans()):
        plan["additional_messages"] = draw(st.lists(ADDITIONAL_MESSAGES, max_size=3))
    if draw(st.integers(0, 2)) == 0:
        originals = draw(_originals(fragments))
        plan["original_fragments"] = originals
        ids = [original["id"] for original in originals]
        if draw(st.booleans()) and ids:
            mutable = draw(st.lists(st.sampled_from(ids), max_size=3))
            plan["mutable_fragment_ids"] = draw(st.sampled_from([mutable, tuple(mutable), set(mutable)]))
    if draw(st.booleans()):
        plan["unit"] = draw(st.sampled_from(UNITS))
    if draw(st.booleans()):
        plan["merge_adjacent"] = draw(st.booleans())
    if draw(st.booleans()):
        plan["separator"] = draw(TEXTS)
    return plan


@st.composite
def faulty_plans(draw: st.DrawFn) -> Any:
    """A plan in which one thing is changed, most often into something that is refused."""
    plan = draw(plans())
    where = draw(st.sampled_from(["plan", "fragment", "fragment", "value", "original", "additional", "lists", "all"]))
    if where == "plan":
        return draw(with_one_fault(plan, PLAN_NAMES, ODD_ITERABLES))
    if where == "fragment":
        return {**plan, "fragments": draw(_with_faulty_fragment(plan["fragments"]))}
    if where == "value":
        odd = draw(_fragments("odd value"))
        return {
            **plan,
            "fragments": [*plan["fragments"], {**odd, "value": draw(st.sampled_from(ODD_FRAGMENT_VALUES))}],
        }
    if where == "original":
        return {**plan, "original_fragments": draw(_with_faulty_fragment(plan["fragments"]))}
    if where == "additional":
        message = draw(with_one_fault(draw(ADDITIONAL_MESSAGES), ("role", "content")))
        message = message if draw(st.integers(0, 4)) else draw(st.sampled_from(ODD_VALUES))
        return {**plan, "additional_messages": [*plan.get("additional_messages", []), message]}
    if where == "lists":
        name = draw(st.sampled_from(["fragments", "additional_messages", "original_fragments", "mutable_fragment_ids"]))
        odd_list = st.lists(st.sampled_from(ODD_VALUES), max_size=2)
        return {**plan, name: draw(st.one_of(st.sampled_from(ODD_ITERABLES), odd_list))}
    return draw(st.sampled_from(ODD_VALUES))


@st.composite
def _with_faulty_fragment(draw: st.DrawFn, fragments: list[dict[str, Any]]) -> list[Any]:
    if not fragments or draw(st.integers(0, 9)) == 0:
        return [*fragments, draw(st.sampled_from(ODD_VALUES))]
    at = draw(st.integers(0, len(fragments) - 1))
    if draw(st.integers(0, 5)) == 0:
        return [*fragments, dict(fragments[at])]
    return [*fragments[:at], draw(with_one_fault(fragments[at], FRAGMENT_NAMES)), *fragments[at + 1 :]]


def in_native_form(plan: Any) -> Any:
    """The same plan as a native object, or None where it is refused when it is built."""
    try:
        return ContextPlan.from_dict(plan)
    except InterleafError:
        return None


def with_native_fragments(plan: dict[str, Any]) -> dict[str, Any]:
    """The same plan with native fragments and originals."""
    lists: dict[str, Any] = {
        name: [ContextFragment.from_dict(fragment) for fragment in plan[name]]
        for name in ("fragments", "original_fragments")
        if name in plan
    }
    return {**plan, **lists}
