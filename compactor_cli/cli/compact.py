"""`compactor compact`: the main job."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import typer

from compactor_cli.cli import options
from compactor_cli.cli.checking import Check, failed
from compactor_cli.cli.compact_job import Job, check_usage, warn_of
from compactor_cli.cli.configured import Configured, configure
from compactor_cli.cli.deciding import decisions_in, with_aim
from compactor_cli.cli.files import write_bytes
from compactor_cli.cli.inputs import inputs_of
from compactor_cli.cli.keeping import Keeper
from compactor_cli.cli.many import run_files
from compactor_cli.cli.model_use import warn_unused
from compactor_cli.cli.picking import picked
from compactor_cli.cli.remote import is_remote
from compactor_cli.cli.session import Session
from compactor_cli.errors import CompactorError, ExitCode
from compactor_cli.model.outcome import Outcome
from compactor_cli.tokens.models import model_facts

_JOB = (
    *("out", "out_dir", "in_place", "emit", "new_session", "dry_run", "check", "if_needed"),
    *("report", "html", "json", "jobs", "engine", "scheduler", "resume", "debug", "column"),
)
"""Options that a job is told as they are."""


def compact(
    files: options.FilesArgument = None,
    out: options.OutOption = "",
    out_dir: options.OutDirOption = "",
    in_place: options.InPlaceOption = False,
    emit: options.EmitOption = "rewritten",
    new_session: options.NewSessionOption = False,
    jobs: options.JobsOption = 1,
    resume: options.ResumeOption = False,
    engine: options.EngineOption = "processes",
    scheduler: options.SchedulerOption = "",
    target_tokens: options.TargetTokensOption = None,
    target_ratio: options.TargetRatioOption = None,
    strategy: options.StrategyOption = "",
    profile: options.ProfileOption = "",
    summarizer: options.SummarizerOption = "",
    summary_prompt: options.SummaryPromptOption = "",
    scorer: options.ScorerOption = "",
    if_needed: options.IfNeededOption = False,
    preset: options.PresetOption = "",
    keep: options.KeepOption = None,
    keep_last: options.KeepLastOption = None,
    query: options.QueryOption = "",
    summary_role: options.SummaryRoleOption = "",
    drop_outside: options.DropOutsideOption = None,
    dry_run: options.DryRunOption = False,
    check: options.CheckOption = False,
    annotations: options.AnnotationsOption = "",
    sarif: options.SarifOption = "",
    report: options.ReportOption = "",
    html: options.HtmlOption = "",
    threshold: options.ThresholdOption = None,
    max_residuals: options.MaxResidualsOption = None,
    now: options.NowOption = "",
    format: options.FormatOption = "",
    model: options.ModelOption = "",
    tokenizer: options.TokenizerOption = "",
    skip_damaged: options.SkipDamagedOption = None,
    llm_model: options.LlmModelOption = "",
    fallback: options.FallbackOption = None,
    cache: options.CacheOption = None,
    max_cost: options.MaxCostOption = None,
    concurrency: options.ConcurrencyOption = None,
    archive: options.ArchiveOption = None,
    manifest: options.ManifestOption = None,
    flush: options.FlushOption = None,
    recall: options.RecallOption = "",
    database: options.DatabaseOption = "",
    config: options.ConfigOption = "",
    latest: options.LatestOption = "",
    session_id: options.SessionOption = "",
    project: options.ProjectOption = "",
    json: options.JsonOption = False,
    quiet: options.QuietOption = False,
    debug: options.DebugOption = False,
    column: options.ColumnOption = "",
    decisions: options.DecisionsOption = "",
) -> None:
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
    _compact(files or [], locals())


def _compact(files: Sequence[str], given: Mapping[str, Any]) -> None:
    """The command, with its options by their names."""
    decisions = decisions_in(given["decisions"])
    given = with_aim(given, decisions)
    configured = configure(given)
    settings, model = configured.settings, configured.reading.model
    session = configured.session(quiet=given["quiet"], profile=True, probes=True)
    keeper = Keeper(session, settings, configured.reading.database_url)
    inputs = inputs_of(session, picked(session, files, given), aside=given["out_dir"])
    if given["scheduler"]:  # its workers have folders of their own that they work in
        inputs = [replace(one, path=_anywhere(one.path)) for one in inputs]
        given = {**given, "out_dir": given["out_dir"] and _anywhere(given["out_dir"])}
    files = [one.path for one in inputs]
    names = {one.path: one.name for one in inputs}
    job = job_of(names, given, configured, keeper, several=len(inputs) > 1)
    job = replace(job, decisions=decisions)
    check_usage(inputs, job, settings, session.contents)
    session.dry = job.dry_run
    warn_of(session, job, settings, model=model, profile=given["profile"])
    warn_unused(session, configured, given)
    try:
        job = replace(job, recalled=keeper.recall(given["recall"]))
        code = _run_all(session, files, job, configured, given)
    finally:
        keeper.close()
    if code:
        raise typer.Exit(code)


def _anywhere(path: str) -> str:
    """A path that means the same wherever one works."""
    return path if is_remote(path) else str(Path(path).absolute())


def job_of(
    names: Mapping[str, str], given: Mapping[str, Any], configured: Configured, keeper: Keeper, *, several: bool
) -> Job:
    """What is to be done, by the options of the command. `names`: input -> its name in --out-dir."""
    return Job(
        names=names,
        keeper=keeper,
        checking=Check(given["annotations"], given["sarif"]),
        manifest=configured.settings.archive.manifest,
        facts=model_facts(configured.reading.model) if given["if_needed"] else None,
        load=configured.load,
        probes=configured.probes,
        several=several,
        **{name: given[name] for name in _JOB},
    )


def _run_all(session: Session, files: Sequence[str], job: Job, configured: Configured, given: Mapping[str, Any]) -> int:
    """Every file, and what is told of all of them. The code of the first that failed."""
    try:
        outcomes = run_files(session, files, job, configured, given)
    except CompactorError as error:  # of the only file
        if job.check:
            job.checking.publish([failed(files[0], error)], files)
        raise
    job.checking.publish([finding for one in outcomes for finding in one.findings], files)
    reports = [one.report for one in outcomes if one.report]
    if job.report:
        write_bytes(job.report, "".join(f"{line}\n" for line in reports).encode(), inputs=files)
    if job.json:
        for line in reports:
            typer.echo(line)
    if job.several:
        _sum_up(session, outcomes)
    code = next((one.code for one in outcomes if one.code), 0)
    if job.check and not code and any(one.changed for one in outcomes):
        code = int(ExitCode.NO)
    return code


def _sum_up(session: Session, outcomes: Sequence[Outcome]) -> None:
    """The sums, and then what failed: at the end, where it is seen."""
    if session.err.quiet:
        return
    from compactor_cli.render.many import failed_rows, sums_table

    session.err.print(sums_table(session.err, outcomes))
    for one in outcomes:
        if one.error:
            session.say(f"error: {one.error}")
        elif one.failed_rows:
            session.say(f"error: {failed_rows(one)}")
