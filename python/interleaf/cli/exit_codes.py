"""The exit codes of every command, in one place."""

from __future__ import annotations

from typing import Final

__all__ = ["BROKEN_INPUT", "INTERRUPTED", "OK", "PLACE_PLAN_REFUSED", "REFUSED"]

OK: Final = 0
"""Done."""

REFUSED: Final = 1
"""The library refused the request, or it is over its budget: `explain`, `report`, `capabilities`, `lorebook`."""

BROKEN_INPUT: Final = 2
"""A wrong command line, or input that is no request: no file, no JSON, a missing or an unknown key."""

PLACE_PLAN_REFUSED: Final = 2
"""What `place` and `plan` exit with where the others exit with `REFUSED`."""

INTERRUPTED: Final = 130
"""Ctrl-C, as shells have it: 128 and the number of SIGINT."""
