"""A time or an amount of an older request does not stay without the newer one, which stands beside what corrects it."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from compactor_cli.strategies.shared.requests import choose_requests
from tests.strategies.test_requests import requests, said, words

OLD = "The harbor fair opens on 14 June from 11:00 to 18:00."
MOVED = "Then the harbor fair is on 21 June."
CHANGED = "Can we open at noon, from 12:00 to 19:00?"
CHATTER = "The swan that walked into the library stood in the biography section and looked at all of us for an hour."


def kept(old: str, beside: str, value: float = 0.9) -> str:
    def rate(sentences: Sequence[tuple[int, str]]) -> list[float]:
        return [value if text == old else 0.4 if text == MOVED else 0.1 for _, text in sentences]

    texts = f"{CHATTER} {old}", CHATTER, f"{MOVED} {CHATTER} {beside}", CHATTER, "Please write the call for helpers."
    return said(choose_requests(requests(*texts), 70, words, rate))


def test_a_time_comes_with_the_one_that_stands_beside_its_correction() -> None:
    text = kept(OLD, CHANGED)
    assert OLD in text
    assert CHANGED in text


@pytest.mark.parametrize(
    ("old", "beside"),
    [
        (OLD, "Can we have 12 stalls this time, or 13?"),  # no times
        (OLD, "I can give you £12 for the boat."),
        (OLD, "Look at gate-12:00 in the yard."),
        ("The harbor fair opens on 14 June, at the bell.", CHANGED),  # had none
    ],
)
def test_other_values_beside_a_correction_do_not_come_along(old: str, beside: str) -> None:
    text = kept(old, beside)
    assert old in text
    assert MOVED in text
    assert beside not in text


def test_a_correction_that_tells_its_time_needs_no_other() -> None:
    moved = MOVED.replace(".", ", from 12:00 to 19:00.")

    def rate(sentences: Sequence[tuple[int, str]]) -> list[float]:
        return [0.9 if text == OLD else 0.1 for _, text in sentences]

    beside = "My train is at 9:30."
    texts = f"{CHATTER} {OLD}", CHATTER, f"{moved} {CHATTER} {beside}", CHATTER, "Please write the call for helpers."
    text = said(choose_requests(requests(*texts), 62, words, rate))
    assert OLD in text
    assert moved in text
    assert beside not in text
