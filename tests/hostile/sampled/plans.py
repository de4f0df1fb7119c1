"""Random plans that are well formed; their budgets may be too small, and their originals may differ."""

from __future__ import annotations

import math
from typing import Any

from hostile.sampled.calls import ASSEMBLE, ASSEMBLE_FRAGMENTS, ITERABLES, Call, callbacks
from hostile.sampled.source import Source
from interleaf import ContextFragment, ContextPlan, InterleafError, TrustPolicy
from interleaf.reference.json_text import json_text
from interleaf.reference.words import LIFETIMES, ROLES, TRUSTS, UNITS
from plan_strategies import OTHER_PARTS

_NUMBERS = (-3, -1, 0, 2, True, False, 0.5, -0.0, 1e300, 2**70, "\ud800", "é", None)
_POLICIES: tuple[Any, ...] = (
    None,
    {},
    {"system": ["system", "developer"], "developer": ("system", "developer")},
    {"user": {"user", "tool"}, "assistant": []},
    TrustPolicy.strict(),
)


def json_value(source: Source, levels: int = 3) -> Any:
    """Draw what JSON can hold."""
    kind = source.random()
    if levels == 0 or kind < 0.4:
        return source.text() if source.chance(0.5) else source.one_of(_NUMBERS)
    inner = [json_value(source, levels - 1) for _ in range(source.below(4))]
    if kind < 0.6:
        return inner
    return tuple(inner) if kind < 0.7 else {source.text(): item for item in inner}


def _budget(source: Source) -> int | float:
    kind = source.random()
    return 100 if kind < 0.8 else source.one_of((*range(13), 10**30, math.inf))


def fragment(source: Source, identifier: str) -> dict[str, Any]:
    """Draw a fragment; neighbours are often alike, so that they can be merged."""
    drawn: dict[str, Any] = {
        "id": identifier,
        source.spelling("source_id"): source.identifier(),
        "trust": source.one_of(TRUSTS[:2] if source.chance(0.7) else TRUSTS),
        "lifetime": source.one_of(LIFETIMES),
        "role": source.one_of(ROLES[:2] if source.chance(0.7) else ROLES),
        source.spelling("max_chars"): _budget(source),
        "value": source.text(),
    }
    if source.chance(0.3) and (value := json_value(source)) is not None:
        drawn["value"] = value
    if source.chance(0.5):
        drawn["metadata"] = source.metadata()
    return drawn


def fragments(source: Source, most: int = 6) -> list[dict[str, Any]]:
    """Draw fragments with ids of their own."""
    return [fragment(source, identifier) for identifier in source.identifiers(most)]


def _part(source: Source) -> Any:
    kind = source.random()
    if kind < 0.4:
        return {"type": source.one_of(("text", "input_text")), "text": source.text()}
    if kind < 0.5:
        return {"type": "tool_result", "content": source.text()}
    if kind < 0.6:
        inner = [{"type": "text", "text": source.text()}, {"type": "image"}, 7]
        return {"type": "tool_result", "content": inner if source.chance(0.5) else tuple(inner)}
    return source.one_of(OTHER_PARTS)


def additional_message(source: Source) -> dict[str, Any]:
    """Draw a message of the user's."""
    content: Any = source.text() if source.chance(0.5) else [_part(source) for _ in range(source.below(5))]
    return {"role": "user", "content": content, "name": "é"}


def _other_value(source: Source, value: Any) -> Any:
    """Draw a value, which may be the text that another one has as JSON."""
    if not isinstance(value, str) and source.chance(0.5):
        return json_text(value)
    return source.text() if source.chance(0.5) else json_value(source, 1) or 0


def _originals(source: Source, given: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The fragments as they were before a few changes."""
    originals = [dict(each) for each in given]
    for change in range(source.below(4)):
        kind = source.below(5)
        at = source.below(len(originals) + 1)
        if kind == 0:
            originals.insert(at, fragment(source, f"new {change}"))
        elif kind == 1:
            source.shuffle(originals)
        elif at < len(originals) and kind == 2:
            del originals[at]
        elif at < len(originals) and kind == 3:
            originals[at]["value"] = _other_value(source, originals[at]["value"])
        elif at < len(originals):
            name, value = source.one_of((("trust", "tool"), ("lifetime", "turn"), ("role", "user")))
            originals[at][name] = value
    return originals


def plan(source: Source) -> dict[str, Any]:
    """Draw a plan."""
    given = fragments(source)
    drawn: dict[str, Any] = {"fragments": given}
    limit = source.random()
    drawn[source.spelling("max_input_chars")] = 1000 if limit < 0.5 else math.inf if limit < 0.7 else source.below(120)
    if source.chance(0.5):
        drawn[source.spelling("additional_messages")] = [additional_message(source) for _ in range(source.below(4))]
    if source.chance(0.33):
        originals = _originals(source, given)
        drawn[source.spelling("original_fragments")] = originals
        ids = [original["id"] for original in originals]
        if ids and source.chance(0.5):
            form = source.one_of((list, tuple, set))
            drawn[source.spelling("mutable_fragment_ids")] = form(source.several(ids, 3))
    if source.chance(0.5):
        drawn["unit"] = source.one_of(UNITS)
    if source.chance(0.5):
        drawn[source.spelling("merge_adjacent")] = source.chance(0.8)
    if source.chance(0.5):
        drawn["separator"] = source.text()
    if source.chance(0.15):
        drawn[source.spelling("trust_policy")] = source.one_of(_POLICIES)
    return drawn


def assembly(source: Source) -> Call:
    """Draw a plan, or fragments alone, and how the messages are made."""
    log: list[Any] = []
    made = callbacks(log, raise_at=source.below(6) if source.chance(0.1) else -1)
    options: dict[str, Any] = {"create_message": made["create_message"]} if source.chance(0.4) else {}
    if source.chance(0.8):
        return Call(ASSEMBLE, [plan(source)], options, log=log)
    limit = source.one_of((1000, math.inf, source.below(60)))
    for name, values in (
        ("unit", UNITS),
        ("merge_adjacent", (True, False, None)),
        ("separator", (source.text(), None)),
    ):
        if source.chance(0.4):
            options[name] = source.one_of(values)
    forms = {0: source.one_of(ITERABLES)} if source.chance(0.5) else {}
    return Call(ASSEMBLE_FRAGMENTS, [fragments(source), limit], options, forms, log)


def with_native_objects(source: Source, call: Call) -> None:
    """Put the plan, or its fragments, into native form where they can be built."""
    given = call.arguments[0]
    if call.function == ASSEMBLE_FRAGMENTS:
        call.arguments[0] = _native_fragments(given)
    elif isinstance(given, dict) and source.chance(0.5):
        call.arguments[0] = _native(ContextPlan, given)
    elif isinstance(given, dict):
        names = ("fragments", "original_fragments", "originalFragments")
        call.arguments[0] = {key: _native_fragments(item) if key in names else item for key, item in given.items()}


def _native_fragments(given: Any) -> Any:
    return [_native(ContextFragment, each) for each in given] if isinstance(given, list) else given


def _native(native_class: Any, given: Any) -> Any:
    try:
        return native_class.from_dict(given)
    except (InterleafError, TypeError):
        return given
