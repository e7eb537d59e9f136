"""What tests that were named by their files say of the files that the session changed, and what no test looks at."""

from __future__ import annotations

import pytest

from compactor_cli.features.work.state import compute_state
from tests.features.working import FAILS, Session

OTHERS = ", other tests passed after"
PASSED = ", tests passed after"


def files(session):
    return session.texts("file")


def of(path, command, said="3 passed"):
    """What is said of a file that was edited before a command ran."""
    return files(Session().edits(path).runs(command, said))[0].removeprefix(f"edited {path}")


@pytest.mark.parametrize(
    ("path", "command", "label"),
    [
        ("tools/mine.py", "pytest -q tests/test_distill.py tests/test_features.py", OTHERS),
        ("wake/features.py", "pytest -q tests/test_distill.py tests/test_features.py", PASSED),
        ("tests/test_distill.py", "pytest -q tests/test_distill.py", PASSED),
        ("tests/test_distill.py", "pytest -q tests/test_distill.py::test_loss", PASSED),
        ("distill.py", "pytest -q tests/test_distill.py::TestLoss::test_loss", PASSED),
        ("distill_all.py", "pytest -q tests/test_distill.py", OTHERS),
        ("cart/total.py", "python -m unittest tests.test_total", PASSED),
        ("cart/total.py", "python -m unittest tests.test_totals", OTHERS),
        ("src/Cart.tsx", "npx vitest run src/Cart.test.tsx", PASSED),
        ("src/Shop.tsx", "npx vitest run src/Cart.test.tsx", OTHERS),
        ("src/Shop.tsx", "npx jest --config jest.config.js", PASSED),
        ("src/Shop.tsx", "npx vitest run --config build/test.config.ts", PASSED),
        ("src/Shop.cs", "dotnet test Shop.Tests.csproj", PASSED),
        ("wake/loss/sums.py", "pytest -q tests/loss/test_sums.py", PASSED),
        ("src/wake/loss/sums.py", "pytest -q /w/ferry/tests/unit/loss/test_sums.py", PASSED),
        ("wake/loss/sums.py", "pytest -q wake/loss/tests/test_sums.py", PASSED),
        ("lib/sums.ex", "mix test test/sums_test.exs:12", PASSED),
        ("cart/cart.py", "python -m unittest cart.tests.test_total", OTHERS),
        ("cart/total.py", "python -m unittest cart.tests.test_total.TestTotal.test_sum", PASSED),
        ("cart/tests/test_total.py", "python -m unittest cart.tests.test_total", PASSED),
        ("tests/test_b.py", "pytest -q tests/test_*.py", PASSED),
        ("tests/test_b.py", "pytest -q tests/test_{a,b}.py", PASSED),
        ("tests/test_b.py", "pytest -q tests/test_[ab].py", PASSED),
        ("x.py", "pytest -q --ignore tests/test_slow.py", PASSED),
        ("x.py", "pytest -q --deselect tests/test_slow.py::test_a", PASSED),
        ("tools/mine.py", "pytest -q", PASSED),
        ("tools/mine.py", "pytest -q tests/", PASSED),
        ("tools/mine.py", "pytest -q -k distill", PASSED),
        ("tools/mine.py", "pytest -q tools/mine.py", PASSED),
        ("tools/mine.py", "pytest -q other/", ", unchecked"),
    ],
)
def test_tests_named_by_their_files_are_told_of_what_they_are_called_after(path, command, label):
    assert of(path, command) == label


@pytest.mark.parametrize(
    ("path", "command", "said", "label"),
    [
        ("src/a.py", "ruff check src/a.py", "All checks passed!", ", lint passed after"),
        ("src/b.py", "ruff check src/a.py", "All checks passed!", ", unchecked"),
        ("src/b.c", "gcc -o app main.c", "", ", build passed after"),
    ],
)
def test_a_linter_looks_at_the_files_that_it_is_given_and_a_build_at_what_they_include(path, command, said, label):
    assert of(path, command, said) == label


@pytest.mark.parametrize("path", ["teachers/v1.pt", "out/plot.PNG", "report.pdf", "data/rows.parquet"])
def test_no_check_looks_at_data_that_is_no_text(path):
    assert of(path, "pytest -q") == ""
    session = Session().runs("pytest -q", "3 passed").edits(path)
    assert "passed: pytest -q" in session.texts("check")


def test_a_whole_run_counts_for_more_than_one_of_other_tests_behind_it():
    session = (
        Session().edits("tools/mine.py").runs("pytest -q", "30 passed").runs("pytest -q tests/test_a.py", "1 passed")
    )
    assert files(session) == [f"edited tools/mine.py{PASSED}"]
    session = (
        Session().runs("pytest -q", "30 passed").edits("tools/mine.py").runs("pytest -q tests/test_a.py", "1 passed")
    )
    assert files(session) == [f"edited tools/mine.py{OTHERS}"]
    assert files(session.runs("ruff check .", "All checks passed!")) == [f"edited tools/mine.py{OTHERS}"]


def test_another_round_says_the_same_until_the_file_is_changed():
    told = Session().edits("tools/mine.py").runs("pytest -q tests/test_a.py", "1 passed").texts()
    assert [line.text for line in compute_state((), told)] == told
    assert Session().edits("tools/mine.py").texts("file", told) == ["edited tools/mine.py 2x, unchecked"]
    assert Session().runs("pytest -q", "9 passed").texts("file", told) == [f"edited tools/mine.py{PASSED}"]


def test_a_failure_before_other_tests_passed_is_told_where_it_names_the_file():
    failed = FAILS + "FAILED tests/test_mine.py::test_all\n1 failed"
    session = Session().edits("tools/mine.py").runs("pytest -q", failed).runs("pytest -q tests/test_a.py", "1 passed")
    assert files(session) == ["edited tools/mine.py, tests failed after"]
