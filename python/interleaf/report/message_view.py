"""One message of the final list, cut into pieces by who brought them."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from .message_text import MessagePart, message_parts, message_role
from .prompt import Part, Piece, PromptMessage

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

__all__ = ["Span", "view_message"]

Span: TypeAlias = "tuple[int | None, int, int, int]"
"""Text that an entry brought: part (None for `str` content), start and end in code points, number of the entry."""


def view_message(
    index: int,
    message: object,
    *,
    made_by: int | None,
    origin: int | None,
    anchors: Sequence[str],
    spans: Sequence[Span],
    count: Callable[[str], int],
) -> PromptMessage:
    """Reads one message.

    Args:
        index: its index in the final list.
        message: the message.
        made_by: the number of the entry that made all of it, if one did.
        origin: its index in the input messages, if it was one of them.
        anchors: the anchors that it is or belongs to.
        spans: what stands in it.
        count: measures a text.

    Returns:
        The message as it is drawn.
    """
    parts = tuple(
        Part(() if part.label else tuple(_pieces(part, spans)), part.label) for part in message_parts(message)
    )
    return PromptMessage(
        index=index,
        role=message_role(message),
        parts=parts,
        made_by=made_by,
        origin=origin,
        anchors=tuple(anchors),
        entries=tuple(number for *_, number in spans) if made_by is None else (made_by,),
        size=sum(count(piece.text) for part in parts for piece in part.pieces),
    )


def _pieces(part: MessagePart, spans: Sequence[tuple[int | None, int, int, int]]) -> Iterable[Piece]:
    at = 0
    for _, start, end, number in sorted(
        (span for span in spans if span[0] == part.index), key=lambda span: (span[1], span[2])
    ):
        if at < start:
            yield Piece(part.text[at:start])
        # An empty span is kept: an empty block was placed, and that must be seen.
        yield Piece(part.text[start:end], number)
        at = end
    if at < len(part.text):
        yield Piece(part.text[at:])
