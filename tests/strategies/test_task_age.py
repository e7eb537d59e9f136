"""Tasks that were listed before the user spoke again."""

from __future__ import annotations

import pytest

from compactor_cli.features.work.state import compute_state
from compactor_cli.summary_text.state_block import state_lines, state_text
from tests.features.working import Session
from tests.pipeline.sessions import assistant, compact, filler, result, user

_TODOS = [{"content": "Move the forms", "status": "completed"}, {"content": "Delete old.ts", "status": "pending"}]


def _listed() -> Session:
    return Session().calls("TodoWrite", "ok", todos=_TODOS)


def test_they_are_told_with_their_age() -> None:
    session = _listed()
    assert session.texts("task") == ["[ ] Delete old.ts", "[x] Move the forms"]
    session.asks("Don't delete old.ts after all.")
    assert session.texts("task")[:2] == ["tasks, 1 user message ago:", "[ ] Delete old.ts"]
    session.calls("TodoWrite", "ok", todos=_TODOS)
    assert session.texts("task")[0] == "[ ] Delete old.ts"


def test_the_age_goes_on_in_a_later_round() -> None:
    carried = state_lines(state_text(_listed().asks("Not so.").state()))
    assert [line.text for line in compute_state((), carried)][:1] == ["tasks, 1 user message ago:"]
    assert Session().asks("Nor this.").texts("task", carried)[0] == "tasks, 3 user messages ago:"
    done = [{**task, "status": "completed"} for task in _TODOS]
    assert all("ago" not in text for text in Session().calls("TodoWrite", "ok", todos=done).texts("task", carried))


@pytest.mark.parametrize(("ratio", "times"), [(0.06, 8), (0.1, 8), (0.15, 1), (0.2, 1), (0.3, 3)])
def test_open_tasks_stand_only_with_what_the_user_said_since(ratio: float, times: int) -> None:
    said = "On second thought the file old.ts stays, as payments import it from there: leave it alone."
    records = [user("Tidy the forms."), assistant(None, ("t1", "TodoWrite", {"todos": _TODOS})), result("t1", "ok")]
    for n in range(14):
        other = " ".join(f"What does report {n} say of quay {n * 7 + at}?" for at in range(times))
        records += [*filler(n), user(said if n == 3 else other)]
    output = compact([*records, *filler(99)], strategy="adaptive", target_ratio=ratio)
    text = "\n".join(message.text() for message in output.messages)
    assert "[ ] Delete old.ts" not in text or ("old.ts stays" in text and "user messages ago:" in text)
    assert ("[ ] Delete old.ts" in text) == (ratio == 0.2)
