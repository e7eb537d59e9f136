"""A failure or a check that the state lists stands there, and nowhere else in a summary with headings."""

from __future__ import annotations

import json
from typing import Any

import pytest

from compactor_cli.summaries.said_once import failures_in, tells_failure
from compactor_cli.summary_text.state_line import StateLine
from tests.pipeline.sessions import Json, compact, filler, result, system, user

CAUSE = "ld: cannot find -lquota_ledger: No such file or directory"
OTHER = "ld: cannot find -lquota_ledgers: No such file or directory"
BUILD, CHECK = "make quota-ledger-binary", "pytest -q tests/test_ledger_totals.py"


def run(number: int, command: str, answer: str) -> list[Json]:
    call = {"id": f"c{number}", "type": "function"}
    call["function"] = {"name": "Bash", "arguments": json.dumps({"command": command})}  # type: ignore[assignment]
    return [{"role": "assistant", "content": None, "tool_calls": [call]}, result(f"c{number}", answer)]


def work(last: str, after: int) -> list[Json]:
    failed = f"Exit code 2\n{CAUSE}\nmake: *** [Makefile:9: link] Error 1"
    return [
        system(),
        user("Mend the ledger's build."),
        *(record for n in range(70) for record in filler(n)),
        *run(1, BUILD, f"Exit code 2\n{OTHER}\nmake: *** [Makefile:9: link] Error 1"),
        *run(2, BUILD, failed),
        *run(3, CHECK, "....\n4 passed in 0.12s"),
        *run(4, last, failed),
        *(record for n in range(70, 70 + after) for record in filler(n)),
    ]


def summary(strategy: str, after: int) -> str:
    part = compact(work(BUILD, after), strategy=strategy, target_ratio=0.4)
    return next(m.text("text") for m in part.messages if m.origin == "summary")


@pytest.mark.parametrize("strategy", ["handoff", "rolling"])
def test_a_failure_that_is_open_and_a_check_are_told_once(strategy: str) -> None:
    text = summary(strategy, after=12)
    told = [line for line in text.splitlines() if CAUSE in line]
    assert told == [f"- open error 2x: {CAUSE} ({BUILD})"]
    assert [line for line in text.splitlines() if CHECK in line and "#" not in line] == [f"- passed: {CHECK}"]
    assert f"`{CHECK}` (" not in text, "the state says how it ended"
    assert f"`{BUILD}` (3x, last failed)" in text, "the open error is none of these lines"


def state(*texts: str) -> list[str]:
    return failures_in(StateLine("error", text, 1, open=True) for text in texts)


@pytest.mark.parametrize(
    ("line", "words", "is_told"),
    [
        (f"open error: {CAUSE} (make)", CAUSE, True),
        (f"open error: {CAUSE} (make)", OTHER, False),
        ("open error: {CAUSE} (make)", "make", False),
    ],
)
def test_words_are_told_whole(line: str, words: str, is_told: bool) -> None:
    assert tells_failure(state(line), words) is is_told


def test_what_only_passed_is_no_failure() -> None:
    lines: list[Any] = [StateLine("check", f"passed: {CAUSE}", 1), StateLine("effect", CAUSE, 1, open=True)]
    assert failures_in(lines) == []
