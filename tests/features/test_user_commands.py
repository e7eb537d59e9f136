"""A slash command that the agent works on is told: it asks for something without words."""

from __future__ import annotations

import pytest

from tests.features.working import Session
from tests.pipeline.sessions import assistant, compact, records_of, user
from tests.strategies import work

REVIEW = "<command-message>review-pr</command-message>\n<command-name>/review-pr</command-name>"
EXIT = "<command-name>/exit</command-name>\n<command-message>exit</command-message>\n<command-args></command-args>"
OUTPUT = "<local-command-stdout>Catch you later!</local-command-stdout>"
SKILL = "Base directory for this skill: /skills/review-pr\n\n# Review\n\nRead what was said of it."
TOLD = "the user ran /review-pr"


def ran(session: Session, earlier: tuple[str, ...] = ()) -> list[str]:
    return [text for text in session.texts(earlier=earlier) if text.startswith("the user ran")]


@pytest.mark.parametrize("command", [REVIEW, "/review-pr", "<command-name>/review-pr</command-name>"])
def test_the_command_that_the_agent_works_on_is_told(command: str) -> None:
    session = Session("Mend the tides.").answers("Done.").asks(command)
    assert ran(session) == [], "nobody answers it yet"
    assert ran(session.asks(SKILL).runs("gh pr view")) == [TOLD]
    assert ran(session.asks("Leave the docs out.").runs("gh pr view")) == []


def test_a_command_that_the_harness_answers_asks_the_agent_for_nothing() -> None:
    session = Session("Mend the tides.").asks(REVIEW).runs("gh pr view")
    assert ran(session.asks(EXIT).asks(OUTPUT).runs("gh pr view")) == [TOLD]
    assert ran(Session("Mend the tides.").asks(EXIT).asks(OUTPUT).runs("ls")) == []


def test_a_later_round_tells_it_until_the_user_asks_for_something() -> None:
    assert ran(Session(SKILL).runs("ls"), earlier=(TOLD,)) == [TOLD]
    assert ran(Session("Mend the tides.").runs("ls"), earlier=(TOLD,)) == []


def test_five_rounds_keep_it() -> None:
    records = [*work.session(8, end=False), user(REVIEW), user(SKILL)]
    for n in range(5):
        records += [record for record in work.session(3, end=False)[2:] if record["role"] != "user"]
        records.append(assistant(f"That was part {n}."))
        part = compact(records, strategy="rolling", target_tokens=2_500)
        records = records_of(part)
        assert any(f"- {TOLD}" in m.text() or "/review-pr</command-name>" in m.text() for m in part.messages)
