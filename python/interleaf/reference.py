"""The whole library once more, in plain Python: slow, obvious, and the yardstick of the differential tests.

Nothing here is shared with the native implementation except the exception classes. Every function is about one rule
of the contract (its docstring names the section), does its checks in the order the contract gives, and takes no
short cuts. Where the two implementations differ, one of them is wrong.

>>> from interleaf.reference import place_context_blocks
>>> result = place_context_blocks(
...     [{"role": "system", "content": "You guard the gate."}, {"role": "user", "content": "Let me in."}],
...     [{"id": "rule", "position": "after_character", "content": "Nobody passes.", "role": "system"}],
...     {"character": (0, 1)},
... )
>>> [message["content"] for message in result.messages]
['You guard the gate.', 'Nobody passes.', 'Let me in.']
"""

from __future__ import annotations

import copy
import difflib
import json
import math
import operator
from collections.abc import Callable, Iterable, Iterator, Mapping, MutableMapping, Sequence, Set
from dataclasses import dataclass, field
from typing import Any, Protocol, cast

from .errors import (
    BlockError,
    BudgetExceededError,
    InterleafError,
    LayoutError,
    MutationError,
    PlanError,
)

__all__ = [
    "BuiltContext",
    "Conversation",
    "FragmentUsage",
    "Layout",
    "Mutation",
    "OutletSpan",
    "Placement",
    "PlacementCapabilities",
    "PlacementResult",
    "assemble_context_plan",
    "assemble_fragments",
    "get_placement_capabilities",
    "place_context_blocks",
]

POSITIONS = (
    "before_character",
    "after_character",
    "before_examples",
    "after_examples",
    "at_depth",
    "author_note_top",
    "author_note_bottom",
    "outlet",
)
STANDALONE_POSITIONS = POSITIONS[:5]
ROLES = ("system", "developer", "user", "assistant")
TRUSTS = ("system", "developer", "user", "tool", "external")
LIFETIMES = ("static", "session", "turn")
UNITS = ("codepoint", "utf16", "utf8")
TOOL_EXCHANGES = ("keep", "split")
UNFILLED_OUTLETS = ("remove", "keep", "error")

BLOCK_FIELDS = ("id", "position", "content", "role", "order", "depth", "outlet_name", "metadata")
LAYOUT_FIELDS = ("character", "examples", "conversation", "author_note", "outlets")
CONVERSATION_FIELDS = ("message_indices", "empty_index")
OUTLET_SPAN_FIELDS = ("message_index", "start", "end", "part_index")
FRAGMENT_FIELDS = ("id", "source_id", "trust", "lifetime", "role", "max_chars", "value", "metadata")
PLAN_FIELDS = (
    "fragments",
    "max_input_chars",
    "additional_messages",
    "original_fragments",
    "mutable_fragment_ids",
    "unit",
    "merge_adjacent",
    "separator",
)
AUDITED_FIELDS = ("source_id", "trust", "lifetime", "role", "max_chars")

LARGEST_INT = 2**63 - 1
SMALLEST_INT = -(2**63)
DEEPEST_JSON = 200
MARKER_OPENS = "{{outlet::"
MARKER_CLOSES = "}}"

CreateMessage = Callable[[dict[str, str]], Any]
RenderBlock = Callable[[Any], str]
RenderMessages = Callable[[Any, str], Sequence[Any]]


class _Adapter(Protocol):
    """What an adapter does for messages that are no mappings; only messages that are looked at are handed to it."""

    def role(self, message: Any, /) -> str | None:
        """Return the role of a message."""

    def text_parts(self, message: Any, /) -> str | Sequence[str | None] | None:
        """Return the text: one string, or an entry for each part (None for one that is no text), or None if none."""

    def with_text(self, message: Any, text: str | list[tuple[int | None, str | None]], /) -> Any:
        """Return a copy with new text.

        For content of parts, the pairs describe the new list: an original part's index (None for a new text part)
        and its text (None if the part is untouched).
        """

    def joined(self, previous: Any, message: Any, /) -> bool:
        """Tell whether something between two neighbours would part an exchange."""

    def waiting(self, message: Any, /) -> bool:
        """Tell whether a message at the end is a call whose result is still to come."""

    def create(self, role: str, content: str, /) -> Any:
        """Make a standalone message."""


# ---------------------------------------------------------------------------------------------------------------------
# What the calls return
# ---------------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class OutletSpan:
    """Where an outlet's marker stands: message, part of a list content, and code points of that text (section 2.2)."""

    message_index: int
    start: int
    end: int
    part_index: int | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the span as JSON-like data."""
        return {
            "message_index": self.message_index,
            "part_index": self.part_index,
            "start": self.start,
            "end": self.end,
        }


@dataclass(frozen=True)
class Conversation:
    """The messages of the conversation, and the gap where it would begin if there are none (section 2.2)."""

    message_indices: Sequence[int]
    empty_index: int | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the conversation as JSON-like data."""
        return {"message_indices": list(self.message_indices), "empty_index": self.empty_index}


@dataclass(frozen=True)
class Layout:
    """Where the anchors are in one message list (section 2.2)."""

    character: tuple[int, int] | None = None
    examples: tuple[int, int] | None = None
    conversation: Conversation | None = None
    author_note: int | None = None
    outlets: Mapping[str, int | OutletSpan] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Return the declared anchors as JSON-like data; what is absent is left out."""
        data: dict[str, Any] = {}
        if self.character is not None:
            data["character"] = list(self.character)
        if self.examples is not None:
            data["examples"] = list(self.examples)
        if self.conversation is not None:
            data["conversation"] = self.conversation.to_dict()
        if self.author_note is not None:
            data["author_note"] = self.author_note
        if self.outlets:
            data["outlets"] = {
                name: anchor.to_dict() if isinstance(anchor, OutletSpan) else anchor
                for name, anchor in self.outlets.items()
            }
        return data


@dataclass(frozen=True)
class Placement:
    """The record of where one block ended up (section 2.8)."""

    id: str
    position: str
    role: Any
    order: int | float
    depth: int | None
    outlet_name: str | None
    message_index: int
    message_count: int
    part_index: int | None
    span: tuple[int, int] | None
    gap: int | None
    requested_gap: int | None
    moved: bool
    block_index: int
    metadata: Any

    def to_dict(self) -> dict[str, Any]:
        """Return the record as JSON-like data."""
        return {
            "id": self.id,
            "position": self.position,
            "role": self.role,
            "order": self.order,
            "depth": self.depth,
            "outlet_name": self.outlet_name,
            "message_index": self.message_index,
            "message_count": self.message_count,
            "part_index": self.part_index,
            "span": None if self.span is None else list(self.span),
            "gap": self.gap,
            "requested_gap": self.requested_gap,
            "moved": self.moved,
            "block_index": self.block_index,
            "metadata": self.metadata,
        }


@dataclass(frozen=True)
class PlacementResult:
    """The new message list, and everything that was done to make it (section 2.8)."""

    messages: list[Any]
    placements: tuple[Placement, ...]
    unfilled_outlets: tuple[str, ...]
    layout: Layout

    def to_dict(self) -> dict[str, Any]:
        """Return the result as JSON-like data; the messages are the objects themselves."""
        return {
            "messages": list(self.messages),
            "placements": [placement.to_dict() for placement in self.placements],
            "unfilled_outlets": list(self.unfilled_outlets),
            "layout": self.layout.to_dict(),
        }


@dataclass(frozen=True)
class PlacementCapabilities:
    """The positions and outlets that a layout declares (section 3)."""

    positions: tuple[str, ...]
    outlets: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the capabilities as JSON-like data."""
        return {"positions": list(self.positions), "outlets": list(self.outlets)}


@dataclass(frozen=True)
class FragmentUsage:
    """What one fragment measures and where its text stands (section 4.4)."""

    id: str
    source_id: str
    trust: str
    lifetime: str
    role: str
    chars: int
    max_chars: int | float
    message_index: int
    span: tuple[int, int]
    metadata: Any

    def to_dict(self) -> dict[str, Any]:
        """Return the usage as JSON-like data."""
        return {
            "id": self.id,
            "source_id": self.source_id,
            "trust": self.trust,
            "lifetime": self.lifetime,
            "role": self.role,
            "chars": self.chars,
            "max_chars": self.max_chars,
            "message_index": self.message_index,
            "span": list(self.span),
            "metadata": self.metadata,
        }


@dataclass(frozen=True)
class BuiltContext:
    """The assembled messages and what they measure (section 4.4)."""

    messages: list[Any]
    fragment_usage: tuple[FragmentUsage, ...]
    static_messages: int
    session_messages: int
    additional_chars: int
    opaque_parts: int
    separator_chars: int
    input_chars: int
    max_input_chars: int | float
    unit: str

    def to_dict(self) -> dict[str, Any]:
        """Return the context as JSON-like data; the messages are the objects themselves."""
        return {
            "messages": list(self.messages),
            "fragment_usage": [usage.to_dict() for usage in self.fragment_usage],
            "static_messages": self.static_messages,
            "session_messages": self.session_messages,
            "additional_chars": self.additional_chars,
            "opaque_parts": self.opaque_parts,
            "separator_chars": self.separator_chars,
            "input_chars": self.input_chars,
            "max_input_chars": self.max_input_chars,
            "unit": self.unit,
        }


@dataclass(frozen=True)
class Mutation:
    """One way in which the fragments are not their originals (section 4.3)."""

    kind: str
    fragment_id: str
    field: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the violation as JSON-like data."""
        return {"kind": self.kind, "fragment_id": self.fragment_id, "field": self.field}


# ---------------------------------------------------------------------------------------------------------------------
# Saying what was found
# ---------------------------------------------------------------------------------------------------------------------


def _describe(value: object) -> str:
    """Say what was found, shortly and without addresses: the same input gives the same message (section 1)."""
    if value is None:
        return "None"
    if isinstance(value, str):
        plain = _plain_str(value)
        return repr(plain) if len(plain) <= 60 else f"{plain[:60]!r}... ({len(plain)} characters)"
    if type(value) is int:
        return repr(value) if value.bit_length() <= 256 else f"an int of {value.bit_length()} bits"
    if type(value) in (bool, float):
        return f"{type(value).__name__} {value!r}"
    return f"a value of type {type(value).__name__}"


def _one_of(words: Sequence[str]) -> str:
    """List the words of a vocabulary."""
    return ", ".join(repr(word) for word in words)


def _quoted_name(name: str) -> str:
    """Write an outlet name for a path: a JSON string, with only lone surrogates escaped (section 5)."""
    written = json.dumps(_plain_str(name), ensure_ascii=False)
    return "".join(f"\\u{ord(char):04x}" if _is_surrogate(char) else char for char in written)


def _is_surrogate(char: str) -> bool:
    """Tell whether a code point is half of a surrogate pair."""
    return 0xD800 <= ord(char) <= 0xDFFF


# ---------------------------------------------------------------------------------------------------------------------
# Reading fields and plain values
# ---------------------------------------------------------------------------------------------------------------------


def _plain_str(value: str) -> str:
    """Return the exact `str` of a `str` or of an instance of a subclass."""
    return str.__str__(value)


def _as_int(value: object) -> int | None:
    """Return the int of an int or of an object with `__index__`, or None; a bool is no int (section 1)."""
    if isinstance(value, bool):
        return None
    try:
        return operator.index(cast(Any, value))
    except TypeError:
        return None


def _as_small_int(value: object) -> int | None:
    """Return an int that fits 64 bits, or None (section 1)."""
    number = _as_int(value)
    if number is None or not SMALLEST_INT <= number <= LARGEST_INT:
        return None
    return number


def _as_index(value: object, limit: int) -> int | None:
    """Return an index from 0 up to and including `limit`, or None (section 2.2: no negative indexing)."""
    number = _as_small_int(value)
    if number is None or not 0 <= number <= limit:
        return None
    return number


def _as_word(value: object, words: Sequence[str]) -> str | None:
    """Return the word of a vocabulary that a `str` spells, or None."""
    if not isinstance(value, str):
        return None
    word = _plain_str(value)
    return word if word in words else None


def _as_id(value: object) -> str | None:
    """Return an id that is not empty and can be encoded as UTF-8, or None (sections 2.1 and 4.1)."""
    if not isinstance(value, str):
        return None
    identifier = _plain_str(value)
    if not identifier or any(_is_surrogate(char) for char in identifier):
        return None
    return identifier


def _as_outlet_name(value: object) -> str | None:
    """Return an outlet name that is not empty and cannot break its marker, or None (sections 2.1 and 2.2)."""
    if not isinstance(value, str):
        return None
    name = _plain_str(value)
    if not name or "{{" in name or "}}" in name:
        return None
    return name


def _is_message_sequence(value: object) -> bool:
    """Tell a sequence as messages must be one: sized and indexable, but no text, bytes, mapping or set."""
    if isinstance(value, (str, bytes, bytearray, memoryview, Mapping, Set)):
        return False
    return hasattr(type(value), "__len__") and hasattr(type(value), "__getitem__")


def _iterate(value: object) -> Iterator[Any] | None:
    """Return an iterator, or None if the value is not iterable."""
    try:
        iterator: Iterator[Any] = iter(cast(Any, value))
    except TypeError:
        return None
    return iterator


def _camel_case(name: str) -> str:
    """Spell a snake_case field in camelCase."""
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)


def _is_object_of(value: object, class_name: str) -> bool:
    """Recognise an object of the library by the name of its class, native or not."""
    return type(value).__name__ == class_name


def _read_fields(
    given: object,
    class_name: str,
    names: Sequence[str],
    path: str,
    prefix: str,
    error: type[InterleafError],
) -> dict[str, object] | None:
    """Read the fields of a mapping or of an object of the library, spelled canonically (section 1).

    Unknown keys come first, then fields that are spelled twice. Returns None if `given` is neither kind of thing. An
    absent field is None.
    """
    if isinstance(given, Mapping):
        return _read_mapping_fields(given, names, path, prefix, error)
    if _is_object_of(given, class_name):
        return {name: getattr(given, name, None) for name in names}
    return None


def _read_mapping_fields(
    given: Mapping[Any, Any],
    names: Sequence[str],
    path: str,
    prefix: str,
    error: type[InterleafError],
) -> dict[str, object]:
    """Read the fields of a mapping whose keys are snake_case or camelCase (section 1)."""
    keys = list(given.keys())
    for key in keys:
        _refuse_unknown_key(key, names, path, prefix, error)
    fields: dict[str, object] = {}
    for name in names:
        spellings = [key for key in keys if key in (name, _camel_case(name))]
        if len(spellings) > 1:
            raise error(
                f"{prefix}{name} is given twice, as {_describe(spellings[0])} and {_describe(spellings[1])}; "
                "expected one spelling",
                "duplicate_field",
                f"{prefix}{name}",
            )
    for name in names:
        spellings = [key for key in keys if key in (name, _camel_case(name))]
        fields[name] = given[spellings[0]] if spellings else None
    return fields


def _refuse_unknown_key(key: object, names: Sequence[str], path: str, prefix: str, error: type[InterleafError]) -> None:
    """Refuse a key that names no field, and name the nearest one that does (section 2.1)."""
    known = list(dict.fromkeys(spelling for name in names for spelling in (name, _camel_case(name))))
    if not isinstance(key, str):
        raise error(
            f"{path} has a key that is {_describe(key)}; expected field names: {_one_of(names)}",
            "unknown_field",
            path,
        )
    plain = _plain_str(key)
    if plain not in known:
        nearest = difflib.get_close_matches(plain[:100], known, n=1, cutoff=0.0)[0]
        raise error(
            f"{path} has the unknown field {_describe(plain)}; the nearest known one is {nearest!r}",
            "unknown_field",
            f"{prefix}{plain}",
        )


# ---------------------------------------------------------------------------------------------------------------------
# The call itself
# ---------------------------------------------------------------------------------------------------------------------


def _read_messages(messages: object) -> list[Any]:
    """Take a snapshot of the messages; what is no sequence is a `TypeError` (section 5)."""
    if not _is_message_sequence(messages):
        raise TypeError(f"messages must be a sequence of messages, not {type(messages).__name__}")
    return list(cast(Iterable[Any], messages))


def _check_callbacks(**callbacks: object) -> None:
    """Refuse callbacks that cannot be called (section 5)."""
    for name, callback in callbacks.items():
        if callback is not None and not callable(callback):
            raise TypeError(f"{name} must be callable or None, not {type(callback).__name__}")


def _read_option(name: str, value: object, words: Sequence[str]) -> str:
    """Read an option that is one of a few words (section 5)."""
    word = _as_word(value, words)
    if word is None:
        raise InterleafError(f"{name} is {_describe(value)}; expected one of {_one_of(words)}", "invalid_option", name)
    return word


def _read_separator_option(value: object) -> str:
    """Read the separator of a placement (section 5)."""
    if not isinstance(value, str):
        raise InterleafError(f"separator is {_describe(value)}; expected a str", "invalid_option", "separator")
    return _plain_str(value)


# ---------------------------------------------------------------------------------------------------------------------
# Layout
# ---------------------------------------------------------------------------------------------------------------------


def _read_layout_fields(layout: object) -> dict[str, object]:
    """Read the anchors of a layout as they are declared (section 2.2)."""
    fields = _read_fields(layout, "Layout", LAYOUT_FIELDS, "layout", "layout.", LayoutError)
    if fields is None:
        raise LayoutError(f"layout is {_describe(layout)}; expected a Layout or a mapping", "invalid_type", "layout")
    return fields


def _read_layout(layout: object, count: int) -> Layout:
    """Check a layout for `count` messages: the fields in table order, then overlaps (sections 2.2 and 5)."""
    fields = _read_layout_fields(layout)
    checked = Layout(
        character=_read_range(fields["character"], count, "layout.character"),
        examples=_read_range(fields["examples"], count, "layout.examples"),
        conversation=_read_conversation(fields["conversation"], count),
        author_note=_read_author_note(fields["author_note"], count),
        outlets=_read_outlets(fields["outlets"], count),
    )
    _refuse_overlapping_ranges(checked)
    _refuse_misplaced_conversation_messages(checked)
    _refuse_misplaced_empty_index(checked)
    return checked


def _read_range(value: object, count: int, path: str) -> tuple[int, int] | None:
    """Read a half-open range: a pair, or a mapping of `start` and `end` (section 2.2)."""
    if value is None:
        return None
    bounds = _range_bounds(value)
    if bounds is None:
        raise LayoutError(
            f"{path} is {_describe(value)}; expected a pair (start, end) of ints or a mapping of exactly start and end",
            "invalid_range",
            path,
        )
    start, end = (_as_small_int(bound) for bound in bounds)
    if start is None or end is None or not 0 <= start <= end <= count:
        raise LayoutError(
            f"{path} goes from {_describe(bounds[0])} to {_describe(bounds[1])}; "
            f"expected ints with 0 <= start <= end <= {count}, the number of messages",
            "invalid_range",
            path,
        )
    return start, end


def _range_bounds(value: object) -> tuple[object, object] | None:
    """Take the two bounds out of a range, or None if it has not the form of one (section 2.2)."""
    if isinstance(value, Mapping):
        keys = list(value.keys())
        if len(keys) != 2 or "start" not in keys or "end" not in keys:
            return None
        return value["start"], value["end"]
    if isinstance(value, (str, bytes, bytearray, memoryview, range)) or not isinstance(value, Sequence):
        return None
    bounds = list(value)
    return (bounds[0], bounds[1]) if len(bounds) == 2 else None


def _read_conversation(value: object, count: int) -> Conversation | None:
    """Read the conversation: its message indices, then its empty index (section 2.2)."""
    if value is None:
        return None
    path = "layout.conversation"
    fields = _read_fields(value, "Conversation", CONVERSATION_FIELDS, path, f"{path}.", LayoutError)
    if fields is None:
        raise LayoutError(f"{path} is {_describe(value)}; expected a Conversation or a mapping", "invalid_type", path)
    indices = _read_message_indices(fields["message_indices"], count, f"{path}.message_indices")
    empty_index = _read_empty_index(fields["empty_index"], indices, count, f"{path}.empty_index")
    return Conversation(indices, empty_index)


def _read_message_indices(value: object, count: int, path: str) -> tuple[int, ...]:
    """Read the indices of the conversation, each below `count` and above the one before (section 2.2)."""
    if value is None:
        raise LayoutError(f"{path} is missing; expected the indices of the conversation", "missing_field", path)
    if not isinstance(value, range) and not _is_message_sequence(value):
        raise LayoutError(
            f"{path} is {_describe(value)}; expected a sequence of indices or a range", "invalid_type", path
        )
    # A range may be far longer than memory: it is walked, and stops at the first index that is refused.
    given = value if isinstance(value, range) else list(cast(Iterable[Any], value))
    indices: list[int] = []
    for at, item in enumerate(given):
        index = _as_index(item, count - 1)
        if index is None:
            raise LayoutError(
                f"{path}[{at}] is {_describe(item)}; expected the index of one of {count} messages",
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


def _read_empty_index(value: object, indices: Sequence[int], count: int, path: str) -> int | None:
    """Read the gap of an empty conversation, which must be given if there are no indices (section 2.2)."""
    if value is None:
        if not indices:
            raise LayoutError(
                f"{path} is missing; expected it because the conversation has no messages", "missing_field", path
            )
        return None
    index = _as_index(value, count)
    if index is None:
        raise LayoutError(
            f"{path} is {_describe(value)}; expected an int from 0 to {count}, the number of messages",
            "invalid_index",
            path,
        )
    return index


def _read_author_note(value: object, count: int) -> int | None:
    """Read the index of the author's note (section 2.2)."""
    if value is None:
        return None
    index = _as_index(value, count - 1)
    if index is None:
        raise LayoutError(
            f"layout.author_note is {_describe(value)}; expected the index of one of {count} messages",
            "invalid_index",
            "layout.author_note",
        )
    return index


def _read_outlets(value: object, count: int) -> dict[str, int | OutletSpan]:
    """Read the outlets, each a message index or a span, in their order (section 2.2)."""
    outlets: dict[str, int | OutletSpan] = {}
    for given_name, anchor in _outlet_entries(value):
        name = _read_outlet_key(given_name)
        outlets[name] = _read_outlet_anchor(name, anchor, count)
    return outlets


def _outlet_entries(value: object) -> Iterator[tuple[object, object]]:
    """Go through the declared outlets; None declares none (section 2.2)."""
    if value is None:
        return
    if not isinstance(value, Mapping):
        raise LayoutError(
            f"layout.outlets is {_describe(value)}; expected a mapping from names to message indices or spans",
            "invalid_type",
            "layout.outlets",
        )
    for name in list(value.keys()):
        yield name, value[name]


def _read_outlet_key(value: object) -> str:
    """Read the name of a declared outlet (section 2.2)."""
    name = _as_outlet_name(value)
    if name is None:
        path = f"layout.outlets[{_quoted_name(value)}]" if isinstance(value, str) else "layout.outlets"
        raise LayoutError(
            f"the outlet name {_describe(value)} cannot be used; expected a str that is not empty and contains "
            "neither '{{' nor '}}'",
            "invalid_outlet_name",
            path,
        )
    return name


def _read_outlet_anchor(name: str, value: object, count: int) -> int | OutletSpan:
    """Read where one outlet is: a message index, or the span of its marker (section 2.2)."""
    path = f"layout.outlets[{_quoted_name(name)}]"
    fields = _read_fields(value, "OutletSpan", OUTLET_SPAN_FIELDS, path, f"{path}.", LayoutError)
    if fields is not None:
        return _read_outlet_span(fields, count, path)
    index = _as_index(value, count - 1)
    if index is None:
        raise LayoutError(
            f"{path} is {_describe(value)}; expected the index of one of {count} messages, or an OutletSpan",
            "invalid_index",
            path,
        )
    return index


def _read_outlet_span(fields: Mapping[str, object], count: int, path: str) -> OutletSpan:
    """Read the span of a marker; whether the marker is there is looked at later (section 2.2)."""
    message_index = _read_span_index(fields, "message_index", count - 1, path)
    start = _read_span_index(fields, "start", LARGEST_INT, path)
    end = _read_span_index(fields, "end", LARGEST_INT, path)
    part_index = None
    if fields["part_index"] is not None:
        part_index = _read_span_index(fields, "part_index", LARGEST_INT, path)
    return OutletSpan(message_index, start, end, part_index)


def _read_span_index(fields: Mapping[str, object], name: str, limit: int, path: str) -> int:
    """Read one index of an outlet span (section 2.2)."""
    value = fields[name]
    if value is None:
        raise LayoutError(
            f"{path}.{name} is missing; an outlet span has message_index, start and end",
            "missing_field",
            f"{path}.{name}",
        )
    index = _as_index(value, limit)
    if index is None:
        raise LayoutError(
            f"{path}.{name} is {_describe(value)}; expected an int from 0 to {limit}",
            "invalid_index",
            f"{path}.{name}",
        )
    return index


def _refuse_overlapping_ranges(layout: Layout) -> None:
    """Refuse ranges that share a message, or an empty one strictly inside the other (section 2.2)."""
    if layout.character is None or layout.examples is None:
        return
    if _ranges_overlap(layout.character, layout.examples):
        raise LayoutError(
            f"layout.examples {layout.examples} overlaps layout.character {layout.character}; "
            "expected ranges that share no message",
            "overlapping_regions",
            "layout.examples",
        )


def _ranges_overlap(one: tuple[int, int], other: tuple[int, int]) -> bool:
    """Tell whether two half-open ranges share a message, or an empty one lies strictly inside the other."""
    if one[0] == one[1]:
        return _is_strictly_inside(one[0], other)
    if other[0] == other[1]:
        return _is_strictly_inside(other[0], one)
    return any(index in range(*other) for index in range(*one))


def _is_strictly_inside(gap: int, bounds: tuple[int, int]) -> bool:
    """Tell whether a gap has messages of the range on both sides."""
    return bounds[0] < gap < bounds[1]


def _refuse_misplaced_conversation_messages(layout: Layout) -> None:
    """Refuse conversation messages in a range, or the author's note as one of them (section 2.2)."""
    if layout.conversation is None:
        return
    for at, index in enumerate(layout.conversation.message_indices):
        taken_by = None
        if layout.character is not None and index in range(*layout.character):
            taken_by = f"layout.character {layout.character}"
        elif layout.examples is not None and index in range(*layout.examples):
            taken_by = f"layout.examples {layout.examples}"
        elif index == layout.author_note:
            taken_by = "layout.author_note"
        if taken_by is not None:
            path = f"layout.conversation.message_indices[{at}]"
            raise LayoutError(
                f"{path} is {index}, which belongs to {taken_by}; expected a message of the conversation alone",
                "overlapping_regions",
                path,
            )


def _refuse_misplaced_empty_index(layout: Layout) -> None:
    """Refuse an empty conversation strictly inside a range (section 2.2)."""
    conversation = layout.conversation
    if conversation is None or conversation.message_indices or conversation.empty_index is None:
        return
    for name, bounds in (("character", layout.character), ("examples", layout.examples)):
        if bounds is not None and _is_strictly_inside(conversation.empty_index, bounds):
            raise LayoutError(
                f"layout.conversation.empty_index is {conversation.empty_index}, inside layout.{name} {bounds}; "
                "expected a gap outside or at an edge of it",
                "overlapping_regions",
                "layout.conversation.empty_index",
            )


# ---------------------------------------------------------------------------------------------------------------------
# Blocks
# ---------------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Block:
    """A checked block, with the object the caller gave and its place in the input."""

    index: int
    given: Any
    id: str
    position: str
    content: str
    role: str | None
    order: int | float
    depth: int | None
    outlet_name: str | None
    metadata: Any


def _read_blocks(given_blocks: Sequence[object], layout: Layout) -> list[_Block]:
    """Check the blocks in input order: the fields of each, its id among the others, its anchor (section 5)."""
    blocks: list[_Block] = []
    seen: dict[str, int] = {}
    for index, given in enumerate(given_blocks):
        block = _read_block(given, index)
        if block.id in seen:
            raise BlockError(
                f"blocks[{index}].id is {_describe(block.id)}, which is the id of blocks[{seen[block.id]}] too; "
                "expected unique ids",
                "duplicate_id",
                f"blocks[{index}].id",
            )
        seen[block.id] = index
        _refuse_missing_anchor(block, layout)
        blocks.append(block)
    return blocks


def _read_block(given: object, index: int) -> _Block:
    """Check the fields of one block in table order (section 2.1)."""
    path = f"blocks[{index}]"
    fields = _read_fields(given, "ContextBlock", BLOCK_FIELDS, path, f"{path}.", BlockError)
    if fields is None:
        raise BlockError(f"{path} is {_describe(given)}; expected a ContextBlock or a mapping", "invalid_type", path)
    identifier = _read_block_id(fields["id"], f"{path}.id")
    position = _read_position(fields["position"], identifier, f"{path}.position")
    return _Block(
        index=index,
        given=given,
        id=identifier,
        position=position,
        content=_read_content(fields["content"], identifier, f"{path}.content"),
        role=_read_block_role(fields["role"], position, identifier, f"{path}.role"),
        order=_read_order(fields["order"], identifier, f"{path}.order"),
        depth=_read_depth(fields["depth"], position, identifier, f"{path}.depth"),
        outlet_name=_read_block_outlet_name(fields["outlet_name"], position, identifier, f"{path}.outlet_name"),
        metadata=fields["metadata"],
    )


def _block_field_missing(path: str, identifier: str | None, expected: str) -> BlockError:
    """Make the error for a required field of a block that is absent or None."""
    whose = "" if identifier is None else f" of block {_describe(identifier)}"
    return BlockError(f"{path}{whose} is missing; expected {expected}", "missing_field", path)


def _block_field_wrong(path: str, identifier: str | None, value: object, expected: str, code: str) -> BlockError:
    """Make the error for a field of a block that is there but wrong."""
    whose = "" if identifier is None else f" of block {_describe(identifier)}"
    return BlockError(f"{path}{whose} is {_describe(value)}; expected {expected}", code, path)


def _read_block_id(value: object, path: str) -> str:
    """Read the id of a block (section 2.1)."""
    expected = "a str that is not empty and can be encoded as UTF-8"
    if value is None:
        raise _block_field_missing(path, None, expected)
    identifier = _as_id(value)
    if identifier is None:
        raise _block_field_wrong(path, None, value, expected, "invalid_id")
    return identifier


def _read_position(value: object, identifier: str, path: str) -> str:
    """Read the position of a block (section 2.1)."""
    expected = f"one of {_one_of(POSITIONS)}"
    if value is None:
        raise _block_field_missing(path, identifier, expected)
    position = _as_word(value, POSITIONS)
    if position is None:
        raise _block_field_wrong(path, identifier, value, expected, "invalid_position")
    return position


def _read_content(value: object, identifier: str, path: str) -> str:
    """Read the content of a block, which stays the object given (section 2.1)."""
    if value is None:
        raise _block_field_missing(path, identifier, "a str")
    if not isinstance(value, str):
        raise _block_field_wrong(path, identifier, value, "a str", "invalid_type")
    return value


def _read_block_role(value: object, position: str, identifier: str, path: str) -> str | None:
    """Read the role of a block, required where it makes a message of its own (section 2.1)."""
    expected = f"one of {_one_of(ROLES)}"
    if value is None:
        if position in STANDALONE_POSITIONS:
            raise _block_field_missing(path, identifier, f"{expected}, because of its position {position!r}")
        return None
    role = _as_word(value, ROLES)
    if role is None:
        raise _block_field_wrong(path, identifier, value, expected, "invalid_role")
    return role


def _read_order(value: object, identifier: str, path: str) -> int | float:
    """Read the order of a block: an int of 64 bits or a finite float, 0 by default (section 2.1)."""
    if value is None:
        return 0
    if isinstance(value, float):
        order = float.__float__(value)
        if math.isfinite(order):
            return order
    else:
        number = _as_small_int(value)
        if number is not None:
            return number
    raise _block_field_wrong(path, identifier, value, "an int of 64 bits or a finite float", "invalid_order")


def _read_depth(value: object, position: str, identifier: str, path: str) -> int | None:
    """Read the depth of a block, required at `at_depth` (section 2.1)."""
    expected = "an int of 64 bits that is not negative"
    if value is None:
        if position == "at_depth":
            raise _block_field_missing(path, identifier, f"{expected}, because of its position 'at_depth'")
        return None
    depth = _as_index(value, LARGEST_INT)
    if depth is None:
        raise _block_field_wrong(path, identifier, value, expected, "invalid_depth")
    return depth


def _read_block_outlet_name(value: object, position: str, identifier: str, path: str) -> str | None:
    """Read the outlet name of a block, required at `outlet` (section 2.1)."""
    expected = "a str that is not empty and contains neither '{{' nor '}}'"
    if value is None:
        if position == "outlet":
            raise _block_field_missing(path, identifier, f"{expected}, because of its position 'outlet'")
        return None
    name = _as_outlet_name(value)
    if name is None:
        raise _block_field_wrong(path, identifier, value, expected, "invalid_outlet_name")
    return name


def _refuse_missing_anchor(block: _Block, layout: Layout) -> None:
    """Refuse a block whose anchor the layout does not declare (sections 2.1 and 5)."""
    path = f"blocks[{block.index}].position"
    if block.position == "outlet":
        if block.outlet_name in layout.outlets:
            return
        path = f"blocks[{block.index}].outlet_name"
        found = f"the outlet {_describe(block.outlet_name)}, which the layout does not declare"
        expected = f"one of {_one_of(list(layout.outlets))}" if layout.outlets else "a layout with outlets"
    else:
        anchor = _anchor_of(block.position)
        if getattr(layout, anchor) is not None:
            return
        found = f"the position {block.position!r}, but the layout has no {anchor}"
        expected = f"a layout that declares {anchor}"
    raise BlockError(f"block {_describe(block.id)} has {found}; expected {expected}", "missing_anchor", path)


def _anchor_of(position: str) -> str:
    """Return the anchor that a position needs (section 2.3)."""
    if position == "outlet":
        return "outlets"
    if position == "at_depth":
        return "conversation"
    if position in ("author_note_top", "author_note_bottom"):
        return "author_note"
    return position.split("_", 1)[1]


# ---------------------------------------------------------------------------------------------------------------------
# Gaps and their order
# ---------------------------------------------------------------------------------------------------------------------

# Where something stands among everything at gaps: (gap, phase, region, step, minus depth). Two things with the same
# rank are blocks of one position (and depth), and `order` and `id` decide between them.
_Rank = tuple[int, int, int, int, int]

ENDS_HERE, LIES_HERE, BEGINS_HERE = 0, 1, 2
REGION_CHARACTER, REGION_EXAMPLES, REGION_CONVERSATION = 0, 1, 2
STEP_BEFORE, STEP_REGION, STEP_AFTER = 0, 1, 2


@dataclass(frozen=True)
class _Slot:
    """A block that makes messages of its own, with the gap it asks for, its rank there, and the gap it gets."""

    block: _Block
    rank: _Rank
    requested_gap: int
    gap: int


def _rank(block: _Block, layout: Layout) -> _Rank:
    """Find the gap of a block, and where it belongs among what stands there (sections 2.3 and 2.4)."""
    if block.position == "at_depth":
        return _depth_rank(cast(int, block.depth), cast(Conversation, layout.conversation))
    side, region = block.position.split("_", 1)
    bounds = cast("tuple[int, int]", layout.character if region == "character" else layout.examples)
    return _range_rank(side, REGION_CHARACTER if region == "character" else REGION_EXAMPLES, bounds)


def _range_rank(side: str, region: int, bounds: tuple[int, int]) -> _Rank:
    """Rank a block before or after a range (sections 2.3 and 2.4)."""
    start, end = bounds
    if start == end:
        return (start, LIES_HERE, region, STEP_BEFORE if side == "before" else STEP_AFTER, 0)
    if side == "before":
        return (start, BEGINS_HERE, region, STEP_BEFORE, 0)
    return (end, ENDS_HERE, region, STEP_AFTER, 0)


def _depth_rank(depth: int, conversation: Conversation) -> _Rank:
    """Rank a block at a depth of the conversation, the deeper first (sections 2.3 and 2.4)."""
    indices = conversation.message_indices
    if not indices:
        step = STEP_AFTER if depth == 0 else STEP_BEFORE
        return (cast(int, conversation.empty_index), LIES_HERE, REGION_CONVERSATION, step, -depth)
    if depth == 0:
        return (indices[-1] + 1, ENDS_HERE, REGION_CONVERSATION, STEP_AFTER, 0)
    from_start = len(indices) - depth
    gap = indices[from_start] if from_start >= 0 else indices[0]
    return (gap, BEGINS_HERE, REGION_CONVERSATION, STEP_BEFORE, -depth)


def _order_and_id(block: _Block) -> tuple[int | float, str]:
    """The order within one position: `order`, then `id` by code point (section 2.4)."""
    return block.order, block.id


def _standalone_slots(
    blocks: Sequence[_Block], layout: Layout, messages: Sequence[Any], adapter: _Adapter | None, tool_exchanges: str
) -> list[_Slot]:
    """Put the blocks that make messages of their own into prompt order, with their gaps (sections 2.3 to 2.5)."""
    ranked = [(_rank(block, layout), block) for block in blocks if block.position in STANDALONE_POSITIONS]
    ranked.sort(key=lambda pair: (pair[0], _order_and_id(pair[1])))
    gaps: dict[int, int] = {}
    slots: list[_Slot] = []
    for rank, block in ranked:
        requested = rank[0]
        if requested not in gaps:
            gaps[requested] = _joined_gap(requested, messages, adapter) if tool_exchanges == "keep" else requested
        slots.append(_Slot(block, rank, requested, gaps[requested]))
    return slots


# ---------------------------------------------------------------------------------------------------------------------
# Tool exchanges
# ---------------------------------------------------------------------------------------------------------------------


def _joined_gap(gap: int, messages: Sequence[Any], adapter: _Adapter | None) -> int:
    """Go to the nearest gap at or before this one that parts nothing (section 2.5)."""
    while gap > 0 and _parts_an_exchange(gap, messages, adapter):
        gap -= 1
    return gap


def _parts_an_exchange(gap: int, messages: Sequence[Any], adapter: _Adapter | None) -> bool:
    """Tell whether something at this gap would part a tool exchange (section 2.5)."""
    previous = messages[gap - 1]
    if gap == len(messages):
        return bool(adapter.waiting(previous)) if adapter is not None else _is_waiting(previous)
    following = messages[gap]
    if adapter is not None:
        return bool(adapter.joined(previous, following))
    return _answers(following) or _holds_what_follows(previous, following)


def _answers(message: object) -> bool:
    """Tell whether a message is a tool result, which must follow its call (section 2.5)."""
    if not isinstance(message, Mapping):
        return False
    if _str_field(message, "role") in ("tool", "function") or _str_field(message, "type").endswith("_output"):
        return True
    return any(
        _str_field(part, "type") == "tool_result"
        or _has_any(part, ("toolResult", "function_response", "functionResponse"))
        for part in _mapping_parts(message)
    )


def _holds_what_follows(previous: object, following: object) -> bool:
    """Tell whether a message is a reasoning item, or a call that another call follows (section 2.5)."""
    if not isinstance(previous, Mapping):
        return False
    if _str_field(previous, "type") == "reasoning":
        return True
    if not isinstance(following, Mapping):
        return False
    return _str_field(previous, "type").endswith("_call") and _str_field(following, "type").endswith("_call")


def _is_waiting(message: object) -> bool:
    """Tell whether a message at the end of the list is a call whose result is still to come (section 2.5)."""
    if not isinstance(message, Mapping):
        return False
    if any(_is_filled(message.get(key)) for key in ("tool_calls", "function_call")):
        return True
    if _str_field(message, "type").endswith("_call"):
        return True
    return any(
        _str_field(part, "type") == "tool_use" or _has_any(part, ("toolUse", "function_call", "functionCall"))
        for part in _mapping_parts(message)
    )


def _is_filled(value: object) -> bool:
    """Tell whether a field is there and not empty."""
    return value is not None and bool(value)


def _str_field(mapping: Mapping[Any, Any], key: str) -> str:
    """Return a field that is a `str`; anything else counts as the empty one."""
    value = mapping.get(key)
    return _plain_str(value) if isinstance(value, str) else ""


def _has_any(mapping: Mapping[Any, Any], keys: Sequence[str]) -> bool:
    """Tell whether one of the keys is there with a value."""
    return any(mapping.get(key) is not None for key in keys)


def _mapping_parts(message: Mapping[Any, Any]) -> Iterator[Mapping[Any, Any]]:
    """Go through the parts of a message; what is no list or tuple is not touched (section 2.5)."""
    for key in ("content", "parts"):
        parts = message.get(key)
        if isinstance(parts, (list, tuple)):
            for part in parts:
                if isinstance(part, Mapping):
                    yield part


# ---------------------------------------------------------------------------------------------------------------------
# Host texts and markers
# ---------------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _HostContent:
    """The text of a host message: one string, or one entry for each part, None where a part is no text."""

    is_list: bool
    texts: tuple[str | None, ...]
    parts: tuple[Any, ...]

    def text_at(self, part_index: int | None) -> str | None:
        """Return the text that a part index means, or None if it means none."""
        if not self.is_list:
            return self.texts[0] if part_index is None else None
        if part_index is None or not 0 <= part_index < len(self.texts):
            return None
        return self.texts[part_index]


@dataclass(frozen=True)
class _Marker:
    """Where the marker of an outlet stands in the original messages."""

    name: str
    message_index: int
    part_index: int | None
    start: int
    end: int


def _marker_text(name: str) -> str:
    """Write the exact marker of an outlet (section 2.2)."""
    return f"{MARKER_OPENS}{name}{MARKER_CLOSES}"


def _part_text(part: object) -> str | None:
    """Return the text of a text part, or None if the part is none (section 2.6)."""
    if not isinstance(part, Mapping) or _str_field(part, "type") not in ("text", "input_text"):
        return None
    text = part.get("text")
    return text if isinstance(text, str) else None


def _read_host(message: object, index: int, adapter: _Adapter | None) -> _HostContent:
    """Read the text of a message that something may be embedded in (section 2.6)."""
    path = f"messages[{index}].content"
    if adapter is not None:
        return _read_adapted_host(message, path, adapter)
    if not isinstance(message, Mapping):
        raise LayoutError(
            f"messages[{index}] is {_describe(message)}; expected a mapping, because the layout embeds into it",
            "content_not_text",
            f"messages[{index}]",
        )
    content = message.get("content")
    if isinstance(content, str):
        return _HostContent(False, (content,), ())
    if isinstance(content, list):
        parts = tuple(content)
        return _HostContent(True, tuple(_part_text(part) for part in parts), parts)
    raise _content_not_text(path, content)


def _read_adapted_host(message: object, path: str, adapter: _Adapter) -> _HostContent:
    """Read the text of a host through the adapter (section 2.6)."""
    texts = adapter.text_parts(message)
    if texts is None:
        raise _content_not_text(path, texts)
    if isinstance(texts, str):
        return _HostContent(False, (texts,), ())
    return _HostContent(True, tuple(texts), ())


def _content_not_text(path: str, content: object) -> LayoutError:
    """Make the error for a host that has no text to embed into (section 2.6)."""
    return LayoutError(
        f"{path} is {_describe(content)}; expected a str or a list of parts, because the layout embeds into it",
        "content_not_text",
        path,
    )


def _read_hosts_and_markers(
    messages: Sequence[Any], layout: Layout, blocks: Sequence[_Block], adapter: _Adapter | None
) -> tuple[dict[int, _HostContent], list[_Marker]]:
    """Read host texts and find the markers: the note first, if used, then the outlets in layout order (section 5)."""
    hosts: dict[int, _HostContent] = {}
    if any(_anchor_of(block.position) == "author_note" for block in blocks):
        note = cast(int, layout.author_note)
        hosts[note] = _read_host(messages[note], note, adapter)
    markers: list[_Marker] = []
    for name, anchor in layout.outlets.items():
        index = anchor.message_index if isinstance(anchor, OutletSpan) else anchor
        if index not in hosts:
            hosts[index] = _read_host(messages[index], index, adapter)
        if isinstance(anchor, OutletSpan):
            markers.append(_marker_at_span(name, anchor, hosts[index]))
        else:
            markers.append(_search_marker(name, index, hosts[index]))
    _refuse_overlapping_markers(markers)
    return hosts, markers


def _search_marker(name: str, index: int, host: _HostContent) -> _Marker:
    """Search the marker, which must occur exactly once over all texts of the message (sections 2.2 and 2.6)."""
    text_of_marker = _marker_text(name)
    found: list[_Marker] = []
    for at, text in enumerate(host.texts):
        start = -1 if text is None else text.find(text_of_marker)
        while text is not None and start != -1:
            found.append(_Marker(name, index, at if host.is_list else None, start, start + len(text_of_marker)))
            start = text.find(text_of_marker, start + 1)
    path = f"layout.outlets[{_quoted_name(name)}]"
    if not found:
        raise LayoutError(
            f"messages[{index}] does not contain the marker of the outlet {_describe(name)}; expected it exactly once",
            "outlet_marker_missing",
            path,
        )
    if len(found) > 1:
        raise LayoutError(
            f"messages[{index}] contains the marker of the outlet {_describe(name)} {len(found)} times; "
            "expected it exactly once",
            "outlet_marker_repeated",
            path,
        )
    return found[0]


def _marker_at_span(name: str, span: OutletSpan, host: _HostContent) -> _Marker:
    """Look at the span of an outlet: its text must be the exact marker; nothing is searched (section 2.2)."""
    text = host.text_at(span.part_index)
    length = span.end - span.start
    if text is None or length != len(_marker_text(name)) or text[span.start : span.end] != _marker_text(name):
        part = "" if span.part_index is None else f", part {span.part_index}"
        raise LayoutError(
            f"messages[{span.message_index}]{part} has not the marker of the outlet {_describe(name)} "
            f"from {span.start} to {span.end}; expected exactly it there",
            "outlet_marker_missing",
            f"layout.outlets[{_quoted_name(name)}]",
        )
    return _Marker(name, span.message_index, span.part_index, span.start, span.end)


def _refuse_overlapping_markers(markers: Sequence[_Marker]) -> None:
    """Refuse two outlets whose markers share text, as those of `a` and `a}` may (section 2.2)."""
    for at, later in enumerate(markers):
        for earlier in markers[:at]:
            same_text = (earlier.message_index, earlier.part_index) == (later.message_index, later.part_index)
            if same_text and earlier.start < later.end and later.start < earlier.end:
                raise LayoutError(
                    f"the markers of the outlets {_describe(earlier.name)} and {_describe(later.name)} share text "
                    f"in messages[{later.message_index}]; expected them apart",
                    "overlapping_regions",
                    f"layout.outlets[{_quoted_name(later.name)}]",
                )


def _unfilled_outlets(layout: Layout, blocks: Sequence[_Block], mode: str) -> tuple[str, ...]:
    """List the outlets that no block fills; refuse the first one if that is asked for (section 2.6)."""
    filled = {block.outlet_name for block in blocks if block.position == "outlet"}
    unfilled = tuple(name for name in layout.outlets if name not in filled)
    if unfilled and mode == "error":
        raise LayoutError(
            f"no block fills the outlet {_describe(unfilled[0])}; expected at least one for each declared outlet",
            "outlet_unfilled",
            f"layout.outlets[{_quoted_name(unfilled[0])}]",
        )
    return unfilled


# ---------------------------------------------------------------------------------------------------------------------
# Rendering and embedding
# ---------------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Rendering:
    """How blocks become text and messages, and how the texts of one host are joined (sections 2.6 and 2.7)."""

    create_message: CreateMessage | None
    render_block: RenderBlock | None
    render_messages: RenderMessages | None
    adapter: _Adapter | None
    unfilled_outlets: str
    separator: str

    def text(self, block: _Block) -> str:
        """Render the content of a block (section 2.7)."""
        if self.render_block is None:
            return block.content
        text: object = self.render_block(block.given)
        if not isinstance(text, str):
            raise BlockError(
                f"render_block returned {_describe(text)} for block {_describe(block.id)}; expected a str",
                "invalid_render",
                f"blocks[{block.index}]",
            )
        return text

    def outlet_text(self, block: _Block) -> str:
        """Render the content of an outlet block, which must hold no marker itself (section 2.6)."""
        text = self.text(block)
        opens = text.find(MARKER_OPENS)
        if opens != -1 and MARKER_CLOSES in text[opens + len(MARKER_OPENS) :]:
            raise BlockError(
                f"the rendered content of block {_describe(block.id)} holds an outlet marker at {opens}; "
                "expected text without one, for outlets do not nest",
                "nested_outlet",
                f"blocks[{block.index}].content",
            )
        return text

    def messages(self, block: _Block) -> list[Any]:
        """Render a block into the messages it becomes (section 2.7)."""
        text = self.text(block)
        if self.render_messages is not None:
            return self._rendered_messages(block, text, self.render_messages)
        role = cast(str, block.role)
        if self.create_message is not None:
            return [self.create_message({"role": role, "content": text})]
        if self.adapter is not None:
            return [self.adapter.create(role, text)]
        return [{"role": role, "content": text}]

    def _rendered_messages(self, block: _Block, text: str, render_messages: RenderMessages) -> list[Any]:
        """Let the caller render a block into messages, of which there must be at least one (section 2.7)."""
        rendered: object = render_messages(block.given, text)
        path = f"blocks[{block.index}]"
        if not _is_message_sequence(rendered):
            raise BlockError(
                f"render_messages returned {_describe(rendered)} for block {_describe(block.id)}; "
                "expected a sequence of messages",
                "invalid_render",
                path,
            )
        messages = list(cast(Iterable[Any], rendered))
        if not messages:
            raise BlockError(
                f"render_messages returned no message for block {_describe(block.id)}; expected at least one, "
                "for a selected block is never dropped",
                "empty_render",
                path,
            )
        return messages


@dataclass
class _Text:
    """A text that is being written, piece by piece, with the span of each piece in code points."""

    pieces: list[str] = field(default_factory=list)
    length: int = 0

    def add(self, piece: str) -> tuple[int, int]:
        """Write a piece and return its span."""
        start = self.length
        self.pieces.append(piece)
        self.length += len(piece)
        return start, self.length

    def __str__(self) -> str:
        """Return all that was written."""
        return "".join(self.pieces)


@dataclass(frozen=True)
class _Embedded:
    """A block embedded in a host: its part and its span in the new content."""

    block: _Block
    part_index: int | None
    span: tuple[int, int]


@dataclass(frozen=True)
class _Host:
    """A message that something is embedded in, or whose markers are taken out."""

    message: Any
    content: _HostContent
    top: list[_Block]
    markers: list[_Marker]
    bottom: list[_Block]
    fillers: Mapping[str, list[_Block]]


@dataclass
class _EmbeddedHost:
    """What became of a host: its new message, the blocks in it, and the spans of the markers that were kept."""

    message: Any = None
    embedded: list[_Embedded] = field(default_factory=list)
    kept: dict[str, tuple[int | None, int, int]] = field(default_factory=dict)


def _hosts(
    messages: Sequence[Any],
    layout: Layout,
    blocks: Sequence[_Block],
    contents: Mapping[int, _HostContent],
    markers: Sequence[_Marker],
) -> dict[int, _Host]:
    """Gather what belongs into each host message, in the order it will stand there (section 2.6)."""
    in_order = sorted(blocks, key=_order_and_id)
    fillers: dict[str, list[_Block]] = {name: [] for name in layout.outlets}
    for block in in_order:
        if block.position == "outlet":
            fillers[cast(str, block.outlet_name)].append(block)
    hosts: dict[int, _Host] = {}
    for index, content in contents.items():
        is_note = index == layout.author_note
        hosts[index] = _Host(
            message=messages[index],
            content=content,
            top=[block for block in in_order if is_note and block.position == "author_note_top"],
            markers=sorted(
                (marker for marker in markers if marker.message_index == index),
                key=lambda marker: (marker.part_index or 0, marker.start),
            ),
            bottom=[block for block in in_order if is_note and block.position == "author_note_bottom"],
            fillers=fillers,
        )
    return hosts


def _embed(host: _Host, rendering: _Rendering) -> _EmbeddedHost:
    """Render what belongs into a host, in prompt order, and write its new content (section 2.6)."""
    # All of a host is rendered before any of its new content is written: top, outlets as they stand, bottom.
    texts: dict[str, str] = {}
    for block in host.top:
        texts[block.id] = rendering.text(block)
    for marker in host.markers:
        for block in host.fillers[marker.name]:
            texts[block.id] = rendering.outlet_text(block)
    for block in host.bottom:
        texts[block.id] = rendering.text(block)
    if host.content.is_list:
        return _embed_in_list(host, texts, rendering)
    return _embed_in_str(host, texts, rendering)


def _fill_markers(
    host: _Host,
    part_index: int | None,
    new_part_index: int | None,
    text: _Text,
    texts: Mapping[str, str],
    rendering: _Rendering,
    result: _EmbeddedHost,
) -> None:
    """Write one original text, with its markers filled, removed or kept (section 2.6)."""
    original = cast(str, host.content.text_at(part_index))
    cursor = 0
    for marker in host.markers:
        if marker.part_index != part_index:
            continue
        text.add(original[cursor : marker.start])
        cursor = marker.end
        fillers = host.fillers[marker.name]
        for at, block in enumerate(fillers):
            if at > 0:
                text.add(rendering.separator)
            span = text.add(texts[block.id])
            result.embedded.append(_Embedded(block, new_part_index, span))
        if not fillers and rendering.unfilled_outlets == "keep":
            start, end = text.add(original[marker.start : marker.end])
            result.kept[marker.name] = (new_part_index, start, end)
    text.add(original[cursor:])


def _embed_in_str(host: _Host, texts: Mapping[str, str], rendering: _Rendering) -> _EmbeddedHost:
    """Write the new content of a host whose content is one string (section 2.6)."""
    result = _EmbeddedHost()
    text = _Text()
    for block in host.top:
        result.embedded.append(_Embedded(block, None, text.add(texts[block.id])))
        text.add(rendering.separator)
    _fill_markers(host, None, None, text, texts, rendering, result)
    for block in host.bottom:
        text.add(rendering.separator)
        result.embedded.append(_Embedded(block, None, text.add(texts[block.id])))
    if str(text) == host.content.texts[0]:
        result.message = host.message
    elif rendering.adapter is not None:
        result.message = rendering.adapter.with_text(host.message, str(text))
    else:
        result.message = _with_value(host.message, "content", str(text))
    return result


def _embed_in_list(host: _Host, texts: Mapping[str, str], rendering: _Rendering) -> _EmbeddedHost:
    """Write the new content of a host whose content is a list of parts (section 2.6).

    The new list is described by pairs of an original part's index (None for a new part) and its text (None if the
    part is untouched).
    """
    result = _EmbeddedHost()
    left_out = _parts_left_out(host, rendering)
    final: list[tuple[int | None, str | None]] = []
    if host.top:
        final.append((None, _write_note_part(host.top, True, 0, texts, rendering, result)))
    for part_index, original in enumerate(host.content.texts):
        if part_index in left_out:
            continue
        if original is None:
            final.append((part_index, None))
            continue
        text = _Text()
        _fill_markers(host, part_index, len(final), text, texts, rendering, result)
        final.append((part_index, None if str(text) == original else str(text)))
    if host.bottom:
        final.append((None, _write_note_part(host.bottom, False, len(final), texts, rendering, result)))
    unchanged = [(part_index, None) for part_index in range(len(host.content.texts))]
    if final == unchanged:
        result.message = host.message
    elif rendering.adapter is not None:
        result.message = rendering.adapter.with_text(host.message, final)
    else:
        result.message = _with_value(host.message, "content", _new_parts(host.content, final))
    return result


def _parts_left_out(host: _Host, rendering: _Rendering) -> set[int]:
    """Find the text parts that removal alone leaves empty; the first stays if nothing else would (section 2.6)."""
    left_out: list[int] = []
    for part_index, original in enumerate(host.content.texts):
        markers = [marker for marker in host.markers if marker.part_index == part_index]
        if original is None or not markers or rendering.unfilled_outlets == "keep":
            continue
        if any(host.fillers[marker.name] for marker in markers):
            continue
        if sum(marker.end - marker.start for marker in markers) == len(original):
            left_out.append(part_index)
    remaining = len(host.content.texts) - len(left_out) + bool(host.top) + bool(host.bottom)
    return set(left_out if remaining > 0 else left_out[1:])


def _write_note_part(
    blocks: Sequence[_Block],
    is_top: bool,
    new_part_index: int,
    texts: Mapping[str, str],
    rendering: _Rendering,
    result: _EmbeddedHost,
) -> str:
    """Write the one part of all top or all bottom blocks; the separator lies between it and the note (section 2.6)."""
    text = _Text()
    for block in blocks:
        if not is_top:
            text.add(rendering.separator)
        span = text.add(texts[block.id])
        result.embedded.append(_Embedded(block, new_part_index, span))
        if is_top:
            text.add(rendering.separator)
    return str(text)


def _new_parts(content: _HostContent, final: Sequence[tuple[int | None, str | None]]) -> list[Any]:
    """Make the new list of parts: new text parts, changed copies, and untouched objects (section 2.6)."""
    text_parts = [part for part, text in zip(content.parts, content.texts, strict=True) if text is not None]
    note_type = _str_field(text_parts[0], "type") if text_parts else "text"
    parts: list[Any] = []
    for part_index, text in final:
        if part_index is None:
            parts.append({"type": note_type, "text": text})
        elif text is None:
            parts.append(content.parts[part_index])
        else:
            parts.append(_with_value(content.parts[part_index], "text", text))
    return parts


def _with_value(mapping: Mapping[Any, Any], key: str, value: object) -> Any:
    """Copy a mapping shallowly, with one value replaced and all other keys kept (section 2.6)."""
    if type(mapping) is not dict and isinstance(mapping, (dict, MutableMapping)):
        changed: Any = copy.copy(mapping)
    else:
        changed = {name: mapping[name] for name in mapping}
    changed[key] = value
    return changed


# ---------------------------------------------------------------------------------------------------------------------
# Placement
# ---------------------------------------------------------------------------------------------------------------------


def place_context_blocks(
    messages: Sequence[Any],
    blocks: Iterable[Any],
    layout: Any,
    *,
    create_message: CreateMessage | None = None,
    render_block: RenderBlock | None = None,
    render_messages: RenderMessages | None = None,
    adapter: _Adapter | None = None,
    tool_exchanges: str = "keep",
    unfilled_outlets: str = "remove",
    separator: str = "\n",
) -> PlacementResult:
    """Place each block where its position says, exactly once, or raise (section 2).

    Args:
        messages: the chat list; never changed, and not kept.
        blocks: `ContextBlock`s or mappings with the same keys.
        layout: a `Layout` or a mapping that says where the anchors are in `messages`.
        create_message: makes a message from `{"role", "content"}`; the default is that dict.
        render_block: formats the content of a block; the default is the content itself.
        render_messages: makes one or more messages of a block and its rendered content.
        adapter: reads and makes messages that are no mappings.
        tool_exchanges: `"keep"` moves blocks before an exchange they would part, `"split"` does not.
        unfilled_outlets: `"remove"`, `"keep"` or `"error"` for the markers that no block fills.
        separator: what stands between texts that are joined in one message.

    Returns:
        The new messages, a placement for each block, the unfilled outlets, and the layout of the new messages.

    Raises:
        TypeError: the call is wrong as a call.
        LayoutError: the layout, or a host message, cannot be used.
        BlockError: a block is malformed, has no anchor, or cannot be rendered.
        InterleafError: an option has a value it cannot have.

    >>> result = place_context_blocks(
    ...     [{"role": "user", "content": "Hello."}],
    ...     [{"id": "lore", "position": "at_depth", "depth": 1, "content": "It rains.", "role": "system"}],
    ...     {"conversation": {"message_indices": [0]}},
    ... )
    >>> result.placements[0].gap, result.layout.conversation.message_indices
    (0, (1,))
    """
    originals = _read_messages(messages)
    iterator = _iterate(blocks)
    if iterator is None:
        raise TypeError(f"blocks must be an iterable of blocks, not {type(blocks).__name__}")
    _check_callbacks(create_message=create_message, render_block=render_block, render_messages=render_messages)
    exchanges = _read_option("tool_exchanges", tool_exchanges, TOOL_EXCHANGES)
    unfilled_mode = _read_option("unfilled_outlets", unfilled_outlets, UNFILLED_OUTLETS)
    rendering = _Rendering(
        create_message, render_block, render_messages, adapter, unfilled_mode, _read_separator_option(separator)
    )

    checked = _read_layout(layout, len(originals))
    all_blocks = _read_blocks(list(iterator), checked)
    contents, markers = _read_hosts_and_markers(originals, checked, all_blocks, adapter)
    unfilled = _unfilled_outlets(checked, all_blocks, unfilled_mode)
    slots = _standalone_slots(all_blocks, checked, originals, adapter, exchanges)
    hosts = _hosts(originals, checked, all_blocks, contents, markers)
    return _write_prompt(originals, checked, slots, hosts, unfilled, rendering)


def _write_prompt(
    originals: Sequence[Any],
    layout: Layout,
    slots: Sequence[_Slot],
    hosts: Mapping[int, _Host],
    unfilled: tuple[str, ...],
    rendering: _Rendering,
) -> PlacementResult:
    """Go through gaps and messages in turn, rendering and recording each block as it comes (sections 2.7, 2.8)."""
    output: list[Any] = []
    placements: list[Placement] = []
    new_indices: list[int] = []
    message_counts: dict[str, int] = {}
    kept: dict[str, OutletSpan] = {}
    for index in range(len(originals) + 1):
        for slot in slots:
            if slot.gap == index:
                made = rendering.messages(slot.block)
                placements.append(_standalone_placement(slot, len(output), len(made)))
                message_counts[slot.block.id] = len(made)
                output.extend(made)
        if index == len(originals):
            break
        new_indices.append(len(output))
        if index not in hosts:
            output.append(originals[index])
            continue
        host = hosts[index]
        written = _embed(host, rendering)
        if written.embedded:
            role = _host_role(host.message, rendering.adapter)
            placements.extend(_embedded_placement(each, len(output), role) for each in written.embedded)
        for name, (part_index, start, end) in written.kept.items():
            kept[name] = OutletSpan(len(output), start, end, part_index)
        output.append(written.message)
    new_layout = _reindexed_layout(layout, slots, new_indices, message_counts, kept)
    return PlacementResult(output, tuple(placements), unfilled, new_layout)


def _host_role(message: Any, adapter: _Adapter | None) -> Any:
    """Return the role of a host as it is (section 2.8)."""
    if adapter is not None:
        return adapter.role(message)
    return message.get("role")


def _standalone_placement(slot: _Slot, message_index: int, message_count: int) -> Placement:
    """Record a block that made messages of its own (section 2.8)."""
    block = slot.block
    return Placement(
        id=block.id,
        position=block.position,
        role=block.role,
        order=block.order,
        depth=block.depth,
        outlet_name=block.outlet_name,
        message_index=message_index,
        message_count=message_count,
        part_index=None,
        span=None,
        gap=slot.gap,
        requested_gap=slot.requested_gap,
        moved=slot.gap != slot.requested_gap,
        block_index=block.index,
        metadata=block.metadata,
    )


def _embedded_placement(embedded: _Embedded, message_index: int, role: Any) -> Placement:
    """Record a block that became text of a host (section 2.8)."""
    block = embedded.block
    return Placement(
        id=block.id,
        position=block.position,
        role=role,
        order=block.order,
        depth=block.depth,
        outlet_name=block.outlet_name,
        message_index=message_index,
        message_count=0,
        part_index=embedded.part_index,
        span=embedded.span,
        gap=None,
        requested_gap=None,
        moved=False,
        block_index=block.index,
        metadata=block.metadata,
    )


def _reindexed_layout(
    layout: Layout,
    slots: Sequence[_Slot],
    new_indices: Sequence[int],
    message_counts: Mapping[str, int],
    kept: Mapping[str, OutletSpan],
) -> Layout:
    """Move all anchors into the new messages (section 2.8)."""

    def outside(old_gap: int, new_gap: int) -> int:
        """Keep an empty region out of a range that its blocks were moved into, or the next pass would refuse it."""
        ranges = [bounds for bounds in (layout.character, layout.examples) if bounds is not None]
        ends = [new_indices[end - 1] + 1 for start, end in ranges if start < end <= old_gap]
        return max([new_gap, *ends])

    def moved_range(bounds: tuple[int, int] | None, region: int) -> tuple[int, int] | None:
        if bounds is None:
            return None
        start, end = bounds
        if start == end:
            gap = outside(start, _empty_region_gap(start, region, slots, message_counts))
            return gap, gap
        return new_indices[start], new_indices[end - 1] + 1

    conversation = layout.conversation
    if conversation is not None and conversation.message_indices:
        conversation = Conversation(tuple(new_indices[index] for index in conversation.message_indices), None)
    elif conversation is not None:
        empty_index = cast(int, conversation.empty_index)
        gap = outside(empty_index, _empty_region_gap(empty_index, REGION_CONVERSATION, slots, message_counts))
        conversation = Conversation((), gap)
    return Layout(
        character=moved_range(layout.character, REGION_CHARACTER),
        examples=moved_range(layout.examples, REGION_EXAMPLES),
        conversation=conversation,
        author_note=None if layout.author_note is None else new_indices[layout.author_note],
        outlets={name: kept[name] for name in layout.outlets if name in kept},
    )


def _empty_region_gap(gap: int, region: int, slots: Sequence[_Slot], message_counts: Mapping[str, int]) -> int:
    """Find the new gap of an empty region: between its own blocks, and in its order among others (section 2.8)."""
    # Depth 0 has minus depth 0 as the region has; its step puts it behind. Every deeper block has a smaller step.
    rank: _Rank = (gap, LIES_HERE, region, STEP_REGION, 0)
    before = [slot for slot in slots if slot.rank < rank]
    behind = [slot for slot in slots if slot.rank > rank]
    # A block behind that had to move before a tool exchange pulls the region along: it still comes first.
    messages_before = min(gap, behind[0].gap) if behind else gap
    return messages_before + sum(message_counts[slot.block.id] for slot in before)


# ---------------------------------------------------------------------------------------------------------------------
# Capabilities
# ---------------------------------------------------------------------------------------------------------------------


def get_placement_capabilities(layout: Any) -> PlacementCapabilities:
    """Say which positions and outlets a layout declares; bounds and markers are not looked at (section 3).

    Raises:
        LayoutError: an anchor is unknown or given twice, or the outlets are no mapping of usable names.

    >>> get_placement_capabilities({"character": (0, 1), "outlets": {"lore": 0}})
    PlacementCapabilities(positions=('before_character', 'after_character', 'outlet'), outlets=('lore',))
    """
    fields = _read_layout_fields(layout)
    outlets = tuple(_read_outlet_key(name) for name, _ in _outlet_entries(fields["outlets"]))
    declared = {anchor for anchor in LAYOUT_FIELDS if fields[anchor] is not None}
    if not outlets:
        declared.discard("outlets")
    positions = tuple(position for position in POSITIONS if _anchor_of(position) in declared)
    return PlacementCapabilities(positions, outlets)


# ---------------------------------------------------------------------------------------------------------------------
# Plan and fragments
# ---------------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Plan:
    """A plan whose own fields are checked; its fragments and messages are still as given."""

    fragments: list[Any]
    max_input_chars: int | float
    additional_messages: list[Any]
    original_fragments: list[Any] | None
    mutable_fragment_ids: list[str]
    unit: str
    merge_adjacent: bool
    separator: str


@dataclass(frozen=True)
class _Fragment:
    """A checked fragment with the text it sends."""

    id: str
    source_id: str
    trust: str
    lifetime: str
    role: str
    max_chars: int | float
    text: str
    is_json: bool
    metadata: Any


def _read_plan(plan: object) -> _Plan:
    """Check the fields of a plan in their order (sections 4.2 and 5)."""
    fields = _read_fields(plan, "ContextPlan", PLAN_FIELDS, "plan", "", PlanError)
    if fields is None:
        raise PlanError(f"plan is {_describe(plan)}; expected a ContextPlan or a mapping", "invalid_type", "plan")
    if fields["fragments"] is None:
        raise PlanError("fragments is missing; expected an iterable of fragments", "missing_field", "fragments")
    checked = _Plan(
        fragments=_read_plan_list(fields["fragments"], "fragments"),
        max_input_chars=_read_budget(fields["max_input_chars"], "max_input_chars", ""),
        additional_messages=_read_optional_plan_list(fields["additional_messages"], "additional_messages") or [],
        original_fragments=_read_optional_plan_list(fields["original_fragments"], "original_fragments"),
        mutable_fragment_ids=_read_mutable_ids(fields["mutable_fragment_ids"]),
        unit=_read_unit(fields["unit"]),
        merge_adjacent=_read_merge_adjacent(fields["merge_adjacent"]),
        separator=_read_plan_separator(fields["separator"]),
    )
    if checked.mutable_fragment_ids and checked.original_fragments is None:
        raise PlanError(
            f"mutable_fragment_ids names {_describe(checked.mutable_fragment_ids[0])}, but there are no "
            "original_fragments; expected originals to compare with",
            "mutable_without_originals",
            "mutable_fragment_ids",
        )
    return checked


def _read_plan_list(value: object, path: str) -> list[Any]:
    """Read a field of a plan that is an iterable, but neither text nor bytes nor a mapping (section 4.2)."""
    iterator = None if isinstance(value, (str, bytes, Mapping)) else _iterate(value)
    if iterator is None:
        raise PlanError(f"{path} is {_describe(value)}; expected an iterable", "invalid_type", path)
    return list(iterator)


def _read_optional_plan_list(value: object, path: str) -> list[Any] | None:
    """Read an iterable field of a plan that may be absent (section 4.2)."""
    return None if value is None else _read_plan_list(value, path)


def _read_mutable_ids(value: object) -> list[str]:
    """Read the ids that may change (section 4.3)."""
    given = _read_optional_plan_list(value, "mutable_fragment_ids") or []
    if isinstance(value, (set, frozenset)):
        # A set has no order of its own, and the order it shows depends on the hash seed; an error must not.
        given.sort(key=_set_item_key)
    for index, item in enumerate(given):
        if not isinstance(item, str):
            raise PlanError(
                f"mutable_fragment_ids[{index}] is {_describe(item)}; expected the id of an original fragment",
                "invalid_type",
                f"mutable_fragment_ids[{index}]",
            )
    return [_plain_str(item) for item in given]


def _set_item_key(item: object) -> tuple[bool, str]:
    """Order the items of a set: what is no `str` first, by its type, then ids by code point (section 1)."""
    if isinstance(item, str):
        return True, _plain_str(item)
    return False, _describe(item)


def _read_unit(value: object) -> str:
    """Read the unit that characters are counted in (section 4.2)."""
    if value is None:
        return "codepoint"
    unit = _as_word(value, UNITS)
    if unit is None:
        raise PlanError(f"unit is {_describe(value)}; expected one of {_one_of(UNITS)}", "invalid_unit", "unit")
    return unit


def _read_merge_adjacent(value: object) -> bool:
    """Read whether neighbours share a message (section 4.2)."""
    if value is None:
        return False
    if not isinstance(value, bool):
        raise PlanError(
            f"merge_adjacent is {_describe(value)}; expected True or False", "invalid_type", "merge_adjacent"
        )
    return value


def _read_plan_separator(value: object) -> str:
    """Read what stands between fragments that share a message (section 4.2)."""
    if value is None:
        return "\n\n"
    if not isinstance(value, str):
        raise PlanError(f"separator is {_describe(value)}; expected a str", "invalid_type", "separator")
    return _plain_str(value)


def _read_budget(value: object, path: str, whose: str) -> int | float:
    """Read a budget: an int of any size that is not negative, or infinity (sections 4.1 and 4.2)."""
    expected = "an int that is not negative, or math.inf"
    if value is None:
        raise PlanError(f"{path}{whose} is missing; expected {expected}", "missing_field", path)
    if isinstance(value, float):
        if value == math.inf:
            return math.inf
    else:
        number = _as_int(value)
        if number is not None and number >= 0:
            return number
    raise PlanError(f"{path}{whose} is {_describe(value)}; expected {expected}", "invalid_budget", path)


def _read_fragments(given_fragments: Sequence[object], name: str) -> list[_Fragment]:
    """Check fragments in their order: the fields of each, then its id among the others (sections 4.1 and 5)."""
    fragments: list[_Fragment] = []
    seen: dict[str, int] = {}
    for index, given in enumerate(given_fragments):
        fragment = _read_fragment(given, f"{name}[{index}]")
        if fragment.id in seen:
            raise PlanError(
                f"{name}[{index}].id is {_describe(fragment.id)}, which is the id of {name}[{seen[fragment.id]}] too; "
                "expected unique ids",
                "duplicate_id",
                f"{name}[{index}].id",
            )
        seen[fragment.id] = index
        fragments.append(fragment)
    return fragments


def _read_fragment(given: object, path: str) -> _Fragment:
    """Check the fields of one fragment in table order (section 4.1)."""
    fields = _read_fields(given, "ContextFragment", FRAGMENT_FIELDS, path, f"{path}.", PlanError)
    if fields is None:
        raise PlanError(f"{path} is {_describe(given)}; expected a ContextFragment or a mapping", "invalid_type", path)
    identifier = _read_fragment_id(fields["id"], f"{path}.id", "")
    whose = f" of fragment {_describe(identifier)}"
    source_id = _read_fragment_id(fields["source_id"], f"{path}.source_id", whose)
    trust = _read_fragment_word(fields["trust"], TRUSTS, "invalid_trust", f"{path}.trust", whose)
    lifetime = _read_fragment_word(fields["lifetime"], LIFETIMES, "invalid_lifetime", f"{path}.lifetime", whose)
    role = _read_fragment_word(fields["role"], ROLES, "invalid_role", f"{path}.role", whose)
    max_chars = _read_budget(fields["max_chars"], f"{path}.max_chars", whose)
    text = _read_fragment_text(fields["value"], f"{path}.value", whose)
    return _Fragment(
        id=identifier,
        source_id=source_id,
        trust=trust,
        lifetime=lifetime,
        role=role,
        max_chars=max_chars,
        text=text,
        is_json=not isinstance(fields["value"], str),
        metadata=fields["metadata"],
    )


def _read_fragment_id(value: object, path: str, whose: str) -> str:
    """Read the id or the source id of a fragment (section 4.1)."""
    expected = "a str that is not empty and can be encoded as UTF-8"
    if value is None:
        raise PlanError(f"{path}{whose} is missing; expected {expected}", "missing_field", path)
    identifier = _as_id(value)
    if identifier is None:
        raise PlanError(f"{path}{whose} is {_describe(value)}; expected {expected}", "invalid_id", path)
    return identifier


def _read_fragment_word(value: object, words: Sequence[str], code: str, path: str, whose: str) -> str:
    """Read a field of a fragment that is a word of a vocabulary (section 4.1)."""
    expected = f"one of {_one_of(words)}"
    if value is None:
        raise PlanError(f"{path}{whose} is missing; expected {expected}", "missing_field", path)
    word = _as_word(value, words)
    if word is None:
        raise PlanError(f"{path}{whose} is {_describe(value)}; expected {expected}", code, path)
    return word


def _read_fragment_text(value: object, path: str, whose: str) -> str:
    """Read the text of a fragment: the `str` itself, or compact JSON (section 4.1)."""
    if value is None:
        raise PlanError(f"{path}{whose} is missing; expected a str or a JSON value", "missing_field", path)
    if isinstance(value, str):
        return value
    problem = _json_problem(value, 0)
    if problem is None:
        try:
            return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
        except ValueError:
            # The interpreter refuses to write ints of too many digits.
            problem = "an int with too many digits to be written"
    raise PlanError(f"{path}{whose} holds {problem}; expected a str or a JSON value", "invalid_value", path)


def _json_problem(value: object, depth: int) -> str | None:
    """Say what in a value is no JSON, or None if all of it is (section 4.1)."""
    if value is None or isinstance(value, (str, int)):
        return None
    if isinstance(value, float):
        return None if math.isfinite(value) else f"the float {float.__repr__(value)}"
    if not isinstance(value, (dict, list, tuple)):
        return _describe(value)
    if depth == DEEPEST_JSON:
        return f"lists or dicts nested deeper than {DEEPEST_JSON} levels"
    items: Iterable[object] = value
    if isinstance(value, dict):
        for key in value:
            if not isinstance(key, str):
                return f"a key that is {_describe(key)}"
        items = value.values()
    for item in items:
        problem = _json_problem(item, depth + 1)
        if problem is not None:
            return problem
    return None


# ---------------------------------------------------------------------------------------------------------------------
# Measuring
# ---------------------------------------------------------------------------------------------------------------------


def _measure(text: str, unit: str) -> int:
    """Count the characters of a text in a unit (section 4.2)."""
    return sum(_char_size(ord(char), unit) for char in text)


def _char_size(codepoint: int, unit: str) -> int:
    """Return what one code point counts; a lone surrogate is one UTF-16 unit and three bytes (section 4.2)."""
    if unit == "codepoint":
        return 1
    if unit == "utf16":
        return 2 if codepoint > 0xFFFF else 1
    if codepoint < 0x80:
        return 1
    if codepoint < 0x800:
        return 2
    return 4 if codepoint > 0xFFFF else 3


@dataclass
class _AdditionalSize:
    """What the additional messages count, and how many of their parts count nothing."""

    chars: int = 0
    opaque_parts: int = 0


def _measure_additional(messages: Sequence[object], unit: str) -> _AdditionalSize:
    """Check the additional messages and count their text (section 4.2)."""
    size = _AdditionalSize()
    for index, message in enumerate(messages):
        content = _read_additional_content(message, f"additional_messages[{index}]")
        if isinstance(content, str):
            size.chars += _measure(content, unit)
        else:
            for part in content:
                _measure_part(part, unit, size)
    return size


def _read_additional_content(message: object, path: str) -> str | list[Any]:
    """Check one additional message: role `user` only, with content (section 4.2)."""
    if not isinstance(message, Mapping):
        raise PlanError(f"{path} is {_describe(message)}; expected a mapping", "invalid_type", path)
    role = message.get("role")
    if role is None:
        raise PlanError(f"{path}.role is missing; expected 'user'", "missing_field", f"{path}.role")
    if _as_word(role, ("user",)) is None:
        raise PlanError(
            f"{path}.role is {_describe(role)}; expected 'user', for no other role may be added without a fragment",
            "additional_not_user",
            f"{path}.role",
        )
    content = message.get("content")
    if content is None:
        raise PlanError(
            f"{path}.content is missing; expected a str or a list of parts", "missing_field", f"{path}.content"
        )
    if not isinstance(content, (str, list)):
        raise PlanError(
            f"{path}.content is {_describe(content)}; expected a str or a list of parts",
            "invalid_type",
            f"{path}.content",
        )
    return content


def _measure_part(part: object, unit: str, size: _AdditionalSize) -> None:
    """Count one part: its text, or the text in a tool result; anything else is opaque (section 4.2)."""
    if isinstance(part, Mapping) and _str_field(part, "type") == "tool_result":
        content = part.get("content")
        if isinstance(content, str):
            size.chars += _measure(content, unit)
            return
        if isinstance(content, list):
            for inner in content:
                _measure_plain_part(inner, unit, size)
            return
    _measure_plain_part(part, unit, size)


def _measure_plain_part(part: object, unit: str, size: _AdditionalSize) -> None:
    """Count a text part; anything else is opaque (section 4.2)."""
    text = _part_text(part)
    if text is None:
        size.opaque_parts += 1
    else:
        size.chars += _measure(text, unit)


# ---------------------------------------------------------------------------------------------------------------------
# Audit
# ---------------------------------------------------------------------------------------------------------------------


def _audit(fragments: Sequence[_Fragment], originals: Sequence[_Fragment], mutable_ids: Sequence[str]) -> None:
    """Refuse fragments that are not their originals, with every violation at once (section 4.3)."""
    original_ids = [original.id for original in originals]
    for index, identifier in enumerate(mutable_ids):
        if identifier not in original_ids:
            raise PlanError(
                f"mutable_fragment_ids[{index}] is {_describe(identifier)}, which is the id of no original fragment; "
                "expected one of their ids",
                "unknown_mutable_id",
                f"mutable_fragment_ids[{index}]",
            )
    violations = [
        *_changes(fragments, originals, mutable_ids),
        *(Mutation("added", fragment.id) for fragment in fragments if fragment.id not in original_ids),
        *_reordering(fragments, originals),
    ]
    if violations:
        told = ", ".join(_describe_violation(violation) for violation in violations[:10])
        more = f", and {len(violations) - 10} more" if len(violations) > 10 else ""
        raise MutationError(
            f"the fragments differ from the originals: {told}{more}; expected no change but in the values of "
            "mutable_fragment_ids",
            "mutated",
            "fragments",
            violations=cast(Any, tuple(violations)),
        )


def _describe_violation(violation: Mutation) -> str:
    """Say one violation in a few words."""
    what = violation.kind if violation.field is None else f"{violation.kind} ({violation.field})"
    return f"{_describe(violation.fragment_id)} {what}"


def _changes(
    fragments: Sequence[_Fragment], originals: Sequence[_Fragment], mutable_ids: Sequence[str]
) -> Iterator[Mutation]:
    """Find what was removed or changed, in the order of the originals (section 4.3)."""
    by_id = {fragment.id: fragment for fragment in fragments}
    for original in originals:
        fragment = by_id.get(original.id)
        if fragment is None:
            yield Mutation("removed", original.id)
            continue
        for name in AUDITED_FIELDS:
            if getattr(fragment, name) != getattr(original, name):
                yield Mutation("field_changed", original.id, name)
        same_value = fragment.is_json == original.is_json and fragment.text == original.text
        if not same_value and original.id not in mutable_ids:
            yield Mutation("value_changed", original.id)


def _reordering(fragments: Sequence[_Fragment], originals: Sequence[_Fragment]) -> Iterator[Mutation]:
    """Find the first fragment out of its place, among the ids that both lists have (section 4.3)."""
    fragment_ids = [fragment.id for fragment in fragments]
    original_ids = [original.id for original in originals]
    found = [identifier for identifier in fragment_ids if identifier in original_ids]
    expected = [identifier for identifier in original_ids if identifier in fragment_ids]
    for identifier, expected_identifier in zip(found, expected, strict=True):
        if identifier != expected_identifier:
            yield Mutation("reordered", identifier)
            return


# ---------------------------------------------------------------------------------------------------------------------
# Assembly
# ---------------------------------------------------------------------------------------------------------------------


def assemble_context_plan(plan: Any, *, create_message: CreateMessage | None = None) -> BuiltContext:
    """Turn a plan into messages that meet its budgets, or raise; nothing is truncated (section 4).

    Args:
        plan: a `ContextPlan` or a mapping with the same keys.
        create_message: makes a message from `{"role", "content"}`; the default is that dict.

    Returns:
        The messages, the usage of each fragment, and what all of it measures.

    Raises:
        TypeError: `create_message` is not callable.
        PlanError: the plan, a fragment, an original or an additional message is malformed.
        MutationError: the fragments are not their originals.
        BudgetExceededError: a fragment, or the whole input, is over its budget.

    >>> built = assemble_context_plan({
    ...     "fragments": [{"id": "question", "source_id": "chat", "trust": "user", "lifetime": "turn",
    ...                    "role": "user", "max_chars": 100, "value": "Is it up?"}],
    ...     "max_input_chars": 2000,
    ... })
    >>> built.messages, built.input_chars
    ([{'role': 'user', 'content': 'Is it up?'}], 9)
    """
    _check_callbacks(create_message=create_message)
    return _assemble(_read_plan(plan), create_message)


def assemble_fragments(
    fragments: Iterable[Any],
    max_input_chars: int | float,
    *,
    unit: str = "codepoint",
    merge_adjacent: bool = False,
    separator: str = "\n\n",
    create_message: CreateMessage | None = None,
) -> BuiltContext:
    """Assemble fragments alone: the plan with nothing else in it (section 4).

    Args:
        fragments: `ContextFragment`s or mappings with the same keys.
        max_input_chars: the budget of all of them together, in `unit`, or `math.inf`.
        unit: `"codepoint"`, `"utf16"` or `"utf8"`.
        merge_adjacent: whether neighbours of one role and one trust share a message.
        separator: what stands between fragments that share a message; its characters count.
        create_message: makes a message from `{"role", "content"}`; the default is that dict.

    Raises:
        TypeError: `fragments` is not iterable, or `create_message` is not callable.
        PlanError: a fragment or another argument is malformed.
        BudgetExceededError: a fragment, or the whole input, is over its budget.

    >>> assemble_fragments([], 0).messages
    []
    """
    if isinstance(fragments, (str, bytes, Mapping)) or _iterate(fragments) is None:
        raise TypeError(f"fragments must be an iterable of fragments, not {type(fragments).__name__}")
    plan = {
        "fragments": fragments,
        "max_input_chars": max_input_chars,
        "unit": unit,
        "merge_adjacent": merge_adjacent,
        "separator": separator,
    }
    return assemble_context_plan(plan, create_message=create_message)


def _assemble(plan: _Plan, create_message: CreateMessage | None) -> BuiltContext:
    """Check what a plan holds, measure it against its budgets, and make the messages (sections 4 and 5)."""
    fragments = _read_fragments(plan.fragments, "fragments")
    originals = None
    if plan.original_fragments is not None:
        originals = _read_fragments(plan.original_fragments, "original_fragments")
    additional = _measure_additional(plan.additional_messages, plan.unit)
    if originals is not None:
        _audit(fragments, originals, plan.mutable_fragment_ids)

    groups = _groups(fragments, plan.merge_adjacent)
    usage = _usage(groups, plan)
    _refuse_fragments_over_budget(usage, plan.unit)
    separators = sum(len(group) - 1 for group in groups)
    separator_chars = separators * _measure(plan.separator, plan.unit)
    input_chars = sum(each.chars for each in usage) + separator_chars + additional.chars
    _refuse_input_over_budget(input_chars, plan, usage)

    return BuiltContext(
        messages=[*_fragment_messages(groups, plan.separator, create_message), *plan.additional_messages],
        fragment_usage=usage,
        static_messages=_leading_groups(groups, ("static",)),
        session_messages=_leading_groups(groups, ("static", "session")),
        additional_chars=additional.chars,
        opaque_parts=additional.opaque_parts,
        separator_chars=separator_chars,
        input_chars=input_chars,
        max_input_chars=plan.max_input_chars,
        unit=plan.unit,
    )


def _groups(fragments: Sequence[_Fragment], merge_adjacent: bool) -> list[list[_Fragment]]:
    """Put together the fragments that share a message: neighbours of one role and one trust (section 4.2)."""
    groups: list[list[_Fragment]] = []
    for fragment in fragments:
        last = groups[-1][-1] if groups else None
        if merge_adjacent and last is not None and (last.role, last.trust) == (fragment.role, fragment.trust):
            groups[-1].append(fragment)
        else:
            groups.append([fragment])
    return groups


def _usage(groups: Sequence[Sequence[_Fragment]], plan: _Plan) -> tuple[FragmentUsage, ...]:
    """Measure each fragment, and find its span in its message (section 4.4)."""
    usage: list[FragmentUsage] = []
    for message_index, group in enumerate(groups):
        start = 0
        for fragment in group:
            end = start + len(fragment.text)
            usage.append(
                FragmentUsage(
                    id=fragment.id,
                    source_id=fragment.source_id,
                    trust=fragment.trust,
                    lifetime=fragment.lifetime,
                    role=fragment.role,
                    chars=_measure(fragment.text, plan.unit),
                    max_chars=fragment.max_chars,
                    message_index=message_index,
                    span=(start, end),
                    metadata=fragment.metadata,
                )
            )
            start = end + len(plan.separator)
    return tuple(usage)


def _refuse_fragments_over_budget(usage: tuple[FragmentUsage, ...], unit: str) -> None:
    """Refuse fragments that are over their own budget, all of them at once (sections 4.2 and 5)."""
    over = [(index, each) for index, each in enumerate(usage) if each.chars > each.max_chars]
    if not over:
        return
    index, first = over[0]
    others = f" ({len(over)} fragments are over their budgets)" if len(over) > 1 else ""
    raise BudgetExceededError(
        f"fragments[{index}], fragment {_describe(first.id)}, has {first.chars} characters in {unit}; expected at "
        f"most {_describe(first.max_chars)}, its max_chars{others}",
        "fragment_over_budget",
        f"fragments[{index}].max_chars",
        limit=first.max_chars,
        actual=first.chars,
        unit=unit,
        usage=cast(Any, usage),
        fragment_ids=tuple(each.id for _, each in over),
    )


def _refuse_input_over_budget(input_chars: int, plan: _Plan, usage: tuple[FragmentUsage, ...]) -> None:
    """Refuse an input that is over the total budget (sections 4.2 and 5)."""
    if input_chars <= plan.max_input_chars:
        return
    raise BudgetExceededError(
        f"the input has {input_chars} characters in {plan.unit}, with separators and additional messages; expected "
        f"at most {_describe(plan.max_input_chars)}, its max_input_chars",
        "input_over_budget",
        "max_input_chars",
        limit=plan.max_input_chars,
        actual=input_chars,
        unit=plan.unit,
        usage=cast(Any, usage),
        fragment_ids=(),
    )


def _fragment_messages(
    groups: Sequence[Sequence[_Fragment]], separator: str, create_message: CreateMessage | None
) -> list[Any]:
    """Make one message for each group of fragments (section 4.2)."""
    messages: list[Any] = []
    for group in groups:
        text = group[0].text if len(group) == 1 else separator.join(fragment.text for fragment in group)
        message = {"role": group[0].role, "content": text}
        messages.append(message if create_message is None else create_message(message))
    return messages


def _leading_groups(groups: Sequence[Sequence[_Fragment]], lifetimes: Sequence[str]) -> int:
    """Count the leading messages that hold fragments of these lifetimes only (section 4.4)."""
    count = 0
    for group in groups:
        if any(fragment.lifetime not in lifetimes for fragment in group):
            break
        count += 1
    return count
