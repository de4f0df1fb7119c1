"""What all tests share: the two implementations, and how long hypothesis looks for a difference.

The profile is chosen by INTERLEAF_HYPOTHESIS_PROFILE: `quick` (the default), `fuzz`, or `mutants`, which draws the same few
examples each time and is content with the first that fails.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, Phase, settings

from implementations import IMPLEMENTATIONS

if TYPE_CHECKING:
    from implementations import Implementation

# Whole requests are large examples, and slow to generate next to what they test.
_SLOW_TO_GENERATE = (HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example)

# All but `explain`, which takes minutes on these and says little.
_PHASES = (Phase.explicit, Phase.reuse, Phase.generate, Phase.shrink)

# An example takes milliseconds, most of them hypothesis's own: the long form is as long as a person waits. A million requests are what
# hostile/sampling.py is for.
for _name, _examples in (("quick", 100), ("fuzz", 1_000)):
    settings.register_profile(
        _name, max_examples=_examples, deadline=None, phases=_PHASES, suppress_health_check=_SLOW_TO_GENERATE
    )
settings.register_profile(
    "mutants",
    settings.get_profile("quick"),
    max_examples=25,
    derandomize=True,
    database=None,
    phases=(Phase.explicit, Phase.generate),
    suppress_health_check=tuple(HealthCheck),
)
settings.load_profile(os.environ.get("INTERLEAF_HYPOTHESIS_PROFILE", "quick"))


@pytest.fixture(params=IMPLEMENTATIONS, ids=lambda implementation: implementation.name)
def implementation(request: pytest.FixtureRequest) -> Implementation:
    """The native functions, then those of the reference."""
    chosen: Implementation = request.param
    return chosen
