"""A first paragraph that points on hands its worth to the task that it points to, below a heading."""

from __future__ import annotations

import time

import pytest

from compactor_cli.strategies.shared.dependent_sentences import pointed_to
from compactor_cli.strategies.shared.requests import Request, choose_requests
from compactor_cli.text.clauses import split_clauses

TASK = "The shelf list can carry the colours of the glazes."
RULES = "\n".join(
    (
        "IMPORTANT: You should ONLY work in the folder given to you AND NEVER ASK A PERSON.",
        "You should NOT change any list of last year. If needed, you can add new lists in a NEW file.",
        "You SHOULD KEEP THE INDENTATION in each of your edits.",
        "When you think that the work is done, please run the following command: <run> exit </run>.",
    )
)
BEGINNINGS = {
    "en": "Please solve the following task for the workshop in /srv/kiln.\nEverything has been set up for you.",
    "below": "Please solve the task below.\nEverything has been set up for you to begin, and all tools are there.",
    "de": "Löse bitte die folgende Aufgabe für die Werkstatt in /srv/kiln.\nAlles ist für dich eingerichtet.",
    "es": "Resuelve por favor la tarea.\nEs la siguiente, y todo está preparado para ti en el taller /srv/kiln.",
    "zh": "请解决以下问题。\n一切都准备好了。",
}


def pointed(text):
    told = [(0, clause) for clause in split_clauses(text)]
    at = pointed_to(told, text)
    return told[at][1].text if at >= 0 else ""


@pytest.mark.parametrize("heading", ["# Task\n", "<task>\n", "", "**Task**\n", "## Task\n\n"])
@pytest.mark.parametrize("language", sorted(BEGINNINGS))
def test_the_task_stands_below_what_points_to_it(language, heading):
    assert pointed(f"{BEGINNINGS[language]}\n\n{heading}{TASK}\n\n{RULES}") == TASK


@pytest.mark.parametrize("room", [50, 60, 80, 100])
def test_the_task_stays_before_rules_for_every_task(room):
    request = Request(0, f"{BEGINNINGS['en']}\n\n# Task\n{TASK}\n\n{RULES}")
    (kept,) = choose_requests([request], room, lambda text: len(text.split()))
    assert TASK in kept.text


@pytest.mark.parametrize(
    "beginning",
    [
        "It stopped the following week, with a heat below 900 degrees.",
        "I was following the guide of the kiln, as we said.",
        "Es geschah in folgendem Jahr unten am Fluss im Ofen.",
        "Please solve the following task, which is to sort the glazes.",
    ],
)
def test_what_does_not_point_on_keeps_its_worth(beginning):
    more = "" if beginning.startswith("Please") else f"\n\n{TASK}"
    assert pointed(beginning + more) == ""


def test_a_paste_is_not_the_task():
    assert pointed("Tell me what the following error means.\n\n```\nTraceback: kiln 7 is cold\n```\n") == ""


def test_a_long_text_takes_no_longer_than_its_length_asks_for():
    texts = ["Solve the following task.\n\n" + part * 200_000 for part in ("\n", " ", "# ", ":", "the following ")]
    begun = time.perf_counter()
    assert [pointed_to([], text) for text in texts] == [-1] * 5
    assert time.perf_counter() - begun < 5
