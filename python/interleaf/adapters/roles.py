"""One system message instead of several, for chat templates and providers that take only one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..errors import AdapterError
from .registry import adapter_for

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .form import MessageForm

__all__ = ["merge_leading_system"]


def merge_leading_system(messages: Iterable[Any], *, separator: str = "\n\n") -> list[Any]:
    r"""Join the leading run of system messages into one.

    The run ends before the first message of another role than the first one has; a run of developer messages is joined
    in the same way. Nothing is done to system messages after that.

    Args:
        messages: the messages, of any supported type; they do not change.
        separator: what stands between the texts of two messages.

    Returns:
        A new list. If there is more than one message in the run, one of the type of the first takes their place, with all
        other fields of the first; every other message is the same object. Texts become one text; where one of them has
        parts, all parts follow each other, those of the first message as the same objects.

    Raises:
        AdapterError: no adapter knows the type of a message (`unsupported_message`), a system message has no text to join
            (`system_not_text`), or the text cannot be changed (`unchangeable_message`).

    >>> merge_leading_system([
    ...     {"role": "system", "content": "Be kind."},
    ...     {"role": "system", "content": "It rains."},
    ...     {"role": "user", "content": "Hello."},
    ... ])
    [{'role': 'system', 'content': 'Be kind.\n\nIt rains.'}, {'role': 'user', 'content': 'Hello.'}]
    """
    all_messages = list(messages)
    first_role: Any = None
    length = 0
    for index, message in enumerate(all_messages):
        role = adapter_for(message, f"messages[{index}]").role(message)
        if role not in ("system", "developer") or (index > 0 and role != first_role):
            break
        first_role = role
        length += 1
    if length < 2:
        return all_messages
    return [_merged(all_messages[:length], separator), *all_messages[length:]]


def _merged(run: list[Any], separator: str) -> Any:
    form = adapter_for(run[0])
    contents: list[str | list[Any]] = []
    for index, message in enumerate(run):
        content = _content(message, form)
        if content is None:
            path = f"messages[{index}]"
            raise AdapterError(
                "found a system message whose content cannot be joined to that of the first; expected text",
                "system_not_text",
                path,
            )
        contents.append(content)
    texts = [content for content in contents if isinstance(content, str)]
    if len(texts) == len(contents):
        return form.with_content(run[0], separator.join(texts))
    parts: list[Any] = []
    for content in contents:
        own = [form.new_part(content, None)] if isinstance(content, str) else content
        parts.extend(_after_separator(own, form, separator) if parts else own)
    return form.with_content(run[0], parts)


def _content(message: Any, form: MessageForm) -> str | list[Any] | None:
    """Return the content with the parts that messages of this form have."""
    own = adapter_for(message)
    content = own.content(message)
    if type(own) is type(form) or content is None or isinstance(content, str):
        return content
    parts: list[Any] = []
    for part in content:
        text = own.part_text(part)
        if text is None:
            return None
        parts.append(form.new_part(text, None))
    return parts


def _after_separator(parts: list[Any], form: MessageForm, separator: str) -> list[Any]:
    """Put the separator before the first text of a message, so that parts read joined as one text would."""
    for index, part in enumerate(parts):
        text = form.part_text(part)
        if text is not None:
            return [*parts[:index], form.part_with_text(part, separator + text), *parts[index + 1 :]]
    return parts
