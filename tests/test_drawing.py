"""A quick run draws the same cases each time; with --everything none is left out."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests import drawing
from tests.builders import ROOT, environment

NAMES = [f"strategy{number}" for number in range(10)]


@pytest.fixture(params=[True, False], ids=["drawing", "everything"])
def quick(request, monkeypatch):
    monkeypatch.setattr(drawing, "_drawing", request.param)
    return request.param


def test_of_many_two_are_drawn_by_the_name_of_the_case(quick):
    drawn = [drawing.draw(NAMES, 2, f"file{number}") for number in range(50)]
    assert drawn == [drawing.draw(iter(NAMES), 2, f"file{number}") for number in range(50)]
    assert {len(names) for names in drawn} == {2 if quick else 10}
    assert all(names == sorted(names) for names in drawn)
    assert {name for names in drawn for name in names} == set(NAMES), "over the files each has its turn"


def test_steps_and_examples(quick):
    assert drawing.every(3) == (3 if quick else 1)
    assert drawing.number_of(80) == (10 if quick else 80)
    assert drawing.number_of(25) == (5 if quick else 25)
    assert drawing.number_of(1) == 1


def collected(*arguments):
    command = [sys.executable, "-m", "pytest", "--collect-only", "-qq", "-p", "no:cacheprovider", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, env=environment(), check=True)
    return sum(int(line.rpartition(":")[2]) for line in done.stdout.splitlines() if line.startswith("tests/"))


def test_of_marked_tests_one_in_n_cases_runs_unless_it_is_asked_for_by_name():
    file, test = "tests/strategies/test_cost.py", "test_four_times_the_messages_cost_about_four_times_as_much"
    of_one = collected(f"{file}::{test}")
    every = collected(file, "--everything")
    assert collected(file, "-k", test) == of_one > 6
    assert every - collected(file) == of_one - -(-of_one // 3)
