"""Where a SillyTavern world file keeps what an entry needs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .fields import EntryFields, Found, find

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["fields_of", "uid_of"]


def fields_of(raw: Mapping[str, Any]) -> EntryFields:
    """Finds the fields of one entry; a missing one is found as missing."""
    return EntryFields(
        content=find(raw, "content"),
        keys=find(raw, "key"),
        secondary_keys=find(raw, "keysecondary"),
        constant=find(raw, "constant"),
        comment=find(raw, "comment"),
        switch=find(raw, "disable"),
        switched_off_by=True,
        order=find(raw, "order"),
        positions=(find(raw, "position"),),
        depth=find(raw, "depth"),
        role=find(raw, "role"),
        outlet_name=find(raw, "outletName", "outlet_name"),
    )


def uid_of(raw: Mapping[str, Any]) -> Found:
    """Finds the number of one entry."""
    return find(raw, "uid")
