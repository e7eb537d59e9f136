"""Which memories bear on a session."""

from __future__ import annotations

import pytest

from compactor_cli.memory.bearing import relevant_memories, request_sentences
from compactor_cli.model.memory import Memory
from tests.pipeline.sessions import assistant, transcript, user


def memory(text: str) -> Memory:
    return Memory(text=text, category="fact", importance=60, confidence=0.5, tags=(), created=0.0)


def bears(text: str, request: str) -> bool:
    one = memory(text)
    return relevant_memories([one], request) == [one]


def test_a_session_is_about_its_newest_request_and_its_first_one() -> None:
    said = transcript(
        [
            user("This is the first.\nThen comes some more."),
            assistant("Fine."),
            user("Second."),
            assistant("Ok."),
            user("Last."),
        ]
    )
    assert request_sentences(said) == ("Last.", "This is the first.", "Then comes some more.")
    assert request_sentences(transcript([user("Only."), assistant("Said by the agent.")])) == ("Only.",)
    assert request_sentences(transcript([assistant("Nothing was asked for.")])) == ()


def test_what_a_harness_says_is_not_asked_for() -> None:
    reminder = "<system-reminder>\nThe file was changed.\n</system-reminder>"
    assert request_sentences(transcript([user("Go."), assistant("Yes."), user(reminder)])) == ("Go.",)


def test_eight_sentences_of_a_request_are_looked_at() -> None:
    request = " ".join(f"Sentence number {at} says something." for at in range(10))
    assert len(request_sentences(transcript([user(request)]))) == 8


@pytest.mark.parametrize(
    ("text", "request_", "is_about_it"),
    [
        ("The database of invoices is PostgreSQL.", "Where is the database of invoices?", True),
        ("The database is PostgreSQL.", "Where is the invoice of the database?", False),
        ("The rateLimit is three.", "What is rateLimit?", True),
        ("The port of the host is free.", "Which host has that port?", True),
        ("The red cat is old.", "Is the red cat there?", False),
        ("Lunch is at noon.", "Where is the database of invoices?", False),
    ],
)
def test_a_memory_bears_on_what_has_two_words_in_common_with_it_or_a_name(
    text: str, request_: str, is_about_it: bool
) -> None:
    assert bears(text, request_) is is_about_it


def test_what_the_request_says_itself_is_not_brought_back() -> None:
    text = "The database of invoices is PostgreSQL."
    assert not bears(text, "Mind this: The database  of invoices is\nPostgreSQL. Where is the database of invoices?")
