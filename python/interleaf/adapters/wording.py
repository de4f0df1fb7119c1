"""The words of refusals."""

from __future__ import annotations

from typing import Any

__all__ = ["type_name"]


def type_name(value: Any) -> str:
    """Name the type of a value with its module, as a reader would import it."""
    kind = type(value)
    return kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"
