"""How memories fade."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from compactor_cli.memory.merging import fade_memory
from compactor_cli.model.memory import Memory

DAY = 86_400.0
MEMORY = Memory(text="x", category="fact", importance=80.0, confidence=1.0, created=100 * DAY)


def test_importance_halves_in_each_half_life():
    assert fade_memory(MEMORY, 130 * DAY, 30).importance == pytest.approx(40)
    assert fade_memory(MEMORY, 160 * DAY, 30).importance == pytest.approx(20)


def test_use_and_being_pinned_keep_it():
    assert fade_memory(replace(MEMORY, used=130 * DAY), 160 * DAY, 30).importance == pytest.approx(40)
    pinned = replace(MEMORY, pinned=True)
    assert fade_memory(pinned, 900 * DAY, 30) == pinned


def test_the_second_time_changes_nothing_and_a_clock_that_goes_back_neither():
    once = fade_memory(MEMORY, 160 * DAY, 30)
    assert fade_memory(once, 160 * DAY, 30) == once
    assert fade_memory(once, 120 * DAY, 30) == once


def test_what_nobody_would_see_waits():
    soon = fade_memory(MEMORY, 100 * DAY + 60, 30)
    assert soon == MEMORY
    assert fade_memory(soon, 130 * DAY, 30).importance == pytest.approx(40)


@given(st.lists(st.floats(100, 2_000), min_size=1, max_size=20), st.floats(0.1, 1_000))
def test_it_does_not_matter_how_often_it_is_run(days, half_life):
    often = MEMORY
    for day in sorted(days):
        often = fade_memory(often, day * DAY, half_life)
    assert often.importance == pytest.approx(fade_memory(MEMORY, max(days) * DAY, half_life).importance, abs=0.051)
