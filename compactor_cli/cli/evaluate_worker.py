"""Measures cases of `evaluate` in another process."""

from __future__ import annotations

import time
from collections.abc import Generator, Sequence
from io import StringIO

from msgspec import Struct

from compactor_cli.cli import workers
from compactor_cli.cli.configured import Configured
from compactor_cli.cli.methods import Command, methods_for
from compactor_cli.cli.session import Session, late_console
from compactor_cli.evaluation.retention.cases import Case
from compactor_cli.evaluation.retention.measure import CaseOutcome, Method, failed_outcomes, measure_case
from compactor_cli.model.content import FileContent
from compactor_cli.model.profile import Profile
from compactor_cli.tokens import make_counter

_MIN_SHARED_TOKENS = 5_000_000
"""Number of tokens from which starting processes pays off: a few seconds of work. Each case counts once per
compaction."""


class EvaluationSetup(Struct, frozen=True):
    """What all cases of a run share. It can be pickled."""

    configured: Configured
    profile: Profile | None
    strategies: Sequence[str]
    commands: Sequence[Command]
    timeout: float
    ratios: Sequence[float]


class _Ready:
    """The state of this process after `begin`."""

    methods: Sequence[Method] = ()
    ratios: Sequence[float] = ()


def begin(setup: EvaluationSetup) -> None:
    """Prepare this process for a run. Messages about the settings have been printed where the run started."""
    quiet = late_console(StringIO(), quiet=True)
    configured = setup.configured
    counter = make_counter(configured.tokenizer, configured.reading.model).counter
    session = Session(configured, counter, quiet, quiet, setup.profile)
    _Ready.methods = methods_for(session, setup.strategies, setup.commands, setup.timeout)
    _Ready.ratios = setup.ratios


def measure_chunk(cases: Sequence[Case]) -> list[list[CaseOutcome]]:
    """Measure cases one after the other in a process prepared by `begin`."""
    outcomes = [measure_case(case, _Ready.methods, _Ready.ratios, clock=time.perf_counter) for case in cases]
    workers.collect_garbage()
    return outcomes


def measure_shared(
    cases: Sequence[Case], setup: EvaluationSetup, runs: int
) -> Generator[list[CaseOutcome], None, None] | None:
    """Yield the results of `measure_case` in order, computed on all processors; each case has `runs` outcomes.
    Return None if starting processes does not pay off, or if a session is too large for memory."""
    processes = min(workers.processors(), len(cases))
    tokens = sum(case.front.tokens for case in cases)
    is_large = any(isinstance(case.front.source, FileContent) for case in cases)
    if processes < 2 or tokens * runs < _MIN_SHARED_TOKENS or is_large:
        return None

    def ended(case: Case) -> list[CaseOutcome]:
        return failed_outcomes(
            case, "the process that measured it ended unexpectedly; there may not be enough memory", runs
        )

    work: workers.Work[Case, list[CaseOutcome]] = workers.Work(
        begin=begin, begin_args=(setup,), chunk=measure_chunk, ended=ended, preload=(__name__,)
    )
    return workers.in_order(work, ([case] for case in cases), processes)
