"""The text of a value: the `str` itself, or compact JSON."""

from __future__ import annotations

import json
import math
from typing import cast

from .words import DEEPEST_JSON


def json_text(value: object) -> str | None:
    """Write a value as text, or return None if it is no JSON value."""
    if isinstance(value, str):
        return value
    if not _is_json(value, 0):
        return None
    try:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    except ValueError:
        # The interpreter refuses to write ints of too many digits.
        return None


def _is_json(value: object, depth: int) -> bool:
    """Tell whether all of a value is JSON; what holds itself is too deep like anything else without an end."""
    if value is None or isinstance(value, (str, int)):
        return True
    if isinstance(value, float):
        return math.isfinite(value)
    if isinstance(value, dict):
        # All keys before any value: it is the keys that make it a JSON object.
        items = cast("dict[str, object]", value)
        is_object = depth < DEEPEST_JSON and all(isinstance(key, str) for key in items)
        return is_object and all(_is_json(item, depth + 1) for item in items.values())
    is_array = depth < DEEPEST_JSON and isinstance(value, (list, tuple))
    return is_array and all(_is_json(item, depth + 1) for item in cast("list[object]", value))
