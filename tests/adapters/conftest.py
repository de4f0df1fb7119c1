"""Tests that place blocks themselves run on both implementations; the examples run on the native one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from implementations import IMPLEMENTATIONS, NATIVE

if TYPE_CHECKING:
    from implementations import Implementation


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run a test once for each implementation, if its module has the function to exchange."""
    if hasattr(metafunc.module, "place_context_blocks"):
        metafunc.parametrize(
            "placed_by", IMPLEMENTATIONS, ids=lambda implementation: implementation.name, indirect=True
        )


@pytest.fixture(autouse=True)
def placed_by(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Implementation:
    """Put the function of one implementation in the place of the one that the test module imported."""
    chosen: Implementation = getattr(request, "param", NATIVE)
    if hasattr(request.module, "place_context_blocks"):
        monkeypatch.setattr(request.module, "place_context_blocks", chosen.place_context_blocks)
    return chosen
