"""The newest request stays as it was put where it takes little, and no room goes to marks of what is left out."""

from __future__ import annotations

import pytest

from compactor_cli.strategies.shared.carried_requests import choose_repeated, find_repeatable, keep_in_place
from compactor_cli.strategies.shared.kept_requests import ELLIPSIS, KeptRequest
from compactor_cli.strategies.shared.requests import LABEL_TOKENS, choose_requests
from tests.pipeline.sessions import assistant, user
from tests.strategies.asked import plan_inputs
from tests.strategies.test_requests import requests, said, words

PRAISE = "The herons were wonderful, all of the family laughed about them at the table!"
NEWEST = (
    f"{PRAISE} It goes on the wall. Now the seventh. In the ferry house, with both of the widows and Mr. Tarn. Short."
)
EARLIER = (
    "The village is called Ostrander Sound, in 1904, and the ferry runs at 7:15 and at 18:40 on weekdays.",
    "Captain Loke has a wooden leg from the wreck of the Amalia in 1889, and he never speaks of it to anybody.",
    "The widows are Mrs. Brandt, 61, who paints, and Mrs. Quill, 58, who owns the eel traps in Finch Creek.",
    "Mr. Tarn came from Leith with 40 crates of lamps, and nobody in Ostrander Sound has ever bought one of them.",
)


def test_of_a_request_that_awaits_its_answer_no_sentence_goes_where_it_has_room() -> None:
    asked = requests(*EARLIER, NEWEST)
    rooms = range(2 * (words(NEWEST) + LABEL_TOKENS), 4 * words(NEWEST))
    assert all(choose_requests(asked, room, words, awaits=True)[-1].whole for room in rooms)
    assert not all(choose_requests(asked, room, words)[-1].whole for room in rooms)
    assert not any(
        kept.whole for kept in choose_requests(asked, words(NEWEST), words, awaits=True) if kept.message == 4
    )


@pytest.mark.parametrize("stays", [True, False])
def test_only_the_newest_of_the_session_awaits_its_answer(*, stays: bool) -> None:
    """Where that stays at its place, the one before it is a request like others."""
    records = [turn for text in EARLIER for turn in (user(text), assistant("I see."))]
    inputs = plan_inputs([*records, user(NEWEST), *([assistant("I see."), user("Go on with that.")] if stays else [])])
    repeated = find_repeatable(inputs, {inputs.groups[-1].index} if stays else ())
    last, size = 2 * len(EARLIER), inputs.count(NEWEST) + LABEL_TOKENS
    chosen = [choose_repeated(inputs, repeated, room) for room in range(2 * size, 4 * size, 4)]
    assert all(last in kept and kept[last].whole for kept in chosen) is not stays


def test_marks_of_what_an_earlier_round_left_out_are_not_quoted() -> None:
    earlier = f"{ELLIPSIS} {EARLIER[0]}\n{ELLIPSIS} {ELLIPSIS} [{ELLIPSIS}]"
    kept = choose_requests(
        requests(earlier, *EARLIER[1:]),
        60,
        words,
        lambda sentences: [0.3 if "19" in text else 1.0 for _, text in sentences],
    )
    assert said(kept)
    assert all(request.text.strip(f"{ELLIPSIS} []\n") for request in kept)


@pytest.mark.parametrize(
    ("left_out", "whole"),
    [
        ("That is good to hear, and all of us laughed about it for the rest of the day.", True),
        ("And so it went on. " * 20, False),
    ],
)
def test_a_request_is_not_cut_where_the_mark_takes_what_the_cut_saves(left_out: str, *, whole: bool) -> None:
    rest = "The ferry runs at 7:15, at 9:40 and at 18:40 on weekdays, and on Sundays it does not run. " * 3
    inputs = plan_inputs([user(f"{left_out} {rest}"), assistant("I see.")])
    decision = keep_in_place(
        inputs, inputs.groups[0], KeptRequest(0, f"{ELLIPSIS} {rest}", inputs.count(rest), whole=False)
    )
    assert decision is not None
    assert (decision.rendition == "whole") is whole


@pytest.mark.parametrize("text", ["...", "…", "[…]"])
def test_a_request_of_nothing_but_signs_asks_to_go_on_and_stays(text: str) -> None:
    kept = choose_requests(requests(*EARLIER, text), 20, words)
    assert [request.text for request in kept if request.message == len(EARLIER)] == [text]
