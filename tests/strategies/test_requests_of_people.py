"""What people who talk with each other asked first and last: their nods stand for nothing."""

from __future__ import annotations

import re

import pytest

from compactor_cli.model.talking import is_interjection
from tests.builders import compact, jsonl, prose

OPENS, ASKS = "Shall we begin with the budget for the new office?", "Please send me the figures by Friday."


def meeting() -> bytes:
    said = ["Yeah .", OPENS, *(prose(f"office{at}", 2) for at in range(40)), ASKS, "Mm-hmm .", "Huh . {laugh} OK ."]
    return jsonl(*({"role": "user", "name": f"Person {'AB'[at % 2]}", "content": text} for at, text in enumerate(said)))


@pytest.mark.parametrize("strategy", ["handoff", "rolling"])
def test_the_last_that_asks_something_is_told_as_the_last_request(strategy: str) -> None:
    (part,) = compact(meeting(), strategy=strategy, target_tokens=700).parts
    text = "\n".join(message.text() for message in part.messages)
    assert OPENS in text
    assert ASKS in text
    assert "Last request from user was: Mm-hmm" not in text
    assert "Last request from user was: Huh" not in text
    assert "\nYeah .\n" not in text


def test_an_answer_to_an_agent_is_a_request_though_it_is_short() -> None:
    records = [{"role": "user", "content": OPENS}, {"role": "assistant", "content": prose("plan", 30)}]
    data = jsonl(
        *records, {"role": "user", "content": "Yes, please."}, {"role": "assistant", "content": prose("b", 30)}
    )
    (part,) = compact(data, strategy="handoff", target_ratio=0.4).parts
    assert any("Yes, please." in message.text() for message in part.messages)


@pytest.mark.parametrize(
    ("text", "nods"),
    [
        ("Huh .", True),
        ("Yeah . {disfmarker} OK", True),
        ("At 14:30.", False),
        ("请把会议改到周五", False),
        ("Please turn it off.", False),
    ],
)
def test_a_few_words_without_a_number_are_an_interjection(text: str, *, nods: bool) -> None:
    assert is_interjection(text) is nods


def test_a_nod_stays_with_the_question_that_it_answers_or_not_at_all() -> None:
    """Here nobody names anything, so that it is talk and nothing else."""
    said = ["Well , what do you think of it , you all ?", "Yep ."]
    for at in range(30):
        said += [
            f"I mean , we may think about that one a little more , before we go on {'and on ' * (at % 3)}.",
            "Indeed !",
        ]
    said.append("Well , that is all that I wanted to say about it .")
    records = [{"role": "user", "name": f"Person {'AB'[at % 2]}", "content": text} for at, text in enumerate(said)]
    for target in (300, 400, 500):
        (part,) = compact(jsonl(*records), strategy="adaptive", target_tokens=target).parts
        text = "\n".join(message.text() for message in part.messages)
        assert "Indeed !" not in text
        assert ("what do you think of it" in text) or ("Yep ." not in text)


_ABOUT = ("kitchen", "budget", "carpet", "lease", "garage", "printer", "canteen", "door", "phone", "parking")


def _said(number: int) -> dict[str, str]:
    thing, other = _ABOUT[number % 10], _ABOUT[(number * 7 + 3) % 10]
    text = (
        f"Well, the {thing} of floor {number} needs {number * 3 + 2} more weeks, says Anna, or the {other} comes first."
    )
    return {"role": "user", "name": f"Person {'ABC'[number % 3]}", "content": text}


def test_later_rounds_name_nobody_without_words() -> None:
    said = [_said(number) for number in range(360)]
    (first,) = compact(jsonl(*said[:240]), strategy="handoff", target_ratio=0.25).parts
    before = [{"role": message.role, "content": message.text()} for message in first.messages]
    (second,) = compact(jsonl(*before, *said[240:]), strategy="handoff", target_ratio=0.25).parts
    text = "\n".join(message.text() for message in second.messages)
    assert "earlier #" in text
    assert not re.search(r"user \(Person [ABC]\): *$|user \(Person [ABC]\): .*#\d+ user", text, re.MULTILINE)
