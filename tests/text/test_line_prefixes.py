"""What runners and containers put before each line: failures are found behind it."""

from __future__ import annotations

import pytest

from compactor_cli.text.line_prefixes import without_prefixes
from compactor_cli.text.outcomes import result_errors

_LINES = ("", " RUN  v1.6.0 /tides", "Starting", "  TypeError: tide is not a number", " 1 harbour", "done")
_ERROR = "  TypeError: tide is not a number"


def _put_before(*names: str) -> str:
    return "\n".join(f"{name}{line}" for name in names for line in _LINES)


@pytest.mark.parametrize(
    "name",
    [
        "@acme/api:test: ",
        "web-1  | ",
        "harbour.1 | ",
        "packages/tides build: ",
        "@tides/core typecheck: ",
        "2026-11-18T09:12:44.0188210Z ",
        "build\tRun the tests\t2026-11-18T09:12:44.0188210Z ",
    ],
)
def test_an_error_is_found_behind_what_stands_before_each_line(name: str) -> None:
    assert without_prefixes(_put_before(name)) == "\n".join(_LINES)
    assert result_errors(_put_before(name), None) == [f"{name}{_ERROR}"]
    assert result_errors(_put_before(name), True) == [f"{name}{_ERROR}"]


def test_several_containers_speak_in_turn() -> None:
    said = f"{_put_before('web-1  | ', 'db-1   | ')}\nharbour exited"
    assert without_prefixes(said).split("\n") == [*_LINES, *_LINES, "harbour exited"]
    assert result_errors(said, None) == [f"web-1  | {_ERROR}"]


def test_a_trace_is_read_behind_what_stands_before_each_line() -> None:
    trace = ("Traceback (most recent call last):", '  File "tides.py", line 4', "tides.NoHarbour: none at all", "bye")
    said = "\n".join(f"web-1  | {line}" for line in trace)
    assert result_errors(said, True) == ["web-1  | tides.NoHarbour: none at all"]


@pytest.mark.parametrize(
    "lines",
    [
        [f"src/tides.py:{number}: error: no harbour" for number in range(6)],
        ["src/tides.py: raise TideError(4)"] * 6,
        ["src/tides.log: ERROR no harbour"] * 6,
        ["ERROR:root: no harbour"] * 6,
        ["E/Harbour-error: no harbour"] * 6,
        ["http://harbour.example/tides: 404"] * 6,
        ["name: harbour", "tides: 4", "ships: 3", "moon: new"],
        [" orders | error | 4", " ships | error | 5", " tides | none | 6", " moon | none | 7"],
        ["| orders | error |", "| ships | error |", "| tides | none |", "| moon | none |"],
        ["2026-11-18 09:12:44 ERROR no harbour"] * 6,
        ["@acme/api:test: one", "@acme/api:test: two"],
        [*["@acme/api:test: one"] * 5, *["Something else is told here."] * 9],
        ["error: no harbour"] * 6,
        ["const a = b | c | d"] * 6,
        ["if ship: sail()", "if tide: wait()", "else: stay()", "for all: go()"],
    ],
)
def test_lines_that_only_look_so_stay_as_they_are(lines: list[str]) -> None:
    assert without_prefixes("\n".join(lines)) == "\n".join(lines)


@pytest.mark.parametrize("line", ["a/" * 100, "a/" * 70 + ":", "@a" + "/a:" * 70, "a" + " " * 150 + "|"])
def test_long_lines_behind_such_names_cost_no_time(line: str) -> None:
    said = "\n".join([*["web-1 | tide"] * 30_000, *[line] * 15_000])
    assert without_prefixes(said).startswith("tide\n")


@pytest.mark.parametrize("file", ["tests/tides.py", "spec/tides"])
def test_what_a_test_is_in_stands_before_its_name_and_is_part_of_it(file: str) -> None:
    said = "\n".join(f"{file}::test_{at} {'FAILED' if at == 2 else 'PASSED'}" for at in range(5))
    assert without_prefixes(said) == said
