"""The package of the reference as a caller sees it."""

from __future__ import annotations

from typing import Any

import interleaf
import interleaf.reference


def test_everything_that_the_library_calls_so_is_there_to_import() -> None:
    imported: dict[str, Any] = {}
    exec("from interleaf.reference import *", imported)  # noqa: S102  # a star may be written in no function
    names = {name for name in imported if not name.startswith("__")}
    assert names == set(interleaf.reference.__all__)
    assert names <= set(interleaf.__all__)
    assert imported["assemble_fragments"]([], 0).messages == []


def test_a_layout_says_what_it_declares() -> None:
    assert interleaf.reference.Layout().to_dict() == {}
    outlets: dict[str, Any] = {"lore": 0, "mood": interleaf.reference.OutletSpan(1, 2, 3)}
    assert interleaf.reference.Layout(outlets=outlets).to_dict() == {
        "outlets": {"lore": 0, "mood": {"message_index": 1, "start": 2, "end": 3, "part_index": None}}
    }
