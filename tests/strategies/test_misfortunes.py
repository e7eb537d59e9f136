"""Calls that did not do what they say: an output tells of it, at their place and where they are quoted."""

from __future__ import annotations

import pytest

from compactor_cli.features.work.open_errors import misfortune
from tests.pipeline.sessions import Json, assistant, compact, result, transcript, user

REFUSED = (
    "The user doesn't want to proceed with this tool use. The tool use was rejected (if it was an edit, the new text "
    f"was NOT written to the file{', and none of its copies was touched' * 12}). STOP what you are doing and wait for "
    "the user to tell you how to proceed."
)
STEPS = "".join(f"step {n} is through\n" for n in range(80))
EDIT = {"file_path": "src/ledger.py", "old_string": "total = 1\n" * 40, "new_string": "total = round(sum, 2)\n" * 40}


def looking(start: int, count: int = 12) -> list[Json]:
    records = []
    for n in range(start, start + count):
        listing = "\n".join(f"{n} and {at} of what stands there" for at in range(60))
        records += [assistant(f"I look at place {n}.", f"d{n}"), result(f"d{n}", listing)]
    return records


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (REFUSED, "The user doesn't want to proceed with this tool use."),
        (f"Exit code 1\n{STEPS}ledger.py:3: error: round is not imported\n{STEPS}", "error: round is not imported"),
        (f"The file was written.\n{STEPS}{STEPS}", "left out"),
    ],
)
def test_a_result_at_its_place_says_why_its_call_failed(said: str, told: str) -> None:
    records = [user("Please mend the totals."), *looking(0), assistant(None, ("e1", "Edit", EDIT)), result("e1", said)]
    records += looking(20, 1)
    part = compact(records, strategy="adaptive", target_tokens=1_500)
    (answer,) = [part for m in part.messages for part in m.results if part.call_id == "e1"]
    assert told in answer.text


@pytest.mark.parametrize(
    ("command", "said", "ended"),
    [
        ("rg -n ledger src tests", "Exit code 1", ""),
        ("cd src && grep -rn ledger . | head", "Process exited with code 1\nOutput:\n", ""),
        ("grep -rn ledger src", "Exit code 2\ngrep: src: No such file or directory", "failed"),
        ("make publish", "Exit code 1", "failed"),
        ("make publish", REFUSED, "declined"),
        ("make publish", "Exit code 0", ""),
        ("make publish", "published", ""),
    ],
)
def test_a_search_that_found_nothing_did_not_fail(command: str, said: str, ended: str) -> None:
    messages = transcript(
        [user("Go."), assistant(None, ("c1", "Bash", {"command": command})), result("c1", said)]
    ).messages
    (call,), (answer,) = messages[1].calls, messages[2].results
    assert misfortune(call, answer) == ended
