"""Tasks that were listed before the user spoke again."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from compactor_cli.features.work.state import compute_state, known_state, session_state
from compactor_cli.summary_text.headers import lines_header
from compactor_cli.summary_text.state_block import rest_lines, state_lines, state_text, without_tasks
from compactor_cli.summary_text.state_line import Kind
from tests.builders import read_records
from tests.features.working import Session
from tests.pipeline.sessions import assistant, compact, filler, records_of, result, user

_AGE = re.compile(r"^- tasks, (\d+) user messages? ago:$", re.MULTILINE)
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


@pytest.mark.parametrize(("ratio", "times"), [(0.06, 8), (0.1, 8), (0.15, 1), (0.2, 1), (0.25, 1), (0.3, 3)])
def test_open_tasks_stand_only_with_what_the_user_said_since(ratio: float, times: int) -> None:
    said = "On second thought the file old.ts stays, as payments import it from there: leave it alone."
    records = [user("Tidy the forms."), assistant(None, ("t1", "TodoWrite", {"todos": _TODOS})), result("t1", "ok")]
    for n in range(14):
        other = " ".join(f"What does report {n} say of quay {n * 7 + at}?" for at in range(times))
        records += [*filler(n), user(said if n == 3 else other)]
    output = compact([*records, *filler(99)], strategy="adaptive", target_ratio=ratio)
    text = "\n".join(message.text() for message in output.messages)
    assert "[ ] Delete old.ts" not in text or ("old.ts stays" in text and "user messages ago:" in text)
    assert ("[ ] Delete old.ts" in text) == (ratio >= 0.2)


def test_the_age_stays_while_nobody_speaks() -> None:
    block = state_text(_listed().asks("Not so.").state(), later=1)
    assert "tasks, 1 user message ago:" in block
    messages = read_records(user(f"{lines_header(range(1, 9))}\n{block}"), user("Not so."), assistant("Well."))
    lines = session_state(messages)
    assert lines[0].text == "tasks, 1 user message ago:"
    assert known_state(messages).messages_since_tasks == ()
    after = read_records(
        user(f"{lines_header(range(1, 9))}\n{block}"), user("Not so."), assistant("Well."), user("Nor this.")
    )
    assert session_state(after)[0].text == "tasks, 2 user messages ago:"
    assert known_state(after).messages_since_tasks == (3,)


@pytest.mark.parametrize("strategy", ["rolling", "hybrid", "summarize"])
def test_what_the_user_says_below_a_summary_is_not_counted_twice(strategy: str) -> None:
    records = [user("Tidy the forms."), assistant(None, ("t1", "TodoWrite", {"todos": _TODOS})), result("t1", "ok")]
    for number in range(1, 4):
        for n in range(12):
            records += [user(f"What does report {number} say of quay {n}?"), *filler(100 * number + n)]
        output = compact(records, strategy=strategy, target_ratio=0.35)
        texts = [message.text() for message in output.messages]
        at, age = next((at, found) for at, text in enumerate(texts) if (found := _AGE.search(text)))
        below = sum(message.role == "user" for message in output.messages[at + 1 :])
        assert (int(age[1]) + below, below > 0) == (12 * number, True)
        records = records_of(output)


def test_the_line_of_the_age_is_no_task() -> None:
    lines = _listed().asks("Not so.").state()
    assert without_tasks(lines)[-1].text == "not listed: 2 more tasks"
    left_out: Counter[Kind] = Counter()
    rest = rest_lines([*lines[:1]], left_out, 0, len, small=False)
    assert not [*rest] and not +left_out


def test_a_new_list_ends_the_count_of_those_without_room() -> None:
    assert "not listed: 4 more tasks" not in _listed().texts("file", ["not listed: 4 more tasks"])
