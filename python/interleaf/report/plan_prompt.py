"""What `assemble_context_plan` did, as a prompt to look at."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from .message_view import Span, view_message
from .prompt import CHAT, Entry, Prompt, Share

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from interleaf import BuiltContext, FragmentUsage

    from .prompt import PromptMessage

__all__ = ["UNIT_NAMES", "entry_of_usage", "plan_prompt"]

UNIT_NAMES: Final = {"codepoint": "characters", "utf16": "UTF-16 units", "utf8": "bytes"}
"""What the units of a plan count, in words."""


def plan_prompt(
    result: BuiltContext[Any], count: Callable[[str], int] | None, unit: str | None, limit: float | None
) -> Prompt:
    """Arranges an assembled plan.

    Args:
        result: what `assemble_context_plan` returned.
        count: measures a text; None takes the sizes that the result has.
        unit: what `count` counts; `tokens` if absent.
        limit: a budget for the whole in that unit; without `count` the plan's own.

    Returns:
        The prompt.
    """
    usages = result.fragment_usage
    spans: dict[int, list[Span]] = {}
    for number, usage in enumerate(usages):
        spans.setdefault(usage.message_index, []).append((None, *usage.span, number))
    made = len(spans)
    messages = [
        view_message(
            index,
            message,
            made_by=spans[index][0][-1] if len(spans.get(index, ())) == 1 else None,
            origin=index - made if index >= made else None,
            anchors=(),
            # A fragment with a message of its own needs no marks in it.
            spans=spans[index] if len(spans.get(index, ())) > 1 else (),
            count=count or len,
        )
        for index, message in enumerate(result.messages)
    ]
    if count is None:
        sizes = [usage.chars for usage in usages]
        separators, additional = result.separator_chars, result.additional_chars
        unit, limit = UNIT_NAMES[result.unit], result.max_input_chars
    else:
        sizes, separators = _counted(messages[:made], len(usages), count)
        additional = sum(message.size for message in messages[made:])
    shares = _shares(usages, sizes)
    if separators:
        shares.append(Share("separators", CHAT, separators))
    if additional:
        shares.append(Share("additional messages", CHAT, additional))
    return Prompt(
        kind="plan",
        messages=tuple(messages),
        entries=tuple(
            entry_of_usage(usage, size=size, limited=count is None, shared=len(spans[usage.message_index]) > 1)
            for usage, size in zip(usages, sizes, strict=True)
        ),
        gap_marks=_cache_marks(result),
        shares=tuple(shares),
        total=sum(share.size for share in shares),
        limit=limit,
        unit=unit or "tokens",
        unfilled_outlets=(),
        facts=(("parts that are no text", str(result.opaque_parts)),) if result.opaque_parts else (),
    )


def entry_of_usage(
    usage: FragmentUsage, *, size: int | None = None, limited: bool = True, shared: bool = False
) -> Entry:
    """What one fragment used.

    Args:
        usage: its record.
        size: its size, if counted in another unit than the record's.
        limited: whether its budget is in the same unit.
        shared: whether other fragments stand in the same message.

    Returns:
        The entry.
    """
    facts = (("source", usage.source_id), ("trust", usage.trust), ("lifetime", usage.lifetime), ("role", usage.role))
    return Entry(
        id=usage.id,
        group=usage.trust,
        facts=facts,
        message_index=usage.message_index,
        embedded=shared,
        size=usage.chars if size is None else size,
        limit=usage.max_chars if limited else None,
    )


def _counted(messages: Sequence[PromptMessage], entries: int, count: Callable[[str], int]) -> tuple[list[int], int]:
    """The size of each fragment, and of the separators between those that share a message."""
    sizes = [0] * entries
    separators = 0
    for message in messages:
        for piece in (piece for part in message.parts for piece in part.pieces):
            owner = message.made_by if message.made_by is not None else piece.entry
            if owner is None:
                separators += count(piece.text)
            else:
                sizes[owner] += count(piece.text)
    return sizes, separators


def _cache_marks(result: BuiltContext[Any]) -> dict[int, tuple[str, ...]]:
    marks: dict[int, tuple[str, ...]] = {}
    for name, index in (("static", result.static_messages), ("session", result.session_messages)):
        if index:
            marks[index] = (*marks.get(index, ()), f"a cache may stop here: end of {name}")
    return marks


def _shares(usages: Sequence[FragmentUsage], sizes: Sequence[int]) -> list[Share]:
    shares: dict[tuple[str, str], int] = {}
    for usage, size in zip(usages, sizes, strict=True):
        key = (usage.source_id, usage.trust)
        shares[key] = shares.get(key, 0) + size
    return [Share(source, trust, size) for (source, trust), size in shares.items()]
