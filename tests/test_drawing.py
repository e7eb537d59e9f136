"""A quick run draws the same cases each time. With --everything no case is left out."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests import drawing
from tests.builders import ROOT, clean_environment

NAMES = [f"strategy{number}" for number in range(10)]


@pytest.fixture(params=[True, False], ids=["drawing", "everything"])
def quick(request, monkeypatch):
    monkeypatch.setattr(drawing, "_drawing", request.param)
    return request.param


def test_of_many_two_are_drawn_by_the_name_of_the_case(quick):
    drawn = [drawing.draw_items(NAMES, 2, f"file{number}") for number in range(50)]
    assert drawn == [drawing.draw_items(iter(NAMES), 2, f"file{number}") for number in range(50)]
    assert {len(names) for names in drawn} == {2 if quick else 10}
    assert all(names == sorted(names) for names in drawn)
    assert {name for names in drawn for name in names} == set(NAMES), "over the files each has its turn"


def test_steps_and_examples(quick):
    assert drawing.loop_step(3) == (3 if quick else 1)
    assert drawing.example_count(120) == (10 if quick else 120)
    assert drawing.example_count(25) == (4 if quick else 25)
    assert drawing.example_count(1) == 1


class Case:
    """A case of a test, in the form that pytest collects."""

    def __init__(self, name, marks=(), *, test="a.py::test", **parameters):
        self.nodeid, self.callspec = f"{test}[{name}]", SimpleNamespace(params=parameters)
        self._marks = {mark.name: mark for mark in marks}

    def get_closest_marker(self, name):
        return self._marks.get(name)


def test_of_a_test_with_cases_by_strategy_or_database_one_in_four_or_two_run(quick):
    by_strategy = [Case(name, strategy=name) for name in NAMES]
    by_database = [Case(name, fresh_url=name) for name in ("sqlite", "postgresql")]
    marked = [Case(name, [pytest.mark.drawn(5).mark], strategy=name) for name in NAMES]
    long = [Case(name, [pytest.mark.everything.mark]) for name in NAMES]
    others = [Case(name, text=name) for name in NAMES]
    left = [len(drawing.undrawn_items(cases)) for cases in (by_strategy, by_database, marked, long, others)]
    assert left == ([7, 1, 8, 10, 0] if quick else [0, 0, 0, 0, 0])


def test_of_the_tests_of_a_file_one_in_three_runs_with_all_its_cases(quick):
    mark, always = pytest.mark.one_test_in(3).mark, pytest.mark.one_test_in(1).mark
    of_a_seed = "tests/strategies/test_cost.py::test_four_times_the_messages_cost_about_four_times_as_much"
    tests = {f"a.py::test_{number}": mark for number in range(9)} | {"a.py::test_own": always, of_a_seed: mark}
    cases = [Case(name, [mark], test=test) for test, mark in tests.items() for name in NAMES[:2]]
    left = {case.nodeid for case in drawing.undrawn_items(cases)}
    run = {test for test in tests if not {f"{test}[{name}]" for name in NAMES[:2]} <= left}
    assert len(left) == (12 if quick else 0), "all cases of a test or none"
    assert len(run) == (5 if quick else 11)
    assert {"a.py::test_own", of_a_seed} <= run


def test_of_real_sessions_each_folder_has_one_before_another_has_two(quick):
    places = [*(f"codex/{number}" for number in range(8)), "adp/1", "pi/1"]
    cases = [Case(name, path=Path("/shared/transcripts", name)) for name in places]
    left = {case.nodeid for case in drawing.undrawn_items(cases)}
    kept = {case.callspec.params["path"].parts[-2] for case in cases if case.nodeid not in left}
    assert (len(left), kept) == (6 if quick else 0, {"codex", "adp", "pi"})


def collected(*arguments):
    command = [sys.executable, "-m", "pytest", "--collect-only", "-qq", "-p", "no:cacheprovider", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, env=clean_environment(), check=True)
    return sum(int(line.rpartition(":")[2]) for line in done.stdout.splitlines() if line.startswith("tests/"))


def test_of_marked_tests_one_in_n_cases_runs_unless_it_is_asked_for_by_name():
    file, test = "tests/strategies/test_cost.py", "test_four_times_the_messages_cost_about_four_times_as_much"
    of_one = collected(f"{file}::{test}")
    every = collected(file, "--everything")
    assert of_one == 16
    assert every - collected(file) == of_one - 1


@pytest.mark.parametrize(
    ("keyword", "arguments", "everything", "draws"),
    [
        ("", ["tests"], False, True),
        ("a word", ["tests"], False, False),
        ("", ["a.py::test"], False, False),
        ("", [], True, False),
    ],
)
def test_a_test_that_is_asked_for_by_its_name_is_not_drawn_from(monkeypatch, keyword, arguments, everything, draws):
    monkeypatch.setattr(drawing, "_drawing", True)
    config = SimpleNamespace(
        option=SimpleNamespace(keyword=keyword), args=arguments, getoption={"--everything": everything}.__getitem__
    )
    drawing.configure(config)
    assert drawing.is_drawing() is draws
