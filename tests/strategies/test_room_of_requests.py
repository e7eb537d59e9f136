"""What the user said has its room before all else, and fills it: no message goes for being worth little."""

from __future__ import annotations

import json

import pytest

from compactor_cli.strategies.shared.requests import LABEL_TOKENS, choose_requests
from tests.builders import assistant, call, calling_message, compact, jsonl, result, user
from tests.strategies.test_requests import requests, said, words

BERTHS = (
    "Quay 14 of the Marisol, 2,400 liters of diesel for pump K-7 and 36 crates at the door of shed 9B before 6 May.",
    "Quay 22 of the Tern, 1,900 liters of petrol for pump K-9 and 51 crates at the door of shed 4C before 8 May.",
    "Quay 31 of the Avocet, 3,100 liters of diesel for pump L-2 and 18 crates at the door of shed 7A before 9 May.",
    "Quay 45 of the Dunlin, 2,700 liters of petrol for pump L-5 and 77 crates at the door of shed 2D before 11 May.",
)
WISH, OTHER = "The cook tends to faint at noise.", "Half of the crew is left-handed."
LONG_TALK = " ".join(
    ["It was as it is, and so we went on with it as we had before, and then some more of it came."] * 4
)


def worth(sentences: object) -> list[float]:
    return [1.0 if "Quay" in text else 0.1 for _, text in sentences]  # type: ignore[attr-defined]


def test_what_is_left_is_for_short_messages_whatever_they_are_worth() -> None:
    asked = requests(*BERTHS[:2], WISH, LONG_TALK, OTHER, *BERTHS[2:])
    whole = sum(words(text) + LABEL_TOKENS for text in (*BERTHS, WISH, OTHER))
    text = said(choose_requests(asked, whole + 20, words, worth))
    assert all(told in text for told in (*BERTHS, WISH, OTHER))
    assert LONG_TALK not in text


def test_of_short_messages_the_newest_comes_first() -> None:
    asked = requests(*BERTHS[:2], WISH, LONG_TALK, OTHER, *BERTHS[2:])
    texts = [said(choose_requests(asked, room, words, worth)) for room in range(30, 160)]
    assert any(OTHER in text and WISH not in text for text in texts)
    assert not any(WISH in text and OTHER not in text for text in texts)


REPORT = (
    "The crates are all on board, and the pumps were refilled with what was asked for. The harbor office took the list "
    "and the officer on duty stamped each of the pages. Two of the crates were wet at the bottom, so the mate put them "
    "on the upper deck, where they dry. The radio works again with the new fuse. The forecast says wind from the west "
    "for the whole week, with rain in the evenings. Nothing else was to be seen to, and the watch is set for the night."
)


def session(*, answered: bool) -> list[dict[str, object]]:
    records: list[dict[str, object]] = []
    for at, text in enumerate((*BERTHS, "Nothing goes on board without its label.", "The mate sleeps until noon.")):
        rows = [{"crate": f"c{at}{n:02}", "deck": n % 3, "weight": 40 + n} for n in range(30)]
        records += [user(text), calling_message(call(f"c{at}", "list_crates", json.dumps({"quay": at})))]
        records += [result(f"c{at}", json.dumps(rows)), assistant("That is done, as you have asked for it.")]
    return [*records[:-1], assistant(REPORT)] if answered else records


@pytest.mark.parametrize("target", range(130, 200, 10))
def test_the_newest_answer_is_cut_to_what_the_words_of_the_user_leave(target: int) -> None:
    data = compact(jsonl(*session(answered=True)), strategy="adaptive", target_tokens=target).data.decode()
    assert "Quay 45 of the Dunlin" in data
    assert "Nothing goes on board without its label." in data
    assert "The mate sleeps until noon." in data
    assert "set for the night." in data
    assert REPORT not in data


@pytest.mark.parametrize("strategy", ["adaptive", "rolling", "handoff"])
@pytest.mark.parametrize("target", [350, 500])
def test_no_strategy_leaves_a_short_message_out_of_the_room_for_words(strategy: str, target: int) -> None:
    told = [*BERTHS[:2], LONG_TALK, WISH, LONG_TALK, OTHER, LONG_TALK, *BERTHS[2:], LONG_TALK]
    rows = [{"crate": f"c{n:03}", "deck": n % 3, "weight": 40 + n} for n in range(90)]
    records: list[dict[str, object]] = []
    for at, text in enumerate(told):
        records += [user(text), calling_message(call(f"c{at}", "list_crates", json.dumps({"quay": at})))]
        records += [result(f"c{at}", json.dumps(rows)), assistant("That is done, as you have asked for it.")]
    data = compact(jsonl(*records), strategy=strategy, target_tokens=target).data.decode()
    assert WISH in data
    assert OTHER in data
