"""Where sentences of the user stand beside messages that a summary repeats."""

from __future__ import annotations

from compactor_cli.model.plan import Quote, SummarySlot
from compactor_cli.model.planning import SummaryRequest
from compactor_cli.summaries.offline import Extractive
from compactor_cli.summary_text.verbatim import carried
from tests.builders import assistant, read, user
from tests.summaries.texts import HEADER, chars

SESSION = [
    user("Please plan the trip to Lisbon for three people."),
    assistant("The trip is planned for Lisbon, with three seats in the morning train."),
    user("I would prefer to leave on a Tuesday."),
    assistant("Tuesday is noted for the trip to Lisbon."),
    user("Leaving on a Thursday is better for all of us, so take that."),
    assistant("Thursday is noted for the trip to Lisbon."),
]


def summary(form: str, repeated: int) -> str:
    messages = read(*SESSION)
    first = Quote("first", 0, SESSION[0]["content"], number=messages[0].number)
    number = messages[repeated].number
    turn = Quote("turn", repeated, SESSION[repeated]["content"], f"#{number} user", number)
    slot = SummarySlot(1, (0,), 900, form=form, quotes=(first, turn))
    return Extractive().summarize(SummaryRequest(slot, HEADER, messages, frozenset(), 900), chars)


def test_a_newer_sentence_of_the_user_stands_behind_the_older_message_that_is_repeated():
    text = summary("session", repeated=2)
    numbers = [label for label, _ in carried(text).turns]
    assert [label.split()[1] for label in numbers] == ["user", "user"]
    assert text.index("on a Tuesday") < text.index("on a Thursday")
    assert text.count("on a Thursday") == 1


def test_an_older_sentence_of_the_user_stays_above_the_newer_message_that_is_repeated():
    text = summary("session", repeated=4)
    assert len(carried(text).turns) == 1
    assert 0 < text.find("on a Tuesday") < text.index("on a Thursday")
