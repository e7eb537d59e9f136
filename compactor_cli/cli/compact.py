"""`compactor compact`: the main job."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import typer

from compactor_cli.cli import options
from compactor_cli.cli.carrying_on import CarriedOn, carried_on, natively
from compactor_cli.cli.checking import Check
from compactor_cli.cli.compact_job import Job, check_usage, under, warn_of
from compactor_cli.cli.configured import Configured, configure
from compactor_cli.cli.files import other_names, write_bytes
from compactor_cli.cli.html import compact_page
from compactor_cli.cli.if_needed import compact_always, compact_if_needed
from compactor_cli.cli.inputs import Input, inputs_of, naming
from compactor_cli.cli.keeping import Keeper
from compactor_cli.cli.model_use import model_use, say_use, warn_unused
from compactor_cli.cli.picking import picked
from compactor_cli.cli.progress import NoSteps, Steps, steps
from compactor_cli.cli.remembering import put_in, remembering
from compactor_cli.cli.session import Session
from compactor_cli.containers import pack
from compactor_cli.errors import CompactorError, ExitCode
from compactor_cli.model.report import Compaction, Kept, Probed
from compactor_cli.model.transcript import Source
from compactor_cli.pipeline.stages import COMPLETE, STAGES
from compactor_cli.settings import Settings
from compactor_cli.strategies import STRATEGIES
from compactor_cli.tokens.models import model_facts

STEPS = 6
"""Steps of the pipeline that progress counts, for each file."""
_JOB = ("out", "out_dir", "in_place", "emit", "new_session", "dry_run", "check", "if_needed", "report", "html", "json")


@dataclass(frozen=True, slots=True)
class Outcome:
    """One file's result: its report for scripts, and whether the file would change."""

    report: dict[str, object]
    changed: bool


def compact(
    files: options.FilesArgument = None,
    out: options.OutOption = "",
    out_dir: options.OutDirOption = "",
    in_place: options.InPlaceOption = False,
    emit: options.EmitOption = "rewritten",
    new_session: options.NewSessionOption = False,
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
      compactor compact --latest claude --target-ratio 0.25 -o small.jsonl
      compactor compact --latest claude --target-ratio 0.25 --new-session
      compactor compact session.jsonl --if-needed --model gpt-4o --in-place
      compactor compact session.jsonl --target-tokens 20000 --in-place --archive
      compactor compact session.jsonl --target-ratio 0.25 --summarizer llm --llm-model openai/gpt-4o-mini -o small.jsonl
    """
    _compact(files or [], locals())


def _compact(files: Sequence[str], given: Mapping[str, Any]) -> None:
    """The command, with its options by their names."""
    configured = configure(given)
    settings, model = configured.settings, configured.reading.model
    session = configured.session(quiet=given["quiet"], profile=True, probes=True)
    keeper = Keeper(session, settings, configured.reading.database_url)
    inputs = inputs_of(session, picked(session, files, given), aside=given["out_dir"])
    files = [one.path for one in inputs]
    job = _job(inputs, given, configured, keeper)
    check_usage(inputs, job, settings, session.contents)
    session.dry = job.dry_run
    warn_of(session, job, settings, model=model, profile=given["profile"])
    warn_unused(session, configured, given)
    try:
        job = replace(job, recalled=keeper.recall(given["recall"]))
        code = _run_all(session, files, job, settings)
    finally:
        keeper.close()
    if code:
        raise typer.Exit(code)


def _job(inputs: Sequence[Input], given: Mapping[str, Any], configured: Configured, keeper: Keeper) -> Job:
    return Job(
        names={one.path: one.name for one in inputs},
        keeper=keeper,
        checking=Check(given["annotations"], given["sarif"]),
        manifest=configured.settings.archive.manifest,
        facts=model_facts(configured.reading.model) if given["if_needed"] else None,
        load=configured.load,
        probes=configured.probes,
        several=len(inputs) > 1,
        **{name: given[name] for name in _JOB},
    )


def _run_all(session: Session, files: Sequence[str], job: Job, settings: Settings) -> int:
    """Every file; one that fails is reported and does not stop the others. The first failure's code."""
    from compactor_cli.render import jsons

    code: int = 0
    outcomes: list[Outcome] = []
    with steps(session.err, len(files) * (STEPS + 1 + (job.writes and job.keeper.flushes))) as progress:
        for file in files:
            try:
                outcomes.append(_run_one(session, file, job, settings, progress))
            except CompactorError as error:
                job.checking.note(file, error)
                if len(files) == 1:
                    job.checking.publish(files)
                    raise
                session.err.print(f"error: {naming(file, error)}", soft_wrap=True)
                code = code or int(error.exit_code)
    job.checking.publish(files)
    if job.report:
        write_bytes(job.report, "".join(jsons.dumps(o.report) + "\n" for o in outcomes).encode(), inputs=files)
    if job.json:
        for outcome in outcomes:
            typer.echo(jsons.dumps(outcome.report))
    if job.check and not code and any(outcome.changed for outcome in outcomes):
        code = int(ExitCode.NO)
    return code


def _run_one(session: Session, file: str, job: Job, settings: Settings, progress: Steps | NoSteps) -> Outcome:
    from compactor_cli.render import jsons
    from compactor_cli.render.keeping import keeping_json, keeping_lines
    from compactor_cli.render.model_use import model_json, probe_json, probe_line

    before = model_use(session)
    source = job.load(session, file)
    session.note_reading(source)
    progress.step(f"{source.path}: read")
    data, parts, probed = _compacted(session, source, job, settings, progress)
    if probed:  # it may have been counted anew
        source = replace(source, transcripts=tuple(part.before for part in parts))
    place = _place(file, job)
    changed = data != source.data
    carried: CarriedOn | None = None
    if changed:
        data, place, carried = carried_on(
            source, data, place, fresh=job.new_session, out=job.out, in_place=job.in_place
        )
    stored = pack(data, place, source.packed, same=job.in_place)
    kept = Kept()
    if job.writes:
        if any(part.memories for part in parts):
            progress.say(f"{source.path}: {STAGES['persisting']}")
        kept = _write(session, source, job, stored, parts, place, changed=changed)
    progress.say(f"{source.path}: {STAGES[COMPLETE]}")
    use = model_use(session, before)
    value: dict[str, object] = {}
    if job.json or job.report or job.html:  # hashing everything is only worth it for somebody who reads it
        from compactor_cli.pipeline.compare_sources import survival_of

        survivals = survival_of(parts)
        warnings = [*session.warnings, *(use.warnings if use else ())]
        value = jsons.compact_json(source, session.counter.name, place, stored, parts, survivals, warnings)
        if use:
            value |= model_json(use)
        if probed:
            value["probe"] = probe_json(probed)
        if job.dry_run:
            value["plan"] = jsons.plan_json(parts)
        value |= keeping_json(kept)
        value |= carried.json if carried else {}
        compact_page(session, job.html, source, value, parts)
    _show(session, source, job, data, parts, place)
    if carried and job.writes:
        session.say(carried.line)
    if probed and probed.before is not None:
        session.say(probe_line(probed))
    say_use(session, use, f"{source.path}: " if job.several else "")
    if job.check:
        job.checking.judge(session, source, parts, changed=changed)
    for line in keeping_lines(kept, sum(part.recalled for part in parts)):
        session.say(line)
    return Outcome(value, changed)


def _write(
    session: Session, source: Source, job: Job, data: bytes, parts: Sequence[Compaction], place: str, *, changed: bool
) -> Kept:
    """The output of one file, as it is to be stored, when all that it takes away is kept as asked."""
    kept = job.keeper.keep(source, data, parts, place, changed=changed)
    if changed and job.manifest:  # first: without the archive it is the only account of what goes
        kept = replace(kept, manifest=job.keeper.write_manifest(source, data, parts, place))
    if changed or not (job.in_place or job.new_session):
        split = other_names(place) if job.in_place else 0
        write_bytes(place, data, source.stored if job.in_place else None, [source.path])
        if split:
            session.warn(f"{place}: had {split + 1} names; the others still mean the file as it was")
    job.keeper.confirm(kept, put_in([*job.recalled, *job.keeper.bearing.found.values()], parts))
    return kept


def _compacted(
    session: Session, source: Source, job: Job, settings: Settings, progress: Steps | NoSteps
) -> tuple[bytes, list[Compaction], Probed | None]:
    """The output of one file; with a probe, what the provider counts of it."""
    found: list[Probed] = []
    remember = remembering(session, settings) if job.writes and job.keeper.flushes else None
    always = partial(compact_always, session, progress=progress, recalled=job.recalled, remember=remember)
    if settings.memory.auto_recall:
        always = partial(always, recall=job.keeper.bearing)
    if job.emit == "native":
        always = partial(natively, session, always)

    def make(aimed: Settings) -> tuple[bytes, list[Compaction]]:
        if not job.probes:
            return always(source, aimed)
        from compactor_cli.cli.probing import compact_probed

        data, parts, probed = compact_probed(session, source, aimed, always)
        found.append(probed)
        return data, parts

    if job.facts is None:
        data, parts = make(settings)
    else:
        data, parts = compact_if_needed(session, source, job.facts.context_limit, settings, make)
    return data, parts, found[-1] if found else None


def _place(file: str, job: Job) -> str:
    if job.in_place:
        return file
    if job.out_dir:
        place = under(job.out_dir, job.names[file])
        Path(place).parent.mkdir(parents=True, exist_ok=True)
        return place
    return job.out or "-"


def _show(session: Session, source: Source, job: Job, data: bytes, parts: Sequence[Compaction], place: str) -> None:
    """Tables for people: the plan of --dry-run on standard output, everything else on standard error."""
    console = session.err
    if console.quiet and not job.dry_run:
        return
    from compactor_cli.render import tables

    if job.dry_run and not job.json:
        for part in parts:
            if part.plan is not None:
                session.out.print(tables.plan_table(session.out, part.mended, part.groups, part.plan))
    if console.quiet:
        return
    tables.heading(console, source, session.counter.name)
    if data == source.data or not parts:
        aimed = any(part.target is not None for part in parts)
        console.print("already within its target: unchanged" if aimed else "nothing to compact: unchanged")
        return
    used = next((STRATEGIES.get(part.plan.strategy) for part in parts if part.plan is not None), None)
    by_tier = used is not None and used.tiers
    name = used.name if used else ""  # repairs alone need no strategy
    console.print(tables.tier_table(console, parts) if by_tier else tables.spent_table(console, parts, name))
    console.print(tables.savings_table(console, source, parts, len(data)))
    console.print(tables.disposition_line(parts))
    for warning in dict.fromkeys(warning for part in parts for warning in part.warnings):
        console.print(f"warning: {warning}", soft_wrap=True)
    for part in parts:
        for note in part.repairs:
            console.print(f"repaired: message {note.index}: {note.kind}: {note.detail}", soft_wrap=True)
    if not job.dry_run and not job.check:
        console.print(f"written to {'standard output' if place == '-' else place}", soft_wrap=True)
