"""Other libraries that a test needs: present, or the test is skipped with the reason, or fails where all must be there."""

from __future__ import annotations

import importlib
import importlib.util
import os
from pathlib import Path
from typing import Any, NoReturn

import pytest


def needed(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError:
        absent(f"{name} is not installed")


def litellm_tokenizers() -> Path:
    """Where litellm's wheel keeps the ranks of cl100k and o200k; litellm itself is not imported."""
    spec = importlib.util.find_spec("litellm")
    if spec is None or spec.origin is None:
        absent("litellm, whose wheel has the ranks of tiktoken's encodings, is not installed")
    return Path(spec.origin).parent / "litellm_core_utils" / "tokenizers"


def absent(reason: str) -> NoReturn:
    if os.environ.get("INTERLEAF_REQUIRE_INTEGRATIONS") == "1":
        pytest.fail(reason)
    pytest.skip(reason)
