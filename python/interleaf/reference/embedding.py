"""Writing blocks into the text of a host message."""

from __future__ import annotations

import copy
from collections.abc import Mapping, MutableMapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

from ..adapters.copies import with_attribute
from ..errors import AdapterError
from .asking import located
from .values import describe, part_str, plain_str

if TYPE_CHECKING:
    from .blocks import Block
    from .hosts import Host, HostContent
    from .rendering import Rendering


@dataclass(frozen=True)
class Embedded:
    """A block embedded in a host: its part and its span in the new content."""

    block: Block
    part_index: int | None
    span: tuple[int, int]


@dataclass
class EmbeddedHost:
    """What became of a host: its new message, the blocks in it, and the spans of the markers that were kept."""

    message: Any = None
    embedded: list[Embedded] = field(default_factory=list)
    kept: dict[str, tuple[int | None, tuple[int, int]]] = field(default_factory=dict)


def embed(host: Host, rendering: Rendering) -> EmbeddedHost:
    """Render what belongs into a host, in prompt order, and write its new content."""
    in_outlets = [block for marker in host.markers for block in host.fillers[marker.name]]
    texts = {block.id: rendering.text(block) for block in [*host.top, *in_outlets, *host.bottom]}
    writer = _Writer(host, rendering, texts)
    with located(host.path):
        if host.content.is_list:
            writer.write_list()
        else:
            writer.write_str()
    return writer.result


class _Text:
    """A text that is being written, piece by piece."""

    def __init__(self) -> None:
        self.whole = ""

    def add(self, piece: str) -> tuple[int, int]:
        """Write a piece and return its span in code points."""
        start = len(self.whole)
        self.whole += piece
        return start, len(self.whole)


class _Writer:
    def __init__(self, host: Host, rendering: Rendering, texts: Mapping[str, str]) -> None:
        self.host = host
        self.rendering = rendering
        self.texts = {identifier: plain_str(text) for identifier, text in texts.items()}
        self.result = EmbeddedHost(host.message)

    def write_str(self) -> None:
        """Write a content that is one string: top blocks, the note's own text, bottom blocks."""
        text = _Text()
        self._add_top(text, None)
        self._add_original(text, None, None)
        self._add_bottom(text, None)
        if text.whole == self.host.content.texts[0]:
            return
        if self.host.adapted is not None:
            self.result.message = self.host.adapted.with_text(text.whole)
        else:
            self.result.message = _with_value(self.host.message, "content", text.whole)

    def write_list(self) -> None:
        """Write a content of parts; note blocks become parts of their own.

        The new list is described by pairs of an original part's index (None for a new part) and its text (None if
        the part is untouched).
        """
        content = self.host.content
        left_out = self._parts_left_out()
        final: list[tuple[int | None, str | None]] = []
        if self.host.top:
            text = _Text()
            self._add_top(text, 0)
            final.append((None, text.whole))
        for part_index, original in enumerate(content.texts):
            if part_index in left_out:
                continue
            text = _Text()
            if original is not None:
                self._add_original(text, part_index, len(final))
            final.append((part_index, text.whole if original is not None and text.whole != original else None))
        if self.host.bottom:
            text = _Text()
            self._add_bottom(text, len(final))
            final.append((None, text.whole))
        if final == [(part_index, None) for part_index in range(len(content.texts))]:
            return
        if self.host.adapted is not None:
            self.result.message = self.host.adapted.with_text(final)
        else:
            self.result.message = _with_value(self.host.message, "content", _new_parts(content, final))

    def _add_top(self, text: _Text, part_index: int | None) -> None:
        for block in self.host.top:
            self._add_block(text, block, part_index)
            text.add(self.rendering.separator)

    def _add_bottom(self, text: _Text, part_index: int | None) -> None:
        for block in self.host.bottom:
            text.add(self.rendering.separator)
            self._add_block(text, block, part_index)

    def _add_block(self, text: _Text, block: Block, part_index: int | None) -> None:
        self.result.embedded.append(Embedded(block, part_index, text.add(self.texts[block.id])))

    def _add_original(self, text: _Text, part_index: int | None, new_part_index: int | None) -> None:
        """Write one original text, with its markers filled, removed or kept."""
        original = cast("str", self.host.content.text_at(part_index))
        cursor = 0
        for marker in self.host.markers:
            if marker.part_index != part_index:
                continue
            text.add(original[cursor : marker.start])
            cursor = marker.end
            fillers = self.host.fillers[marker.name]
            for at, block in enumerate(fillers):
                if at > 0:
                    text.add(self.rendering.separator)
                self._add_block(text, block, new_part_index)
            if not fillers and self.rendering.unfilled_outlets == "keep":
                self.result.kept[marker.name] = new_part_index, text.add(original[marker.start : marker.end])
        text.add(original[cursor:])

    def _parts_left_out(self) -> set[int]:
        """Find the text parts that removal alone leaves empty; the first stays if nothing else would."""
        if self.rendering.unfilled_outlets == "keep":
            return set()
        left_out: list[int] = []
        for part_index, original in enumerate(self.host.content.texts):
            markers = [marker for marker in self.host.markers if marker.part_index == part_index]
            filled = any(self.host.fillers[marker.name] for marker in markers)
            removed = sum(marker.end - marker.start for marker in markers)
            if markers and not filled and removed == len(cast("str", original)):
                left_out.append(part_index)
        some_remain = len(left_out) < len(self.host.content.texts) or self.host.top or self.host.bottom
        return set(left_out if some_remain else left_out[1:])


def _new_parts(content: HostContent, final: Sequence[tuple[int | None, str | None]]) -> list[Any]:
    """Make the new list of parts: new text parts, changed copies, and untouched objects."""
    text_parts = [part for part, text in zip(content.parts, content.texts, strict=True) if text is not None]
    note_type = part_str(text_parts[0], "type") if text_parts else "text"
    parts: list[Any] = []
    for part_index, text in final:
        if part_index is None:
            parts.append({"type": note_type, "text": text})
        elif text is None:
            parts.append(content.parts[part_index])
        else:
            parts.append(_with_value(content.parts[part_index], "text", text))
    return parts


def _with_value(holder: Any, key: str, value: object) -> Any:
    """Copy a mapping, or a part that is an object, shallowly, with one value replaced and all others kept.

    A mutable mapping without a copy of its own may keep its items in another one, which a copy would share.
    """
    if not isinstance(holder, Mapping):
        return with_attribute(holder, key, value)
    owns_its_copy = isinstance(holder, dict) or hasattr(type(holder), "__copy__")
    if not isinstance(holder, MutableMapping) or not owns_its_copy:
        return {**holder, key: value}
    before = holder.get(key)
    changed: Any = copy.copy(holder)
    changed[key] = value
    if holder.get(key) is before:
        return changed
    holder[key] = before
    raise AdapterError(
        f"found {describe(holder)}, whose copy shares its items; expected a mapping that can be copied",
        "unchangeable_message",
    )
