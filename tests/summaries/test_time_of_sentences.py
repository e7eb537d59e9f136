"""Where sentences stand: those of the user beside messages that a summary repeats, those of the agent by what came
after."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from compactor_cli.model.plan import Quote, SummarySlot
from compactor_cli.model.planning import SummaryRequest
from compactor_cli.summaries.extractive import Extractive
from compactor_cli.summaries.items import join_sentences
from compactor_cli.summaries.sections import candidates
from compactor_cli.summary_text.verbatim import carried
from tests.builders import assistant, read_records, user
from tests.summaries.texts import HEADER, chars

SESSION = [
    user("Please plan the trip to Lisbon for three people."),
    assistant("The trip is planned for Lisbon, with three seats in the morning train."),
    user("I would prefer to leave on a Tuesday."),
    assistant("Tuesday is noted for the trip to Lisbon."),
    user("Leaving on a Thursday is better for all of us, so take that."),
    assistant("Thursday is noted for the trip to Lisbon."),
]


def summary(form: str, repeated: int, session: Sequence[dict[str, Any]] = SESSION) -> str:
    messages = read_records(*session)
    first = Quote("first", 0, session[0]["content"], number=messages[0].number)
    number = messages[repeated].number
    turn = Quote("turn", repeated, session[repeated]["content"], f"#{number} user", number)
    slot = SummarySlot(1, (0,), 900, outline=form, quotes=(first, turn))
    return Extractive().summarize(SummaryRequest(slot, HEADER, messages, frozenset(), 900), chars)


def test_a_newer_sentence_of_the_user_stands_behind_the_older_message_that_is_repeated():
    text = summary("session", repeated=2)
    numbers = [label for label, _ in carried(text).turns]
    assert [label.split()[1] for label in numbers] == ["user", "user"]
    assert text.index("on a Tuesday") < text.index("on a Thursday")
    assert text.count("on a Thursday") == 1


def test_of_a_message_with_several_sentences_what_is_left_out_is_marked() -> None:
    messages = list(SESSION)
    messages[4] = user("Hm, wait. Leaving on a Thursday is better for all of us, so take that. Thanks!")
    said = [words for _, words in carried(summary("session", repeated=2, session=messages)).turns]
    assert said[1] == messages[4]["content"]
    sentences = [item for item in candidates(read_records(*messages), frozenset()) if item.label == "#4 user"]
    assert join_sentences(sentences) == messages[4]["content"]
    assert join_sentences(sentences[1:2]) == "… Leaving on a Thursday is better for all of us, so take that. …"
    assert join_sentences([sentences[0], sentences[2]]) == "Hm, wait. … Thanks!"


def test_an_older_sentence_of_the_user_stays_above_the_newer_message_that_is_repeated():
    text = summary("session", repeated=4)
    assert len(carried(text).turns) == 1
    assert 0 < text.find("on a Tuesday") < text.index("on a Thursday")


def test_what_the_agent_said_before_it_went_on_is_done_and_not_in_progress() -> None:
    messages = read_records(
        user("Add the name of the agent to the logs."),
        assistant("The name of the agent is now in all entries of the log, and the tests of the log pass."),
    )
    request = SummaryRequest(SummarySlot(2, (0,), 900, outline="tiers"), HEADER, messages, frozenset(), 900)
    said = '"The name of the agent is now in all entries of the log'
    headings = {}
    for answered in (False, True):
        text = Extractive().summarize(replace(request, is_answered=answered), chars)
        headings[answered] = text[: text.index(said)].rpartition("### ")[2].partition("\n")[0]
    assert headings == {False: "Open Items", True: "Context"}
