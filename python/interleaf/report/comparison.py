"""What changed since the previous prompt, and from where a prefix cache is lost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .prompt import Prompt, PromptMessage

__all__ = ["Comparison", "compare"]


@dataclass(frozen=True)
class Comparison:
    """Two prompts, the later against the earlier.

    Attributes:
        equal_messages: how many leading messages are equal.
        first_changed: the message that the cache is lost in; None if one prompt is the beginning of the other.
        common_text: how many characters of that message's text are the same.
        changed_by: the numbers of the entries that stand in that message; empty if the chat itself changed.
        kept: what still stands from the start, measured as the later prompt is.
        appended: how many messages the later prompt goes on for, where it begins with all of the earlier one.
        dropped: how many messages the earlier prompt went on for, where it began with all of the later one.
        added: ids of entries that are only in the later prompt.
        removed: ids of entries that are only in the earlier one.
        changed: ids of entries whose text differs.
        moved: ids of entries that stand elsewhere: another message, counted from the start.
    """

    equal_messages: int
    first_changed: int | None
    common_text: int
    changed_by: tuple[int, ...]
    kept: int
    appended: int
    dropped: int
    added: tuple[str, ...]
    removed: tuple[str, ...]
    changed: tuple[str, ...]
    moved: tuple[str, ...]


def compare(
    previous: Prompt, current: Prompt, previous_messages: Sequence[Any], current_messages: Sequence[Any]
) -> Comparison:
    """Compares two prompts.

    Args:
        previous: the earlier one, as arranged.
        current: the later one, as arranged.
        previous_messages: the messages of the earlier one; they are compared, not their arrangement.
        current_messages: the messages of the later one.

    Returns:
        The comparison.
    """
    equal = 0
    for before, now in zip(previous_messages, current_messages, strict=False):
        if before is not now and before != now:
            break
        equal += 1
    kept = sum(message.size for message in current.messages[:equal])
    first_changed = equal if equal < len(previous_messages) and equal < len(current_messages) else None
    common = 0
    changed_by: tuple[int, ...] = ()
    if first_changed is not None:
        before_message, now_message = previous.messages[equal], current.messages[equal]
        if before_message.role == now_message.role:
            common = _common_start(_text(before_message), _text(now_message))
        changed_by = now_message.entries
        size = len(_text(now_message))
        kept += now_message.size * common // size if size else 0
    before_texts, now_texts = _entry_texts(previous), _entry_texts(current)
    both = [entry for entry in now_texts if entry in before_texts]
    places = {entry.id: entry.message_index for entry in previous.entries}
    return Comparison(
        equal_messages=equal,
        first_changed=first_changed,
        common_text=common,
        changed_by=changed_by,
        kept=kept,
        appended=max(0, len(current_messages) - equal) if first_changed is None else 0,
        dropped=max(0, len(previous_messages) - equal) if first_changed is None else 0,
        added=tuple(entry for entry in now_texts if entry not in before_texts),
        removed=tuple(entry for entry in before_texts if entry not in now_texts),
        changed=tuple(entry for entry in both if before_texts[entry] != now_texts[entry]),
        moved=tuple(
            entry.id for entry in current.entries if entry.id in places and places[entry.id] != entry.message_index
        ),
    )


def _entry_texts(prompt: Prompt) -> dict[str, str]:
    texts: dict[str, list[str]] = {entry.id: [] for entry in prompt.entries}
    for message in prompt.messages:
        for piece in (piece for part in message.parts for piece in part.pieces):
            owner = message.made_by if message.made_by is not None else piece.entry
            if owner is not None:
                texts[prompt.entries[owner].id].append(piece.text)
    return {entry: "".join(pieces) for entry, pieces in texts.items()}


def _text(message: PromptMessage) -> str:
    return "".join(piece.text for part in message.parts for piece in part.pieces)


def _common_start(one: str, other: str) -> int:
    for index, (left, right) in enumerate(zip(one, other, strict=False)):
        if left != right:
            return index
    return min(len(one), len(other))
