"""What a prefix cache can reuse of the last prompt, and which block broke it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, SupportsIndex

from .. import _interleaf
from .hosts import host_texts
from .messages import messages_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from .._interleaf import Placement, StablePrefix
    from .counter import TokenCounter
    from .messages import Countable

__all__ = ["stable_prefix"]


def stable_prefix(
    previous: Countable,
    current: Countable,
    *,
    counter: TokenCounter | None = None,
    block_size: SupportsIndex = 16,
    adapter: Any = None,
) -> StablePrefix:
    """Compare a prompt with the one before it: how much of its start is the same, and what ended that.

    Messages are the same if they are one object or equal. The start of the first one that changed counts too if its role
    did not: in `chars` up to the first code point that differs; in `tokens` up to the last run of white space and
    punctuation before that, for a tokenizer may see other tokens in a word that ends otherwise. So `tokens` and
    `cache_blocks` are what can be relied on, not the most that may be found in a cache.

    Args:
        previous: the messages that were sent last, or a result that has them.
        current: the messages that will be sent now, or a result that has them.
        counter: counts tokens; without it `tokens` and `cache_blocks` are None.
        block_size: tokens of one block of the cache.
        adapter: reads messages that are no mappings; by default the one for their type.

    Returns:
        `messages`: how many are the same from the start; `first_changed`: the index of the first that is not (None if
        `current` only appends); `chars` in code points; `tokens`; `cache_blocks`: whole blocks of the cache; `changed_by`:
        the block that made the change, if `current` is a placement (None if the history itself changed).

    Raises:
        TypeError: `previous` or `current` is no sequence.
        InterleafError: `block_size` is no int of 1 or more (`invalid_option`).
        CounterError: the counter raised, or returned what is no count.
        AdapterError: a message cannot be read.

    >>> from interleaf.budget import stable_prefix
    >>> said = [{"role": "user", "content": "It is noon."}, {"role": "assistant", "content": "So it is."}]
    >>> now = [{"role": "user", "content": "It is one."}, said[1]]
    >>> stable_prefix(said, now)
    StablePrefix(messages=0, first_changed=0, chars=6)
    >>> stable_prefix(said, [*said, {"role": "user", "content": "Go on."}])
    StablePrefix(messages=2, chars=20)
    """
    before, now = messages_of(previous), messages_of(current)
    prefix = _interleaf.stable_prefix(before, now, counter, block_size, adapter)
    if prefix.first_changed is None or now is current:
        return prefix
    placements = getattr(current, "placements", ())
    earlier = getattr(previous, "placements", None)
    changed_by = _changed_by(before, now, placements, earlier, prefix.first_changed, adapter)
    return prefix if changed_by is None else prefix.replace(changed_by=changed_by)


def _changed_by(
    before: Sequence[Any],
    now: Sequence[Any],
    placements: Sequence[Placement],
    earlier: Sequence[Placement] | None,
    index: int,
    adapter: Any,
) -> str | None:
    """Return the id of the block because of which the message at `index` is another; None if the history changed.

    Args:
        before: the previous messages.
        now: the current ones.
        placements: the blocks of the current messages.
        earlier: the blocks of the previous ones, if they are known.
        index: where the two differ first.
        adapter: reads messages.
    """
    old = before[index]
    if earlier is not None and (owner := _owner(earlier, index)) is not None:
        # A block stood here. It is gone, it changed, or it moved on.
        return owner
    owner = _owner(placements, index)
    if owner is not None:
        # A block stands here now. Where the previous blocks are known, what stood here was a message of the history: if
        # that is nowhere any more, it was not the block that took its place.
        lost = earlier is not None and not _is_among(old, now[index + 1 :])
        return None if lost else owner
    for placement in placements:
        # A block that stood here and stands further down now, as one that keeps its depth does when the chat grows.
        first, count = placement.message_index, placement.message_count
        if count and _is_among(old, now[first : first + count]):
            return placement.id
    if index >= len(now):
        return None
    return _embedded_changed(old, now[index], placements, earlier or (), index, adapter)


def _owner(placements: Iterable[Placement], index: int) -> str | None:
    """Return the id of the block that made the message at `index`."""
    for placement in placements:
        if placement.message_index <= index < placement.message_index + placement.message_count:
            return placement.id
    return None


def _is_among(message: Any, messages: Sequence[Any]) -> bool:
    """Tell whether a message is one of some, by identity or equality."""
    return any(other is message or other == message for other in messages)


def _embedded_changed(
    old: Any, new: Any, placements: Sequence[Placement], earlier: Sequence[Placement], index: int, adapter: Any
) -> str | None:
    """Return the id of the embedded block in which two versions of a host differ first."""
    path = f"current[{index}]"
    old_texts, new_texts = host_texts(old, adapter, f"previous[{index}]"), host_texts(new, adapter, path)
    if old_texts is None or new_texts is None or isinstance(old_texts, str) != isinstance(new_texts, str):
        return None
    if isinstance(old_texts, str) and isinstance(new_texts, str):
        at = _interleaf.first_difference(old_texts, new_texts)
        return None if at is None else _embedded_at(placements, earlier, index, None, at)
    for part in range(max(len(old_texts), len(new_texts))):
        old_text = old_texts[part] if part < len(old_texts) else None
        new_text = new_texts[part] if part < len(new_texts) else None
        if old_text is not None or new_text is not None:
            at = _interleaf.first_difference(old_text or "", new_text or "")
            if at is not None:
                return _embedded_at(placements, earlier, index, part, at)
    return None


def _embedded_at(
    placements: Sequence[Placement], earlier: Sequence[Placement], index: int, part: int | None, at: int
) -> str | None:
    """Return the id of the block embedded at a code point of a host's text, now or before."""
    # One that grew or shrank differs first at the end of its shorter version: the end belongs to it, but what begins
    # there comes first.
    for reaches in (0, 1):
        for placement in (*placements, *earlier):
            if placement.message_count == 0 and placement.message_index == index and placement.part_index == part:
                start, end = placement.span or (0, 0)
                if start <= at < end + reaches:
                    return placement.id
    return None
