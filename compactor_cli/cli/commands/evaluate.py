"""`compactor evaluate`: which strategy keeps what your own sessions needed later."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import typer
from msgspec import structs

from compactor_cli.cli import options
from compactor_cli.cli.inputs import inputs_of
from compactor_cli.cli.session import Session, conversations, open_session
from compactor_cli.cli.streams import print_json
from compactor_cli.cli.typed_options import takes_options
from compactor_cli.configuration.layers import Layer
from compactor_cli.errors import ExitCode, InputError, UsageError
from compactor_cli.settings.frozen import frozen
from compactor_cli.strategies import STRATEGIES
from compactor_cli.strategies import strategy as strategy_named
from compactor_cli.text.quantities import share_in

if TYPE_CHECKING:  # imported only where it is used, so that other commands start faster
    from compactor_cli.evaluation.retention import cases as retention_cases
    from compactor_cli.evaluation.retention.measure import CaseOutcome, Evaluation, Method


@frozen(frozen=True, kw_only=True)
class EvaluateOptions(options.SessionOptions):
    files: options.FilesArgument = None
    target_ratio: str = options.option(
        "R,...", "Targets as shares of the tokens, not counting system messages.", "0.1,0.25,0.5"
    )
    strategy: str = options.option(
        "NAME,...", "Strategies to compare, the first with each of the others; default: all.", ""
    )
    against: list[str] | None = options.option(
        "COMMAND",
        "Command of another tool to compare with, containing {in}, {out} and {budget} (tokens). NAME::COMMAND "
        "names it; may be repeated.",
        None,
    )
    cuts: str = options.option("SHARE,...", "Where to cut the sessions, as shares of their tokens.", "0.5,0.75")
    timeout: float = options.option("SECONDS", "Time limit for a command of --against on one file.", 120.0, min=0.1)


@takes_options("evaluate")
def evaluate(args: EvaluateOptions, overrides: Layer) -> None:
    """Measure on your own sessions which strategy keeps what was needed later.

    Each session is cut, and the part before the cut is compacted. The part after it tells what was needed:
    identifiers that the agent wrote there, that occur before the cut, and that nobody repeated in
    between. Recall is the share of them that is still there, rare ones weighing more. LINKED, the figure
    to go by, also requires that at least half of the words around an identifier are still near it.

    keep_last and mask are simple methods, for comparison. No transcript is written. Exit code 1: no session
    is long enough to be measured.

    \b
    Examples:
      compactor evaluate ~/.claude/projects/*/*.jsonl
      compactor evaluate session.jsonl --target-ratio 0.25 --strategy tiered
      compactor evaluate *.jsonl --against "other::other-tool {in} -o {out} --max {budget}"
    """
    from compactor_cli.cli.evaluate_worker import EvaluationSetup, measure_shared
    from compactor_cli.cli.methods import methods_for, parse_commands
    from compactor_cli.evaluation.retention.baselines import BASELINES
    from compactor_cli.evaluation.retention.cases import prepare

    ratios = _parse_shares("--target-ratio", args.target_ratio, max_share=None)
    places = _parse_shares("--cuts", args.cuts, max_share=1)
    names = list(dict.fromkeys(map(str.strip, args.strategy.split(",")))) if args.strategy else list(STRATEGIES)
    for name in names:
        strategy_named(name)
    commands = parse_commands(args.against or (), {*names, *BASELINES})
    session = open_session(args, overrides, profile=True)
    inputs = inputs_of(session, args.files or (), args)
    sessions, refused = _load(session, list(dict.fromkeys(file.path for file in inputs)))
    session.go_offline()
    methods = methods_for(session, names, commands, args.timeout)
    with session.show_progress(len(sessions), "sessions") as progress:
        prepared = prepare(sessions, places, refused=refused, progress=lambda name: progress.step("looking for needs"))
    configured = structs.replace(session.configured, settings=session.settings)
    setup = EvaluationSetup(configured, session.profile, names, commands, args.timeout, ratios)
    elsewhere = measure_shared(prepared.cases, setup, len(methods) * len(ratios))
    result = _measure(session, prepared, ratios, methods, elsewhere)
    _show(session, result, json=args.json)
    if refused:
        raise typer.Exit(ExitCode.UNREADABLE)
    if not result.cases:
        session.say("no session can be measured; see what was skipped, and why")
        raise typer.Exit(ExitCode.NO)


def _parse_shares(option: str, text: str, *, max_share: float | None) -> list[float]:
    """Return the shares in a list: above 0, and up to 1 or below `max_share`. Raises UsageError."""
    shares: list[float] = []
    for word in text.split(","):
        share = share_in(word) or 0.0
        if not share or (max_share is not None and share >= max_share):
            allowed = "above 0 and up to 1" if max_share is None else f"between 0 and {max_share:g}"
            raise UsageError(f"{option} {text!r}: not shares {allowed}; write shares such as 0.25,0.5")
        shares.append(share)
    return list(dict.fromkeys(shares))


def _load(
    session: Session, files: Sequence[str]
) -> tuple[list[retention_cases.EvaluatedSession], list[retention_cases.Skipped]]:
    """Return all conversations and the files that cannot be read; a single file raises at once."""
    from compactor_cli.evaluation.retention import cases as retention_cases

    loaded: list[retention_cases.EvaluatedSession] = []
    refused: list[retention_cases.Skipped] = []
    with session.show_progress(len(files), "files") as progress:
        for file in files:
            progress.step(f"reading {file}")
            try:
                source = session.load(file)
            except InputError as error:
                if len(files) == 1:
                    raise
                session.say(f"error: {error}")
                refused.append(retention_cases.Skipped(file, None, str(error)))
                continue
            session.print_reading_notes(source)
            loaded += [retention_cases.EvaluatedSession(name, t) for name, t in conversations(source, file)]
    return loaded, refused


def _measure(
    session: Session,
    prepared: retention_cases.Prepared,
    ratios: Sequence[float],
    methods: Sequence[Method],
    elsewhere: Iterator[list[CaseOutcome]] | None,
) -> Evaluation:
    """Return the evaluation of all cases, measured in this process or taken from other processes."""
    from compactor_cli.evaluation.retention.measure import evaluate as measured

    with session.show_progress(len(prepared.cases) * len(ratios) * len(methods), "outputs") as progress:

        def told() -> Iterator[list[CaseOutcome]]:
            for outcomes in elsewhere or ():
                for _ in outcomes:
                    progress.step()
                yield outcomes

        results = told() if elsewhere is not None else None
        clock, step = time.perf_counter, progress.step
        return measured(prepared, methods, ratios, clock=clock, progress=step, measured=results)


def _show(session: Session, result: Evaluation, *, json: bool) -> None:
    from compactor_cli.render import evaluation as render

    if json:
        print_json(render.evaluation_json(result, session.counter.name))
        return
    for piece in render.evaluation_tables(session.out, result, session.counter.name):
        session.out.print(piece, soft_wrap=isinstance(piece, str))
