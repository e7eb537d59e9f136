"""How memories fade."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from compactor_cli.memory.merging import faded
from compactor_cli.model.memory import Memory

DAY = 86_400.0
MEMORY = Memory(text="x", category="fact", importance=80.0, confidence=1.0, created=100 * DAY)


def test_importance_halves_in_each_half_life():
    assert faded(MEMORY, 130 * DAY, 30).importance == pytest.approx(40)
    assert faded(MEMORY, 160 * DAY, 30).importance == pytest.approx(20)


def test_use_and_being_pinned_keep_it():
    assert faded(replace(MEMORY, used=130 * DAY), 160 * DAY, 30).importance == pytest.approx(40)
    pinned = replace(MEMORY, pinned=True)
    assert faded(pinned, 900 * DAY, 30) == pinned


def test_the_second_time_changes_nothing_and_a_clock_that_goes_back_neither():
    once = faded(MEMORY, 160 * DAY, 30)
    assert faded(once, 160 * DAY, 30) == once
    assert faded(once, 120 * DAY, 30) == once


def test_what_nobody_would_see_waits():
    soon = faded(MEMORY, 100 * DAY + 60, 30)
    assert soon == MEMORY
    assert faded(soon, 130 * DAY, 30).importance == pytest.approx(40)


@given(st.lists(st.floats(100, 2_000), min_size=1, max_size=20), st.floats(0.1, 1_000))
def test_it_does_not_matter_how_often_it_is_run(days, half_life):
    often = MEMORY
    for day in sorted(days):
        often = faded(often, day * DAY, half_life)
    assert often.importance == pytest.approx(faded(MEMORY, max(days) * DAY, half_life).importance, abs=0.051)
