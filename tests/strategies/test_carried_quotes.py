"""What an earlier round kept of the user's words is weighed sentence by sentence, each quote as a turn of its own."""

from __future__ import annotations

import pytest

from tests.builders import assistant, jsonl, user
from tests.strategies.test_rules_in_small_talk import compacted

RULE = "Nothing in this contract is governed by the law of Texas, our board will not sign that."
IDLE = (
    "Their lawyer wrote that he read our draft on the train, and that he liked the way in which it was put together.",
    "He also sent a picture of the office in which they meet, with a table that is longer than ours by far.",
    "It took me most of the morning to find the old version of it among the mails of last year.",
)
SUMMARY = (
    f"## Session Summary of #2-15 (round 2)\n#2 user: {IDLE[0]}\n {IDLE[1]}\n {RULE}\n {IDLE[2]}\n"
    "#9 user: … Make it either or."
)
CLAUSE = (
    "12.{0} The Supplier shall return the hardware of part {0} within thirty days, in working condition, and the "
    "Customer shall pay for what is lost or damaged at the price of replacement, whatever the age of it."
)


def session() -> bytes:
    said = [user("hi, I want to go through the contract with you, clause by clause."), user(SUMMARY)]
    for at in range(7):
        said += [
            user(f"Next is clause 12.{at}, as they wrote it it does not work for us."),
            assistant(CLAUSE.format(at)),
        ]
    return jsonl(*said, user("Now write me the reply to them, with every clause that is open."))


@pytest.mark.parametrize("ratio", [0.12, 0.14])
def test_a_rule_in_the_middle_of_a_quote_is_carried_on_without_the_rest_of_it(ratio: float) -> None:
    text = "\n".join(message.text() for message in compacted(session(), ratio).messages)
    assert RULE in text
    assert IDLE[1] not in text
