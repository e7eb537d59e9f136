"""Cases of `evaluate` measured by several processes: the same outcomes, in the order of the cases."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from compactor_cli.cli import evaluate_worker, workers
from compactor_cli.cli.configured import Configured
from compactor_cli.cli.evaluate_worker import EvaluationSetup, begin, measure_chunk, measure_shared
from compactor_cli.cli.methods import Command
from compactor_cli.evaluation.retention.cases import EvaluatedSession, prepare
from compactor_cli.evaluation.retention.measure import evaluate
from compactor_cli.settings import ReadingSettings, Settings
from tests.evaluation.retention.sessions import transcript, work

SETUP = EvaluationSetup(
    Configured(Settings(), ReadingSettings()),
    None,
    ("truncate", "tiered"),
    (Command("none", ("false",)),),
    30.0,
    (0.5, 0.25),
)
RUNS = 10  # two strategies, a command and two baselines, at two ratios


@pytest.fixture
def cases():
    topics = ("harbour", "lagoon", "cedar")
    return prepare([EvaluatedSession(topic, transcript(*work(topic))) for topic in topics], [0.5, 0.75]).cases


def timeless(outcomes):
    return [[replace(outcome, seconds=0.0) for outcome in of_case] for of_case in outcomes]


@pytest.fixture
def two_processors(monkeypatch):
    monkeypatch.setattr(workers, "processors", lambda: 2)
    monkeypatch.setattr(evaluate_worker, "_MIN_SHARED_TOKENS", 0)


def test_processes_measure_what_one_measures(cases, two_processors):
    begin(SETUP)
    here, parts = measure_chunk(cases), measure_shared(cases, SETUP, RUNS)
    assert parts is not None
    there = list(parts)
    assert timeless(here) == timeless(there)
    assert [len(of_case) for of_case in there] == [RUNS] * 6
    assert [of_case[0].session for of_case in there] == [case.session for case in cases]


def test_little_work_and_a_single_processor_are_not_shared(cases, monkeypatch):
    monkeypatch.setattr(workers, "processors", lambda: 2)
    assert measure_shared(cases, SETUP, RUNS) is None
    monkeypatch.setattr(evaluate_worker, "_MIN_SHARED_TOKENS", 0)
    monkeypatch.setattr(workers, "processors", lambda: 1)
    assert measure_shared(cases, SETUP, RUNS) is None


def test_what_was_measured_elsewhere_makes_the_same_table(cases):
    begin(SETUP)
    prepared = prepare([EvaluatedSession(t, transcript(*work(t))) for t in ("harbour", "lagoon")], [0.5])
    methods = evaluate_worker._Ready.methods
    here = evaluate(prepared, methods, SETUP.ratios)
    there = evaluate(prepared, methods, SETUP.ratios, measured=timeless(measure_chunk(prepared.cases)))
    assert here == there
