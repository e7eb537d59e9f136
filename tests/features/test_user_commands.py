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


BEHIND = f"<system-reminder>\nBe brief.\n</system-reminder>\n{REVIEW}"
ANSWERED = 'User has answered your questions: "Which part?"="Stop it and mend the docs". You can now continue'


@pytest.mark.parametrize("command", [REVIEW, "/review-pr", BEHIND, "<command-name>review-pr</command-name>"])
def test_the_command_that_the_agent_works_on_is_told(command: str) -> None:
    session = Session("Mend the tides.").answers("Done.").asks(command)
    assert ran(session) == [], "nobody answers it yet"
    assert ran(session.asks(SKILL).runs("gh pr view")) == [TOLD]
    assert ran(session.asks("Leave the docs out.").runs("gh pr view")) == []


def test_a_command_that_the_harness_answers_asks_the_agent_for_nothing() -> None:
    session = Session("Mend the tides.").asks(REVIEW).runs("gh pr view")
    assert ran(session.asks(EXIT).asks(OUTPUT).runs("gh pr view")) == [TOLD]
    assert ran(Session("Mend the tides.").asks(EXIT).asks(OUTPUT).runs("ls")) == []


@pytest.mark.parametrize("said", ["/tmp", "<command-name>/clear</command-name>", "<command-name>/model</command-name>"])
def test_a_path_and_commands_of_the_harness_ask_for_nothing(said: str) -> None:
    assert ran(Session("Write a report.").answers("Where shall I put it?").asks(said).runs("ls")) == []


def test_words_of_the_user_in_a_result_are_a_request() -> None:
    session = Session("Mend the tides.").asks(REVIEW).runs("gh pr view")
    assert ran(session) == [TOLD]
    assert ran(session.calls("AskUserQuestion", ANSWERED).runs("ls")) == []


def test_it_stands_where_it_was_given_among_what_was_done() -> None:
    session = Session("Mend it.").runs("git push", "1a..2b  main -> main").asks(REVIEW).asks(SKILL)
    session.runs('git commit -m "Ship"', "[main 1a2b3c4] Ship")
    assert session.texts("effect") == ['git commit "Ship" (1a2b3c4)', TOLD, "git push"]
    assert ran(Session(SKILL).runs("ls"), earlier=("the user ran /old", "git push", TOLD)) == [TOLD]


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
