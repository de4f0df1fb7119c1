"""The messages of what is counted: a list, or a result that has one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .._interleaf import BuiltContext, PlacementResult

__all__ = ["Countable", "messages_of"]

Countable: TypeAlias = "Sequence[Any] | PlacementResult[Any] | BuiltContext[Any]"
"""Messages, or a result that has them."""


def messages_of(messages: Any) -> Any:
    """Return the messages of a placement or of a built context; a list is its own."""
    if type(messages) is list:
        return messages
    # By its fields, not its class: the reference has result classes of its own.
    if hasattr(messages, "placements") or hasattr(messages, "fragment_usage"):
        return messages.messages
    return messages
