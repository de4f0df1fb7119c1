"""Contents of google-genai."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..errors import AdapterError
from .form import MessageForm
from .library import required
from .mixed import MixedAdapter

if TYPE_CHECKING:
    from .form import TextPairs

__all__ = ["GoogleGenaiAdapter", "GoogleGenaiForm"]


class GoogleGenaiForm(MessageForm):
    """Contents with the roles `user` and `model` and a list of parts, each kept with its thought signature."""

    def role(self, message: Any) -> str | None:
        """Return the role in the library's own words: `user` or `model`."""
        role: str | None = message.role
        return role

    def content(self, message: Any) -> list[Any] | None:
        """Return the parts."""
        return None if message.parts is None else list(message.parts)

    def with_content(self, message: Any, content: str | list[Any]) -> Any:
        """Return a copy with other parts."""
        parts = [self.new_part(content, None)] if isinstance(content, str) else content
        return message.model_copy(update={"parts": parts})

    def with_text(self, message: Any, text: str | TextPairs) -> Any:
        """Return a copy with other text; a part that carries a thought signature is never left out."""
        kept = {index for index, _ in text} if isinstance(text, list) else set()
        for index, part in enumerate(message.parts):
            if part.thought_signature is not None and index not in kept:
                raise AdapterError(
                    f"found parts[{index}] with a thought signature and no text left; expected text in it, "
                    "for the signature must be sent back",
                    "unchangeable_message",
                )
        return super().with_text(message, text)

    def part_text(self, part: Any) -> str | None:
        """Return the text of a part, unless it is a thought of the model."""
        text: str | None = None if part.thought else part.text
        return text

    def part_with_text(self, part: Any, text: str) -> Any:
        """Return a copy of the part with another text and everything else it holds."""
        return part.model_copy(update={"text": text})

    def new_part(self, text: str, like: Any) -> Any:
        """Make a part of text alone."""
        del like  # every part is of one class
        return required("google.genai.types", "google-genai", "google-genai").Part(text=text)

    def answers(self, message: Any) -> bool:
        """Tell whether it holds the response of a function, or of a tool that was called in another content."""
        return self._has(message, "function_response") or (
            self._has(message, "tool_response") and not self._has(message, "tool_call")
        )

    def waiting(self, message: Any) -> bool:
        """Tell whether it holds the call of a function, or of a tool that is answered in another content."""
        return self._has(message, "function_call") or (
            self._has(message, "tool_call") and not self._has(message, "tool_response")
        )

    def _has(self, message: Any, name: str) -> bool:
        # `tool_call` and `tool_response` came with later versions of the library.
        return any(getattr(part, name, None) is not None for part in message.parts or ())


class GoogleGenaiAdapter(MixedAdapter):
    """Makes contents of google-genai; needs `interleaf[google-genai]`.

    Raises:
        ModuleNotFoundError: google-genai is not installed.
    """

    def __init__(self) -> None:
        self._types = required("google.genai.types", "google-genai", "google-genai")

    def create(self, role: str, content: str, /) -> Any:
        """Make a content of one part.

        Raises:
            AdapterError: the role is `system` or `developer`; the library has no such content (code
                `system_not_a_message`).
        """
        if role not in ("user", "assistant"):
            raise AdapterError(
                f"found a block of role {role}; expected user or assistant, for google-genai takes system text in "
                "config.system_instruction and not as a message; give the block another role, or map it with "
                f'mid_conversation_roles={{"{role}": "user"}} if it comes after the first message',
                "system_not_a_message",
            )
        part = self._types.Part(text=content)
        return self._types.Content(role="user" if role == "user" else "model", parts=[part])
