"""Asking an adapter about a message, and checking what it answers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from ..adapters.registry import adapter_for, form_of, messages_joined
from ..errors import AdapterError
from .values import describe, is_sequence

if TYPE_CHECKING:
    from ..adapters.protocol import MessageAdapter

METHODS = ("role", "text_parts", "with_text", "create", "joined", "waiting")

Texts = str | list[str | None]
Pairs = Sequence[tuple[int | None, str | None]]


def check_adapter(adapter: object) -> None:
    """Refuse what has not all methods of an adapter."""
    if isinstance(adapter, type):
        raise TypeError(f"adapter must be an adapter or None, not the class {adapter.__name__}")
    for method in METHODS:
        if adapter is not None and not callable(getattr(adapter, method, None)):
            raise TypeError(
                f"adapter must be an adapter or None, not {describe(adapter)}, which has no method {method}"
            )


@dataclass(frozen=True)
class Adapted:
    """A message that is not read here, with the adapter that the caller gave or that was found for its type."""

    message: Any
    path: str
    adapter: Any
    given: bool

    def role(self) -> Any:
        """Return the role, which from an adapter of the caller's is a str or None."""
        role = _ask(self.adapter, "role", self.path, self.message)
        if self.given and role is not None and not isinstance(role, str):
            raise _wrong_answer(self.adapter, "role", self.path, role, "a str or None")
        return role

    def texts(self) -> Texts | None:
        """Return the text, or one entry for each part, or None."""
        return self._texts_of(self.message)

    def with_text(self, text: str | Pairs) -> Any:
        """Return a changed copy, which must read as it was meant to."""
        expected: Texts
        if isinstance(text, str):
            expected = text
        else:
            own = cast("list[str | None]", self.texts())
            expected = [own[cast("int", index)] if new is None else new for index, new in text]
            text = list(text)
        changed = _ask(self.adapter, "with_text", self.path, self.message, text)
        if changed is None:
            raise _wrong_answer(self.adapter, "with_text", self.path, changed, "a message")
        if changed is self.message:
            raise _wrong_answer(self.adapter, "with_text", self.path, changed, "a changed copy of it")
        if self._texts_of(changed) != expected:
            code = "invalid_adapter" if self.given else "unchangeable_message"
            raise _wrong_answer(self.adapter, "with_text", self.path, changed, "a copy with the new text", code)
        return changed

    def waiting(self) -> bool:
        """Tell whether the message still waits for a result."""
        return _truth(self.adapter, "waiting", self.path, _ask(self.adapter, "waiting", self.path, self.message))

    def _texts_of(self, message: Any) -> Texts | None:
        texts = _ask(self.adapter, "text_parts", self.path, message)
        if texts is None or isinstance(texts, str):
            return texts
        if is_sequence(texts):
            parts = list(texts)
            wrong = [part for part in parts if part is not None and not isinstance(part, str)]
            if not wrong:
                return parts
            texts = wrong[0]
        raise _wrong_answer(self.adapter, "text_parts", self.path, texts, "a str, None, or a sequence of str and None")


def adapted(message: object, index: int, adapter: MessageAdapter[Any] | None) -> Adapted | None:
    """Return how to ask about a message; None for a mapping, which is read here if the caller gave no adapter."""
    path = f"messages[{index}]"
    if adapter is not None:
        return Adapted(message, path, adapter, given=True)
    return None if isinstance(message, Mapping) else Adapted(message, path, adapter_for(message, path), given=False)


def joined(previous: Any, message: Any, index: int, adapter: MessageAdapter[Any] | None) -> bool:
    """Tell whether a message must follow the one before it; without an adapter one of them is no mapping."""
    if adapter is None:
        return messages_joined(previous, message, index)
    about = index - 1 if form_of(previous) is None else index
    answer = _ask(adapter, "joined", f"messages[{about}]", previous, message)
    return _truth(adapter, "joined", f"messages[{index}]", answer)


@contextmanager
def located(path: str) -> Iterator[None]:
    """Give an adapter error that does not know its place this one."""
    try:
        yield
    except AdapterError as error:
        if not error.path:
            error.path = path
        raise


def created(adapter: MessageAdapter[Any], role: str, content: str, path: str) -> Any:
    """Return the message that the adapter makes of a block."""
    message = _ask(adapter, "create", path, role, content)
    if message is None:
        raise _wrong_answer(adapter, "create", path, None, "a message")
    return message


def _ask(adapter: Any, method: str, path: str, *arguments: Any) -> Any:
    with located(path):
        return getattr(adapter, method)(*arguments)


def _truth(adapter: Any, method: str, path: str, answer: object) -> bool:
    if not isinstance(answer, bool):
        raise _wrong_answer(adapter, method, path, answer, "True or False")
    return answer


def _wrong_answer(
    adapter: Any, method: str, path: str, answer: object, expected: str, code: str = "invalid_adapter"
) -> AdapterError:
    return AdapterError(
        f"found {describe(answer)}, expected {expected} from {type(adapter).__name__}.{method}", code, path
    )
