"""What the state says of changed files: which failing check speaks of them, which script ran."""

from __future__ import annotations

import pytest

from tests.features.working import FAILS, Session

BROKEN = FAILS + "src/theme.ts(5,15): error TS2305: no exported member 'EditorTheme'.\nnpm error command failed"


def files(session):
    return session.texts("file")


def test_a_failing_check_is_told_of_the_files_that_its_output_names():
    session = Session().edits("src/footer.ts").edits("src/theme.ts").runs("npm run build", BROKEN)
    assert files(session) == ["edited src/theme.ts, build failed after", "edited src/footer.ts"]


def test_a_check_that_passed_is_told_of_files_that_a_later_failure_does_not_name():
    session = Session().edits("src/footer.ts").edits("src/theme.ts").runs("npm test", "Tests: 3 passed, 3 total")
    session.runs("npm run build", BROKEN)
    assert files(session) == ["edited src/theme.ts, build failed after", "edited src/footer.ts, tests passed after"]


def test_what_is_wrong_with_a_test_for_a_linter_is_not_wrong_with_what_it_tests():
    said = f"{FAILS}log/context_test.go:81:15: string `x` has 3 occurrences, make it a constant (goconst)"
    session = Session().edits("log/context.go").edits("log/context_test.go").runs("golangci-lint run ./...", said)
    assert files(session) == ["edited log/context_test.go, lint failed after", "edited log/context.go"]


@pytest.mark.parametrize(
    "said",
    ["# example.com/shop\n./main.go:8:2: undefined: cart.Total", "src/main.go:8:3: a type in cart.go does not match"],
)
def test_a_build_that_fails_elsewhere_may_speak_of_a_changed_file(said):
    session = Session().edits("shop/cart.go").runs("go build ./...", f"{FAILS}{said}")
    assert files(session) == ["edited shop/cart.go, build failed after"]


def test_a_file_is_not_called_unchecked_where_a_check_did_not_say_how_it_ended():
    session = Session().edits("src/theme.ts").runs("npm run check 2>&1 | grep -E error | head -5", "(no output)")
    assert files(session) == ["edited src/theme.ts"]
    assert files(session.edits("src/other.ts")) == ["edited src/other.ts, unchecked", "edited src/theme.ts"]
    session = Session().edits("src/a.py").runs("ruff check docs/ 2>&1 | grep -E error | head -5", "(no output)")
    assert files(session) == ["edited src/a.py, unchecked"]


def test_a_failure_that_names_no_changed_file_may_be_of_any():
    session = Session().edits("src/a.c").edits("src/b.c").runs("make", FAILS + "make: can't cd to build/release")
    assert files(session) == ["edited src/b.c, build failed after", "edited src/a.c, build failed after"]


@pytest.mark.parametrize("named", ["tests/test_cart.py::test_total FAILED", "FAIL src/cart.test.ts", "cart_test.go:3:"])
def test_the_name_of_a_test_speaks_of_what_it_tests(named):
    session = Session().edits("src/cart.py").edits("src/shop.py").edits("src/test_shop.py")
    session.runs("make test", f"{FAILS}{named}\n1 failed")
    assert files(session)[-1] == "edited src/cart.py, tests failed after"
    assert files(session)[:2] == ["edited src/test_shop.py", "edited src/shop.py"]


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("python -c 'import solve'", ""),
        ("sh -c 'hook; echo $?'", ""),
        ("cat other.py", ", unchecked"),
        ("ls -la && git add solve.py && git commit -m x", ", unchecked"),
        ("pytest -q other/", ", unchecked"),
    ],
)
def test_nothing_is_said_of_a_file_that_something_unknown_may_have_checked(command, said):
    session = Session().edits("src/solve.py").runs(command, "42")
    assert files(session) == [f"edited src/solve.py{said}"]
    assert files(session.edits("src/solve.py")) == ["edited src/solve.py 2x, unchecked"]


def test_no_check_looks_at_prose():
    session = Session().edits("README.md").runs("pytest -q", "1 failed").edits("docs/a.rst")
    assert files(session) == ["edited docs/a.rst", "edited README.md"]


@pytest.mark.parametrize("said", [BROKEN, FAILS + "1 failed", "3 passed"])
def test_another_round_says_the_same(said):
    before = Session().edits("src/footer.ts").edits("src/theme.ts").runs("npm run build", said)
    before.calls("Write", "File created", file_path="solve.py", content="x").runs("python solve.py", "42")
    assert sorted(Session().texts("file", before.texts())) == sorted(files(before))


def test_files_that_are_gone_come_last():
    session = Session().edits("src/a.py").runs("rm src/old.py")
    assert files(session) == ["edited src/a.py, unchecked", "deleted src/old.py"]


def test_arguments_that_were_wrong_are_made_up_for_by_the_next_call_that_is_right():
    session = Session().calls("todowrite", "Error: The todowrite tool was called with invalid arguments: [", todos="x")
    assert len(session.texts("error")) == 1
    assert session.calls("todowrite", todos=[{"content": "Fix", "status": "pending"}]).texts("error") == []


def test_a_program_that_is_looked_for_in_several_places_is_one_error_until_it_runs():
    session = Session().runs("ponyc a.pony", FAILS + "bash: ponyc: command not found")
    session.runs("./build/ponyc a.pony", FAILS + "bash: ./build/ponyc: No such file or directory")
    assert session.texts("error") == [
        "open error: bash: ./build/ponyc: No such file or directory (./build/ponyc a.pony)"
    ]
    assert session.runs("/opt/bin/ponyc b.pony", "ok").texts("error") == []


def test_a_file_that_is_not_there_is_another_error():
    session = Session().runs("ponyc a.pony", FAILS + "bash: ponyc: command not found")
    session.runs("deploy b.yml", FAILS + "deploy: b.yml: No such file or directory")
    assert len(session.texts("error")) == 2


def test_a_file_that_was_read_before_is_not_created_by_writing_it():
    session = (
        Session().calls("Read", "1\tx", file_path="a.py").calls("Write", "File written", file_path="a.py", content="y")
    )
    session.calls("Read", "<error>No such file</error>", file_path="b.py").calls(
        "Write", "File created", file_path="b.py", content="y"
    )
    assert files(session) == ["created b.py, unchecked", "edited a.py, unchecked"]


def test_a_file_that_was_created_and_read_is_still_created():
    session = (
        Session().calls("Write", "File created", file_path="a.py", content="y").calls("Read", "1\ty", file_path="a.py")
    )
    session.calls("Write", "File written", file_path="a.py", content="z")
    assert files(session) == ["created a.py, unchecked"]


def test_a_failure_in_another_file_of_the_same_name_is_not_of_this_one():
    session = Session().edits("/w/src/strategy/registry.go").edits("/w/src/agent/registry.go")
    session.runs(
        "cd /w && golangci-lint run", "Exit code 1\nsrc/strategy/registry.go:3:5: undefined: x (typecheck)\n1 issues:"
    )
    assert session.texts("file") == [
        "edited src/agent/registry.go",
        "edited src/strategy/registry.go, lint failed after",
    ]


def test_a_runner_of_tasks_says_before_each_line_which_task_it_is_of():
    session = Session().edits("/w/a.go").runs("cd /w && mise run lint", "[lint:go] 0 issues.\n[lint:shell] done")
    assert session.texts() == ["passed: mise run lint", "edited a.go, lint passed after"]


@pytest.mark.parametrize(
    ("check", "edited", "out_of_date"),
    [
        ("pytest -q", "src/a.py", True),
        ("pytest -q", "README.md", False),
        ("go test ./integration/...", "pkg/a/x.go", True),
        ("go test ./integration/...", "README.md", False),
        ("go vet ./pkg/a/", "pkg/a/x.go", True),
        ("go vet ./pkg/a/", "pkg/b/x.go", False),
        ("prettier --check docs/a.mdx", "docs/a.mdx", True),
        ("prettier --check docs/a.mdx", "docs/b.mdx", False),
    ],
)
def test_a_pass_says_when_what_it_is_of_was_changed_behind_it(check, edited, out_of_date):
    session = Session().runs(check, "All matched files use Prettier code style!\n3 passed\nexit code: 0").edits(edited)
    told = [f"passed: {check}{' (before the last edits)' if out_of_date else ''}"]
    assert session.texts("check") == told
    assert Session().texts("check", earlier=told) == told


@pytest.mark.parametrize(("edited", "since"), [("src/a.py", " (before the last edits)"), ("README.md", "")])
def test_a_failure_says_when_what_it_is_of_was_changed_behind_it(edited, since):
    out = "FAILED tests/test_a.py::test_total - AssertionError: 2 != 3\n1 failed\nexit code: 1"
    session = Session().edits("src/a.py").runs("pytest -q", out).edits(edited)
    told = [f"failing: pytest -q: tests/test_a.py::test_total{since}"]
    assert session.texts("check") == told
    assert Session().texts("check", earlier=told) == told
    assert Session().runs("pytest -q", "3 passed").texts("check", earlier=told) == ["passed: pytest -q"]
    again = Session().runs("pytest -q", out).texts("check", earlier=told)
    assert again == ["failing: pytest -q: tests/test_a.py::test_total"]


@pytest.mark.parametrize(
    "command",
    ["rm .git/sessions/test.json", "cd /w && echo x > /w/.git/info/exclude", "rm /tmp/out.log", "rm probe.py"],
)
def test_what_is_no_source_is_no_edit_behind_a_pass(command):
    session = Session().calls("Write", "File created", file_path="probe.py", content="x").edits("src/a.py")
    session.runs("pytest -q", "5 passed\nexit code: 0").runs(command, "exit code: 0")
    assert session.texts("check") == ["passed: pytest -q"]
    assert session.runs("rm src/a.py", "exit code: 0").texts("check") == ["passed: pytest -q (before the last edits)"]


def test_the_pass_of_a_file_is_of_the_kind_that_says_most_and_of_no_other_folder():
    session = Session().runs("pytest -q", "5 passed").edits("a.py").runs("ruff check .", "All checks passed!")
    assert session.texts("file") == ["edited a.py, lint passed after"]
    assert session.runs("pytest -q", "5 passed").texts("file") == ["edited a.py, tests passed after"]
    session = Session().edits("pkg/a/x.go").edits("pkg/b/x.go").runs("go test ./pkg/a/", "ok  \tshop/pkg/a\t0.1s")
    assert session.texts("file") == ["edited pkg/b/x.go, unchecked", "edited pkg/a/x.go, tests passed after"]


def test_passes_that_are_limited_to_different_things_stand_beside_each_other():
    session = Session().runs("pytest tests/test_a.py", "1 passed").runs("pytest tests/test_b.py", "1 passed")
    assert session.texts() == ["passed: pytest tests/test_b.py", "passed: pytest tests/test_a.py"]
    assert session.runs("pytest", "9 passed").texts() == ["passed: pytest"]
    session = (
        Session().runs("go test -tags=integration ./...", "ok  \tshop\t0.1s").runs("go test ./...", "ok  \tshop\t1s")
    )
    assert session.texts() == ["passed: go test ./...", "passed: go test -tags=integration ./..."]


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("golangci-lint run ./...", "(eval):1: command not found: golangci-lint\nexit code: 127"),
        ("python -m pytest -q", "/usr/bin/python: No module named pytest\nexit code: 1"),
        ("mise run lint:full", "mise ERROR no task lint:full found\nexit code: 1"),
        ("npm run test:all", 'npm ERR! Missing script: "test:all"\nexit code: 1'),
    ],
)
def test_a_check_that_is_not_there_has_not_failed(command, said):
    session = Session().edits("src/a.go").runs("go test ./...", "ok  \tshop\t0.1s").runs(command, said)
    assert session.texts("check") == ["passed: go test ./..."]
    assert session.texts("file") == ["edited src/a.go, tests passed after"]
    assert len(session.texts("error")) == 1


def test_a_word_of_an_output_is_no_file_of_that_name():
    said = "INFO checkpoint saved strategy=manual\n--- FAIL: TestCommit (0.1s)\n    commit_test.go:9: no text\nFAIL"
    session = Session()
    for name in ("strategy.go", "text.go", "commit.go"):
        session.edits(f"src/{name}")
    session.runs("go test ./...", FAILS + said)
    assert session.texts("file") == [
        "edited src/commit.go, tests failed after",
        "edited src/text.go",
        "edited src/strategy.go",
    ]


def test_a_linter_that_complains_of_other_files_says_nothing_of_these():
    session = Session().edits("src/hooks.go").runs("go test ./...", "ok  \tshop\t0.1s")
    session.runs("golangci-lint run", FAILS + "other/commit.go:87:1: unused (unused)")
    assert session.texts("file") == ["edited src/hooks.go, tests passed after"]


def test_a_file_that_was_changed_behind_the_pass_is_not_said_to_have_passed():
    session = Session().edits("src/cart.py").runs("make test", "3 passed").edits("src/cart.py")
    session.runs("make test", f"{FAILS}FAILED tests/test_all.py::test_night\n1 failed")
    assert files(session) == ["edited src/cart.py 2x, tests failed after"]


def test_other_tests_that_passed_say_nothing_of_those_that_fail():
    session = Session().edits("src/cart.py").runs("pytest tests/test_other.py", "3 passed")
    session.runs("pytest tests/test_cart.py", f"{FAILS}FAILED tests/test_cart.py::test_total\n1 failed")
    assert files(session) == ["edited src/cart.py, tests failed after"]
