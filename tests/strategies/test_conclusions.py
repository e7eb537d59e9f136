"""What the agent came to at the very end stays, though what it said there is long."""

from __future__ import annotations

from tests.pipeline.sessions import assistant, compact, result
from tests.strategies import work

BEGINS, ENDS = "The totals of all modules are right now.", "Shall I push the branch?"
DETAILS = "\n".join(f"- Module {n} adds total_{n} to ledger_{n} of row {n * 7}." for n in range(240))


def test_of_a_long_last_answer_the_first_line_and_the_end_stay() -> None:
    answer = assistant(f"{BEGINS}\n{DETAILS}\n{ENDS}")
    part = compact([*work.session(12), answer], strategy="adaptive", target_ratio=0.08)
    last = part.messages[-1]
    assert (last.role, BEGINS in last.text(), ENDS in last.text()) == ("assistant", True, True)
    assert DETAILS not in last.text()


def test_what_a_thought_ends_with_stays() -> None:
    concluded = "So row 19 of the ledger is the one that is wrong."
    thought = assistant(None, ("think1", "think", {"thought": f"{DETAILS}\n{concluded}"}))
    part = compact([*work.session(12), thought, result("think1", "")], strategy="adaptive", target_ratio=0.08)
    assert any(concluded in message.text() for message in part.messages)


def test_where_a_failed_result_is_cut_the_line_that_says_why_stays() -> None:
    """Other lines of it are worth more: they have the names that everything is about."""
    rows = [f"parser_11 of order W-40011 reads ledger_{n} at src/parser/module_11.py:{n}" for n in range(400)]
    why = "error: the lock is held"
    failed = result("last1", "\n".join(["Exit code 1", *rows[:200], why, *rows[200:]]))
    run = assistant(None, ("last1", "Bash", {"command": "pytest -q tests/test_module_11.py"}))
    part = compact([*work.session(12), run, failed], strategy="adaptive", target_ratio=0.1)
    said = part.messages[-1].text()
    assert why in said
    assert "ledger_" in said


def test_a_fence_is_not_quoted_without_what_stands_in_it() -> None:
    written = (
        "It works as expected. Now the other order, which " + "tells more about the ledger and " * 30 + "ends here:"
    )
    steps = [assistant(f"{written}\n```\n{'--field value ' * 40}{at}\n```") for at in range(3)]
    for strategy in ("handoff", "adaptive"):
        part = compact([*work.session(6), *steps], strategy=strategy, target_ratio=0.08)
        lines = "\n".join(message.text() for message in part.messages if message.origin == "summary").split("\n")
        assert len(lines) > 10
        assert "… ```" not in lines
