"""Results that begin with what is wrong: those of calls that failed, and reports of calls that did not."""

from __future__ import annotations

import pytest

from compactor_cli.features.work.endings import has_failed
from tests.features.working import Session


def _fails(said: str) -> bool:
    (result,) = Session().calls("import_ships", said, file="ships.csv").messages[-1].results
    return has_failed(result)


@pytest.mark.parametrize(
    "said",
    [
        "Wrong answer!",
        "Wrong answer.",
        "Wrong flag! Try again.",
        "Incorrect password.\nTwo tries are left.",
        "Invalid path: no such file",
        "Invalid date: 42",
        "Invalid date: 2026-13-01. Nothing was saved.",
        "Invalid status: draft, sent and paid are known",
        "Invalid arguments: name is missing",
        "\nInvalid input: not sent",
    ],
)
def test_a_result_that_begins_with_what_is_wrong_is_of_a_call_that_failed(said: str) -> None:
    assert _fails(said)


@pytest.mark.parametrize(
    "said",
    [
        "Invalid rows: 0",
        "Invalid row: 0, valid rows: 12",
        "Invalid entries: 0\nUpdated 5",
        "Invalid entries: 3\nUpdated 5",
        "Incorrect totals: none. Sent.",
        "Invalid ships: []",
        "Incorrect totals: no",
        "Invalid name: replaced by a blank.\nSaved 3 ships.",
        "Wrong answer. The right one is 3",
        "Wrong totals were mended.",
        "Incorrect berth: moved. 3 ships updated.",
        "12 ships.\nInvalid rows: see below",
    ],
)
def test_a_report_of_what_is_wrong_is_of_a_call_that_did_not_fail(said: str) -> None:
    assert not _fails(said)
