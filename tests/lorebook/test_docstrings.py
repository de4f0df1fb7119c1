from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

import interleaf.lorebook

MODULES = ["interleaf.lorebook"] + [
    f"interleaf.lorebook.{module.name}" for module in pkgutil.iter_modules(interleaf.lorebook.__path__)
]


@pytest.mark.parametrize("name", MODULES)
def test_examples_are_true(name: str) -> None:
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_there_are_examples() -> None:
    attempted = [doctest.testmod(importlib.import_module(name)).attempted for name in MODULES]
    assert sum(attempted) > 20
