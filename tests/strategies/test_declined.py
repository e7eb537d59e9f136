"""What the user declined is a decision of theirs, and no work that waits."""

from __future__ import annotations

import re

import pytest

from tests.pipeline.sessions import assistant, compact, result, user
from tests.strategies import work

REFUSED = (
    "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the "
    "new_string was NOT written to the file)."
)


@pytest.mark.parametrize(
    ("strategy", "decided", "pending"),
    [
        ("rolling", "Key Technical Decisions", "Pending Work"),
        ("handoff", r"3\. Technical Context and Decisions", r"6\. Unresolved Issues and Pending Tasks"),
    ],
)
def test_a_declined_edit_stands_under_the_decisions(strategy: str, decided: str, pending: str) -> None:
    edit = {"file_path": "src/store.py", "old_string": "a", "new_string": "b"}
    declined = [assistant("I change the store.", ("d", "Edit", edit)), result("d", REFUSED), user("No, leave it.")]
    part = compact([*declined, *work.session(12)], strategy=strategy, target_ratio=0.4)
    text = next(m.text() for m in part.messages if m.origin == "summary")
    under = dict(re.findall(r"^### ([^\n]+)\n(.*?)(?=^### |\Z)", text, re.M | re.S))
    (of_decisions,) = [body for title, body in under.items() if re.match(decided, title)]
    (of_pending,) = [body for title, body in under.items() if re.match(pending, title)]
    assert "- declined: edit of src/store.py" in of_decisions
    assert "declined" not in of_pending


def test_a_command_that_was_declined_is_none_that_was_run() -> None:
    push = {"command": "git push origin ledger"}
    declined = [assistant("I push it.", ("d", "Bash", push)), result("d", REFUSED), user("No, leave it.")]
    ran = [assistant(None, ("p", "Bash", push)), result("p", "   1a2b3c4..5d6e7f8  ledger -> ledger")]
    for calls, times in ((declined, 0), ([*declined, *ran], 1), ([*ran, *declined], 1)):
        part = compact([*calls, *work.session(12)], strategy="handoff", target_ratio=0.5)
        text = next(m.text() for m in part.messages if m.origin == "summary")
        rows = re.findall(r"^- `git push origin ledger`(.*)$", text, re.M)
        assert len(rows) == times
        assert not any("2x" in row for row in rows)


def test_where_nothing_else_is_known_of_decisions_the_users_words_are_pointed_to() -> None:
    part = compact(work.session(12), strategy="rolling", target_ratio=0.4)
    text = next(m.text() for m in part.messages if m.origin == "summary")
    body = text.partition("### Key Technical Decisions\n")[2].partition("\n### ")[0]
    words = "### Word for word\n" in text
    assert words
    assert body == "(see the user's words above)"


SAID = "Leave the old name in the state file, only rename it on main."
NOTE = "Note: The user's next message may contain a correction or preference. Pay close attention to it."


@pytest.mark.parametrize("strategy", ["adaptive", "rolling"])
@pytest.mark.parametrize("ratio", [0.15, 0.2, 0.4])
def test_of_a_refusal_the_users_words_stand_alone_as_theirs(strategy: str, ratio: float) -> None:
    edit = {"file_path": "src/store.py", "old_string": "a", "new_string": "b"}
    refused = f"{REFUSED} To tell you how to proceed, the user said:\n{SAID}\n\n{NOTE}"
    first = [*work.session(2)[:-1], assistant("I change the store.", ("d", "Edit", edit)), result("d", refused)]
    part = compact([*first, *work.session(8)[1:]], strategy=strategy, target_ratio=ratio)
    text = "\n".join(m.text() for m in part.messages if m.origin == "summary")
    assert re.search(rf"^#\d+ user: {re.escape(SAID)}$", text, re.M)
    assert "was rejected" not in text
    assert "Pay close attention" not in text
    assert {line.name: line.tokens for line in part.spent}["requests"] > len(SAID) // 8
