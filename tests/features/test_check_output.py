"""What an output says of a check: each way of saying it, alone and between other lines."""

from __future__ import annotations

import pytest

from compactor_cli.features.work.causes import cause_line
from compactor_cli.features.work.check_output import failing_names, output_verdict

FAILED_TESTS = [
    "ImportError while loading conftest '/a/conftest.py'.",
    "FAILED tests/test_tide.py::test_high - assert 1 == 2",
    "ERROR tests/test_tide.py",
    "    --- FAIL: TestHigh (0.00s)",
    "FAIL",
    "FAIL: test_high (tide.Tests)",
    "ERROR: test_high (tide.Tests)",
    "test high ... FAILED",
    "FAILED (failures=1)",
    "3 failed, 2 passed in 0.1s",
    "1 failure",
    "  2 failing",
    " 2 fail",
    "not ok 3 - high",
    "# fail 2",
    "Some tests failed.",
    "Tests run: 3, Failures: 2",
    "(failures=2)",
    "test result: FAILED. 1 passed; 1 failed",
    "=== 2 errors in 0.3s ===",
    "BUILD FAILED",
    "Failed:     2, Passed: 3",
    "FAIL tide [build failed]",
    "tide [setup failed]",
    "ERR_PNPM_RECURSIVE_RUN_FIRST_FAIL",
    "npm ELIFECYCLE",
    "npm ERR! code 1",
    "npm error code 1",
    "make: *** [test] Error 1",
    "make[1]: *** [test] Error 1",
    "Traceback (most recent call last):",
    "error[E0425]: cannot find value",
    "ERROR: file or directory not found: tests/x",
    "Test run summary: Failed! - tide.dll (net9.0|x64)",
    "  Test run summary: Failed!",
    "Build failed with 1 error(s) in 2.3s",
    "    Build failed with 12 error(s) and 1 warning(s)",
]
PASSED_TESTS = [
    "3 passed in 0.1s",
    "  2 passing (3ms)",
    " 2 pass",
    "ok  \ttide\t0.002s",
    "ok  \ttide\t(cached)",
    "PASS",
    "test result: ok. 3 passed; 0 failed",
    "OK",
    "OK (3 tests)",
    "# pass 3",
    "3 examples, 0 failures",
    "[INFO] BUILD SUCCESS",
    "Passed!",
    "Failed: 0, Passed: 3",
    "All 3 tests passed",
    "100% tests passed, 0 tests failed out of 3",
    "DONE 3 tests in 0.2s",
    "DONE 3 tests, 1 skipped in 0.2s",
    "congratulations :)",
    "Test summary: total: 5, failed: 0, succeeded: 5, skipped: 0, duration: 1.2s",
    "  Test summary: total: 5; failed: 0; succeeded: 4; skipped: 1; duration: 1.2s",
    "Test run summary: Passed! - tide.dll (net9.0|x64)",
]
FAILED = [
    "error[E0308]: mismatched types",
    "tide.ts(1,2): error TS2304: Cannot find name",
    "error: expected ;",
    "tide.c:1:2: fatal error: tide.h: No such file",
    "could not compile `tide`",
    "Found 3 errors in 1 file",
    "✖ 2 problems (1 error, 1 warning)",
    "BUILD FAILURE",
    "Build FAILED.",
    "npm ERR! code 1",
    "ELIFECYCLE",
    "make: *** [all] Error 2",
    "3 issues:",
    "# tide\ntide.go:3: undefined: high",
    "tide.py:1:2: E501 line too long",
    "tide.rs:1:2: error",
    "tide/high.go:119:18: string `message` has 3 occurrences, make it a constant (goconst)",
    "tide.py:1:0: C0114: Missing module docstring (missing-module-docstring)",
    "tide.c:1:2: error",
    "tide.cpp:1:2: undefined",
    "would reformat tide.py",
    "Code style issues found in the above file",
    "[error] tide.js: SyntaxError",
    "undefined reference to `high'",
    "Failed to compile.",
    "ERROR task failed",
    "Traceback (most recent call last):",
    "1 error, 0 warnings, 0 informations ",
    "2 errors, 1 warning, 0 notes",
    "3 files inspected, 2 offenses detected",
    "1 file inspected, 1 offense detected, 1 offense autocorrectable",
    "3 files inspected, 2 offenses detected, 1 offense corrected",
]
PASSED = [
    "All checks passed!",
    "Success: no issues found in 3 source files",
    "0 issues.",
    "0 errors, 0 warnings",
    "0 errors, 0 warnings, 0 informations",
    "no offenses detected",
    "no lint errors found",
    "no problems were found",
    "BUILD SUCCESSFUL",
    "Build succeeded.",
    "Compiled successfully in 2s",
    "Successfully built tide",
    "    Finished `dev` profile [unoptimized] target(s)",
    "All matched files use Prettier code style!",
    "3 files would be left unchanged.",
    "3 files already formatted",
    "built in 1.23s",
    "3 files inspected, no offenses detected",
    "Contracts: 3 kept, 0 broken.",
    "Found 0 errors",
]
CASES = [
    *(("tests", True, line) for line in FAILED_TESTS),
    *(("tests", False, line) for line in PASSED_TESTS),
    *(("lint", True, line) for line in FAILED),
    *(("lint", False, line) for line in PASSED),
]


@pytest.mark.parametrize(("kind", "failed", "line"), CASES)
def test_each_way_of_saying_it_is_heard(kind, failed, line):
    assert output_verdict(kind, line).failed is failed
    assert output_verdict(kind, f"collecting the tide\n{line}\nlow water at noon").failed is failed


@pytest.mark.parametrize(
    ("kind", "line"),
    [
        ("tests", "Test summary: total: 0, failed: 0, succeeded: 0, skipped: 0"),
        ("tests", "Test summary: total: 3, failed: 0, succeeded: 0, skipped: 3"),
        ("tests", "see Test summary: total: 5, failed: 0, succeeded: 5"),
        ("tests", "except ImportError while loading conftest files"),
        ("tests", "Test summary: to come"),
        ("tests", "Test run summary: Failed"),
        ("tests", "Test run summary: Failed tests are listed above"),
        ("tests", "see Test run summary: Failed!"),
        ("tests", "Test run summary: Zero tests ran"),
        ("tests", "Build failed with 0 errors"),
        ("tests", "Build failed with a warning"),
        ("tests", "Build succeeded with 1 warning(s)"),
        ("tests", "Build failed without errors"),
        ("tests", "says: Build failed with 2 errors"),
        ("tests", "BuildFailed with 1 error"),
        ("lint", "3 files inspected, 2 offenses detected, 2 offenses corrected"),
        ("lint", "offenses detected by others: 2"),
        ("lint", "the tide: 2 errors, 3 warnings"),
        ("lint", "10 offenders detected"),
        ("lint", "3 conflicts detected"),
    ],
)
def test_what_looks_like_a_sum_is_none(kind, line):
    assert output_verdict(kind, line).failed is None


@pytest.mark.parametrize("end", ["Build failed with 1 error", "Test run summary: Failed!"])
def test_a_failure_behind_the_sum_of_another_project_is_one(end):
    assert output_verdict("tests", f"Test summary: total: 3, failed: 0, succeeded: 3\n{end}").failed is True
    assert output_verdict("tests", f"Test run summary: Passed!\n{end}").failed is True
    assert output_verdict("tests", f"{end}\nTest run summary: Passed!").failed is True


def test_what_says_neither_is_neither():
    for kind in ("tests", "lint"):
        assert output_verdict(kind, "low water at noon\nhigh water at six").failed is None


@pytest.mark.parametrize("line", ["no tests ran in 0.1s", "collected 0 items", "No test files found", "Ran 0 tests"])
def test_where_nothing_ran_nothing_passed(line):
    assert output_verdict("tests", f"{line}\nOK").has_run is False
    assert output_verdict("tests", f"--- PASS: TestHigh\n{line}\nok  \ttide\t0.1s").failed is False


@pytest.mark.parametrize(
    ("kind", "line"),
    [
        ("build", "tide.c:4:2: note: expanded from macro 'HIGH' (tide)"),
        ("build", "src/high.go:3:4: is never read (tide)"),
        ("lint", "src/high.c:3:4: warning: unused (tide)"),
        ("lint", "tide.py:3:1: INFO loaded (core)"),
    ],
)
def test_what_is_only_noted_of_a_place_is_no_failure(kind, line):
    assert output_verdict(kind, line).failed is None


def test_what_stands_before_each_line_hides_neither_the_verdict_nor_the_names_of_tests() -> None:
    lines = ("RUN v1", "FAIL  src/tide.test.ts > high", "not ok 3 - low", "", "Duration 3s")
    said = "\n".join(f"@acme/tide:test: {line}" for line in lines)
    assert output_verdict("tests", said).failed is True
    assert failing_names(said) == failing_names("\n".join(lines)) != ()
    assert output_verdict("tests", "\n".join(f"web-1  | {line}" for line in ("a", "b", "c", "PASS"))).failed is False


@pytest.mark.parametrize("name", ["", "@acme/tide:test: ", "web-1  | "])
def test_what_is_said_of_a_failing_test_is_the_error_not_its_title(name: str) -> None:
    lines = ("RUN v1", "FAIL  src/tide.test.ts > high > comes at noon", "AssertionError: expected 1 to be 2", "end")
    assert (
        cause_line("\n".join(f"{name}{line}" for line in lines), allow_locations=False)
        == "AssertionError: expected 1 to be 2"
    )
