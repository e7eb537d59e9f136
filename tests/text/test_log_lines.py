"""Lines of logs: their time is no number of a quoted line, and their level says that something went wrong."""

from __future__ import annotations

import time

import pytest

from compactor_cli.text.outcomes import error_lines, result_errors

_NOT_READ = "the gate of harbour 7 cannot be read"


@pytest.mark.parametrize(
    "line",
    [
        "06:31:07 ERROR [gates] {}",
        "06:31:07 ERROR rate limit: {}",
        "06:31:07 ERROR total outage: {}",
        "06:31:07.114 ERROR {}",
        "2026-11-29 06:31:07 ERROR [gates] {}",
        "2026-11-29 06:31:07,114 - tides.gates - ERROR - {}",
        "2026-11-29 06:31:07.114 | ERROR    | tides.gates:open:12 - {}",
        "[2026-11-29 06:31:07,114: ERROR/MainProcess] {}",
        "[06:31:07] error: {}",
        "Nov 29 06:31:07 quay tides[712]: ERROR {}",
        "2026/11/29 06:31:07 [error] 12#0: *1 {}",
        "2026-11-29 06:31:07.114 [main] ERROR com.tides.Gates - {}",
        "2026-11-29 06:31:07 tides.gates ValueError: {}",
        'time="2026-11-29T06:31:07Z" level=error msg="{}"',
        '{{"level":"error","ts":1764396667,"msg":"{}"}}',
    ],
)
def test_a_line_of_a_log_tells_of_an_error_by_its_level(line: str) -> None:
    error = line.format(_NOT_READ)
    said = "\n".join([*(f"06:30:{second:02} INFO  [gates] opened {second}" for second in range(12)), error, "closed"])
    assert result_errors(said, None) == [error]
    assert error in error_lines(said)


@pytest.mark.parametrize(
    "line",
    [
        "06:31:07 INFO [gates] again after ERROR 500",
        "06:31:07 ERROR: 0",
        "06:31:07 gates.log - 0 ERROR lines",
        "06:31:07 set log level to ERROR",
        "Nov 29 06:31:07 quay tides[712]: tried again after error: no answer, now open",
        "06:31:07 ERROR 0.12, loss 0.2",
        "06:31:07 error rate 0.12",
        "06:31:07 ErrorHandler is there",
        "06:31:07 WARN gates error is ignored",
        "06:31:07 gates.error_count=3",
        "12:06:31:07 ERROR what a search found on line 12",
        "12: ERROR what a search found on line 12",
        'logger.error("06:31:07 ERROR")',
        "  level: error",
        '{"rules": {"level": "error"}}',
        '{"level": "info", "msg": "error"}',
        "level=info msg=error",
        "06:31:07 [INFO] error: none",
        "06:31:07 [debug] tides.gates ValueError: tried again",
        "06:31:07 [WARN] [gates] ValueError: tried again",
        "06:31:07 ok: ERROR ignored",
        "06:31:07 ERROR ignored",
        "06:31:07 ERROR none",
        "06:31:07 ERROR: no",
        "06:31:07 ERROR 0 of 12 gates",
        "06:31:07 ERROR count: 0",
        "2026-11-29 06:31:07 a1b2c3d fix: ERROR is shown",
        "2026-11-29 06:31:07 +0100 a1b2c3d ERROR is shown",
        "2026-11-29 06:31:07 docs/error.log ERROR.md",
        '{"msg": "x", "filters": {"level": "error"}}',
        '{"level": "error", "msg": "unused", "fixed": true}',
        '{"level": "error", "msg": "gate", "state": "resolved"}',
        '{"level": "error", "error": null}',
    ],
)
def test_other_lines_with_the_word_do_not(line: str) -> None:
    assert result_errors(f"06:30:00 INFO [gates] opened\n{line}\nclosed", None) == []


@pytest.mark.parametrize("field", ["- ", "- a ", "- a.b ", "a.b - ", "[a] ", "| "])
def test_a_line_of_many_fields_is_read_once(field: str) -> None:
    began = time.process_time()
    assert result_errors(f"opened\n06:31:07 {field * 20}error\nclosed", None) == []
    assert time.process_time() - began < 1
