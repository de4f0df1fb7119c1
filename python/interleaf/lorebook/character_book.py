"""Where a V2 `character_book` and a V3 lorebook keep what an entry needs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .fields import MISSING, EntryFields, Found, find

__all__ = ["fields_of", "uid_of"]


def fields_of(raw: Mapping[str, Any]) -> EntryFields:
    """Finds the fields of one entry; a missing one is found as missing.

    The two specifications know two positions and no depth, role or outlet; programs write those into `extensions`,
    and read them from there first. So does this.
    """
    extensions = raw.get("extensions")
    extra: Mapping[str, Any] = extensions if isinstance(extensions, Mapping) else {}
    return EntryFields(
        content=find(raw, "content"),
        keys=find(raw, "keys"),
        secondary_keys=find(raw, "secondary_keys"),
        constant=find(raw, "constant"),
        comment=find(raw, "comment", "name"),
        switch=find(raw, "enabled"),
        switched_off_by=False,
        order=find(raw, "insertion_order"),
        positions=(
            find(extra, "position", prefix="extensions."),
            Found("position", raw.get("position", MISSING), wordy=True),
        ),
        depth=find(extra, "depth", prefix="extensions."),
        role=find(extra, "role", prefix="extensions."),
        outlet_name=find(extra, "outlet_name", "outletName", prefix="extensions."),
    )


def uid_of(raw: Mapping[str, Any]) -> Found:
    """Finds the number of one entry."""
    return find(raw, "id")
