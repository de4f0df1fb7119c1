from collections.abc import Iterable, Mapping, Sequence
from types import GenericAlias, MappingProxyType
from typing import Any, Final, Generic, SupportsIndex, TypeVar, final, overload

from typing_extensions import Self

from .adapters.protocol import MessageAdapter
from .types import (
    BlockDict,
    ConversationDict,
    CreateMessage,
    FragmentDict,
    FragmentValue,
    LayoutDict,
    LengthUnit,
    Lifetime,
    Message,
    MutationKind,
    OutletSpanDict,
    PlanDict,
    Position,
    RangeDict,
    RenderBlock,
    RenderMessages,
    Role,
    ToolExchanges,
    Trust,
    UnfilledOutlets,
)

_M = TypeVar("_M")
_N = TypeVar("_N")

__all__ = [
    "BuiltContext",
    "ContextBlock",
    "ContextFragment",
    "ContextPlan",
    "Conversation",
    "FragmentUsage",
    "Layout",
    "Mutation",
    "OutletSpan",
    "Placement",
    "PlacementCapabilities",
    "PlacementResult",
    "__version__",
    "assemble_context_plan",
    "assemble_fragments",
    "get_placement_capabilities",
    "place_context_blocks",
]

__version__: Final[str]

@final
class ContextBlock:
    def __new__(
        cls,
        *,
        id: str,
        position: Position,
        content: str,
        role: Role | None = None,
        order: SupportsIndex | float | None = None,
        depth: SupportsIndex | None = None,
        outlet_name: str | None = None,
        metadata: object = None,
    ) -> Self: ...
    @classmethod
    def from_dict(cls, mapping: BlockDict | Mapping[str, Any]) -> ContextBlock: ...
    @property
    def id(self) -> str: ...
    @property
    def position(self) -> Position: ...
    @property
    def content(self) -> str: ...
    @property
    def role(self) -> Role | None: ...
    @property
    def order(self) -> int | float: ...
    @property
    def depth(self) -> int | None: ...
    @property
    def outlet_name(self) -> str | None: ...
    @property
    def metadata(self) -> Any: ...
    def to_dict(self) -> dict[str, Any]: ...
    def replace(self, **changes: Any) -> ContextBlock: ...
    def __replace__(self, **changes: Any) -> ContextBlock: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    __match_args__ = ("id", "position", "content", "role", "order", "depth", "outlet_name", "metadata")

@final
class Conversation:
    def __new__(cls, message_indices: Sequence[SupportsIndex], empty_index: SupportsIndex | None = None) -> Self: ...
    @property
    def message_indices(self) -> tuple[int, ...]: ...
    @property
    def empty_index(self) -> int | None: ...
    def to_dict(self) -> dict[str, Any]: ...
    def replace(self, **changes: Any) -> Conversation: ...
    def __replace__(self, **changes: Any) -> Conversation: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    __match_args__ = ("message_indices", "empty_index")

@final
class OutletSpan:
    def __new__(
        cls,
        message_index: SupportsIndex,
        start: SupportsIndex,
        end: SupportsIndex,
        part_index: SupportsIndex | None = None,
    ) -> Self: ...
    @property
    def message_index(self) -> int: ...
    @property
    def start(self) -> int: ...
    @property
    def end(self) -> int: ...
    @property
    def part_index(self) -> int | None: ...
    def to_dict(self) -> dict[str, Any]: ...
    def replace(self, **changes: Any) -> OutletSpan: ...
    def __replace__(self, **changes: Any) -> OutletSpan: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    __match_args__ = ("message_index", "start", "end", "part_index")

@final
class Layout:
    def __new__(
        cls,
        *,
        character: Sequence[SupportsIndex] | RangeDict | None = None,
        examples: Sequence[SupportsIndex] | RangeDict | None = None,
        conversation: Conversation | ConversationDict | None = None,
        author_note: SupportsIndex | None = None,
        outlets: Mapping[str, SupportsIndex | OutletSpan | OutletSpanDict] | None = None,
    ) -> Self: ...
    @classmethod
    def from_dict(cls, mapping: LayoutDict | Mapping[str, Any]) -> Layout: ...
    @property
    def character(self) -> tuple[int, int] | None: ...
    @property
    def examples(self) -> tuple[int, int] | None: ...
    @property
    def conversation(self) -> Conversation | None: ...
    @property
    def author_note(self) -> int | None: ...
    @property
    def outlets(self) -> MappingProxyType[str, int | OutletSpan]: ...
    def to_dict(self) -> dict[str, Any]: ...
    def replace(self, **changes: Any) -> Layout: ...
    def __replace__(self, **changes: Any) -> Layout: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    __match_args__ = ("character", "examples", "conversation", "author_note", "outlets")

@final
class Placement:
    def __new__(
        cls,
        *,
        id: str,
        position: Position,
        role: str | None,
        order: int | float,
        depth: int | None,
        outlet_name: str | None,
        message_index: int,
        message_count: int,
        part_index: int | None,
        span: tuple[int, int] | None,
        gap: int | None,
        requested_gap: int | None,
        block_index: int,
        metadata: object = None,
        moved: bool | None = None,
        requested_role: str | None = None,
    ) -> Self: ...
    @property
    def id(self) -> str: ...
    @property
    def position(self) -> Position: ...
    @property
    def role(self) -> Any: ...
    @property
    def order(self) -> int | float: ...
    @property
    def depth(self) -> int | None: ...
    @property
    def outlet_name(self) -> str | None: ...
    @property
    def message_index(self) -> int: ...
    @property
    def message_count(self) -> int: ...
    @property
    def part_index(self) -> int | None: ...
    @property
    def span(self) -> tuple[int, int] | None: ...
    @property
    def gap(self) -> int | None: ...
    @property
    def requested_gap(self) -> int | None: ...
    @property
    def moved(self) -> bool: ...
    @property
    def requested_role(self) -> str | None: ...
    @property
    def block_index(self) -> int: ...
    @property
    def metadata(self) -> Any: ...
    def to_dict(self) -> dict[str, Any]: ...
    def replace(self, **changes: Any) -> Placement: ...
    def __replace__(self, **changes: Any) -> Placement: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    __match_args__ = (
        "id",
        "position",
        "role",
        "order",
        "depth",
        "outlet_name",
        "message_index",
        "message_count",
        "part_index",
        "span",
        "gap",
        "requested_gap",
        "moved",
        "block_index",
        "metadata",
    )

@final
class PlacementResult(Generic[_M]):
    def __new__(
        cls,
        *,
        messages: list[_M],
        placements: tuple[Placement, ...],
        unfilled_outlets: tuple[str, ...],
        layout: Layout,
    ) -> Self: ...
    def __class_getitem__(cls, item: Any) -> GenericAlias: ...
    @property
    def messages(self) -> list[_M]: ...
    @property
    def placements(self) -> tuple[Placement, ...]: ...
    @property
    def unfilled_outlets(self) -> tuple[str, ...]: ...
    @property
    def layout(self) -> Layout: ...
    def to_dict(self) -> dict[str, Any]: ...
    def replace(self, **changes: Any) -> PlacementResult[_M]: ...
    def __replace__(self, **changes: Any) -> PlacementResult[_M]: ...
    def __eq__(self, other: object, /) -> bool: ...
    __hash__: None  # type: ignore[assignment]  # it holds a list
    __match_args__ = ("messages", "placements", "unfilled_outlets", "layout")

@final
class PlacementCapabilities:
    def __new__(cls, *, positions: tuple[Position, ...], outlets: tuple[str, ...]) -> Self: ...
    @property
    def positions(self) -> tuple[Position, ...]: ...
    @property
    def outlets(self) -> tuple[str, ...]: ...
    def to_dict(self) -> dict[str, Any]: ...
    def replace(self, **changes: Any) -> PlacementCapabilities: ...
    def __replace__(self, **changes: Any) -> PlacementCapabilities: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    __match_args__ = ("positions", "outlets")

@final
class ContextFragment:
    def __new__(
        cls,
        *,
        id: str,
        source_id: str,
        trust: Trust,
        lifetime: Lifetime,
        role: Role,
        max_chars: SupportsIndex | float,
        value: FragmentValue,
        metadata: object = None,
    ) -> Self: ...
    @classmethod
    def from_dict(cls, mapping: FragmentDict | Mapping[str, Any]) -> ContextFragment: ...
    @property
    def id(self) -> str: ...
    @property
    def source_id(self) -> str: ...
    @property
    def trust(self) -> Trust: ...
    @property
    def lifetime(self) -> Lifetime: ...
    @property
    def role(self) -> Role: ...
    @property
    def max_chars(self) -> int | float: ...
    @property
    def value(self) -> Any: ...
    @property
    def text(self) -> str: ...
    @property
    def metadata(self) -> Any: ...
    def to_dict(self) -> dict[str, Any]: ...
    def replace(self, **changes: Any) -> ContextFragment: ...
    def __replace__(self, **changes: Any) -> ContextFragment: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    __match_args__ = ("id", "source_id", "trust", "lifetime", "role", "max_chars", "value", "metadata")

@final
class ContextPlan:
    def __new__(
        cls,
        *,
        fragments: Iterable[ContextFragment | FragmentDict | Mapping[str, Any]],
        max_input_chars: SupportsIndex | float,
        additional_messages: Iterable[Any] | None = None,
        original_fragments: Iterable[ContextFragment | FragmentDict | Mapping[str, Any]] | None = None,
        mutable_fragment_ids: Iterable[str] | None = None,
        unit: LengthUnit | None = None,
        merge_adjacent: bool | None = None,
        separator: str | None = None,
    ) -> Self: ...
    @classmethod
    def from_dict(cls, mapping: PlanDict | Mapping[str, Any]) -> ContextPlan: ...
    @property
    def fragments(self) -> tuple[ContextFragment, ...]: ...
    @property
    def max_input_chars(self) -> int | float: ...
    @property
    def additional_messages(self) -> tuple[Any, ...]: ...
    @property
    def original_fragments(self) -> tuple[ContextFragment, ...] | None: ...
    @property
    def mutable_fragment_ids(self) -> tuple[str, ...]: ...
    @property
    def unit(self) -> LengthUnit: ...
    @property
    def merge_adjacent(self) -> bool: ...
    @property
    def separator(self) -> str: ...
    def to_dict(self) -> dict[str, Any]: ...
    def replace(self, **changes: Any) -> ContextPlan: ...
    def __replace__(self, **changes: Any) -> ContextPlan: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    __match_args__ = (
        "fragments",
        "max_input_chars",
        "additional_messages",
        "original_fragments",
        "mutable_fragment_ids",
        "unit",
        "merge_adjacent",
        "separator",
    )

@final
class FragmentUsage:
    def __new__(
        cls,
        *,
        id: str,
        source_id: str,
        trust: Trust,
        lifetime: Lifetime,
        role: Role,
        chars: int,
        max_chars: int | float,
        message_index: int,
        span: tuple[int, int],
        metadata: object = None,
    ) -> Self: ...
    @property
    def id(self) -> str: ...
    @property
    def source_id(self) -> str: ...
    @property
    def trust(self) -> Trust: ...
    @property
    def lifetime(self) -> Lifetime: ...
    @property
    def role(self) -> Role: ...
    @property
    def chars(self) -> int: ...
    @property
    def max_chars(self) -> int | float: ...
    @property
    def message_index(self) -> int: ...
    @property
    def span(self) -> tuple[int, int]: ...
    @property
    def metadata(self) -> Any: ...
    def to_dict(self) -> dict[str, Any]: ...
    def replace(self, **changes: Any) -> FragmentUsage: ...
    def __replace__(self, **changes: Any) -> FragmentUsage: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    __match_args__ = (
        "id",
        "source_id",
        "trust",
        "lifetime",
        "role",
        "chars",
        "max_chars",
        "message_index",
        "span",
        "metadata",
    )

@final
class Mutation:
    def __new__(cls, *, kind: MutationKind, fragment_id: str, field: str | None = None) -> Self: ...
    @property
    def kind(self) -> MutationKind: ...
    @property
    def fragment_id(self) -> str: ...
    @property
    def field(self) -> str | None: ...
    def to_dict(self) -> dict[str, Any]: ...
    def replace(self, **changes: Any) -> Mutation: ...
    def __replace__(self, **changes: Any) -> Mutation: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    __match_args__ = ("kind", "fragment_id", "field")

@final
class BuiltContext(Generic[_M]):
    def __new__(
        cls,
        *,
        messages: list[_M],
        fragment_usage: tuple[FragmentUsage, ...],
        static_messages: int,
        session_messages: int,
        additional_chars: int,
        opaque_parts: int,
        separator_chars: int,
        input_chars: int,
        max_input_chars: int | float,
        unit: LengthUnit,
    ) -> Self: ...
    def __class_getitem__(cls, item: Any) -> GenericAlias: ...
    @property
    def messages(self) -> list[_M]: ...
    @property
    def fragment_usage(self) -> tuple[FragmentUsage, ...]: ...
    @property
    def static_messages(self) -> int: ...
    @property
    def session_messages(self) -> int: ...
    @property
    def additional_chars(self) -> int: ...
    @property
    def opaque_parts(self) -> int: ...
    @property
    def separator_chars(self) -> int: ...
    @property
    def input_chars(self) -> int: ...
    @property
    def max_input_chars(self) -> int | float: ...
    @property
    def unit(self) -> LengthUnit: ...
    def to_dict(self) -> dict[str, Any]: ...
    def replace(self, **changes: Any) -> BuiltContext[_M]: ...
    def __replace__(self, **changes: Any) -> BuiltContext[_M]: ...
    def __eq__(self, other: object, /) -> bool: ...
    __hash__: None  # type: ignore[assignment]  # it holds a list
    __match_args__ = (
        "messages",
        "fragment_usage",
        "static_messages",
        "session_messages",
        "additional_chars",
        "opaque_parts",
        "separator_chars",
        "input_chars",
        "max_input_chars",
        "unit",
    )

@overload
def place_context_blocks(
    messages: Sequence[_M],
    blocks: Iterable[ContextBlock | BlockDict | Mapping[str, Any]],
    layout: Layout | LayoutDict | Mapping[str, Any],
    *,
    create_message: None = None,
    render_block: RenderBlock | None = None,
    render_messages: RenderMessages[_M] | None = None,
    adapter: MessageAdapter[Any] | None = None,
    tool_exchanges: ToolExchanges | None = "keep",
    unfilled_outlets: UnfilledOutlets | None = "remove",
    separator: str | None = "\n",
    mid_conversation_roles: Mapping[Role, Role] | None = None,
) -> PlacementResult[_M]: ...
@overload
def place_context_blocks(
    messages: Sequence[_M],
    blocks: Iterable[ContextBlock | BlockDict | Mapping[str, Any]],
    layout: Layout | LayoutDict | Mapping[str, Any],
    *,
    create_message: CreateMessage[_N],
    render_block: RenderBlock | None = None,
    render_messages: RenderMessages[_N] | None = None,
    adapter: MessageAdapter[Any] | None = None,
    tool_exchanges: ToolExchanges | None = "keep",
    unfilled_outlets: UnfilledOutlets | None = "remove",
    separator: str | None = "\n",
    mid_conversation_roles: Mapping[Role, Role] | None = None,
) -> PlacementResult[_M | _N]: ...
def get_placement_capabilities(layout: Layout | LayoutDict | Mapping[str, Any]) -> PlacementCapabilities: ...
@overload
def assemble_context_plan(
    plan: ContextPlan | PlanDict | Mapping[str, Any], *, create_message: None = None
) -> BuiltContext[Message | Any]: ...
@overload
def assemble_context_plan(
    plan: ContextPlan | PlanDict | Mapping[str, Any], *, create_message: CreateMessage[_N]
) -> BuiltContext[_N | Any]: ...
@overload
def assemble_fragments(
    fragments: Iterable[ContextFragment | FragmentDict | Mapping[str, Any]],
    max_input_chars: SupportsIndex | float,
    *,
    unit: LengthUnit | None = "codepoint",
    merge_adjacent: bool | None = False,
    separator: str | None = "\n\n",
    create_message: None = None,
) -> BuiltContext[Message]: ...
@overload
def assemble_fragments(
    fragments: Iterable[ContextFragment | FragmentDict | Mapping[str, Any]],
    max_input_chars: SupportsIndex | float,
    *,
    unit: LengthUnit | None = "codepoint",
    merge_adjacent: bool | None = False,
    separator: str | None = "\n\n",
    create_message: CreateMessage[_N],
) -> BuiltContext[_N]: ...
