"""Libraries that are imported only when they are used."""

from __future__ import annotations

from importlib import import_module
from typing import Any

__all__ = ["required"]


def required(module: str, library: str, extra: str) -> Any:
    """Import a module of another library.

    Args:
        module: the module.
        library: the name of the distribution that has it.
        extra: the extra of this package that brings it.

    Raises:
        ModuleNotFoundError: it is not installed; the message says what to install.
    """
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        # What the library itself is missing is the library's to tell.
        if error.name is None or not f"{module}.".startswith(f"{error.name}."):
            raise
        raise ModuleNotFoundError(
            f'{library} is not installed; pip install "interleaf[{extra}]"', name=error.name
        ) from error
