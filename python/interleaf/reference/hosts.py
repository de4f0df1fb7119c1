"""Messages that something is embedded in: their texts, and the markers that stand there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from ..errors import LayoutError
from .asking import Adapted, adapted
from .layouts import outlet_path
from .records import Layout, OutletSpan
from .values import as_plain_str, describe, part_field, part_str, plain_str
from .words import MARKER_CLOSES, MARKER_OPENS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..adapters.protocol import MessageAdapter
    from .blocks import Block


@dataclass(frozen=True)
class HostContent:
    """The texts of a host message: an entry for each part, None where a part is no text; one entry for a string."""

    is_list: bool
    texts: tuple[str | None, ...]
    parts: tuple[Any, ...] = ()

    def text_at(self, part_index: int | None) -> str | None:
        """Return the text that a part index means, or None if it means none."""
        if self.is_list != (part_index is not None):
            return None
        at = part_index or 0
        return self.texts[at] if at < len(self.texts) else None


@dataclass(frozen=True)
class Marker:
    """Where the marker of an outlet stands in the original messages."""

    name: str
    message_index: int
    part_index: int | None
    start: int
    end: int


@dataclass(frozen=True)
class Host:
    """A message with everything that goes into it, in the order it will stand there."""

    message: Any
    path: str
    adapted: Adapted | None
    content: HostContent
    top: list[Block]
    markers: list[Marker]
    bottom: list[Block]
    fillers: Mapping[str, list[Block]]


def read_hosts(
    messages: Sequence[Any], layout: Layout, blocks: Sequence[Block], adapter: MessageAdapter[Any] | None
) -> dict[int, Host]:
    """Read host texts and find the markers: the note first, if used, then the outlets in layout order."""
    in_order = sorted(blocks, key=lambda block: block.order_and_id)
    top = [block for block in in_order if block.position == "author_note_top"]
    bottom = [block for block in in_order if block.position == "author_note_bottom"]
    contents: dict[int, HostContent] = {}
    if top or bottom:
        note = cast("int", layout.author_note)
        contents[note] = _read_content(messages[note], note, adapter)
    markers: list[Marker] = []
    for name, anchor in layout.outlets.items():
        index = anchor.message_index if isinstance(anchor, OutletSpan) else anchor
        contents[index] = _read_content(messages[index], index, adapter)
        if isinstance(anchor, OutletSpan):
            markers.append(_marker_at_span(name, anchor, contents[index]))
        else:
            markers.append(_search_marker(name, index, contents[index]))
    _refuse_overlapping_markers(markers)
    markers.sort(key=lambda marker: (marker.part_index or 0, marker.start))
    fillers = {
        name: [block for block in in_order if block.position == "outlet" and block.outlet_name == name]
        for name in layout.outlets
    }
    return {
        index: Host(
            message=messages[index],
            path=f"messages[{index}]",
            adapted=adapted(messages[index], index, adapter),
            content=content,
            top=top if index == layout.author_note else [],
            markers=[marker for marker in markers if marker.message_index == index],
            bottom=bottom if index == layout.author_note else [],
            fillers=fillers,
        )
        for index, content in contents.items()
    }


def list_unfilled_outlets(layout: Layout, blocks: Sequence[Block], mode: str) -> tuple[str, ...]:
    """List the outlets that no block fills; refuse the first one if that is asked for."""
    filled = {block.outlet_name for block in blocks if block.position == "outlet"}
    unfilled = tuple(name for name in layout.outlets if name not in filled)
    if unfilled and mode == "error":
        raise LayoutError(
            f"no block fills the outlet {describe(unfilled[0])}; expected at least one for each declared outlet",
            "outlet_unfilled",
            outlet_path(unfilled[0]),
        )
    return unfilled


def part_text(part: object) -> str | None:
    """Return the text of a text part, or None if the part is none."""
    if part_str(part, "type") not in ("text", "input_text"):
        return None
    return as_plain_str(part_field(part, "text"))


def _read_content(message: object, index: int, adapter: MessageAdapter[Any] | None) -> HostContent:
    path = f"messages[{index}].content"
    asked = adapted(message, index, adapter)
    if asked is not None:
        content: object = asked.texts()
        if isinstance(content, list):
            return HostContent(True, tuple(as_plain_str(text) for text in content))
    else:
        content = cast("Mapping[Any, Any]", message).get("content")
        if isinstance(content, list):
            parts = tuple(content)
            return HostContent(True, tuple(part_text(part) for part in parts), parts)
    if isinstance(content, str):
        return HostContent(False, (plain_str(content),))
    raise LayoutError(
        f"{path} is {describe(content)}; expected a str or a list of parts, because the layout embeds into it",
        "content_not_text",
        path,
    )


def _marker_text(name: str) -> str:
    return f"{MARKER_OPENS}{name}{MARKER_CLOSES}"


def _search_marker(name: str, index: int, content: HostContent) -> Marker:
    """Search the marker, which must occur exactly once over all texts of the message."""
    marker = _marker_text(name)
    found = [
        Marker(name, index, at if content.is_list else None, start, start + len(marker))
        for at, text in enumerate(content.texts)
        if text is not None
        for start in range(len(text))
        if text.startswith(marker, start)
    ]
    if len(found) == 1:
        return found[0]
    raise LayoutError(
        f"messages[{index}] contains the marker of the outlet {describe(name)} {len(found)} times; "
        f"expected exactly one {describe(marker)}",
        "outlet_marker_repeated" if found else "outlet_marker_missing",
        outlet_path(name),
    )


def _marker_at_span(name: str, span: OutletSpan, content: HostContent) -> Marker:
    """Look at the span of an outlet: its text must be the exact marker; nothing is searched."""
    text = content.text_at(span.part_index)
    marker = _marker_text(name)
    if text is None or span.end - span.start != len(marker) or text[span.start : span.end] != marker:
        raise LayoutError(
            f"messages[{span.message_index}], part {span.part_index}, does not have the marker of the outlet {describe(name)} "
            f"from {span.start} to {span.end}; expected exactly {describe(marker)} there",
            "outlet_marker_missing",
            outlet_path(name),
        )
    return Marker(name, span.message_index, span.part_index, span.start, span.end)


def _refuse_overlapping_markers(markers: Sequence[Marker]) -> None:
    """Refuse two outlets whose markers share text, as those of `a` and `a}` may."""
    for at, later in enumerate(markers):
        for earlier in markers[:at]:
            same_text = (earlier.message_index, earlier.part_index) == (later.message_index, later.part_index)
            if same_text and earlier.start < later.end and later.start < earlier.end:
                raise LayoutError(
                    f"the markers of the outlets {describe(earlier.name)} and {describe(later.name)} share text "
                    f"in messages[{later.message_index}]; expected them apart",
                    "overlapping_regions",
                    outlet_path(later.name),
                )
