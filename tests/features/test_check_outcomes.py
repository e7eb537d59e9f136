"""How checks ended, told from exit codes and outputs of many tools."""

from __future__ import annotations

import pytest

from compactor_cli.features.work.checks import parse_label
from compactor_cli.features.work.state import known_state
from tests.features.working import FAILS, Session

PYTEST = """\
E       AssertionError: assert 3 == 4
=========================== short test summary info ============================
FAILED tests/test_a.py::test_x - AssertionError: assert 3 == 4
FAILED tests/test_a.py::test_y[a-b] - KeyError: 'x'
2 failed, 10 passed in 0.10s"""

FAILING = [
    ("pytest -q | tail -5", PYTEST, "pytest -q: tests/test_a.py::test_x, test_y[a-b]"),
    (
        "python -m unittest",
        "F.\nFAIL: test_x (test_a.T.test_x)\nRan 2 tests in 0.001s\n\nFAILED (failures=1)",
        "python -m unittest: test_x (test_a.T.test_x)",
    ),
    (
        "go test ./... 2>&1 | tail -3",
        "--- FAIL: TestAdd (0.00s)\nFAIL\nFAIL\texample.com/x\t0.1s",
        "go test ./...: TestAdd",
    ),
    ("go test ./...", "FAIL\texample.com/x [build failed]\nFAIL", "go test ./...: example.com/x"),
    (
        "cargo test",
        "test a::works ... ok\ntest a::fails ... FAILED\ntest result: FAILED. 1 passed; 1 failed",
        "cargo test: a::fails",
    ),
    ("npx jest", "FAIL src/a.test.ts\n  ● sum › adds\n\nTests:       1 failed, 3 passed", "npx jest: sum › adds"),
    ("pnpm vitest run", "   × adds numbers 5ms\n      Tests  1 failed | 1 passed", "pnpm vitest run: adds numbers"),
    ("npx mocha", "  3 passing (5ms)\n  1 failing\n\n  1) adds:", "npx mocha: adds"),
    ("node --test", "not ok 1 - adds\n# pass 1\n# fail 1", "node --test: adds"),
    (
        "bundle exec rspec",
        "3 examples, 1 failure\n\nrspec ./spec/a_spec.rb:3 # A",
        "bundle exec rspec: ./spec/a_spec.rb:3",
    ),
    ("./gradlew test", "FooTest > bar() FAILED\nBUILD FAILED in 3s", "./gradlew test: FooTest > bar()"),
    ("mvn -q test", "[ERROR] FooTest.bar:12 expected:<1>\n[INFO] BUILD FAILURE", "mvn -q test: FooTest.bar"),
    (
        "npx tsc --noEmit",
        "src/a.ts(3,5): error TS2322: Type 'string' is wrong.",
        "npx tsc --noEmit: src/a.ts(3,5): error TS2322: Type 'string' is wrong.",
    ),
    (
        "cargo clippy",
        "error[E0425]: cannot find value `x`\nerror: could not compile `a`",
        "cargo clippy: error[E0425]: cannot find value `x`",
    ),
    ("make", "a.c:3:5: error: expected ';'\nmake: *** [Makefile:2: a] Error 1", "make: a.c:3:5: error: expected ';'"),
    (
        "npm run lint",
        "/x/a.js\n  3:5  error  'x' is not defined\n\n✖ 1 problem (1 error, 0 warnings)",
        "npm run lint: 3:5 error 'x' is not defined",
    ),
    ("black --check .", "would reformat src/a.py", "black --check .: would reformat src/a.py"),
    ("flake8", "src/a.py:3:1: F401 'os' imported but unused", "flake8: src/a.py:3:1: F401 'os' imported but unused"),
    ("ruff check .", FAILS + "Found 1 error.", "ruff check ."),
]

PASSING = [
    ("pytest -q", "10 passed in 0.1s", "pytest -q"),
    ("cd web && timeout 60 npm test 2>&1 | tail -3", "Tests:       3 passed, 3 total", "npm test (in web)"),
    ("go test ./...", "ok  \texample.com/x\t0.1s", "go test ./..."),
    ("cargo build --release", "    Finished `release` profile [optimized]", "cargo build --release"),
    ("uv run mypy src", "Success: no issues found in 3 source files", "uv run mypy src"),
    ("tox", "  py310: OK (2.3 seconds)\n  congratulations :)", "tox"),
    ("golangci-lint run", "0 issues.", "golangci-lint run"),
    ("go vet ./...", "", "go vet ./..."),
    ("make build", "exit code: 0", "make build"),
    ("dotnet build", "Build succeeded.\n    0 Error(s)", "dotnet build"),
]

UNSURE = [
    ("pytest -q > out.txt; echo done", "done"),
    ("npm test 2>&1 | grep -i warning", ""),
    ("make build", "compiling"),
    ("pytest -k nothing", "no tests ran in 0.01s"),
    (
        "go test ./... -run TestX",
        "testing: warning: no tests to run\nPASS\nok  \texample.com/x\t0.1s [no tests to run]",
    ),
    ("pytest --version", "pytest 8.0.0"),
    ("git stash && pytest -q; git stash pop", "1 failed, 2 passed"),
]


@pytest.mark.parametrize(("command", "said", "expected"), FAILING)
def test_a_failure_is_told_with_what_failed(command, said, expected):
    assert Session().runs(command, said).texts("check") == [f"failing: {expected}"]


@pytest.mark.parametrize(("command", "said", "expected"), PASSING)
def test_a_pass_is_told_with_the_command(command, said, expected):
    assert Session().runs(command, said).texts("check") == [f"passed: {expected}"]


@pytest.mark.parametrize(("command", "said"), UNSURE)
def test_what_nobody_knows_is_not_told(command, said):
    assert Session().runs(command, said).texts("check") == []


def test_silence_is_a_pass_where_the_tool_states_failures():
    session = Session().runs("make build", "built").runs("ls nothing", FAILS + "ls: nothing: No such file")
    assert session.texts("check") == ["passed: make build"]


@pytest.mark.parametrize("mark", ["", "\x1b[1m"])
def test_a_run_of_no_test_is_no_pass_whatever_its_exit_code_and_colours(mark):
    session = Session().runs("pytest -k nothing", f"no {mark}tests ran in 0.01s\nexit code: 0")
    assert session.texts("check") == []


def test_an_exit_code_of_a_pipeline_says_nothing_about_its_first_step():
    session = Session().runs("make build | tail -1", "linking").runs("ls nothing", FAILS + "No such file")
    assert session.texts("check") == []


def test_of_a_chain_that_failed_the_one_that_complains_is_named():
    session = Session().runs("ruff check . && pytest -q", FAILS + "All checks passed!\n1 failed, 2 passed")
    assert session.texts("check") == ["failing: pytest -q", "passed: ruff check ."]


def test_steps_of_a_chain_that_cannot_be_told_apart_stand_together_until_one_passes():
    session = Session().runs("ruff check . && mypy src", FAILS + "Found 1 error")
    assert session.texts("check") == ["failing: ruff check . && mypy src"]
    session.runs("ruff check .", "All checks passed!")
    assert session.texts("check") == ["failing: mypy src", "passed: ruff check ."]


def test_a_pass_of_other_tests_resolves_nothing():
    session = Session().runs("pytest tests/test_a.py", PYTEST).runs("pytest tests/test_b.py", "3 passed")
    assert session.texts("check")[0].startswith("failing: pytest tests/test_a.py")


def test_a_pass_of_everything_resolves_a_part():
    session = Session().runs("pytest tests/test_a.py -k test_x", PYTEST).runs("python -m pytest -q", "30 passed")
    assert session.texts() == ["passed: python -m pytest -q"]


def test_a_pass_of_one_test_does_not_resolve_its_file():
    session = Session().runs("go test ./a/...", "--- FAIL: TestAdd (0s)\n--- FAIL: TestSub (0s)\nFAIL")
    session.runs("go test ./a/... -run TestAdd", "ok  \texample.com/a\t0.1s")
    assert session.texts("check")[0] == "failing: go test ./a/...: TestSub"


def test_names_that_passed_later_are_left_out():
    said = "FAILED tests/test_a.py::test_x - A\nFAILED tests/test_b.py::test_y - B\n2 failed"
    session = Session().runs("pytest", said).runs("pytest tests/test_a.py", "3 passed")
    assert session.texts("check") == ["failing: pytest: tests/test_b.py::test_y", "passed: pytest tests/test_a.py"]


def test_the_same_command_in_another_folder_is_another_check():
    session = Session().runs("cd web && npm test", "1 failed").runs("cd api && npm test", "3 passed")
    assert session.texts("check") == ["failing: npm test (in web)", "passed: npm test (in api)"]


def test_a_rerun_whose_end_is_unknown_takes_back_what_was_known():
    session = Session().runs("npm run build", "npm ERR! code 1").runs("npm run build | tail -1", "almost there")
    assert session.texts("check") == []


def test_a_failure_takes_back_the_pass_before():
    session = Session().runs("pytest -q", "3 passed").runs("pytest -q", "1 failed, 2 passed")
    assert session.texts("check") == ["failing: pytest -q"]


def test_output_that_comes_later_belongs_to_the_command():
    session = Session().calls("exec_command", "Process running with session ID 7\nOutput:\n...", cmd="npm test")
    assert session.texts("check") == []
    session.calls("write_stdin", "Process exited with code 0\nOutput:\nTests: 3 passed", session_id=7, chars="")
    assert session.texts("check") == ["passed: npm test"]


@pytest.mark.parametrize(
    ("command", "other"),
    [
        ("npm run build", "npx tsc -p tsconfig.json"),
        ("make test", "go test ./a/..."),
        ("uv run pytest", "pytest tests/test_a.py::test_x"),
        ("yarn jest", "npx jest src/a.test.ts"),
        ("pytest tests", "pytest tests/test_a.py"),
        ("mise run test", "mise run test -- -run TestX"),
    ],
)
def test_a_run_of_everything_covers_a_part_of_its_kind(command, other):
    everything, part = parse_label(command), parse_label(other)
    assert everything is not None and part is not None
    assert everything.covers(part)
    assert not part.covers(everything)


@pytest.mark.parametrize(
    ("command", "other"),
    [
        ("pytest", "cargo test"),
        ("make lint", "make test"),
        ("ruff check .", "mypy src"),
        ("pytest tests/a", "pytest tests/b"),
    ],
)
def test_runs_of_something_else_cover_nothing(command, other):
    one, another = parse_label(command), parse_label(other)
    assert one is not None and another is not None
    assert not one.covers(another)


@pytest.mark.parametrize(
    "command", ["make install", "npm run dev", "python app.py", "ruff format .", "cargo run", "echo"]
)
def test_other_commands_are_no_checks(command):
    assert parse_label(command) is None


def test_a_failure_is_told_with_the_line_that_says_why_in_other_words():
    said = f"{FAILS}/bin/sh: 1: cd: can't cd to /w/build\nmake: *** [Makefile:192: build] Error 2"
    assert Session().runs("make", said).texts() == ["failing: make: /bin/sh: 1: cd: can't cd to /w/build"]


def test_what_fails_alike_in_two_folders_is_told_of_both() -> None:
    said = f"{FAILS}npm error Missing dependency: left"
    texts = Session().runs("cd app && npm test", said).runs("cd web && npm test", said).texts()
    assert [text.partition(":")[2].partition(":")[0] for text in texts] == [" npm test (in web)", " npm test (in app)"]


def test_a_part_of_a_check_that_is_out_of_date_makes_way_for_a_pass_that_holds() -> None:
    session = Session().runs("go test ./cart -run TestTotal", "ok  \texample.com/cart\t0.1s").edits("cart/cart.go")
    assert "passed: go test ./cart -run TestTotal (before the last edits)" in session.texts()
    session.runs("go test ./...", "ok  \texample.com/cart\t0.1s")
    assert [text for text in session.texts() if text.startswith("passed: ")] == ["passed: go test ./..."]


def test_a_part_of_a_check_is_told_beside_a_pass_in_another_folder() -> None:
    session = Session().runs("cd web && go test ./cart -run TestTotal", "ok  \texample.com/web/cart\t0.1s")
    session.edits("web/cart/cart.go").runs("cd api && go test ./...", "ok  \texample.com/api\t0.1s")
    assert sum(text.startswith("passed: ") for text in session.texts()) == 2


OLD = "FAILED tests/test_a.py::test_x - KeyError: 'x'\n1 failed, 3 passed in 0.10s"
NEW = "FAILED tests/test_b.py::test_z - KeyError: 'z'\n"


@pytest.mark.parametrize(
    ("before", "command", "said", "left"),
    [
        ("pytest tests/test_a.py", "pytest tests", f"{NEW}1 failed, 9 passed", False),
        ("pytest tests/test_a.py", "pytest", f"{NEW}1 failed, 9 passed", False),
        ("pytest tests/test_a.py", "pytest", f"{OLD}\n{NEW}2 failed, 9 passed", False),
        ("pytest tests/test_a.py", "pytest", f"{OLD}\n{NEW}5 failed, 9 passed", False),  # named all the same
        ("pytest tests/test_a.py", "pytest -x", f"{NEW}1 failed", True),
        ("pytest tests/test_a.py", "pytest tests/test_b.py", f"{NEW}1 failed, 9 passed", True),
        ("pytest tests/test_a.py", "npx jest", "  ● sum › adds\n\nTests:       1 failed, 3 passed", True),
        ("pytest tests/test_a.py --runslow", "pytest", f"{NEW}1 failed, 9 passed", True),
    ],
)
def test_a_failing_run_of_more_tests_that_names_all_failures_takes_the_place_of_one_before(
    before: str, command: str, said: str, left: bool
) -> None:
    lines = Session().runs(before, OLD).runs(command, said).texts("check")
    assert lines[0].startswith("failing: " + command.split(" |", maxsplit=1)[0])
    assert (f"failing: {before}: tests/test_a.py::test_x" in lines) == left


def test_a_failure_that_a_later_failing_run_does_not_have_any_more_has_passed() -> None:
    session = Session().runs("pytest tests/test_a.py", OLD)
    assert known_state(session.messages).resolved == frozenset()
    session.runs("pytest", f"{NEW}1 failed, 9 passed")
    assert known_state(session.messages).resolved == {2}
    again = Session().runs("pytest tests/test_a.py", OLD).runs("pytest", f"{OLD}\n{NEW}2 failed, 9 passed")
    assert known_state(again.messages).resolved == frozenset()
    assert known_state(again.runs("pytest", "12 passed").messages).resolved == {2, 4}
