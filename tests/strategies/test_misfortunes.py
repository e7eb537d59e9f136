"""Calls that did not do what they say: an output tells of it, at their place and where they are quoted."""

from __future__ import annotations

import json
import re

import pytest

from compactor_cli.features.work.open_errors import failure_kind
from compactor_cli.model.message import NO_RESPONSE
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
        ("make publish", NO_RESPONSE, "unanswered"),
    ],
)
def test_a_search_that_found_nothing_did_not_fail(command: str, said: str, ended: str) -> None:
    messages = transcript(
        [user("Go."), assistant(None, ("c1", "Bash", {"command": command})), result("c1", said)]
    ).messages
    (call,), (answer,) = messages[1].calls, messages[2].results
    assert failure_kind(call, answer) == ended


def test_a_call_that_was_declined_says_so_wherever_it_is_quoted_in_every_round() -> None:
    added = "\n".join(f"total_{n} = round(ledger_sum_{n}, places={n})" for n in range(40))
    edits = {"file_path": "src/ledger.py", "old_string": "total = 1", "new_string": added}
    records = [user("Please mend the totals."), *looking(0, 4), assistant(None, ("e1", "Edit", edits))]
    records += [result("e1", REFUSED), user("Look at round_ledger first."), *looking(20, 14)]
    told = 0
    for target in (1_400, 1_000, 700, 450):
        part = compact(records, strategy="adaptive", target_tokens=target)
        records = [json.loads(line) for line in part.data.decode().splitlines()]
        for message in part.messages:
            if message.origin != "summary":
                continue
            for line in message.text().splitlines():
                if "#" in line and "ledger.py" in line and "Edit" in line:
                    told += 1
                    assert re.search(r"#\d+ Edit (?:…/)?(?:src/ledger\.py )?declined", line), line
    assert told > 1


@pytest.mark.parametrize("ratio", [0.1, 0.2])
def test_each_of_the_newest_results_has_a_line_of_what_it_says(ratio: float) -> None:
    records = [user("Please mend the totals."), *looking(0)]
    for n in range(4):
        said = f"{STEPS}{n + 3} files of part_{n} are in order"
        records += [
            assistant(f"I run check {n}.", (f"k{n}", "Bash", {"command": f"make part_{n}"})),
            result(f"k{n}", said),
        ]
    part = compact(records, strategy="adaptive", target_ratio=ratio)
    answers = [answer.text for m in part.messages for answer in m.results if answer.call_id.startswith("k")]
    assert len(answers) > 1
    for answer in answers:
        assert "files of part_" in answer


def test_a_call_that_nobody_answered_is_quoted_without_an_outcome() -> None:
    added = "\n".join(f"total_{n} = round(ledger_sum_{n}, places={n})" for n in range(40))
    edit = {"file_path": "src/ledger.py", "old_string": "total = 1", "new_string": added}
    records = [user("Please mend the totals."), assistant(None, ("e1", "Edit", edit)), user("I did it by hand.")]
    records += looking(20, 14)
    text = "\n".join(m.text() for m in compact(records, strategy="handoff", target_tokens=900).messages)
    assert "Edit unanswered: src/ledger.py" in text
    assert "failed" not in text
    assert "Tool no response" not in text
