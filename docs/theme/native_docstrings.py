"""Gives the reference the docstrings of the compiled module, which its stubs do not have."""

from __future__ import annotations

import inspect
import re
import textwrap
from importlib import import_module
from typing import Any

import griffe

__all__ = ["NativeDocstrings"]


class NativeDocstrings(griffe.Extension):
    """Reads signatures and types from the stubs of the native module, and docstrings from the module itself.

    The stubs are the better half for people: they name the types that a text signature cannot. The docstrings stand in
    the Rust sources, and are read where `help()` reads them.
    """

    def on_object(self, *, obj: griffe.Object, **_others: Any) -> None:
        """Marks the examples of everything that was read from Python sources."""
        if obj.docstring is not None:
            obj.docstring.value = _with_example_sections(obj.docstring.value)

    def on_package(self, *, pkg: griffe.Module, **_others: Any) -> None:
        """Completes the native module once the package is loaded."""
        if pkg.path != "interleaf":
            return
        native = pkg.members["_interleaf"]
        live = import_module(native.path)
        # Of overloads without an implementation griffe keeps only the list.
        for name, overloads in native.overloads.items():
            if name not in native.members and overloads:
                native.set_member(name, _merged(overloads))
        for name, member in native.members.items():
            if not member.is_alias and hasattr(live, name):
                _complete(member, getattr(live, name))


def _with_example_sections(document: str) -> str:
    """Puts interpreter sessions into sections of their own; as plain text Markdown would read them as quotations."""
    # A section called "Example" would be a remark with a heading.
    document = re.sub(r"(?m)^Example:$", "Examples:", document)
    return re.sub(
        r"(?m)^>>> (?:.+\n?)+", lambda session: "Examples:\n" + textwrap.indent(session[0], "    ") + "\n", document
    )


def _merged(overloads: list[griffe.Function]) -> griffe.Function:
    """Makes one signature of several, with every type that an argument can have."""
    merged = overloads[0]
    for parameter in merged.parameters:
        types = dict.fromkeys(str(overload.parameters[parameter.name].annotation) for overload in overloads)
        if len(types) > 1:
            parameter.annotation = " | ".join([*(name for name in types if name != "None"), "None"])
    merged.returns = overloads[-1].returns
    return merged


def _complete(member: griffe.Object, live: Any) -> None:
    # Only what the object says itself: that of its type (such as str's, of `__version__`) says nothing about it.
    document = inspect.getdoc(live) if callable(live) or inspect.isdatadescriptor(live) else None
    if document and member.docstring is None:
        member.docstring = griffe.Docstring(_with_example_sections(document), parent=member, parser="google")
    if not member.is_class:
        return
    constructor = member.members.get("__new__")
    if constructor is not None and "__init__" not in member.members:
        # griffe shows the parameters of `__init__`, PyO3 classes have `__new__`.
        member.set_member("__init__", constructor)
    for name, part in member.members.items():
        if not name.startswith("_") and hasattr(live, name):
            _complete(part, inspect.getattr_static(live, name))
