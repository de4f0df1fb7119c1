"""Copies of messages and parts with one field changed, by the means that each kind of class has for that."""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Callable, Mapping, MutableMapping
from functools import cached_property
from typing import Any

from ..errors import AdapterError
from .wording import type_name

__all__ = ["mapping_with_item", "new_text_part", "with_attribute"]


def mapping_with_item(mapping: Any, key: str, value: Any) -> Any:
    """Copy a mapping, or a part that is an object, with one item changed.

    Args:
        mapping: a mapping; it does not change. Anything else is taken to have attributes instead of keys.
        key: the item to change.
        value: its new value.

    Returns:
        A mapping of the same type where that has a copy of its own, as dict subclasses, `OrderedDict` and `UserDict`
        do; a plain dict of its items otherwise.

    Raises:
        AdapterError: the copy shares its items with the mapping (code `unchangeable_message`).

    >>> from types import MappingProxyType
    >>> mapping_with_item(MappingProxyType({"role": "user", "content": "a"}), "content", "b")
    {'role': 'user', 'content': 'b'}
    """
    if not isinstance(mapping, Mapping):
        return with_attribute(mapping, key, value)
    # A copy by the default protocol shares the storage of a mapping that wraps another, so that writing to the copy
    # would change the original; only dicts and types with a copy of their own are taken at their word.
    copies = isinstance(mapping, dict) or hasattr(type(mapping), "__copy__")
    if not copies or not isinstance(mapping, MutableMapping):
        return {**mapping, key: value}
    before = mapping.get(key)
    changed = copy.copy(mapping)
    if changed is not mapping:
        changed[key] = value
        if mapping.get(key) is before:
            return changed
        mapping[key] = before
    raise AdapterError(
        f"found {type_name(mapping)}, whose copy shares its items; expected a mapping that can be copied",
        "unchangeable_message",
    )


def with_attribute(holder: Any, name: str, value: Any) -> Any:
    """Copy an object with one attribute changed, by the means that its kind of class has for that.

    A dataclass by `dataclasses.replace`, pydantic by `model_copy`, attrs by `evolve`, a named tuple by `_replace`,
    anything with `__replace__` by that; else `copy.copy`, and then the attribute is set.

    Args:
        holder: a message or a part; it does not change.
        name: the attribute.
        value: its new value.

    Raises:
        AdapterError: there is no such way, as for an object that is frozen (code `unchangeable_message`).

    >>> from types import SimpleNamespace
    >>> with_attribute(SimpleNamespace(role="user", content="a"), "content", "b")
    namespace(role='user', content='b')
    """
    before = getattr(holder, name, None)
    try:
        changed = _replacement(holder)(**{name: value})
    except (AttributeError, TypeError, ValueError) as error:
        raise _unchangeable(holder, name, f"{type(error).__name__}: {error}") from error
    if changed is holder:
        raise _unchangeable(holder, name, "its copy is the object itself")
    if getattr(holder, name, None) is not before:
        # A copy that writes through to what it was copied from: nothing may come of that.
        setattr(holder, name, before)
        raise _unchangeable(holder, name, "its copy shares its attributes")
    return changed


def _unchangeable(holder: Any, name: str, why: str) -> AdapterError:
    return AdapterError(
        f"found {type_name(holder)}, whose {name} cannot be changed in a copy ({why}); expected a mapping, a dataclass, "
        "a pydantic or attrs class, or an object that can be copied and has the attribute to set",
        "unchangeable_message",
    )


def _replacement(holder: Any) -> Callable[..., Any]:
    """Return what makes a copy of this object with the attributes given as keywords."""
    kind = type(holder)
    if dataclasses.is_dataclass(kind):
        return lambda **changes: _with_the_rest(holder, dataclasses.replace(holder, **changes))
    if hasattr(kind, "model_copy"):
        return lambda **changes: _pydantic_copy(holder, changes)
    if hasattr(kind, "__attrs_attrs__"):
        import attrs

        return lambda **changes: _with_the_rest(holder, attrs.evolve(holder, **changes))
    replace = getattr(holder, "_replace", None) or getattr(holder, "__replace__", None)
    return replace if callable(replace) else lambda **changes: _set_on_copy(holder, changes)


def _set_on_copy(holder: Any, changes: dict[str, Any]) -> Any:
    changed = copy.copy(holder)
    if changed is not holder:
        for name, value in changes.items():
            setattr(changed, name, value)
    return changed


def _pydantic_copy(holder: Any, changes: dict[str, Any]) -> Any:
    # `model_copy` takes any name and then does nothing with one that is no field, in silence.
    fields = type(holder).model_fields.keys() | (getattr(holder, "model_extra", None) or {}).keys()
    unknown = changes.keys() - fields
    if unknown:
        raise AttributeError(f"{', '.join(sorted(unknown))} is no field of the model")
    return holder.model_copy(update=changes)


def _with_the_rest(holder: Any, changed: Any) -> Any:
    """Carry over what the constructor of a dataclass or attrs class does not take.

    Attributes that are no fields always: they would be lost. Fields with `init=False` only where nothing computes them
    after the constructor, such as an id that the message was given.
    """
    kind = type(holder)
    fields = dataclasses.fields(kind) if dataclasses.is_dataclass(kind) else kind.__attrs_attrs__
    taken = {each.name for each in fields if each.init}
    computes = hasattr(kind, "__post_init__") or hasattr(kind, "__attrs_post_init__")
    names = [each.name for each in fields if not each.init and not computes and hasattr(holder, each.name)]
    known = taken.union(each.name for each in fields)
    # What a cached property holds may have come from the old text.
    names.extend(
        name
        for name in getattr(holder, "__dict__", {})
        if name not in known and not isinstance(getattr(kind, name, None), cached_property)
    )
    for name in names:
        # As the frozen classes of both libraries do in their own constructors.
        object.__setattr__(changed, name, getattr(holder, name))
    return changed


def new_text_part(text: str, like: Any) -> Any:
    """Make a text part of the same kind as another.

    Args:
        text: its text.
        like: a text part, of which only the type is taken; None for a plain `text` part.

    Raises:
        AdapterError: the part is an object whose class does not take a text alone (code `unchangeable_message`).
    """
    if like is None or isinstance(like, Mapping):
        return {"type": "text" if like is None else like["type"], "text": text}
    kind: Callable[..., Any] = type(like)
    try:
        return kind(type=like.type, text=text)
    except (TypeError, ValueError):
        try:
            return kind(text=text)
        except (TypeError, ValueError) as error:
            raise AdapterError(
                f"found parts of type {type_name(like)}, and no new one can be made ({error}); expected a class that takes "
                "type and text",
                "unchangeable_message",
            ) from error
