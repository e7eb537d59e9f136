"""Of a result in JSON that is cut, what failed stays, and the sums beside its records."""

from __future__ import annotations

import json

import pytest

from compactor_cli.features.lines import SessionLines
from compactor_cli.features.session_text import read_session
from compactor_cli.model.group import Group
from compactor_cli.model.pairing import pair_calls
from compactor_cli.strategies.adaptive.in_place import InPlaceRenderer
from tests.pipeline.sessions import assistant, load, result, user

BOATS = [{"boat": f"the boat of harbour {n}", "state": "open" if n != 5 else "failed", "pier": n} for n in range(9)]
SUMS = {"dry_run": True, "boats": BOATS, "saved_by_it": 3871.4}


def _count(text: str) -> int:
    return len(text) // 8


@pytest.mark.parametrize("pier", [None, 1, 8])
def test_a_cut_result_keeps_what_failed_and_its_own_values(pier: int | None) -> None:
    asks = assistant(None, ("s", "list_boats", {"all": "yes"}))
    messages = load([user("Go."), asks, result("s", json.dumps(SUMS))]).transcripts[0].messages
    lines = SessionLines(read_session(messages), lambda term: 1.0)
    taken = {line for line in lines.of_message(2) if f'"pier":{pier}}}' in lines.text(line)}
    group = Group(1, (1, 2), sum(messages[i].tokens for i in (1, 2)))
    (edit,) = InPlaceRenderer(messages, lines, _count, pair_calls(messages)).render(group, taken, "").edits
    assert "left out" in edit.text
    for told in ('"dry_run":true', '"saved_by_it":3871.4', '"boat":"the boat of harbour 5","state":"failed"'):
        assert told in edit.text


def test_no_record_is_quoted_without_the_one_that_failed() -> None:
    asks = assistant(None, ("s", "list_boats", {"all": "yes"}))
    messages = load([user("Go."), asks, result("s", json.dumps(SUMS))]).transcripts[0].messages
    lines = SessionLines(read_session(messages), lambda term: 1.0)
    own = list(lines.of_message(2))
    (failed,) = (line for line in own if '"failed"' in lines.text(line))
    assert {lines.scope(line) for line in own} == {failed, -1}
    assert lines.scope(failed) == -1
