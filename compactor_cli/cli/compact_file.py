"""`compact` for one file: read, compact, write, report."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from msgspec.structs import replace

from compactor_cli.cli.compact_job import Job, compaction_finding, verdict
from compactor_cli.cli.files import make_folder
from compactor_cli.cli.gathering import add_events, is_gathered
from compactor_cli.cli.inputs import Input
from compactor_cli.cli.outputs import write_page
from compactor_cli.cli.progress import NoSteps, Steps
from compactor_cli.cli.recording import memories_in_output
from compactor_cli.cli.session import Session
from compactor_cli.containers import pack
from compactor_cli.errors import BudgetError
from compactor_cli.formats import FORMATS
from compactor_cli.model.content import Content, sha256
from compactor_cli.model.decisions import Decided
from compactor_cli.model.memory import Memory
from compactor_cli.model.outcome import Outcome, Sizes
from compactor_cli.model.report import Compaction, ModelUse, Probed, StoredResult
from compactor_cli.model.transcript import Source, Transcript
from compactor_cli.pipeline.make_report import unchanged_report
from compactor_cli.pipeline.one_compaction import COMPLETE, STAGES, stated_base
from compactor_cli.pipeline.run import compact_source
from compactor_cli.settings import Settings
from compactor_cli.strategies import STRATEGIES
from compactor_cli.tokens.models import model_facts

if TYPE_CHECKING:
    from compactor_cli.cli.carrying_on import CarriedOn
    from compactor_cli.memory.extract import MemoryExtractor


@dataclass(slots=True)
class _FileRun:
    """One input of a run: what was read, what became of it, and where that goes."""

    session: Session
    job: Job
    source: Source
    data: Content
    parts: Sequence[Compaction]
    probed: Probed | None
    out_path: str
    changed: bool
    carried: CarriedOn | None = None
    stored: Content = b""
    """The output in the form in which it is written: packed or not."""
    stored_result: StoredResult = field(default_factory=StoredResult)


def compact_file(session: Session, file: Input, job: Job) -> Outcome:
    """Compact one input and return its outcome. Raises CompactorError."""
    from compactor_cli.render.remarks import keeping_lines

    args, progress = job.args, session.progress
    before = session.model_use()
    source = session.load(file.path)
    session.print_reading_notes(source)
    session.warn_without_match(source, f"{source.path}: " if job.several else "")
    progress.step(f"{source.path}: read")
    data, parts, probed = _compact_source(session, source, job)
    if probed:  # a probe may have recounted it
        source = replace(source, transcripts=tuple(part.before for part in parts))
    run = _FileRun(session, job, source, data, parts, probed, job.place(file), data != source.data)
    if args.out_dir and args.writes:
        make_folder(run.out_path)
    _settle_output(run)
    if args.writes:
        if any(part.memories for part in parts):
            progress.say(f"{source.path}: {STAGES['persisting']}")
        _write(run)
    progress.say(f"{source.path}: {STAGES[COMPLETE]}")
    use = session.model_use(before)
    tokens = sum(part.tokens for part in parts)
    outcome = Outcome(
        path=file.path,
        place=run.out_path,
        before=Sizes(source.message_count, source.tokens, len(source.data)),
        after=Sizes(sum(len(part.messages) for part in parts), tokens, len(run.data)),
        changed=run.changed,
        # hashing everything is only worthwhile when somebody reads the report
        report=_report(run, use) if args.json or args.report or args.html else "",
        findings=(compaction_finding(source, tokens),) if args.check and run.changed else (),
        input_sha256=sha256(source.stored) if job.lists else "",
        output_sha256=sha256(run.stored) if job.lists else "",
    )
    _show(run, outcome)
    session.print_model_use(use, f"{source.path}: " if job.several else "")
    for line in keeping_lines(run.stored_result, sum(part.recalled for part in parts)):
        session.say(line)
    return outcome


def _settle_output(run: _FileRun) -> None:
    """Determine the bytes to write and their place, and how the agent resumes them. A new session gets its own place;
    an unchanged one keeps its file."""
    session, source, args = run.session, run.source, run.job.args
    if run.changed and args.in_place and _only_drops_last_line(source, run.data, run.parts):
        run.data, run.changed = source.data, False
        session.say(f"note: {source.path}: the truncated last line stays, as nothing else has to change")
    if args.new_session:
        from compactor_cli.cli.carrying_on import make_new_session

        if run.changed:
            run.data, run.carried = make_new_session(source, run.data, args.out)
        run.out_path = run.carried.path if run.carried else source.path
    elif run.changed and args.in_place:
        from compactor_cli.cli.carrying_on import resume_at_home

        run.carried = resume_at_home(source, run.out_path)
        _warn_about_ratio(session, source, run.parts)
    run.stored = pack(run.data, run.out_path, source.packed, same=args.in_place)


def _warn_about_ratio(session: Session, source: Source, parts: Sequence[Compaction]) -> None:
    """Warn if a replaced file could not record the size it was compacted from, since ratios refer to that size."""
    ratio = session.settings.target_ratio
    if ratio is not None and any(part.changed and stated_base(part.messages, part.tokens) is None for part in parts):
        session.warn(
            f"{source.path}: had no room to record its original size, so running the same --target-ratio again would "
            "remove more; --target-tokens would not"
        )


def _only_drops_last_line(source: Source, data: Content, parts: Sequence[Compaction]) -> bool:
    """Return whether an output only lacks the last line, which another program may still be writing."""
    cut = {note.kind for note in source.notes} == {"cut_off_line"}
    return cut and sum(len(p.messages) for p in parts) == source.message_count and source.data[: len(data)] == data


def _report(run: _FileRun, use: ModelUse | None) -> str:
    """Return the report of one file for scripts, and write the HTML page if one is requested."""
    from compactor_cli.render import jsons
    from compactor_cli.render.remarks import keeping_json, model_json, probe_json
    from compactor_cli.views.compare_sources import survival_of

    session, source, parts, args = run.session, run.source, run.parts, run.job.args
    warnings = [*session.warnings, *(use.warnings if use else ())]
    survivals = survival_of(parts)
    value = jsons.compact_json(source, session.counter.name, run.out_path, run.stored, parts, survivals, warnings)
    value |= model_json(use) if use else {}
    value |= {"probe": probe_json(run.probed)} if run.probed else {}
    value |= {"plan": jsons.plan_json(parts)} if args.dry_run else {}
    value |= {**keeping_json(run.stored_result), **(run.carried.json if run.carried else {})}
    if args.html:
        from compactor_cli.views.timelines import of_compactions

        write_page(session, args.html, "compact", [source.path], value, of_compactions(parts), survivals)
    return jsons.dumps(value)


def _write(run: _FileRun) -> None:
    """Write the output of one file after everything it removes has been stored as requested."""
    session, source, job, out_path, parts = run.session, run.source, run.job, run.out_path, run.parts
    keeper, in_place = job.keeper, job.args.in_place
    result = keeper.store(source, run.stored, parts, out_path, changed=run.changed)
    if run.changed and session.settings.archive.manifest:  # first: without the archive, only this records what goes
        result = replace(result, manifest=keeper.write_manifest(source, run.stored, parts, out_path))
    if run.changed or not (in_place or job.args.new_session):
        if in_place and is_gathered(out_path):
            add_events(out_path, source.stored, run.stored)
        else:
            session.write(out_path, run.stored, source.stored if in_place else None, [source.path])
    keeper.confirm_output(result, memories_in_output([*job.recalled, *keeper.recalled.values()], parts))
    run.stored_result = result


def _compact_source(session: Session, source: Source, job: Job) -> tuple[Content, list[Compaction], Probed | None]:
    """Return the output of one file and its compactions; with a probe, also the provider's counts."""
    settings, keeper = session.settings, job.keeper
    probes: list[Probed] = []
    remember = keeper.memory_extractor() if job.args.writes and keeper.flushes else None
    always = partial(compact_always, session, progress=session.progress, recalled=job.recalled, remember=remember)
    if job.decisions:
        always = partial(always, decided=job.decisions.of(session, source))
    if settings.memory.auto_recall:
        always = partial(always, recall=keeper.recall_relevant)
    if job.args.emit == "native":
        from compactor_cli.cli.carrying_on import append_natively

        always = partial(append_natively, session, always)

    def make(aimed: Settings) -> tuple[Content, list[Compaction]]:
        if not session.probes:
            return always(source, aimed)
        from compactor_cli.cli.probing import compact_probed

        data, parts, probed = compact_probed(session, source, aimed, always)
        probes.append(probed)
        return data, parts

    data, parts = _compact_if_needed(session, source, make) if job.args.if_needed else make(settings)
    return data, parts, probes[-1] if probes else None


def _compact_if_needed(
    session: Session, source: Source, make: Callable[[Settings], tuple[Content, list[Compaction]]]
) -> tuple[Content, list[Compaction]]:
    """Return the output of `make`, or the unchanged file if it is below the threshold. Without a target, `make` runs
    again if the output would still be over the threshold."""
    from compactor_cli.pipeline.threshold import relief_target
    from compactor_cli.views.forecast import forecast_context

    settings, limit = session.settings, model_facts(session.reading.model).context_limit
    views = [forecast_context(t, FORMATS[t.format], limit, settings) for t in source.transcripts]
    if not any(view.compacts for view in views):
        fullest = max(views, key=lambda view: view.state.tokens)
        session.say(f"{source.path}: {fullest.reason}; left unchanged")
        return source.data, [unchanged_report(t, None) for t in source.transcripts]
    data, parts = make(settings)
    if settings.target_tokens is not None or settings.target_ratio is not None:
        return data, parts
    over_threshold = [
        view
        for view, part in zip(views, parts, strict=True)
        if part.tokens + view.overhead >= max(1, view.state.threshold)
    ]
    if not over_threshold:
        return data, parts
    target = max(1, relief_target(over_threshold[0].state, settings.context) - over_threshold[0].overhead)
    try:
        data, parts = make(dataclasses.replace(settings, target_tokens=target))
    except BudgetError as error:
        session.warn(f"{source.path}: still over the threshold of {over_threshold[0].state.threshold:,}: {error}")
        return data, parts
    session.say(f"{source.path}: compacted to {target:,} tokens, as otherwise it would still be over the threshold")
    return data, parts


def compact_always(
    session: Session,
    source: Source,
    settings: Settings,
    progress: Steps | NoSteps,
    recalled: Sequence[Memory] = (),
    recall: Callable[[Transcript], Sequence[Memory]] = lambda transcript: (),
    remember: MemoryExtractor | None = None,
    decided: Sequence[Decided] = (),
) -> tuple[Content, list[Compaction]]:
    """Compact every conversation of a file. Return the output and each compaction. `recalled`: memories to insert; if
    there are none, `recall` finds them. `remember` extracts memories. `decided`: a person's decisions."""
    tools = [
        replace(
            session.tools(t, settings),
            progress=lambda stage: progress.step(),
            on_stage=lambda stage, meaning: stage == COMPLETE or progress.say(f"{source.path}: {meaning}"),
            recall=recall,
            remember=remember,
            explain_values=session.dry,
        )
        for t in source.transcripts
    ]
    data, parts = compact_source(source, tools, settings, recalled=recalled, decided=decided)
    if recalled and data == source.data:  # for an unchanged file, only warnings are shown
        _print_warnings(session, parts, f"{source.path}: ")
    return data, parts


def _unchanged_line(parts: Sequence[Compaction], *, ratio: bool) -> str:
    targets = [part.target for part in parts if part.target is not None]
    if not targets:
        return "nothing to compact: unchanged"
    if len(parts) > 1:
        return "already within their targets: unchanged"
    (part,) = parts
    earlier = any(message.origin == "summary" for message in part.before.messages)
    share = " (a ratio refers to the size before the first round)" if ratio and earlier else ""
    return f"already within its target of {targets[0]:,} tokens{share}: unchanged"


def _show(run: _FileRun, outcome: Outcome) -> None:
    """Show the plan of --dry-run on standard output, all else on standard error."""
    session, source, parts, args = run.session, run.source, run.parts, run.job.args
    if args.dry_run and not args.json:
        from compactor_cli.render import tables

        for part in parts:
            if part.plan is not None:
                session.out.print(tables.plan_table(session.out, part))
    if not session.err.quiet:
        _show_result(run, outcome)
    if run.carried and args.writes:
        session.say(run.carried.line)
    if run.probed and run.probed.before is not None:
        from compactor_cli.render.remarks import probe_line

        session.say(probe_line(run.probed))
    if args.check:
        session.say(f"{source.path}: {verdict(source.tokens, outcome.after.tokens, changed=outcome.changed)}")


def _show_result(run: _FileRun, outcome: Outcome) -> None:
    """Show what was done with a file; of several files, a line each."""
    from compactor_cli.render import tables

    session, source, parts, args, console = run.session, run.source, run.parts, run.job.args, run.session.err
    if run.job.several:
        from compactor_cli.render.many import file_line

        console.print(file_line(outcome, written=args.writes), soft_wrap=True)
        _show_remarks(session, parts, f"{source.path}: ")
        return
    tables.print_heading(console, source, session.counter.name)
    if not outcome.changed or not parts:
        console.print(_unchanged_line(parts, ratio=session.settings.target_ratio is not None))
        if args.new_session:
            session.say("no new session was written; resume this one as it is")
        elif args.writes and outcome.place != source.path:
            session.print_written(outcome.place)
        return
    _show_tables(session, outcome, parts)
    _show_remarks(session, parts)
    if args.writes:
        session.print_written(outcome.place)


def _show_tables(session: Session, outcome: Outcome, parts: Sequence[Compaction]) -> None:
    from compactor_cli.render import tables

    console = session.err
    used = next((STRATEGIES.get(part.plan.strategy) for part in parts if part.plan is not None), None)
    by_tier = used is not None and used.tiers
    name = used.name if used else ""  # repairs alone involve no strategy
    console.print(tables.tier_table(console, parts) if by_tier else tables.spending_table(console, parts, name))
    console.print(tables.savings_table(console, outcome.before, outcome.after))
    console.print(tables.disposition_line(parts))
    if any(part.kept or part.dropped for part in parts):
        console.print(tables.decided_line(parts))


def _show_remarks(session: Session, parts: Sequence[Compaction], file: str = "") -> None:
    _print_warnings(session, parts, file)
    for part in parts:
        for note in part.repairs:
            session.say(f"repaired: {file}message {note.index}: {note.kind}: {note.detail}")


def _print_warnings(session: Session, parts: Sequence[Compaction], file: str) -> None:
    for warning in dict.fromkeys(warning for part in parts for warning in part.warnings):
        session.say(f"warning: {file}{warning}")
