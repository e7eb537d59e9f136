"""What stands behind a quoted call of its result: a few words, whatever the tool prints about its own run, or an error
that nothing else states."""

from __future__ import annotations

import json

import pytest

from compactor_cli.features.work.short_results import is_few_words, short_result
from compactor_cli.model.message import Part
from tests.features.working import FAILS, Session

TRIED = "tidectl level 2>&1; echo $?"
MISSING = "java.io.IOException: Permission denied"


def words(command: str, said: str, *, failed: bool | None = None) -> str:
    call = Part("tool_call", json.dumps({"command": command}), 1, name="bash")
    return short_result(call, Part("tool_result", said, 1, failed=failed), failed=False, width=120)


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("exit: 0\n<shellId: 2 completed with exit code 0>", "exit: 0"),
        ("Chunk ID: 4fe1a2\nWall time: 0.05 seconds\nProcess exited with code 0\nOutput:\nno tide\n", "no tide"),
        ("exit: 3\n<shellId: 2 completed with exit code 3>", ""),  # what it says of a failure is part of the result
        (f"Output of the gauge, {'as it is printed every day, ' * 12}\nOutput:\n4", ""),
    ],
)
def test_what_a_tool_prints_about_its_own_run_does_not_make_a_few_words_many(said: str, shown: str) -> None:
    assert words(TRIED, said) == shown
    assert is_few_words(Part("tool_result", said, 1)) is bool(shown)


def test_a_search_that_found_nothing_says_so_whatever_the_tool_prints_about_its_own_run() -> None:
    assert words("grep -rn tide src", "<shellId: 2 completed with exit code 0>") == "no output"


@pytest.mark.parametrize(("failed", "shown"), [(None, MISSING), (False, "")])
def test_an_error_stands_behind_its_call_if_nothing_else_says_whether_that_succeeded(
    failed: bool | None, shown: str
) -> None:
    assert words("df -h; tidectl dump /data/a.bin", f"sdb1 200G 61G\n20711:\n{MISSING}", failed=failed) == shown


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("> jest\nError: no tide\n    at level.ts:3\nTests:       42 passed, 42 total", "Tests: 42 passed, 42 total"),
        ("2026/01/20 16:02:36 ERROR error before init\nok  \ttide/level\t0.626s", "ok tide/level 0.626s"),
        ("Tests:       42 passed, 42 total\nuploading\nError: no such quay: north", "Error: no such quay: north"),
    ],
)
def test_an_error_before_the_line_that_says_how_it_ended_is_not_shown(said: str, shown: str) -> None:
    assert words("npm test; tidectl publish", said) == shown


def test_an_error_in_a_file_that_is_only_shown_did_not_happen() -> None:
    assert words("cat tide.log", f"08:00 started on the quay as usual, level 4\n{MISSING}") == ""


@pytest.mark.parametrize(
    ("command", "said", "why"),
    [
        (
            "podctl install",
            "Looking at dependencies\n[!] PodCtl could not find a version of tide:\n  tide (5.1)",
            "[!]",
        ),
        ("jobctl watch 4", "✓ lint in 41s\nX integration in 6m40s\n✓ docs in 2s", "X integration"),
        ("npm run seed", "> seedctl --no-warn-ignored .\n\nsrc/level.ts\n  3:1  Missing level", "3:1"),
        ("podctl sync", "npm warn Unknown env config\nLevel 4 is not listed", "Level 4"),
        ("lädt", "Quellen gelesen\nDie Schleuse wurde nicht geöffnet", "Die Schleuse"),
    ],
)
def test_what_went_wrong_is_the_line_that_says_so_and_not_the_first_step(command: str, said: str, why: str) -> None:
    session = Session().runs(command, f"{FAILS}{said}")
    (line,) = session.texts("error")
    assert line.startswith(f"open error: {why}")
    assert session.runs(f"{command} --again 2>&1 | tail -4", f"{said.splitlines()[0]}\nReady\n").texts("error") == []
