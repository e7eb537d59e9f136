"""How well offline extraction tells what is worth remembering, on labelled sentences.

`tests/data/memorable.tsv` has sentences of the kinds that are said in sessions of coding agents, service desks and
writing aids, each labelled by whether it should be remembered. Sessions with odd numbers were looked at when the rules
were made, those with even numbers were only counted.
"""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from compactor_cli.memory.extract import extract
from tests.conftest import DATA
from tests.pipeline.sessions import assistant, transcript, user

ROWS = [line.split("\t") for line in (DATA / "memorable.tsv").read_text().splitlines() if line[:1] != "#"]


@dataclass(frozen=True)
class Figures:
    precision: float
    recall: float


def figures(rows: list[list[str]]) -> Figures:
    found = [is_remembered(speaker, text) for _, speaker, _, text in rows]
    wanted = [label == "+" for _, _, label, _ in rows]
    right = sum(a and b for a, b in zip(found, wanted, strict=True))
    return Figures(right / max(1, sum(found)), right / sum(wanted))


def is_remembered(speaker: str, text: str) -> bool:
    said = [user(text)] if speaker == "user" else [user("Go on"), assistant(text)]
    return bool(extract(transcript(said), threshold=60, created=0.0))


def test_there_are_enough_of_both_in_both_halves() -> None:
    for half in (0, 1):
        labels = [label for session, _, label, _ in ROWS if int(session) % 2 == half]
        assert min(labels.count("+"), labels.count("-")) >= 65
    labels = [label for _, _, label, _ in ROWS]
    assert min(labels.count("+"), labels.count("-")) >= 150


def test_the_half_that_was_held_out() -> None:
    """Measured: precision 1.00, recall 0.65; the rules before had 0.92 and 0.17."""
    held_out = figures([row for row in ROWS if int(row[0]) % 2 == 0])
    assert held_out.precision >= 0.95
    assert held_out.recall >= 0.62


def test_the_half_that_the_rules_were_made_by() -> None:
    """Measured: precision 1.00, recall 0.70; the rules before had 0.82 and 0.17."""
    seen = figures([row for row in ROWS if int(row[0]) % 2])
    assert seen.precision >= 0.95
    assert seen.recall >= 0.67


@pytest.mark.parametrize(
    "text",
    [
        "You should always wait for feedback after every command.",
        "Your response must always contain exactly one command.",
        "You must never call more than one tool in a turn.",
        "Always use the submit command when everything works.",
    ],
)
def test_what_a_harness_says_of_its_commands_is_no_preference(text: str) -> None:
    assert not is_remembered("user", text)


def test_nothing_of_a_message_that_briefs_a_model_is_a_preference() -> None:
    """One such sentence may be the user's, with others beside it; two of them are a harness."""
    wish = "Always run the linter before a push."
    assert is_remembered("user", wish)
    assert is_remembered("user", f"{wish}\n\nUse one command if you can.")
    assert not is_remembered(
        "user", f"{wish}\n\nYou can only use one command per turn.\n\nWait for the output of each command."
    )
