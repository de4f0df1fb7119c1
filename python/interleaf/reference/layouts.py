"""A layout: its anchors in table order, then overlaps."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, cast

from ..errors import LayoutError
from .fields import Fields, read_fields
from .records import Conversation, Layout, OutletSpan
from .values import as_index, as_outlet_name, as_small_int, describe, is_sequence, quoted_name
from .words import CONVERSATION_FIELDS, LAYOUT_FIELDS, OUTLET_SPAN_FIELDS

Range = tuple[int, int]


def read_layout(layout: object, count: int) -> Layout:
    """Check a layout for `count` messages."""
    fields = read_layout_fields(layout)
    a_message = f"an int, the index of one of {count} messages"
    checked = Layout(
        character=_read_range(fields.values["character"], count, "layout.character"),
        examples=_read_range(fields.values["examples"], count, "layout.examples"),
        conversation=_read_conversation(fields.values["conversation"], count),
        author_note=fields.optional("author_note", as_index(count - 1), "invalid_index", a_message),
        outlets={
            name: _read_outlet_anchor(anchor, count, outlet_path(name))
            for name, anchor in declared_outlets(fields.values["outlets"])
        },
    )
    _refuse_overlapping_ranges(checked)
    _refuse_misplaced_conversation(checked)
    return checked


def read_layout_fields(layout: object) -> Fields:
    """Read the anchors of a layout as they are declared."""
    fields = read_fields(layout, "Layout", LAYOUT_FIELDS, "layout", LayoutError)
    if fields is None:
        raise LayoutError(f"layout is {describe(layout)}; expected a Layout or a mapping", "invalid_type", "layout")
    return fields


def outlet_path(name: str) -> str:
    """Return where an outlet is declared."""
    return f"layout.outlets[{quoted_name(name)}]"


def _read_range(value: object, count: int, path: str) -> Range | None:
    """Read a half-open range: a pair, or a mapping of exactly `start` and `end`."""
    if value is None:
        return None
    start, end = (as_small_int(bound) for bound in _range_bounds(value))
    if start is None or end is None or not 0 <= start <= end <= count:
        found = describe(value) if None in (start, end) else f"from {start} to {end}"
        raise LayoutError(
            f"{path} is {found}; expected a pair (start, end), or a mapping of start and end, of ints with "
            f"0 <= start <= end <= {count}, the number of messages",
            "invalid_range",
            path,
        )
    return start, end


def _range_bounds(value: object) -> tuple[object, object]:
    """Take the two bounds out of a range; two Nones if it has not the form of one."""
    if isinstance(value, Mapping):
        keys = list(value.keys())
        if len(keys) != 2 or "start" not in keys or "end" not in keys:
            return None, None
        return value["start"], value["end"]
    if isinstance(value, (str, bytes, bytearray, memoryview, range)) or not isinstance(value, Sequence):
        return None, None
    bounds = list(value)
    return (bounds[0], bounds[1]) if len(bounds) == 2 else (None, None)


def _read_conversation(value: object, count: int) -> Conversation | None:
    """Read the conversation: its message indices, then its empty index, which must be given if there are none."""
    if value is None:
        return None
    path = "layout.conversation"
    fields = read_fields(value, "Conversation", CONVERSATION_FIELDS, path, LayoutError)
    if fields is None:
        raise LayoutError(f"{path} is {describe(value)}; expected a Conversation or a mapping", "invalid_type", path)
    given = fields.required("message_indices", _as_indices, "invalid_type", "a sequence of indices or a range")
    indices = _read_message_indices(given, count, f"{path}.message_indices")
    a_gap = f"an int from 0 to {count}, the number of messages"
    if indices:
        return Conversation(indices, fields.optional("empty_index", as_index(count), "invalid_index", a_gap))
    why = ", because the conversation has no messages"
    return Conversation(indices, fields.required("empty_index", as_index(count), "invalid_index", a_gap, why))


def _as_indices(value: object) -> Iterable[object] | None:
    # A range may be far longer than memory: it is walked, and stops at the first index that is refused.
    if isinstance(value, range):
        return value
    return list(cast("Iterable[object]", value)) if is_sequence(value) else None


def _read_message_indices(given: Iterable[object], count: int, path: str) -> tuple[int, ...]:
    """Read the indices of the conversation, each below `count` and above the one before."""
    indices: list[int] = []
    for at, item in enumerate(given):
        index = as_index(count - 1)(item)
        if index is None:
            raise LayoutError(
                f"{path}[{at}] is {describe(item)}; expected an int, the index of one of {count} messages",
                "invalid_index",
                f"{path}[{at}]",
            )
        if indices and index <= indices[-1]:
            raise LayoutError(
                f"{path}[{at}] is {index}, after {indices[-1]}; expected each index to be greater than the one before",
                "unordered_conversation",
                f"{path}[{at}]",
            )
        indices.append(index)
    return tuple(indices)


def declared_outlets(outlets: object) -> Iterator[tuple[str, Any]]:
    """Go through the declared outlets in their order; None declares none."""
    if outlets is None:
        return
    path = "layout.outlets"
    if not isinstance(outlets, Mapping):
        raise LayoutError(
            f"{path} is {describe(outlets)}; expected a mapping from names to message indices or spans",
            "invalid_type",
            path,
        )
    for given in list(outlets.keys()):
        name = as_outlet_name(given)
        if name is None:
            raise LayoutError(
                f"the outlet name {describe(given)} cannot be used; expected a str that is not empty and contains "
                "neither '{{' nor '}}'",
                "invalid_outlet_name",
                outlet_path(given) if isinstance(given, str) else path,
            )
        yield name, outlets[given]


def _read_outlet_anchor(value: object, count: int, path: str) -> int | OutletSpan:
    """Read where one outlet is: a message index, or the span of its marker."""
    fields = read_fields(value, "OutletSpan", OUTLET_SPAN_FIELDS, path, LayoutError)
    if fields is None:
        index = as_index(count - 1)(value)
        if index is None:
            raise LayoutError(
                f"{path} is {describe(value)}; expected an int, the index of one of {count} messages, or an OutletSpan",
                "invalid_index",
                path,
            )
        return index
    an_index = "an int of 64 bits that is not negative"
    return OutletSpan(
        fields.required(
            "message_index", as_index(count - 1), "invalid_index", f"an int, the index of one of {count} messages"
        ),
        fields.required("start", as_index(), "invalid_index", an_index),
        fields.required("end", as_index(), "invalid_index", an_index),
        fields.optional("part_index", as_index(), "invalid_index", an_index),
    )


def _refuse_overlapping_ranges(layout: Layout) -> None:
    """Refuse ranges that share a message, or an empty one strictly inside the other."""
    one, other = layout.character, layout.examples
    if one is None or other is None:
        return
    shared = any(index in range(*other) for index in range(*one))
    if shared or _is_inside(one[0], other) or _is_inside(other[0], one):
        raise LayoutError(
            f"layout.examples {other} overlaps layout.character {one}; expected ranges that share no message",
            "overlapping_regions",
            "layout.examples",
        )


def _is_inside(gap: int, bounds: Range) -> bool:
    """Tell whether a gap has messages of a range on both sides."""
    return bounds[0] < gap < bounds[1]


def _refuse_misplaced_conversation(layout: Layout) -> None:
    """Refuse a conversation with a message in a range or the author's note, and an empty one inside a range."""
    conversation = layout.conversation
    if conversation is None:
        return
    ranges = {name: getattr(layout, name) for name in ("character", "examples")}
    declared: dict[str, Range] = {name: bounds for name, bounds in ranges.items() if bounds is not None}
    for at, index in enumerate(conversation.message_indices):
        owners = [name for name, bounds in declared.items() if index in range(*bounds)]
        owners += ["author_note"] if index == layout.author_note else []
        if owners:
            path = f"layout.conversation.message_indices[{at}]"
            raise LayoutError(
                f"{path} is {index}, which belongs to layout.{owners[0]}; expected a message of the conversation alone",
                "overlapping_regions",
                path,
            )
    if conversation.message_indices:
        return
    empty = cast("int", conversation.empty_index)
    for name, bounds in declared.items():
        if _is_inside(empty, bounds):
            path = "layout.conversation.empty_index"
            raise LayoutError(
                f"{path} is {empty}, inside layout.{name} {bounds}; expected a gap outside or at an edge of it",
                "overlapping_regions",
                path,
            )
