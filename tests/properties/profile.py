"""How property tests run: the same examples on every machine, or many random ones while hunting for bugs."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, Phase, settings

from tests.drawing import number_of

HUNT = int(os.environ.get("HUNT_EXAMPLES", "0"))
"""Random examples a test, for development; 0 (CI) runs the fixed ones, so that it fails for a change only."""


def examples(number: int) -> settings:
    """Settings of a property test that has so many examples, of which one in twelve is drawn for CI."""
    return settings(
        max_examples=HUNT or number_of(number),
        derandomize=not HUNT,
        deadline=None,
        database=None,
        phases=tuple(Phase) if HUNT else (Phase.explicit, Phase.generate),  # shrinking takes minutes
        suppress_health_check=list(HealthCheck),
    )
