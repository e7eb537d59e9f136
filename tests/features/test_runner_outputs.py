"""What runners of tests print where a test failed, and where all passed."""

from __future__ import annotations

import pytest

from compactor_cli.features.work.check_output import output_verdict
from tests.features.working import FAILS, Session

RUNNERS = {
    "ctest": (
        "3/4 Test #3: test_writer ...........***Failed    0.31 sec\n4/4 Test #4: test_tide ....   Passed    0.02 sec"
        "\n\n75% tests passed, 1 tests failed out of 4\n\nTotal Test time (real) =   0.52 sec",
        "4/4 Test #4: test_tide ....   Passed    0.02 sec\n\n100% tests passed, 0 tests failed out of 4",
    ),
    "ctest of which only the end is seen": ("50% tests passed, 2 tests failed out of 4", "100% tests passed out of 4"),
    "ctest of a program that crashes": (
        "1/1 Test #1: tide ....***Exception: SegFault  0.10 sec",
        "100% tests passed, 0",
    ),
    "googletest": (
        "[ RUN      ] Tide.High\ntide_test.cc:7: Failure\nExpected: 2\n[  FAILED  ] Tide.High (0 ms)\n"
        "[==========] 3 tests from 1 test suite ran.\n[  PASSED  ] 2 tests.\n[  FAILED  ] 1 test, listed below:",
        "[       OK ] Tide.High (0 ms)\n[==========] 3 tests from 1 test suite ran.\n[  PASSED  ] 3 tests.",
    ),
    "catch2": (
        "tide.cpp:7: FAILED:\n\ntest cases: 3 | 2 passed | 1 failed\nassertions: 4 | 3 passed | 1 failed",
        "===============================\nAll tests passed (4 assertions in 3 test cases)",
    ),
    "doctest": (
        "[doctest] test cases: 3 | 2 passed | 1 failed | 0 skipped\n[doctest] Status: FAILURE!",
        "[doctest] test cases: 3 | 3 passed | 0 failed | 0 skipped\n[doctest] Status: SUCCESS!",
    ),
    "meson": (
        "2/3 high        FAIL            0.02s   exit status 1\n\nOk:                 2\nFail:               1\n",
        "3/3 high        OK              0.02s\n\nOk:                 3\nFail:               0\n",
    ),
    "automake": ("FAIL: high\n# TOTAL: 3\n# PASS:  2\n# FAIL:  1", "PASS: high\n# TOTAL: 3\n# PASS:  3\n# FAIL:  0"),
    "dotnet test": (
        "  Failed Tide.High [4 ms]\n\nFailed!  - Failed:     1, Passed:     2, Skipped:     0, Total: 3",
        "Passed!  - Failed:     0, Passed:     3, Skipped:     0, Total:     3, Duration: 12 ms - tide.dll (net8.0)",
    ),
    "dotnet test of older kind": (
        "Total tests: 3\n     Passed: 2\n     Failed: 1\nTest Run Failed.",
        "Test Run Successful.",
    ),
    "mix test": (
        "  1) test high (TideTest)\n     test/tide_test.exs:5\n\nFinished in 0.03 seconds\n3 tests, 1 failure",
        "...\nFinished in 0.03 seconds (0.00s async, 0.03s sync)\n3 tests, 0 failures",
    ),
    "rspec": (
        "Finished\n3 examples, 1 failure\n\nFailed examples:\n\nrspec ./spec/tide_spec.rb:4 # Tide is high",
        "Finished in 0.01 seconds (files took 0.1 seconds to load)\n3 examples, 0 failures",
    ),
    "rspec that could not load": (
        "0 examples, 0 failures, 1 error occurred outside of examples",
        "3 examples, 0 failures",
    ),
    "minitest": (
        "3 runs, 3 assertions, 0 failures, 1 errors, 0 skips",
        "3 runs, 3 assertions, 0 failures, 0 errors, 0 skips",
    ),
    "phpunit": (
        "There was 1 failure:\n\n1) TideTest::testHigh\n\nFAILURES!\nTests: 3, Assertions: 3, Failures: 1.",
        "...                         3 / 3 (100%)\n\nOK (3 tests, 3 assertions)",
    ),
    "phpunit with an error": ("ERRORS!\nTests: 3, Assertions: 2, Errors: 1.", "OK (3 tests, 2 assertions)"),
    "pest": ("  Tests:    1 failed, 2 passed (3 assertions)", "  Tests:    3 passed (3 assertions)"),
    "swift test": (
        "Tide.swift:7: error: -[TideTests high] : XCTAssertEqual failed\n"
        "\t Executed 3 tests, with 1 failure (0 unexpected) in 0.002 (0.003) seconds",
        "\t Executed 3 tests, with 0 failures (0 unexpected) in 0.002 (0.003) seconds",
    ),
    "swift testing": (
        "✘ Test run with 3 tests failed after 0.001 seconds with 1 issue.",
        "✔ Test run with 3 tests passed after 0.001 seconds.",
    ),
    "xcodebuild": ("** TEST FAILED **", "** TEST SUCCEEDED **"),
    "bazel": (
        "//tide:high_test                  FAILED in 0.3s\n  /root/.cache/test.log\n"
        "Executed 2 out of 2 tests: 1 test passes and 1 fails locally.",
        "//tide:high_test                  PASSED in 0.3s\n\nExecuted 1 out of 1 test: 1 test passes.",
    ),
    "ava": ("  ✘ [fail]: high is high\n\n  1 test failed\n", "  ✔ high is high\n\n  3 tests passed\n"),
    "vitest": (
        " FAIL  src/tide.test.ts > high\n Test Files  1 failed (1)\n      Tests  1 failed | 2 passed (3)",
        " ✓ src/tide.test.ts (3)\n Test Files  1 passed (1)\n      Tests  3 passed (3)",
    ),
    "jest": ("Tests:       1 failed, 2 passed, 3 total", "Tests:       3 passed, 3 total"),
    "node --test": ("ℹ tests 3\nℹ pass 2\nℹ fail 1", "ℹ tests 3\nℹ pass 3\nℹ fail 0"),
    "tap": ("1..3\nok 1 - low\nnot ok 2 - high\n# fail  1", "ok 1 - low\nnot ok 2 - high # TODO when deep\n# pass 2"),
    "karma": (
        "Chrome: Executed 3 of 3 (1 FAILED) (0.01 secs)\nTOTAL: 1 FAILED, 2 SUCCESS",
        "Executed 3 of 3 SUCCESS (0.01 secs)",
    ),
    "cypress": ("    ✖  1 of 2 failed (50%)    00:03       3      2      1", "    3 passing (1s)"),
    "zig": ("1/3 tide.test.high... FAIL (Unequal)\n2 passed; 0 skipped; 1 failed.", "All 3 tests passed."),
    "zig build test": ("Build Summary: 1/3 steps succeeded; 1 failed; 1/2 tests passed; 1 failed", "3/3 tests passed"),
    "deno": (
        "high ... FAILED (3ms)\n\nFAILED | 2 passed | 1 failed (5ms)\n\nerror: Test failed",
        "ok | 3 passed | 0 failed (5ms)",
    ),
    "gradle": (
        "TideTest > high() FAILED\n    java.lang.AssertionError\n\n3 tests completed, 1 failed\n\nBUILD FAILED in 1s",
        "> Task :test\n\nBUILD SUCCESSFUL in 1s",
    ),
    "maven": (
        "[ERROR] Tests run: 3, Failures: 0, Errors: 1, Skipped: 0",
        "[INFO] Tests run: 3, Failures: 0, Errors: 0, Skipped: 0\n[INFO] BUILD SUCCESS",
    ),
    "elm-test": (
        "TEST RUN FAILED\n\nDuration: 5 ms\nPassed:   2\nFailed:   1",
        "TEST RUN PASSED\n\nDuration: 5 ms\nPassed:   3\nFailed:   0",
    ),
    "busted": (
        "●●◼\n2 successes / 1 failure / 0 errors / 0 pending : 0.001 seconds",
        "●●●\n3 successes / 0 failures / 0 errors / 0 pending : 0.001 seconds",
    ),
    "busted with an error": ("2 successes / 0 failures / 1 error / 0 pending", "3 successes / 0 failures / 0 errors"),
    "prove": ("# Looks like you failed 1 test of 3.\nResult: FAIL", "All tests successful.\nResult: PASS"),
    "bats": ("not ok 2 high\n3 tests, 1 failure", "ok 2 high\n3 tests, 0 failures"),
    "behave": ("0 features passed, 1 failed, 0 skipped", "1 feature passed, 0 failed, 0 skipped"),
    "testthat": ("[ FAIL 1 | WARN 0 | SKIP 0 | PASS 2 ]", "[ FAIL 0 | WARN 0 | SKIP 0 | PASS 3 ]"),
    "julia": (
        "ERROR: LoadError: Some tests did not pass: 2 passed, 1 failed, 0 errored, 0 broken.",
        "     Testing Tide tests passed",
    ),
    "tasty": ("1 out of 3 tests failed (0.00s)", "All 3 tests passed (0.00s)"),
    "cabal": (
        "Test suite tide: FAIL\n0 of 1 test suites (0 of 1 test cases) passed.",
        "1 of 1 test suites (1 of 1 test cases) passed.",
    ),
    "sbt": (
        "[error] Failed: Total 3, Failed 1, Errors 0, Passed 2\n[error] Failed tests:",
        "[info] Passed: Total 3, Failed 0, Errors 0",
    ),
    "lein": (
        "Ran 3 tests containing 3 assertions.\n1 failures, 0 errors.",
        "Ran 3 tests containing 3 assertions.\n0 failures, 0 errors.",
    ),
    "dart": ("00:01 +2 -1: Some tests failed.", "00:01 +3: All tests passed!"),
    "eunit": ("=======\n  Failed: 1.  Skipped: 0.  Passed: 2.", "  All 3 tests passed."),
    "nextest": (
        "     Summary [   0.012s] 3 tests run: 2 passed, 1 failed, 0 skipped",
        "Summary [   0.012s] 3 tests run: 3 passed, 0 skipped",
    ),
    "tox": (
        "  py311: FAIL code 1 (0.31=setup[0.03]+cmd[0.28] seconds)\n  evaluation failed :(",
        "  py311: OK (0.31)\n  congratulations :)",
    ),
    "nox": ("nox > Session tests failed.", "3 passed in 0.1s\nnox > Session tests was successful."),
    "pytest that could not load": ("ERROR tests/test_tide.py\n1 error in 0.12s", "3 passed in 0.12s"),
    "pytest -v": (
        "tests/test_tide.py::test_high FAILED                [ 66%]",
        "tests/test_tide.py::test_high PASSED\n3 passed in 0.1s",
    ),
}


@pytest.mark.parametrize("name", RUNNERS)
def test_each_runner_says_whether_tests_failed(name):
    failed, passed = RUNNERS[name]
    assert output_verdict("tests", failed).failed is True
    assert output_verdict("tests", passed).failed is False


@pytest.mark.parametrize(
    ("name", "line"),
    [
        (name, line)
        for name in ("ctest", "googletest", "swift test", "bazel", "maven", "elm-test", "busted", "deno")
        for line in RUNNERS[name][0].splitlines()[-1:]
    ],
)
def test_the_end_of_it_is_enough(name, line):
    assert output_verdict("tests", line).failed is not False


@pytest.mark.parametrize(
    "line",
    [
        "0 tests failed",
        "0 of 3 tests failed",
        "no tests failed",
        "0 out of 4 specs failed, all well",
        "✓ says when a test failed",
        "✔ counts failed: tests",
        "ok 3 - tells that tests failed # of 3",
        "not ok 3 - high # TODO later",
        "2 xfailed",
        "3 expected failures",
        "[       OK ] Tide.FAILED (0 ms)",
        "job status: FAILED",
        "failure.py:12 is new",
        "Executed 3 tests, with 0 failures (0 unexpected)",
        "4/4 Test #4: tide ....   Passed    0.02 sec",
        "3/4 Test #3: deep ....***Skipped   0.00 sec",
        "0 failures, 0 errors",
        "Failed: 0",
        "Tests run: 3, Failures: 0, Errors: 0",
        "# Failing fast is off",
        "# FAIL:  0",
        "run 4f2a-8f75e4435389 failed with code 128",
        "2026-11-29 failed over to the other tide",
    ],
)
def test_what_looks_like_a_failure_is_none(line):
    assert output_verdict("tests", f"{line}\n3 passed").failed is False


@pytest.mark.parametrize(
    "line",
    [
        "1 of 3 tests passed",
        "2/3 tests passed",
        "0 passed",
        "0 of 3 tests passed",
        "[  PASSED  ] 0 tests.",
        "# PASS:  0",
        "drwxr-xr-x 2 sam 4096 Apr 30 08:32 pass",
    ],
)
def test_what_did_not_pass_whole_is_no_pass(line):
    assert output_verdict("tests", line).failed is not False


@pytest.mark.parametrize(
    "said",
    [
        "Skipping: none of the tests passed",
        "waiting until tests passed",
        "waiting until 3 tests passed",
        "if tests passed",
        "hardly any tests passed",
        "cannot say that tests passed",
        "We only merge if all tests passed",
        "All tests passed through the cache",
        "6 packages passed through",
        "ok 1 - says that 3 tests passed",
        "✔ tells when 3 tests passed",
        "Running tests passed the deadline",
    ],
)
def test_what_only_speaks_of_a_pass_is_none(said):
    assert output_verdict("tests", said).failed is None


@pytest.mark.parametrize(
    "said",
    [
        "3 tests passed\nSegmentation fault (core dumped)",
        "3 tests passed\nSegmentation fault: 11",
        "3 tests passed\nerror: test failed, to rerun pass `--lib`",
        "5 passed\nINTERNALERROR> KeyError",
        "5 passed (3s)\n  2 did not run",
        "Executed 3 tests, with 0 failures\nerror: Exited with unexpected signal code 11",
        "3 tests passed\nsh: line 1:   123 Killed                  ./tide",
        "3 tests passed\nAborted (core dumped)",
        "All tests passed\npanic: send on closed channel",
        "2 tests passed, 1 broken",
        "3 tests pass\n1 test crashed",
        "2 tests passed\nError: Process completed with exit code 1.",
        "2 tests passed\nCommand timed out after 60 s",
        "//a:c   PASSED in 1s\n//a:b   NO STATUS",
        "# PASS: 3\n# FAIL: 0\n# ERROR: 2",
        "Ok:                 5\nFail:               0\nTimeout:            1",
        "Ok:                 5\nUnexpected Pass:    1",
        "10 checks passed\n0 tests run",
        " 3 pass\n 0 fail\n 1 error",
        "ℹ pass 3\nℹ fail 0\nℹ cancelled 1",
        "5 passed\nLogin test failed.",
    ],
)
def test_a_pass_is_none_where_a_crash_or_another_count_stands_behind_it(said):
    assert output_verdict("tests", said).failed is None


@pytest.mark.parametrize(
    "said",
    [
        "the disk is full\nretried after exit code 1\nrequest timed out\n3 passed in 0.1s",
        "3 passed, 0 errors",
        "# PASS: 3\n# ERROR: 0",
        "Ok:                 5\nTimeout:            0",
        "3 passed, 2 skipped, 1 warning\nsaved to errors.txt",
        "3 passed\nok 4 - exits with exit code 1",
        "exit code: 0\n3 passed\nexit code: 0",
        "3 passed\nhow a timeout is broken down: see above",
        "3 passed (1m 2s)",
        "3 passed\n✖ 2 problems (1 error, 1 warning)\n  1 error and 0 warnings potentially fixable",
        "[info] All tests passed.",
        "All tests passed! 12/12",
        "12 passed 2 skipped",
        "✔ 3 tests passed",
    ],
)
def test_a_pass_is_one_beside_what_is_no_crash(said):
    assert output_verdict("tests", said).failed is False


@pytest.mark.parametrize(
    ("said", "passed"),
    [
        ("  ✔ says that 2 tests failed (3 ms)", "  12 passing (1s)"),
        ("  √ 2 (1 failed)", "  12 passing (1s)"),
        ("ok 1 - when 3 tests failed the summary is red", "# fail 0\n# pass 1"),
        ("    ok 2 - 3 failed", "# pass 1"),
        ("PASS src/tide 3 failed.test.ts", "Tests:       3 passed, 3 total"),
        ("tide > 2 failed PASSED", "5 passed"),
        ("test_low (tide.Tests) 2 failed ... ok", "OK"),
        ("3/4 Test #3: 2 failed ....   Passed    0.02 sec", "100% tests passed, 0 tests failed out of 4"),
        ("[       OK ] Tide.High/0, where GetParam() = 2 failed (0 ms)", "[  PASSED  ] 3 tests."),
        ("INFO Login test failed.", "5 passed"),
        ("2026-11-29 10:12:13,123 [WARN] 3 steps failed", "5 passed"),
        ("[INFO] Retry: 2 steps failed, retrying", "5 passed"),
        ("INFO failures, 2 errors handled", "6 passed"),
        ("failures, 2 errors handled", "6 passed"),
        ("error: no test failed", "5 passed"),
        ("Errors  2 found in log", "5 passed"),
        ("    Errors 3", "5 passed"),
        ("some test did not pass through the cache", "5 passed"),
        ("connection failed: 3 attempts, failed: 2", "5 passed"),
        ("a > b FAILED", "5 passed"),
        ("fails: 2.5% of budget", "5 passed"),
        ("tells that 2 tests failed", "3 examples, 0 failures"),
        ('src/a.py:3: "2 tests failed"', "1 passed in 0.1s"),
        ("src/a.ts:3: say('2 failed')", "5 passed"),
        ("README.md:9: `3 failed`", "5 passed"),
    ],
)
def test_names_of_passing_tests_and_lines_of_a_log_are_no_failure(said, passed):
    assert output_verdict("tests", said).failed is None
    assert output_verdict("tests", f"{said}\n{passed}").failed is False


@pytest.mark.parametrize(
    "line",
    [
        "      Errors  1 error",
        "INFO: Build completed, 1 test FAILED, 5 total actions",
        "[INFO] BUILD FAILURE",
        "[WARNING] Tests run: 3, Failures: 1, Errors: 0",
        "The following tests FAILED:",
        "❌ Some tests failed!",
        "Error: tests failed",
        "*** TESTS FAILED ***",
        "At least one test failed",
        "tests/test_tide.py::test_high[a b] FAILED",
        "com.acme.TideTest > is high when deep FAILED",
        "Passed: 2, Failed: 1",
        "PASSED tide, 1 failed",
        "Failures: 3 of 12",
        "PASS: 2 FAIL: 1, 3 failed",
    ],
)
def test_a_failure_is_one_beside_a_pass(line):
    assert output_verdict("tests", f"3 passed\n{line}\n5 passed in 0.1s").failed is True


@pytest.mark.parametrize("part", ["a::", " ::b", "Tests run: ", "[ FAIL 0 ", "a > ", "1 ", "x.y::", "2 of "])
@pytest.mark.parametrize("end", [" FAILEd FAIL", "Errors: 0 pass", "tests failed?"])
def test_of_a_long_line_only_the_begin_is_looked_at(part, end):
    assert output_verdict("tests", f"{part * 50_000}{end}").failed is None
    assert output_verdict("tests", f"{part * 50_000}\n3 failed").failed is True
    assert output_verdict("tests", f"{'x' * 600} 3 failed, 3 passed").failed is None


def test_a_tool_that_states_failures_says_no_pass_of_tests_that_nobody_understands():
    session = Session().runs("ls nothing", FAILS + "ls: nothing: No such file")
    assert session.runs("ctest", "the tide: 3 of 4").texts("check") == []
    assert session.runs("ctest", "").texts("check") == ["passed: ctest"]
    assert session.runs("ctest", "4/4 tide\n100% tests passed, 0 tests failed out of 4").texts("check") == [
        "passed: ctest"
    ]
    assert session.runs("ctest", "75% tests passed, 1 tests failed out of 4").texts("check") == [
        "failing: ctest: 75% tests passed, 1 tests failed out of 4"
    ]
