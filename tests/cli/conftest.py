from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import pytest

from interleaf.cli.demo_request import place_request, plan_request

if TYPE_CHECKING:
    from pathlib import Path

Run = Callable[..., "subprocess.CompletedProcess[bytes]"]


@pytest.fixture
def run() -> Run:
    """Runs `python -m interleaf` as a user would: arguments, standard input, environment; bytes come back."""

    def run_command(
        *arguments: str, given: bytes | str | object = b"", env: Mapping[str, str] | None = None
    ) -> subprocess.CompletedProcess[bytes]:
        text = given if isinstance(given, (str, bytes)) else json.dumps(given)
        data = text.encode() if isinstance(text, str) else text
        clean = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "PYTHONIOENCODING")}
        return subprocess.run(  # noqa: S603 - our own command
            [sys.executable, "-m", "interleaf", *arguments],
            input=data,
            capture_output=True,
            env=clean | dict(env or {}),
            timeout=60,
            check=False,
        )

    return run_command


@pytest.fixture
def placing() -> dict[str, Any]:
    return place_request()


@pytest.fixture
def plan() -> dict[str, Any]:
    return plan_request()


@pytest.fixture
def without_library(tmp_path: Path) -> Callable[[str], dict[str, str]]:
    """An environment in which a library cannot be imported, as if it were not installed."""

    def environment(library: str) -> dict[str, str]:
        package = tmp_path / "absent" / library
        package.mkdir(parents=True)
        (package / "__init__.py").write_text(
            f"raise ModuleNotFoundError({library!r}, name={library!r})", encoding="utf-8"
        )
        return {"PYTHONPATH": str(package.parent)}

    return environment
