"""Which form a message has, found by its type and remembered for it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

from ..errors import AdapterError
from .mapping import MappingForm
from .objects import ObjectForm
from .wording import type_name

if TYPE_CHECKING:
    from .form import MessageForm

__all__ = ["SUPPORTED", "adapter_for", "form_of", "messages_joined"]

SUPPORTED = (
    "a mapping with role and content; a dataclass, a pydantic or attrs class or another object with role and content; "
    "a message of langchain-core, llama-index-core or google-genai"
)

MAPPING_FORM = MappingForm()
OBJECT_FORM = ObjectForm()

# The base class of a library's messages, by its name: a message that is one has imported the library itself already.
LIBRARY_FORMS = {
    "langchain_core.messages.base.BaseMessage": ("langchain", "LangChainForm"),
    "llama_index.core.base.llms.types.ChatMessage": ("llama_index", "LlamaIndexForm"),
    "google.genai.types.Content": ("google_genai", "GoogleGenaiForm"),
}


@lru_cache(maxsize=512)
def _form_of_type(kind: type) -> MessageForm | None:
    """Return the form that a type alone decides; None for other objects, each of which is looked at."""
    for base in kind.__mro__:
        found = LIBRARY_FORMS.get(f"{base.__module__}.{base.__qualname__}")
        if found:
            module, name = found
            form: MessageForm = getattr(import_module(f".{module}", __package__), name)()
            return form
    return MAPPING_FORM if issubclass(kind, Mapping) else None


def form_of(message: object) -> MessageForm | None:
    """Return the form of a message, None for what is no message."""
    form = _form_of_type(type(message))  # type: ignore[arg-type]  # mypy takes the hash of objects for that of types
    if form is None and OBJECT_FORM.knows(message):
        return OBJECT_FORM
    return form


def adapter_for(message: object, path: str = "") -> MessageForm:
    """Return what reads and writes a message.

    Args:
        message: a message of any supported type.
        path: where it stands, such as `messages[3]`, for the error.

    Raises:
        AdapterError: no adapter knows the type (code `unsupported_message`).

    >>> adapter_for({"role": "user", "content": "Hello."}).text_parts({"role": "user", "content": "Hello."})
    'Hello.'
    """
    form = form_of(message)
    if form is None:
        raise AdapterError(
            f"found {type_name(message)}, which no adapter knows; expected {SUPPORTED}; or pass adapter=",
            "unsupported_message",
            path,
        )
    return form


def messages_joined(previous: Any, message: Any, index: int | None = None) -> bool:
    """Tell whether a message must directly follow the one before it, whatever the types of the two.

    Args:
        previous: the message before it.
        message: the message.
        index: its place in the list, for the error, if it is known.

    Raises:
        AdapterError: no adapter knows the type of one of them (code `unsupported_message`).
    """
    before = adapter_for(previous, "" if index is None else f"messages[{index - 1}]")
    after = adapter_for(message, "" if index is None else f"messages[{index}]")
    if after.answers(message) or before.leads(previous):
        return True
    return before.is_call(previous) and after.is_call(message)
