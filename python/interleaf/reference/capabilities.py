"""What a layout declares."""

from __future__ import annotations

from typing import Any

from .layouts import declared_outlets, read_layout_fields
from .records import PlacementCapabilities
from .words import ANCHOR_OF_POSITION, POSITIONS


def get_placement_capabilities(layout: Any) -> PlacementCapabilities:
    """Say which positions and outlets a layout declares; bounds and markers are not looked at.

    Args:
        layout: a `Layout` or a mapping.

    Returns:
        The positions in the order of their table, and the outlets in layout order.

    Raises:
        LayoutError: an anchor is unknown or given twice, or the outlets are no mapping of usable names.

    >>> get_placement_capabilities({"character": (0, 1), "outlets": {"lore": 0}})
    PlacementCapabilities(positions=('before_character', 'after_character', 'outlet'), outlets=('lore',))
    """
    anchors = read_layout_fields(layout).values
    outlets = tuple(name for name, _ in declared_outlets(anchors["outlets"]))
    declared = {name for name, value in anchors.items() if value is not None and (name != "outlets" or outlets)}
    return PlacementCapabilities(
        positions=tuple(position for position in POSITIONS if ANCHOR_OF_POSITION[position] in declared),
        outlets=outlets,
    )
