"""Libraries that the integration tests run against, and the examples that use them."""

from __future__ import annotations

import importlib
import importlib.util
import os
import warnings
from pathlib import Path
from typing import Any

import pytest

EXAMPLES = Path(__file__).parents[1] / "examples"

# LiteLLM would fetch its price list from the network at import.
os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")


def library(name: str) -> Any:
    """Import a module of another library; for use at the top of a test module.

    Where it is not installed the module is skipped, and fails if INTERLEAF_REQUIRE_INTEGRATIONS is 1, as it is where all of
    them are meant to be there.
    """
    try:
        with warnings.catch_warnings():
            # What a library warns of when it is imported is not ours to mend.
            warnings.simplefilter("ignore")
            return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{name}.".startswith(f"{error.name}."):
            raise
        if os.environ.get("INTERLEAF_REQUIRE_INTEGRATIONS") == "1":
            pytest.fail(f"{name} is not installed, and INTERLEAF_REQUIRE_INTEGRATIONS is 1", pytrace=False)
        pytest.skip(f"{name} is not installed (requirements/integrations.txt)", allow_module_level=True)


def example(name: str) -> Any:
    """Import a file of `examples/` as a module."""
    spec = importlib.util.spec_from_file_location(f"example_{name}", EXAMPLES / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
