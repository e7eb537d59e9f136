"""What a small room keeps of the user's words and of the state, whatever its size: neither goes for a few tokens."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import pytest

from compactor_cli.strategies.adaptive.arrangement import Attempt
from compactor_cli.strategies.adaptive.building import PlanBuilder
from compactor_cli.strategies.adaptive.required import RequiredLines
from compactor_cli.strategies.shared.selection import ChosenLine
from compactor_cli.summary_text.state_line import StateLine
from tests.pipeline.sessions import Json, assistant, compact, result, user

RULES = "Never stop the pump without my written word. Whatever you change on the quay goes into the log of the port."
LOOKED = [
    record
    for n in range(9)
    for record in (
        assistant(None, (f"d{n}", "look_at", {"pier": n})),
        result(f"d{n}", f"pier {n}: " + f"ropes and planks of pier {n}, nothing of note; " * 6),
    )
]
MAILED = {
    "to": "port@example.org",
    "subject": "The pump of March 2",
    "body": "Nothing of yours was touched; it runs. " * 4,
}
SESSION = [
    user(f"The north lock answers every third boat. You have the quay, the pump and the lock. {RULES}"),
    *LOOKED,
    assistant("Boat B-17 has held the gate since half past seven. May I send it away?"),
    user("Yes, that one only. Leave the gate open for the others, they wait since dawn."),
    assistant(None, ("c1", "send_away_boat", {"boat": "B-17"})),
    result("c1", '{"sent_away": "B-17"}'),
    assistant("It is gone. The lock has answered sixty of sixty boats since."),
    user("Good. Write to the port that nothing of theirs was touched, and set the timer of the gate to five minutes."),
    assistant(None, ("c2", "send_email", MAILED)),
    result("c2", '{"status": "sent", "id": "m-4411"}'),
    assistant(None, ("c3", "set_timer", {"gate": "north", "minutes": 5})),
    result("c3", '{"timer": "5 min"}'),
    assistant(None, ("c4", "read_timer", {"gate": "north"})),
    result("c4", "5 min"),
]


MOVED = [
    user("Move the boats to the north quay. Never touch the red boat. Every move gets a line in the log of the port."),
    assistant(None, ("c1", "move_boat", {"boat": "B-17", "quay": "north"})),
    result("c1", '{"moved": "B-17"}'),
    assistant("B-17 is at the north quay."),
    user("Use the small crane for the others. The big one is in repair until May."),
    assistant(None, ("c2", "move_boat", {"boat": "B-18", "quay": "north"})),
    result("c2", '{"moved": "B-18"}'),
    *LOOKED,
    assistant("Both are there."),
    user("Now count the boats."),
    assistant(None, ("c3", "count_boats", {"quay": "north"})),
    result("c3", "2 boats"),
]


def kept(records: list[Json], **target: Any) -> str:
    """Return what is left of a session, as one text."""
    messages = compact(records, strategy="adaptive", **target).messages
    return " ".join(part.text for message in messages for part in message.parts)


@pytest.mark.parametrize("percent", range(17, 40))
def test_an_act_since_the_newest_request_is_told_at_any_size(percent: int) -> None:
    text = kept(SESSION, target_ratio=percent / 100)
    assert "send_email" in text
    assert "m-4411" in text
    assert "that one only" in text


@pytest.mark.parametrize("tokens", [103, 106])
def test_tokens_for_the_mark_of_a_summary_that_is_there_go_to_what_the_user_said(tokens: int) -> None:
    text = kept(MOVED, target_tokens=tokens)
    assert "Never touch the red boat." in text
    assert "Use the small crane" in text


def test_the_state_is_shortened_until_what_the_user_said_fits(monkeypatch: pytest.MonkeyPatch) -> None:
    state = tuple(StateLine("check", f"passed: make {name}", -1) for name in ("gate", "pump", "lock", "crane"))
    told: list[int] = []
    slots: Any = [None]

    def build(builder: PlanBuilder, chosen: Sequence[ChosenLine]) -> Attempt:
        told.append(len(builder.state))
        return Attempt({}, slots, 100 + 5 * len(builder.state))  # less than the lines seem to take

    monkeypatch.setattr(PlanBuilder, "build", build)
    chooser: Any = object.__new__(RequiredLines)
    chooser.room, chooser.state, chooser.request_lines = 112, state, frozenset({1})
    chooser.inputs = SimpleNamespace(count=lambda text: 8)
    assert chooser.build([ChosenLine(1, 1.0, 5)]).tokens <= 112
    assert told[0] == len(state)
    assert 0 < told[-1] < told[0]
    assert chooser.state == state, "the next attempt begins with the whole state again"
