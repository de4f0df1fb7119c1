"""How blocks become text and messages."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

from ..errors import BlockError
from .asking import created
from .records import Finding
from .scanning import scan_text
from .values import describe, is_sequence, plain_str
from .words import MARKER_CLOSES, MARKER_OPENS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ..adapters.protocol import MessageAdapter
    from .blocks import Block
    from .calls import CreateMessage, RenderBlock, RenderMessages


@dataclass(frozen=True)
class Rendering:
    """The callbacks and options of one call; each block is rendered once."""

    create_message: CreateMessage | None
    render_block: RenderBlock | None
    render_messages: RenderMessages | None
    adapter: MessageAdapter[Any] | None
    unfilled_outlets: str
    separator: str
    role_changes: Mapping[str, str]
    content_policy: str
    findings: list[Finding] = field(default_factory=list)

    def text(self, block: Block) -> str:
        """Render the content of a block, which in an outlet must hold no marker itself."""
        text: object = block.content if self.render_block is None else self.render_block(block.given)
        if not isinstance(text, str):
            raise BlockError(
                f"render_block returned {describe(text)} for block {describe(block.id)}; expected a str",
                "invalid_render",
                f"blocks[{block.index}]",
            )
        behind_opening = plain_str(text).partition(MARKER_OPENS)[2]
        if block.position == "outlet" and MARKER_CLOSES in behind_opening:
            raise BlockError(
                f"the rendered content of block {describe(block.id)} holds an outlet marker; "
                "expected text without one, for outlets do not nest",
                "nested_outlet",
                f"blocks[{block.index}].content",
            )
        if self.content_policy != "ignore":
            self._look_at(block, text)
        return text

    def _look_at(self, block: Block, text: str) -> None:
        for kind, start, end in scan_text(text):
            matched = text[start:end]
            if self.content_policy == "refuse":
                raise BlockError(
                    f"the rendered content of block {describe(block.id)} holds {kind} {describe(matched)} at code points "
                    f"{start} to {end}; expected text in which nothing is found, for content_policy is 'refuse'",
                    "unsafe_content",
                    f"blocks[{block.index}].content",
                )
            self.findings.append(Finding(kind, matched, (start, end), block_id=block.id))

    def role(self, block: Block, mid_conversation: bool) -> str:
        """Return the role of a block of its own, which `render_messages` alone decides if it is given."""
        role: str = block.role
        if not mid_conversation or self.render_messages is not None:
            return role
        return self.role_changes.get(role, role)

    def messages(self, block: Block, role: str) -> list[Any]:
        """Render a block into the messages it becomes, of which there must be at least one."""
        text = self.text(block)
        if self.render_messages is None:
            if self.create_message is None and self.adapter is not None:
                return [created(self.adapter, role, text, f"blocks[{block.index}]")]
            return [make_message(role, text, self.create_message)]
        rendered: object = self.render_messages(block.given, text)
        if not is_sequence(rendered):
            raise BlockError(
                f"render_messages returned {describe(rendered)} for block {describe(block.id)}; "
                "expected a sequence of messages",
                "invalid_render",
                f"blocks[{block.index}]",
            )
        messages = list(cast("Iterable[Any]", rendered))
        if not messages:
            raise BlockError(
                f"render_messages returned no message for block {describe(block.id)}; expected at least one, "
                "for a selected block is never dropped",
                "empty_render",
                f"blocks[{block.index}]",
            )
        return messages


def make_message(role: str, content: str, create_message: CreateMessage | None) -> Any:
    """Make one message; by default it is the dict itself."""
    message = {"role": role, "content": content}
    return message if create_message is None else create_message(message)
