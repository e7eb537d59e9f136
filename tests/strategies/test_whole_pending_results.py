"""What the agent answers next stays whole where it has room: the newest result, and in talk what was said last."""

from __future__ import annotations

import json

import pytest

from tests.pipeline.sessions import Json, assistant, compact, result, user
from tests.strategies import work

WHO = ("checkout", "nightly dump", "writer of the ledger", "search", "mailer", "export", "quota", "report")
ROWS = [f" {who:<20} | idle in transaction | waits for the lock of the row that it wants to write" for who in WHO]
TABLE = "\n".join([f" {'name':<20} | state               | what it does", *ROWS, "(8 rows)"])
MAIL = {
    "id": "m_19b077",
    "thread": "t_92e",
    "date": "2026-11-02T15:48:20+01:00",
    "headers": {f"x-trace-{n}": f"{n * 7919:08x}-{n * 104_729:08x}" for n in range(40)},
    "body": "Please use exactly this wording for the mail, and do not send it before Samuel has nodded.",
}


def session(last: str, *, tasks: int = 5) -> list[Json]:
    records = [record for number in range(tasks) for record in work.task(number)]
    ask = assistant("I look.", ("q1", "run_query", {"query": "select pid, name, state, age from activity"}))
    return [
        *records,
        user("Which sessions are idle? End those that are older than five minutes."),
        ask,
        result("q1", last),
    ]


@pytest.mark.drawn(1)
@pytest.mark.parametrize(("strategy", "ratio"), [("adaptive", 0.1), *(("handoff", at / 100) for at in (20, 25, 30))])
def test_all_rows_of_a_short_newest_result_are_there(strategy: str, ratio: float) -> None:
    part = compact(session(TABLE), strategy=strategy, target_ratio=ratio)
    told = "\n".join(message.text() for message in part.messages)
    assert [row for row in ROWS if row not in told] == []


def test_of_a_long_record_what_it_says_in_sentences_is_there() -> None:
    part = compact(session(json.dumps(MAIL, indent=2)), strategy="adaptive", target_ratio=0.06)
    told = part.messages[-1].text()
    assert "do not send it before Samuel has nodded" in told
    assert told.count("x-trace") < 40


def test_what_the_last_request_of_a_chat_answers_is_there() -> None:
    records: list[Json] = []
    for n in range(24):
        records += [
            user(f"I walk on to the next house and knock at the door, number {n}. Who opens?"),
            assistant(f"An old woman opens door {n} and looks at you. She has no news, and shuts it again slowly."),
        ]
    said = (
        "The man at the table says that he has seen your brother. He pours two cups, and one of them smells of almonds."
    )
    records += [user("I go in and sit down."), assistant(said), user("I knock it over and ask to see him.")]
    told = "\n".join(message.text() for message in compact(records, strategy="adaptive", target_ratio=0.25).messages)
    assert said in told
