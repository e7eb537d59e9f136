"""`compactor compact`: the main job."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from pathlib import Path

import typer
from msgspec.structs import replace

from compactor_cli.cli.checking import CheckOutput, failed
from compactor_cli.cli.compact_job import Job, check_usage, warn_of
from compactor_cli.cli.compact_options import CompactOptions
from compactor_cli.cli.configured import Configured, configure
from compactor_cli.cli.deciding import decisions_in, with_aim
from compactor_cli.cli.files import write_bytes
from compactor_cli.cli.inputs import inputs_of
from compactor_cli.cli.many import run_files
from compactor_cli.cli.model_use import warn_unused
from compactor_cli.cli.picking import picked
from compactor_cli.cli.recording import Keeper
from compactor_cli.cli.remote import is_remote
from compactor_cli.cli.session import Session
from compactor_cli.cli.typed_options import takes
from compactor_cli.errors import BUG, BUG_REMEDY, CompactorError, ExitCode
from compactor_cli.model.outcome import Outcome
from compactor_cli.settings.layers import Layer
from compactor_cli.tokens.models import model_facts


@takes("compact")
def compact(asked: CompactOptions, given: Layer) -> None:
    """Make transcripts smaller: keep what matters, cut or quote the rest.

    The output is valid wherever the input was, and with a target it fits, or nothing is written: the lines
    that the rest of the session is most likely to need stay, or are quoted in a summary. Without a target,
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
    decisions = decisions_in(asked.decisions)
    configured = configure(with_aim(given, decisions), asked.config)
    session = configured.session(quiet=asked.quiet, profile=True, probes=True)
    keeper = Keeper(session, configured.settings, configured.reading.database_url)
    inputs = inputs_of(session, picked(session, asked.files or (), asked), aside=asked.out_dir)
    if asked.scheduler:  # its workers have folders of their own that they work in
        inputs = [replace(entry, path=_anywhere(entry.path)) for entry in inputs]
        asked = dataclasses.replace(asked, out_dir=asked.out_dir and _anywhere(asked.out_dir))
    check_usage(inputs, asked, configured.settings, session.contents)
    session.dry = asked.dry_run
    job = job_of({entry.path: entry.name for entry in inputs}, asked, configured, keeper, several=len(inputs) > 1)
    job = replace(job, decisions=decisions)
    warn_of(session, job, configured, given)
    warn_unused(session, configured, given)
    try:
        job = replace(job, recalled=keeper.recall(asked.recall))
        code = _run_all(session, [entry.path for entry in inputs], job, configured)
    finally:
        keeper.close()
    if code:
        raise typer.Exit(code)


def _anywhere(path: str) -> str:
    """A path that means the same wherever one works."""
    return path if is_remote(path) else str(Path(path).absolute())


def job_of(
    names: Mapping[str, str], asked: CompactOptions, configured: Configured, keeper: Keeper, *, several: bool
) -> Job:
    """Return what is to be done with every file. `names`: input -> its name in --out-dir."""
    return Job(
        asked=asked,
        names=names,
        keeper=keeper,
        checking=CheckOutput(asked.annotations, asked.sarif),
        manifest=configured.settings.archive.manifest,
        facts=model_facts(configured.reading.model) if asked.if_needed else None,
        load=configured.load,
        probes=configured.probes,
        several=several,
    )


def _run_all(session: Session, files: Sequence[str], job: Job, configured: Configured) -> int:
    """Every file, and what is told of all of them. The code of the first that failed."""
    try:
        outcomes = run_files(session, files, job, configured)
    except CompactorError as error:  # of the only file
        if job.asked.check:
            job.checking.publish([failed(files[0], error)], files)
        raise
    job.checking.publish([finding for entry in outcomes for finding in entry.findings], files)
    reports = [entry.report for entry in outcomes if entry.report]
    if job.asked.report:
        write_bytes(job.asked.report, "".join(f"{line}\n" for line in reports).encode(), inputs=files)
    if job.asked.json:
        for line in reports:
            typer.echo(line)
    if job.several:
        _sum_up(session, outcomes)
    code = next((entry.code for entry in outcomes if entry.code), 0)
    if job.asked.check and not code and any(entry.changed for entry in outcomes):
        code = int(ExitCode.NO)
    return code


def _sum_up(session: Session, outcomes: Sequence[Outcome]) -> None:
    """The sums, and then what failed: at the end, where it is seen."""
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
