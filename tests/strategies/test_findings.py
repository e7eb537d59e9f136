"""What the agent found and decided between its calls stays before lines of small value; what it announces does not."""

from __future__ import annotations

import json

import pytest

from compactor_cli.strategies.adaptive.findings import findings, room_for_findings
from tests.builders import assistant, call, calling_message, result, user
from tests.features.sessions import Told
from tests.pipeline import sessions

CAUSE = "It is the order of the rows that makes the total wrong, and not how it is rounded."


def found(words, *, works=True):
    work = [calling_message(call("c1", "bash", json.dumps({"command": "entire status"}))), result("c1", "ok")]
    said = Told(user("Why does the hook fail?"), assistant(words), *(work if works else ()), user("Go on."))
    return [said.lines.text(line) for told in findings(said.messages, said.lines, lambda _: 1) for line in told]


TELLING = [
    "Found the root cause. `entire` shows a prompt for consent, but no terminal is there in the hook.",
    "The branch is clean and pushed at 61f2720b, the pull request is green.",
    "There is one unrelated untracked file, which has to stay as it is.",
    "Zwei Ursachen: der Cache hält 60 Sekunden, und das Ereignis wird doppelt gezählt.",
    "El error está en la caché: el saldo se suma dos veces por cada reembolso.",
]
ANNOUNCED = [
    "Let me look at the actual specification of the hook to understand what format is passed.",
    "I'll explore the code to see how logging is implemented.",
    "Now let me read the files of the package and check the tests again.",
    "Now I'll add tests for the agent context and see what the old ones do.",
    "First I want to check how the name is passed in the hook.",
    "Shall I remove the handler from the projector as well?",
    "Now I look at these files:",
    "Done.",
    "Reading both.",
    "Next one.",
]


@pytest.mark.parametrize("words", TELLING)
def test_what_the_agent_found_is_told_and_not_its_answer_to_the_user(words):
    assert " ".join(found(words)) == words
    assert found(words, works=False) == []


@pytest.mark.parametrize("words", ANNOUNCED)
def test_what_the_agent_announces_asks_or_nods_is_not(words):
    assert found(words) == []


def test_findings_have_no_room_in_the_smallest_share_of_a_transcript():
    assert room_for_findings(100, 1_000) == 0
    assert room_for_findings(250, 1_000) == 12.5 == room_for_findings(250, 500)
    assert 0 < room_for_findings(150, 1_000) < 12.5 * 150 / 250


def searched(number: int, said: str) -> list[sessions.Json]:
    """A search that finds many names."""
    rows = (f"src/ledger_{number}/part_{at}.py:{at * 7}: total_{number}_{at} = load(path_{at})" for at in range(25))
    run = {"command": f"rg total_{number} src/ledger_{number}/part_{number}.py src/ledger_{number + 1}"}
    step = sessions.assistant(said, (f"c{number}", "Bash", run))
    return [step, sessions.result(f"c{number}", "\n".join(rows))]


def test_what_the_agent_found_stays_though_it_has_no_name() -> None:
    steps = [m for n in range(14) for m in searched(n, CAUSE if n == 4 else "Let me look at the next files of it.")]
    records = [sessions.user("Find out why the totals of the ledger are wrong."), *steps, sessions.user("Go on.")]
    part = sessions.compact(records, strategy="adaptive", target_ratio=0.25)
    assert any(CAUSE in message.text() for message in part.messages)
