"""Manifests of generated sessions, with faults and without, by every strategy."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compactor_cli import api
from compactor_cli.errors import InputError
from compactor_cli.settings import Settings
from compactor_cli.strategies import STRATEGIES
from tests.archive.checks import check_manifest
from tests.memory.remembered import some_memories
from tests.properties.generators import File, conversations_of, faulty, files, well_formed
from tests.properties.profile import examples


@pytest.mark.drawn(8)
@pytest.mark.parametrize("strategy", sorted(STRATEGIES))
@examples(25)
@given(files(conversations_of(st.one_of(faulty(), well_formed()))), st.floats(0.05, 1.0), st.integers(0, 4))
def test_marks_lead_to_originals_and_nothing_is_without_an_entry(
    strategy: str, file: File, ratio: float, keep_last: int
) -> None:
    try:
        source = api.load(file.data, "generated", format=file.shape, tokenizer="chars")
    except InputError:
        return
    check_manifest(source, Settings(strategy=strategy, target_ratio=ratio, keep_last=keep_last))


@pytest.mark.drawn(8)
@pytest.mark.parametrize("strategy", sorted(STRATEGIES))
@examples(10)
@given(files(conversations_of(st.one_of(faulty(), well_formed()))), st.floats(0.1, 0.9), st.floats(0.1, 0.9))
def test_the_same_holds_for_later_rounds_and_recalled_memories(
    strategy: str, file: File, first: float, second: float
) -> None:
    data = file.data
    for ratio, memories in ((first, some_memories(3)), (second, some_memories(2))):
        try:
            source = api.load(data, "generated", format=file.shape, tokenizer="chars")
        except InputError:
            return
        target = max(1, int(ratio * source.tokens))
        data = check_manifest(source, Settings(strategy=strategy, target_tokens=target), memories)
