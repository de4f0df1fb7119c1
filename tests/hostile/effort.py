"""How long the hostile tests look: a moment in `make test`, as long as they need in `make fuzz`."""

from __future__ import annotations

import os

LONG = os.environ.get("INTERLEAF_HYPOTHESIS_PROFILE") == "fuzz"


def effort(short: int, long: int) -> int:
    """The number for this run."""
    return long if LONG else short
