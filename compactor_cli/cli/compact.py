"""`compactor compact`: the main job."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import typer

from compactor_cli.cli import options
from compactor_cli.cli.checking import Check
from compactor_cli.cli.configured import Configured, configure
from compactor_cli.cli.files import other_names, write_bytes
from compactor_cli.cli.gathering import refuse_in_place
from compactor_cli.cli.if_needed import compact_always, compact_if_needed
from compactor_cli.cli.inputs import Input, inputs_of, naming, refuse_overwriting
from compactor_cli.cli.keeping import Keeper
from compactor_cli.cli.model_use import model_use, say_use, warn_unused
from compactor_cli.cli.picking import picked
from compactor_cli.cli.progress import NoSteps, Steps, steps
from compactor_cli.cli.remembering import put_in, remembering
from compactor_cli.cli.session import Session
from compactor_cli.containers import pack
from compactor_cli.errors import CompactorError, ExitCode, UsageError
from compactor_cli.model.memories import Memory
from compactor_cli.model.report import Compaction, Kept, Probed
from compactor_cli.model.transcript import Source
from compactor_cli.pipeline.plan import compile_patterns
from compactor_cli.pipeline.stages import COMPLETE, STAGES
from compactor_cli.settings import Settings
from compactor_cli.strategies import STRATEGIES
from compactor_cli.strategies import strategy as strategy_named
from compactor_cli.tokens.models import ModelFacts, model_facts

STEPS = 6
"""Steps of the pipeline that progress counts, for each file."""
_JOB = ("out", "out_dir", "in_place", "dry_run", "check", "if_needed", "report", "json")


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """Where outputs go and what is done with them."""

    out: str
    out_dir: str
    in_place: bool
    dry_run: bool
    check: bool
    if_needed: bool
    report: str
    json: bool
    facts: ModelFacts | None
    """Context limit of the model, looked up for --if-needed only."""
    load: Callable[[Session, str], Source]
    probes: bool
    """A provider counts."""
    names: Mapping[str, str]
    """Input -> its name in --out-dir."""
    several: bool
    """There are further files."""
    keeper: Keeper
    checking: Check
    recalled: Sequence[Memory] = ()
    """Memories that are put into the outputs."""
    manifest: bool = False

    @property
    def writes(self) -> bool:
        return not self.dry_run and not self.check


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
    _check_usage(inputs, job, settings, session.contents)
    session.dry = job.dry_run
    _warn(session, job, settings, model=model, profile=given["profile"])
    warn_unused(session, configured, given)
    try:
        job = replace(job, recalled=keeper.recall(given["recall"]))
        code = _run_all(session, files, job, settings)
    finally:
        keeper.close()
    if code:
        raise typer.Exit(code)


def _warn(session: Session, job: Job, settings: Settings, *, model: str, profile: str) -> None:
    """Say what of the options cannot be used as asked."""
    if job.facts is not None and model and not (job.facts.known or settings.context.limit):
        session.warn(f"the context limit of {model} is not known; {job.facts.context_limit:,} is assumed")
    chosen = strategy_named(settings.strategy_name)
    if settings.summarizer == "llm" and not chosen.writes:
        session.warn(f"--summarizer llm is not used: the summaries of strategy {chosen.name} hold no text of their own")
    if profile and not chosen.learned:
        session.warn(f"--profile is not used: strategy {settings.strategy_name} has no learned values")


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


def _check_usage(inputs: Sequence[Input], job: Job, settings: Settings, contents: Collection[str]) -> None:
    files = [one.path for one in inputs]
    if settings.summary_role not in ("", "user", "assistant", "system"):
        raise UsageError(f"--summary-role {settings.summary_role!r}: use user, assistant or system")
    places = [
        name for name, given in (("-o", job.out), ("--out-dir", job.out_dir), ("--in-place", job.in_place)) if given
    ]
    if len(places) > 1:
        raise UsageError(f"{' and '.join(places)} exclude each other")
    silent = job.dry_run or job.check
    if len(files) > 1 and not silent and not (job.out_dir or job.in_place):
        raise UsageError("several files need --out-dir or --in-place")
    if job.in_place:
        refuse_in_place(files)
    if job.in_place and "-" in files:
        raise UsageError("standard input cannot be replaced in place; use -o")
    if job.in_place and any(file in contents for file in files):
        raise UsageError("a session that is not one file cannot be replaced in place; use -o")
    if job.out_dir and "-" in files:
        raise UsageError("standard input has no name to write under in --out-dir; use -o")
    if job.json and not silent and (not places or job.out == "-"):
        raise UsageError("--json prints the report on standard output: write the transcript elsewhere with -o")
    if job.out_dir and len({one.name for one in inputs}) < len(inputs):
        raise UsageError("two inputs have the same name; with --out-dir one would overwrite the other")
    if job.writes and not job.in_place:
        outputs = {"-o": [job.out or "-"], "--out-dir": [_under(job.out_dir, one.name) for one in inputs]}
        refuse_overwriting(files, outputs if job.out_dir else {"-o": outputs["-o"]}, "; --in-place replaces inputs")
    job.checking.refuse(checks=job.check, json=job.json)
    refuse_overwriting(files, {"--report": [job.report or "-"], "--sarif": [job.checking.sarif or "-"]})
    compile_patterns(settings.keep)


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
    stored = pack(data, place, source.packed, same=job.in_place)
    kept = Kept()
    if job.writes:
        if any(part.memories for part in parts):
            progress.say(f"{source.path}: {STAGES['persisting']}")
        kept = _write(session, source, job, stored, parts, place, changed=changed)
    progress.say(f"{source.path}: {STAGES[COMPLETE]}")
    use = model_use(session, before)
    value: dict[str, object] = {}
    if job.json or job.report:  # hashing everything is only worth it for somebody who reads it
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
    _show(session, source, job, data, parts, place)
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
    if changed or not job.in_place:
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
        place = _under(job.out_dir, job.names[file])
        Path(place).parent.mkdir(parents=True, exist_ok=True)
        return place
    return job.out or "-"


def _under(folder: str, name: str) -> str:
    return str(Path(folder, name))


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
