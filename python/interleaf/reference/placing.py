"""The placement of blocks: everything checked first, then the prompt written from front to back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from .asking import check_adapter
from .blocks import Block, read_blocks
from .calls import (
    CreateMessage,
    RenderBlock,
    RenderMessages,
    check_callbacks,
    read_messages,
    read_option,
    read_role_changes,
    read_separator,
)
from .embedding import embed
from .gaps import CHARACTER, CONVERSATION, EXAMPLES, LIES_HERE, REGION, Rank, Slot, slots_in_order
from .hosts import Host, list_unfilled_outlets, read_hosts
from .layouts import Range, read_layout
from .records import Conversation, Layout, OutletSpan, Placement, PlacementResult
from .rendering import Rendering
from .values import iterate
from .words import CONTENT_POLICIES, TOOL_EXCHANGES, UNFILLED_OUTLETS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ..adapters.protocol import MessageAdapter


def place_context_blocks(
    messages: Sequence[Any],
    blocks: Iterable[Any],
    layout: Any,
    *,
    create_message: CreateMessage | None = None,
    render_block: RenderBlock | None = None,
    render_messages: RenderMessages | None = None,
    adapter: MessageAdapter[Any] | None = None,
    tool_exchanges: str | None = "keep",
    unfilled_outlets: str | None = "remove",
    separator: str | None = "\n",
    mid_conversation_roles: Mapping[str, str] | None = None,
    content_policy: str | None = "ignore",
) -> PlacementResult:
    """Place each block where its position says, exactly once, or raise.

    Args:
        messages: the chat list; never changed, and not kept.
        blocks: `ContextBlock`s or mappings with the same keys.
        layout: a `Layout` or a mapping that says where the anchors are in `messages`.
        create_message: makes a message from `{"role", "content"}`; the default is that dict.
        render_block: formats the content of a block; the default is the content itself.
        render_messages: makes one or more messages of a block and its rendered content.
        adapter: reads and makes the messages; by default they are read by their type, and made as dicts.
        tool_exchanges: `"keep"` moves blocks before an exchange they would part, `"split"` does not.
        unfilled_outlets: `"remove"`, `"keep"` or `"error"` for the markers that no block fills.
        separator: what stands between texts that are joined in one message.
        mid_conversation_roles: other roles for blocks that land after the first conversation message.
        content_policy: `"report"` scans the rendered text of each block, `"refuse"` refuses what is found in it, and
            `"ignore"` does not look.

    Returns:
        The new messages, a placement for each block, the unfilled outlets, the layout of the new messages, and what
        was found in the blocks.

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
    originals = read_messages(messages)
    iterator = iterate(blocks)
    if iterator is None:
        raise TypeError(f"blocks must be an iterable of blocks, not {type(blocks).__name__}")
    check_callbacks(create_message=create_message, render_block=render_block, render_messages=render_messages)
    check_adapter(adapter)
    exchanges = read_option("tool_exchanges", tool_exchanges, TOOL_EXCHANGES, "keep")
    unfilled_mode = read_option("unfilled_outlets", unfilled_outlets, UNFILLED_OUTLETS, "remove")
    joined_by = read_separator(separator)
    changes = read_role_changes(mid_conversation_roles)
    policy = read_option("content_policy", content_policy, CONTENT_POLICIES, "ignore")
    rendering = Rendering(
        create_message, render_block, render_messages, adapter, unfilled_mode, joined_by, changes, policy
    )

    checked = read_layout(layout, len(originals))
    all_blocks = read_blocks(list(iterator), checked)
    hosts = read_hosts(originals, checked, all_blocks, adapter)
    unfilled = list_unfilled_outlets(checked, all_blocks, unfilled_mode)
    slots = slots_in_order(all_blocks, checked, originals, adapter, exchanges)
    return _write_prompt(originals, checked, slots, hosts, unfilled, rendering)


def _write_prompt(
    originals: Sequence[Any],
    layout: Layout,
    slots: Sequence[Slot],
    hosts: Mapping[int, Host],
    unfilled: tuple[str, ...],
    rendering: Rendering,
) -> PlacementResult:
    """Go through gaps and messages in turn, rendering and recording each block as it comes."""
    output: list[Any] = []
    placements: list[Placement] = []
    new_indices: list[int] = []
    message_counts: dict[str, int] = {}
    kept: dict[str, OutletSpan] = {}
    conversation = () if layout.conversation is None else layout.conversation.message_indices

    def write_gap(gap: int) -> None:
        for slot in slots:
            if slot.gap == gap:
                role = rendering.role(slot.block, mid_conversation=any(index < gap for index in conversation))
                made = rendering.messages(slot.block, role)
                message_counts[slot.block.id] = len(made)
                placements.append(
                    _placement(
                        slot.block,
                        role=role,
                        message_index=len(output),
                        message_count=len(made),
                        gap=slot.gap,
                        requested_gap=slot.requested_gap,
                        moved=slot.gap != slot.requested_gap,
                        requested_role=slot.block.role,
                    )
                )
                output.extend(made)

    for index, message in enumerate(originals):
        write_gap(index)
        new_indices.append(len(output))
        if index not in hosts:
            output.append(message)
            continue
        written = embed(hosts[index], rendering)
        role = _role_of_host(hosts[index]) if written.embedded else None
        placements.extend(
            _placement(
                each.block,
                role=role,
                message_index=len(output),
                message_count=0,
                part_index=each.part_index,
                span=each.span,
            )
            for each in written.embedded
        )
        for name, (part_index, (start, end)) in written.kept.items():
            kept[name] = OutletSpan(len(output), start, end, part_index)
        output.append(written.message)
    write_gap(len(originals))
    new_layout = _reindexed_layout(layout, slots, new_indices, message_counts, kept)
    return PlacementResult(output, tuple(placements), unfilled, new_layout, tuple(rendering.findings))


def _placement(
    block: Block,
    *,
    role: Any,
    message_index: int,
    message_count: int,
    part_index: int | None = None,
    span: tuple[int, int] | None = None,
    gap: int | None = None,
    requested_gap: int | None = None,
    moved: bool = False,
    requested_role: str | None = None,
) -> Placement:
    return Placement(
        id=block.id,
        position=block.position,
        role=role,
        order=block.order,
        depth=block.depth,
        outlet_name=block.outlet_name,
        message_index=message_index,
        message_count=message_count,
        part_index=part_index,
        span=span,
        gap=gap,
        requested_gap=requested_gap,
        moved=moved,
        requested_role=requested_role,
        block_index=block.index,
        metadata=block.metadata,
    )


def _role_of_host(host: Host) -> Any:
    return host.message.get("role") if host.adapted is None else host.adapted.role()


def _reindexed_layout(
    layout: Layout,
    slots: Sequence[Slot],
    new_indices: Sequence[int],
    message_counts: Mapping[str, int],
    kept: Mapping[str, OutletSpan],
) -> Layout:
    """Move all anchors into the new messages."""

    def moved_gap(gap: int, region: int) -> int:
        """Find the new gap of an empty region: between its own blocks, and in its order among others."""
        # Depth 0 has minus depth 0 as the region has; its side puts it behind. Every deeper block has a smaller side.
        rank = Rank(gap, LIES_HERE, region, REGION)
        before = [slot for slot in slots if slot.rank < rank]
        behind = [slot for slot in slots if slot.rank > rank]
        # A block behind that had to move before a tool exchange pulls the region along: it still comes first.
        messages_before = min(gap, behind[0].gap) if behind else gap
        new_gap = messages_before + sum(message_counts[slot.block.id] for slot in before)
        # But it is not pulled into a range, or the next pass would refuse it.
        ranges = [bounds for bounds in (layout.character, layout.examples) if bounds is not None]
        ends = [new_indices[end - 1] + 1 for start, end in ranges if start < end <= gap]
        return max([new_gap, *ends])

    def moved_range(bounds: Range | None, region: int) -> Range | None:
        if bounds is None:
            return None
        start, end = bounds
        if start == end:
            gap = moved_gap(start, region)
            return gap, gap
        return new_indices[start], new_indices[end - 1] + 1

    conversation = layout.conversation
    if conversation is not None and conversation.message_indices:
        conversation = Conversation(tuple(new_indices[index] for index in conversation.message_indices))
    elif conversation is not None:
        conversation = Conversation((), moved_gap(cast("int", conversation.empty_index), CONVERSATION))
    return Layout(
        character=moved_range(layout.character, CHARACTER),
        examples=moved_range(layout.examples, EXAMPLES),
        conversation=conversation,
        author_note=None if layout.author_note is None else new_indices[layout.author_note],
        outlets={name: kept[name] for name in layout.outlets if name in kept},
    )
