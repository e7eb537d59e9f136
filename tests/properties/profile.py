"""Settings of property tests: the same examples on every machine, or many random ones to search for bugs."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, Phase, settings

from tests.drawing import example_count

HUNT = int(os.environ.get("HUNT_EXAMPLES", "0"))
"""Random examples per test, for development. 0 (CI) runs the fixed ones, so that only a change makes a test fail."""


def examples(number: int) -> settings:
    """Return the settings of a property test with a number of examples, of which CI draws one in twelve."""
    return settings(
        max_examples=HUNT or example_count(number),
        derandomize=not HUNT,
        deadline=None,
        database=None,
        phases=tuple(Phase) if HUNT else (Phase.explicit, Phase.generate),  # shrinking would take minutes
        suppress_health_check=list(HealthCheck),
    )
