"""What the calls return."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


@dataclass(frozen=True)
class Record:
    """An immutable record that can be written as JSON-like data."""

    def to_dict(self) -> dict[str, Any]:
        """Return the record as JSON-like data; messages, roles and metadata are the objects themselves."""
        return {each.name: self._plain(each.name) for each in fields(self)}

    def _plain(self, name: str) -> Any:
        value = getattr(self, name)
        if name in ("metadata", "role"):
            return value
        if isinstance(value, (list, tuple)):
            return [item.to_dict() if isinstance(item, Record) else item for item in value]
        return value.to_dict() if isinstance(value, Record) else value


@dataclass(frozen=True)
class OutletSpan(Record):
    """Where an outlet's marker stands: message, part of a list content, and code points of that text."""

    message_index: int
    start: int
    end: int
    part_index: int | None = None


@dataclass(frozen=True)
class Conversation(Record):
    """The messages of the conversation, and the gap where it would begin if there are none."""

    message_indices: Sequence[int]
    empty_index: int | None = None


@dataclass(frozen=True)
class Layout(Record):
    """Where the anchors are in one message list."""

    character: tuple[int, int] | None = None
    examples: tuple[int, int] | None = None
    conversation: Conversation | None = None
    author_note: int | None = None
    outlets: Mapping[str, int | OutletSpan] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Return the declared anchors as JSON-like data; what is absent is left out."""
        declared = {name: value for name, value in super().to_dict().items() if value is not None}
        declared["outlets"] = {
            name: anchor.to_dict() if isinstance(anchor, OutletSpan) else anchor
            for name, anchor in self.outlets.items()
        }
        if not self.outlets:
            del declared["outlets"]
        return declared


@dataclass(frozen=True)
class Placement(Record):
    """The record of where one block ended up."""

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
    requested_role: str | None
    block_index: int
    metadata: Any


@dataclass(frozen=True)
class Finding(Record):
    """What was found in the rendered text of a block; the fields that place it in messages stay None."""

    kind: str
    text: str
    span: tuple[int, int]
    message_index: int | None = None
    part_index: int | None = None
    result_index: int | None = None
    end_part_index: int | None = None
    end_offset: int | None = None
    block_id: str | None = None


@dataclass(frozen=True)
class PlacementResult(Record):
    """The new message list, and everything that was done to make it."""

    messages: list[Any]
    placements: tuple[Placement, ...]
    unfilled_outlets: tuple[str, ...]
    layout: Layout
    findings: tuple[Finding, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the result as JSON-like data, with findings only if there are some."""
        written = super().to_dict()
        if not self.findings:
            del written["findings"]
        return written


@dataclass(frozen=True)
class PlacementCapabilities(Record):
    """The positions and outlets that a layout declares."""

    positions: tuple[str, ...]
    outlets: tuple[str, ...]


@dataclass(frozen=True)
class FragmentUsage(Record):
    """What one fragment measures and where its text stands."""

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
    tokens: int | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the record as JSON-like data; tokens that were not counted are left out."""
        return {name: value for name, value in super().to_dict().items() if name != "tokens" or value is not None}


@dataclass(frozen=True)
class BuiltContext(Record):
    """The assembled messages and what they measure."""

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
    input_tokens: int | None = None
    max_input_tokens: int | float | None = None
    exactness: str | None = None
    unpriced_parts: int | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the record as JSON-like data; what says something of tokens is left out if there are none."""
        return {name: value for name, value in super().to_dict().items() if value is not None}


@dataclass(frozen=True)
class Mutation(Record):
    """One way in which the fragments are not their originals."""

    kind: str
    fragment_id: str
    field: str | None = None
