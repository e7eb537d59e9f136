"""What stays of a message at its place: signs of lines, and how a command begins."""

from __future__ import annotations

import json

import pytest

from tests.pipeline.sessions import Json, assistant, compact, result, user
from tests.strategies.test_newest_exchanges import TASK, readings


def newest(call: tuple[str, str, Json], answer: str, target: int = 1_500) -> tuple[str, str]:
    """The arguments and the result of a call that stays at its place, with one behind it."""
    then = [assistant("I see.", ("next", "Bash", {"command": "make tides"})), result("next", "done")]
    records = [user(TASK), *readings(), assistant(None, call), result(call[0], answer), *then]
    part = compact(records, target_tokens=target, strategy="adaptive")
    parts = [part for message in part.messages for part in message.parts if part.call_id == call[0]]
    return parts[0].text, parts[1].text


def test_the_blank_that_says_that_nothing_is_staged_stays_before_a_file() -> None:
    status = "\n".join([" M src/tides.py", *(f"A  src/harbor_{n}/gate_{n}.py" for n in range(60)), " D src/quay.py"])
    _, answer = newest(("s", "Bash", {"command": "git status --short src/tides.py src/quay.py"}), status)
    shown = answer.split("\n")
    assert "left out" in answer
    assert {"M src/tides.py", "D src/quay.py"}.isdisjoint(shown)
    assert {" M src/tides.py", " D src/quay.py"}.intersection(shown)


@pytest.mark.parametrize("key", ["command", "code", "cmd"])
def test_a_command_of_which_nothing_was_chosen_says_how_it_begins(key: str) -> None:
    script = "\n".join(
        ["git commit -m 'fix: guard the gates", *(f"it was so, and then so {n % 3}" for n in range(90)), "'"]
    )
    arguments, _ = newest(("c", "Bash", {key: script}), "[main a87a777] fix: guard the gates", 900)
    assert json.loads(arguments)[key].startswith("git commit -m 'fix: guard the gates\n[…")
