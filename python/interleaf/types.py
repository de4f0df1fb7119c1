"""Vocabularies and mapping forms, for annotations.

Every mapping form is a `TypedDict` in snake_case. The functions take the same keys in camelCase too, and None wherever a
field is optional. Required and optional keys are split over two classes, for `NotRequired` came with Python 3.11.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, SupportsIndex, TypeAlias, TypedDict, TypeVar

if TYPE_CHECKING:
    from ._interleaf import ContextBlock, ContextFragment, Conversation, OutletSpan, TokenCounter, TrustPolicy

__all__ = [
    "BlockDict",
    "CacheStats",
    "ContentPart",
    "ContentPolicy",
    "ConversationDict",
    "CreateMessage",
    "Exactness",
    "FindingKind",
    "FragmentDict",
    "FragmentValue",
    "LayoutDict",
    "LengthUnit",
    "Lifetime",
    "Message",
    "MutationKind",
    "OutletSpanDict",
    "PlanDict",
    "Position",
    "RangeDict",
    "RenderBlock",
    "RenderMessages",
    "Role",
    "ToolExchanges",
    "Trust",
    "TrustPolicyDict",
    "UnfilledOutlets",
]

M = TypeVar("M")

Position: TypeAlias = Literal[
    "before_character",
    "after_character",
    "before_examples",
    "after_examples",
    "at_depth",
    "author_note_top",
    "author_note_bottom",
    "outlet",
]
"""Where a block is to stand."""

Role: TypeAlias = Literal["system", "developer", "user", "assistant"]
"""Who says a message that the library makes."""

Trust: TypeAlias = Literal["system", "developer", "user", "tool", "external"]
"""Who vouches for a fragment."""

Lifetime: TypeAlias = Literal["static", "session", "turn"]
"""How long a fragment stays the same, from the longest to the shortest."""

LengthUnit: TypeAlias = Literal["codepoint", "utf16", "utf8"]
"""What a character is in a budget: Python's `len`, JavaScript's `.length`, bytes."""

ToolExchanges: TypeAlias = Literal["keep", "split"]
"""Whether a block may part a tool call from its result."""

UnfilledOutlets: TypeAlias = Literal["remove", "keep", "error"]
"""What happens to the marker of an outlet that no block fills."""

ContentPolicy: TypeAlias = Literal["ignore", "report", "refuse"]
"""What a placement does about rendered text that pretends to be something else."""

MutationKind: TypeAlias = Literal["removed", "field_changed", "value_changed", "added", "reordered"]
"""What an audit can find."""

FindingKind: TypeAlias = Literal[
    "control_token",
    "look_alike_token",
    "sentence_token",
    "reasoning_tag",
    "outlet_marker",
    "tag_characters",
    "invisible",
    "bidi_control",
    "variation_selectors",
]
"""What a scan can find."""
Exactness: TypeAlias = Literal["rendered", "estimated"]
"""Whether tokens were counted of rendered messages, to the letter, or estimated from their pieces."""

FragmentValue: TypeAlias = "str | int | float | bool | Sequence[Any] | Mapping[str, Any]"
"""Text, or a JSON value: dicts with `str` keys, lists, tuples, ints, finite floats, bools and, inside, None."""


class Message(TypedDict):
    """The message that the library makes for a block or fragment."""

    role: Role
    content: str


class CacheStats(TypedDict):
    """What a cache of token counts did and holds."""

    hits: int
    misses: int
    entries: int
    bytes: int
    max_bytes: int


class ContentPart(TypedDict):
    """A text part that the library makes in list content."""

    type: str
    text: str


class _BlockRequired(TypedDict):
    id: str
    position: Position
    content: str


class BlockDict(_BlockRequired, total=False):
    """The mapping form of a `ContextBlock`."""

    role: Role | None
    order: SupportsIndex | float | None
    depth: SupportsIndex | None
    outlet_name: str | None
    metadata: object


class RangeDict(TypedDict):
    """The mapping form of a half-open range of messages."""

    start: SupportsIndex
    end: SupportsIndex


class _ConversationRequired(TypedDict):
    message_indices: Sequence[SupportsIndex]


class ConversationDict(_ConversationRequired, total=False):
    """The mapping form of a `Conversation`."""

    empty_index: SupportsIndex | None


class _OutletSpanRequired(TypedDict):
    message_index: SupportsIndex
    start: SupportsIndex
    end: SupportsIndex


class OutletSpanDict(_OutletSpanRequired, total=False):
    """The mapping form of an `OutletSpan`."""

    part_index: SupportsIndex | None


class LayoutDict(TypedDict, total=False):
    """The mapping form of a `Layout`."""

    character: tuple[SupportsIndex, SupportsIndex] | Sequence[SupportsIndex] | RangeDict | None
    examples: tuple[SupportsIndex, SupportsIndex] | Sequence[SupportsIndex] | RangeDict | None
    conversation: Conversation | ConversationDict | None
    author_note: SupportsIndex | None
    outlets: Mapping[str, SupportsIndex | OutletSpan | OutletSpanDict] | None


class _FragmentRequired(TypedDict):
    id: str
    source_id: str
    trust: Trust
    lifetime: Lifetime
    role: Role
    max_chars: SupportsIndex | float
    value: FragmentValue


class FragmentDict(_FragmentRequired, total=False):
    """The mapping form of a `ContextFragment`."""

    metadata: object


class TrustPolicyDict(TypedDict, total=False):
    """The mapping form of a `TrustPolicy`."""

    system: Iterable[Trust] | None
    developer: Iterable[Trust] | None
    user: Iterable[Trust] | None
    assistant: Iterable[Trust] | None


class _PlanRequired(TypedDict):
    fragments: Iterable[ContextFragment | FragmentDict]
    max_input_chars: SupportsIndex | float


class PlanDict(_PlanRequired, total=False):
    """The mapping form of a `ContextPlan`."""

    additional_messages: Iterable[Any] | None
    original_fragments: Iterable[ContextFragment | FragmentDict] | None
    mutable_fragment_ids: Iterable[str] | None
    unit: LengthUnit | None
    merge_adjacent: bool | None
    separator: str | None
    trust_policy: TrustPolicy | TrustPolicyDict | None
    max_input_tokens: SupportsIndex | float | None
    token_counter: TokenCounter | None


CreateMessage: TypeAlias = Callable[[Message], M]
"""Makes a message of the caller's type from the plain one."""

RenderBlock: TypeAlias = Callable[["ContextBlock | Mapping[str, Any]"], str]
"""Formats the text of a block, which it gets as the caller gave it."""

RenderMessages: TypeAlias = Callable[["ContextBlock | Mapping[str, Any]", str], Sequence[M]]
"""Makes one or more messages of a block and its formatted text."""
