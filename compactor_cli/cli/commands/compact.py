"""`compactor compact`: the main command."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path

import typer
from msgspec.structs import replace

from compactor_cli.cli import compact_job
from compactor_cli.cli.deciding import read_decisions, with_aim
from compactor_cli.cli.files import is_remote, write_bytes
from compactor_cli.cli.inputs import Input, inputs_of, unique_inputs
from compactor_cli.cli.many import get_ready, run_files
from compactor_cli.cli.recording import Keeper
from compactor_cli.cli.session import Session, open_session
from compactor_cli.cli.typed_options import takes_options
from compactor_cli.configuration.layers import Layer
from compactor_cli.errors import BUG, BUG_REMEDY, CompactorError, ExitCode
from compactor_cli.model.outcome import Outcome


@takes_options("compact")
def compact(args: compact_job.CompactOptions, overrides: Layer) -> None:
    """Make transcripts smaller: keep what matters, cut or quote the rest.

    The output is valid if the input was, and with a target it fits, or nothing is written. The lines that
    the rest of the session is most likely to need stay, or are quoted in a summary. Without a target,
    tiers 1 to 3 are cut to 70, 40 and 15 percent. System messages, the first and the last request of the
    user and matches of --keep stay whole as long as the target allows.

    \b
    Examples:
      compactor compact session.jsonl --target-ratio 0.25 -o small.jsonl
      cat session.jsonl | compactor compact - --target-tokens 8000 > small.jsonl
      compactor compact *.jsonl --target-tokens 4000 --check
      compactor compact 'sessions/**/*.jsonl' --target-ratio 0.25 --out-dir small --jobs 4
      compactor compact data/*.parquet --target-ratio 0.25 --out-dir small --jobs 4 --resume
      compactor compact --latest claude --target-ratio 0.25 -o small.jsonl
      compactor compact --latest claude --target-ratio 0.25 --new-session
      compactor compact session.jsonl --if-needed --model gpt-4o --in-place
      compactor compact session.jsonl --target-tokens 20000 --in-place --archive
      compactor compact session.jsonl --decisions decisions.json -o small.jsonl
      compactor compact session.jsonl --target-ratio 0.25 --summarizer llm --llm-model openai/gpt-4o-mini -o small.jsonl
    """
    get_ready(args)
    decisions = read_decisions(args.decisions)
    session = open_session(args, with_aim(overrides, decisions), profile=True, probes=True)
    keeper = Keeper(session)
    inputs = inputs_of(session, args.files or (), args, out_folder=args.out_dir)
    if args.in_place:
        inputs = unique_inputs(session, inputs)
    if args.scheduler:  # its workers run in working folders of their own
        inputs = [replace(entry, path=_absolute(entry.path)) for entry in inputs]
        args = dataclasses.replace(args, out_dir=args.out_dir and _absolute(args.out_dir))
    compact_job.check_usage(session, inputs, args)
    session.dry = args.dry_run
    compact_job.warn_about_options(session, inputs, args, overrides)
    session.warn_unused(overrides)
    try:
        recalled = keeper.recall(args.recall)
        several = len(inputs) > 1
        job = compact_job.Job(args=args, several=several, keeper=keeper, recalled=recalled, decisions=decisions)
        code = _run_all(session, inputs, job)
    finally:
        keeper.close()
    if code:
        raise typer.Exit(code)


def _absolute(path: str) -> str:
    """Return a path that means the same in every working folder."""
    return path if is_remote(path) else str(Path(path).absolute())


def _run_all(session: Session, inputs: Sequence[Input], job: compact_job.Job) -> int:
    """Return the exit code: that of the first failure, or NO if --check found changes."""
    args, files = job.args, [entry.path for entry in inputs]
    try:
        outcomes = run_files(session, inputs, job)
    except CompactorError as error:  # only a single file raises
        if args.check:
            compact_job.publish_findings(args, [compact_job.failure_finding(files[0], error)], files)
        raise
    compact_job.publish_findings(args, [finding for entry in outcomes for finding in entry.findings], files)
    reports = [entry.report for entry in outcomes if entry.report]
    if args.report:
        write_bytes(args.report, "".join(f"{line}\n" for line in reports).encode(), inputs=files)
    if args.json:
        for line in reports:
            typer.echo(line)
    if job.several:
        _show_sums(session, outcomes)
    code = next((entry.code for entry in outcomes if entry.code), 0)
    if args.check and not code and any(entry.changed for entry in outcomes):
        code = int(ExitCode.NO)
    return code


def _show_sums(session: Session, outcomes: Sequence[Outcome]) -> None:
    """Show the sums, and after them the failures, so that they are not overlooked."""
    if session.err.quiet:
        return
    from compactor_cli.render.many import failed_rows, sums_table

    session.err.print(sums_table(session.err, outcomes))
    for entry in outcomes:
        if entry.error:
            session.say(f"error: {entry.error}")
        elif entry.failed_rows:
            session.say(f"error: {failed_rows(entry)}")
    if any(f"{BUG}:" in entry.error for entry in outcomes):
        session.say(BUG_REMEDY)
