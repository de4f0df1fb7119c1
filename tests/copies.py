"""All the ways to copy an object."""

from __future__ import annotations

import copy
import pickle
from typing import TypeVar

T = TypeVar("T")


def copies_of(value: T) -> list[T]:
    """Copy an object: shallowly, deeply, and through every pickle protocol from 2 on."""
    return [
        copy.copy(value),
        copy.deepcopy(value),
        *(
            pickle.loads(pickle.dumps(value, protocol))  # noqa: S301  # what this very line wrote
            for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1)
        ),
    ]
