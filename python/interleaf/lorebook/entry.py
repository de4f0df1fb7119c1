"""One entry: from the fields of its dialect to a block, or to the reason why there is none."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from .._interleaf import ContextBlock
from .coercion import (
    is_text_or_number,
    position_of,
    read_depth,
    read_flag,
    read_keys,
    read_order,
    read_outlet_name,
    read_positions,
    read_role,
    read_text,
)
from .decorators import Decorations, read_decorators
from .fields import EntryFields, Found, Notes
from .limits import MAX_DECORATORS
from .records import LorebookEntry

if TYPE_CHECKING:
    from ..types import Position, Role
    from .naming import Named

__all__ = ["read_entry"]

_EMBEDDED = frozenset({"author_note_top", "author_note_bottom", "outlet"})


def read_entry(
    raw: Any, named: Named, book: str, fields_of: Callable[[Mapping[str, Any]], EntryFields], notes: Notes
) -> LorebookEntry:
    """Reads one entry.

    Args:
        raw: the entry as the file has it.
        named: its number and id.
        book: the book's name, for the block's metadata.
        fields_of: where the dialect keeps what.
        notes: where to tell.

    Returns:
        The entry, with a block or with exactly one note that it was left out.
    """
    for found, action, done in named.notes:
        notes.tell(found, action, done)
    if not isinstance(raw, Mapping):
        notes.tell(Found("entry", raw), "left_out", "left out: no object")
        return LorebookEntry(named.id, named.uid, None, "", (), (), False, False, "", raw)
    fields = fields_of(raw)
    extensions = raw.get("extensions")
    if extensions is not None and not isinstance(extensions, Mapping):
        notes.tell(Found("extensions", extensions), "ignored", "no object, so nothing is read from it")
    comment = read_text(fields.comment, notes, "comment")
    keys = read_keys(fields.keys, notes, required=True)
    secondary_keys = read_keys(fields.secondary_keys, notes, required=False)
    constant = read_flag(fields.constant, False, notes, required=False)
    off = fields.switched_off_by
    enabled = read_flag(fields.switch, not off, notes, required=True) != off
    block, content = _read_block(fields, named, {"lorebook": book, "uid": named.uid, "comment": comment}, notes)
    return LorebookEntry(named.id, named.uid, block, content, keys, secondary_keys, constant, enabled, comment, raw)


def _read_block(
    fields: EntryFields, named: Named, metadata: dict[str, Any], notes: Notes
) -> tuple[ContextBlock | None, str]:
    """Returns the block, or None and a note that says why, and the content without decorators."""
    text = _read_content(fields.content, notes)
    if text is None:
        return None, ""
    read = read_decorators(text, notes)
    if read is None:
        notes.tell(fields.content, "left_out", f"left out: more than {MAX_DECORATORS} decorators")
        return None, ""
    if not read.content:
        why = "left out: nothing but decorators" if text else "left out: empty, so there is nothing to place"
        notes.tell(fields.content, "left_out", why)
        return None, ""
    position = read_positions(fields.positions, read.position, notes)
    if position is None:
        where = next(found for found in fields.positions if not found.absent)
        notes.tell(where, "left_out", "left out: an unknown position")
        return None, read.content
    outlet_name = None
    if position == "outlet":
        outlet_name = _read_outlet(fields.outlet_name, read.content, fields.content, notes)
        if outlet_name is None:
            return None, read.content
    block = ContextBlock(
        id=named.id,
        position=position,
        content=read.content,
        role=_read_role(fields.role, read, position, notes),
        order=read_order(fields.order, notes),
        depth=_read_depth(fields.depth, read, fields.positions, notes) if position == "at_depth" else None,
        outlet_name=outlet_name,
        metadata=metadata,
    )
    return block, read.content


def _read_content(found: Found, notes: Notes) -> str | None:
    if isinstance(found.value, str):
        return str(found.value)
    if is_text_or_number(found.value):
        return read_text(found, notes, "content")
    notes.tell(found, "left_out", "left out: no content" if found.absent else "left out: the content is no text")
    return None


def _read_outlet(name: Found, content: str, content_field: Found, notes: Notes) -> str | None:
    read = read_outlet_name(name, notes)
    if read is None:
        notes.tell(name, "left_out", "left out: an outlet needs a name that a marker can hold")
        return None
    opening = content.find("{{outlet::")
    if opening >= 0 and content.find("}}", opening) >= 0:
        notes.tell(content_field, "left_out", "left out: what fills an outlet cannot hold the marker of one")
        return None
    return read


def _read_role(found: Found, read: Decorations, position: Position, notes: Notes) -> Role | None:
    if position in _EMBEDDED:
        return None  # the host's role is inherited
    if read.role is None:
        return read_role(found, notes)
    if not found.absent:
        unheard = Notes(notes.entry)
        if read_role(found, unheard) != read.role:
            notes.tell(found, "overridden", f"@@role says {read.role} and wins")
    return read.role


def _read_depth(found: Found, read: Decorations, positions: tuple[Found, ...], notes: Notes) -> int:
    if read.depth is None:
        return read_depth(found, notes)
    depth = read_depth(read.depth, notes)
    # A depth beside another position means nothing: programs write their default of 4 into every entry.
    meant = any(_says_at_depth(position) for position in positions)
    if meant and not found.absent:
        unheard = Notes(notes.entry)
        if read_depth(found, unheard) != depth:
            notes.tell(found, "overridden", f"@@depth says {depth} and wins")
    return depth


def _says_at_depth(found: Found) -> bool:
    read = position_of(found)
    return read is not None and read[0] == "at_depth"
