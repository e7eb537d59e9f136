"""Any transcript, any budget: the output is valid, fits, and holds what must stay, or the floor is true."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compactor_cli import api
from compactor_cli.errors import BudgetError, InputError
from compactor_cli.model.transcript import Source
from compactor_cli.settings import Settings
from compactor_cli.strategies import STRATEGIES
from tests.builders import assistant, jsonl, user
from tests.properties.checks import check_compaction
from tests.properties.generators import (
    SHAPES,
    Conversation,
    File,
    conversations_of,
    faulty,
    files,
    long_conversation,
    to_bytes,
    well_formed,
)
from tests.properties.profile import examples

SHARES = st.one_of(st.none(), st.floats(0.001, 1.3))
EVERY = pytest.mark.parametrize("strategy", sorted(STRATEGIES))


def _check(
    file: File,
    strategy: str,
    share: float | None,
    keep_last: int = 0,
    keep: tuple[str, ...] = (),
    tokenizer: str = "chars",
) -> None:
    source = _load(file.shape, file.data, tokenizer)
    if source is None:
        return
    target = None if share is None else max(1, int(share * source.tokens / len(source.transcripts)))
    settings = Settings(strategy=strategy, target_tokens=target, keep_last=keep_last, keep=keep)
    check_compaction(source, settings, tokenizer)


def _load(shape: str, data: bytes, tokenizer: str) -> Source | None:
    with suppress(InputError):  # a transcript without any message
        return api.load(data, "generated", format=shape, tokenizer=tokenizer)
    return None


@EVERY
@examples(70)
@given(files(well_formed()), SHARES, st.integers(0, 3), st.sampled_from(((), (), ("parser",), ("nothing has this",))))
def test_well_formed_transcripts(
    strategy: str, file: File, share: float | None, last: int, keep: tuple[str, ...]
) -> None:
    _check(file, strategy, share, last, keep)


@pytest.mark.drawn(8)
@EVERY
@examples(90)
@given(files(faulty()), SHARES, st.integers(0, 3), st.sampled_from(((), (), ("parser",))))
def test_transcripts_with_missing_repeated_reused_and_misplaced_ids(
    strategy: str, file: File, share: float | None, last: int, keep: tuple[str, ...]
) -> None:
    _check(file, strategy, share, last, keep)


@EVERY
@examples(25)
@given(files(st.one_of(well_formed(6), faulty(6))), SHARES)
def test_the_same_holds_by_a_real_tokenizer(strategy: str, file: File, share: float | None) -> None:
    _check(file, strategy, share, tokenizer="o200k_base")


@pytest.mark.drawn(8)
@EVERY
@examples(25)
@given(conversations_of(well_formed(4)), st.integers(1, 2000))
def test_every_small_budget_is_met_or_refused_with_a_true_floor(
    strategy: str, turns: Conversation, target: int
) -> None:
    for shape in SHAPES:
        source = _load(shape, to_bytes(SHAPES[shape](turns)), "chars")
        if source is not None:
            check_compaction(source, Settings(strategy=strategy, target_tokens=target), "chars")


@pytest.mark.drawn(24)
@EVERY
@pytest.mark.parametrize("shape", sorted(SHAPES))
def test_long_transcripts_reach_every_tier(shape: str, strategy: str) -> None:
    """The generated ones are short; this one is long enough for four tiers and several summaries."""
    source = _load(shape, to_bytes(SHAPES[shape](long_conversation(70))), "chars")
    assert source is not None
    for share in (None, 0.8, 0.5, 0.3, 0.2, 0.1, 0.05, 0.02):
        target = None if share is None else int(share * source.tokens / len(source.transcripts))
        check_compaction(source, Settings(strategy=strategy, target_tokens=target), "chars")


@pytest.mark.drawn(1)
@EVERY
def test_a_picture_of_the_last_request_that_takes_most_of_the_room_may_go(strategy: str) -> None:
    picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}}
    shown = {"role": "user", "content": [{"type": "text", "text": "What is wrong in this one?"}, picture]}
    steps = (assistant(f"Step {n}: I read module {n}, which rounds the price of an order." * 9) for n in range(20))
    source = api.load(jsonl(user("Fix the rounding bug."), *steps, shown), tokenizer="chars")
    result = check_compaction(source, Settings(strategy=strategy, target_tokens=1_850), "chars")
    assert not isinstance(result, BudgetError)
    assert result.parts[0].messages[-1].text() == "What is wrong in this one?\n[image left out]"
