"""`compact` for one file: read, compacted, written, told of."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from msgspec.structs import replace

from compactor_cli.cli.carrying_on import CarriedOn, carried_on, natively
from compactor_cli.cli.checking import verdict
from compactor_cli.cli.compact_job import Job, under
from compactor_cli.cli.compact_parquet import compact_parquet
from compactor_cli.cli.files import clear_beside, split_warning, write_bytes
from compactor_cli.cli.gathering import add_events, gathers
from compactor_cli.cli.html import compact_page
from compactor_cli.cli.if_needed import compact_always, compact_if_needed
from compactor_cli.cli.memory_use import put_in, remembering
from compactor_cli.cli.model_use import model_use, say_use
from compactor_cli.cli.parquet import is_parquet
from compactor_cli.cli.progress import NoSteps, Steps
from compactor_cli.cli.remote import is_remote
from compactor_cli.cli.session import Session
from compactor_cli.containers import pack
from compactor_cli.model.content import Content, sha256
from compactor_cli.model.outcome import Outcome, Sizes
from compactor_cli.model.report import Compaction, ModelUse, Probed, StoredResult
from compactor_cli.model.transcript import Source
from compactor_cli.pipeline.stages import COMPLETE, STAGES
from compactor_cli.settings import Settings
from compactor_cli.strategies import STRATEGIES


def compact_file(session: Session, file: str, job: Job, settings: Settings, progress: Steps | NoSteps) -> Outcome:
    """Compact one input and say what became of it. Raises CompactorError."""
    if job.asked.writes:
        clear_beside(_named_place(file, job))
    if file not in session.contents and is_parquet(file):
        return compact_parquet(session, file, job, settings, progress)
    return _compact_sessions(session, file, job, settings, progress)


def _compact_sessions(session: Session, file: str, job: Job, settings: Settings, progress: Steps | NoSteps) -> Outcome:
    from compactor_cli.render import jsons
    from compactor_cli.render.keeping import keeping_json, keeping_lines
    from compactor_cli.render.model_use import probe_json

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
            source, data, place, fresh=job.asked.new_session, out=job.asked.out, in_place=job.asked.in_place
        )
    stored = pack(data, place, source.packed, same=job.asked.in_place)
    kept = StoredResult()
    if job.asked.writes:
        if any(part.memories for part in parts):
            progress.say(f"{source.path}: {STAGES['persisting']}")
        kept = _write(session, source, job, stored, parts, place, changed=changed)
    progress.say(f"{source.path}: {STAGES[COMPLETE]}")
    use = model_use(session, before)
    report = ""
    if (
        job.asked.json or job.asked.report or job.asked.html
    ):  # hashing everything is only worth it for somebody who reads it
        value = _report(session, source, stored, place, parts, use)
        value |= {"probe": probe_json(probed)} if probed else {}
        value |= {"plan": jsons.plan_json(parts)} if job.asked.dry_run else {}
        value |= keeping_json(kept)
        value |= carried.json if carried else {}
        compact_page(session, job.asked.html, source, value, parts)
        report = jsons.dumps(value)
    tokens = sum(part.tokens for part in parts)
    outcome = Outcome(
        path=file,
        place=place,
        before=Sizes(source.message_count, source.tokens, len(source.data)),
        after=Sizes(sum(len(part.messages) for part in parts), tokens, len(data)),
        changed=changed,
        report=report,
        findings=job.checking.found_in(source, tokens, changed=changed) if job.asked.check else (),
        input_sha256=sha256(source.stored) if job.lists else "",
        output_sha256=sha256(stored) if job.lists else "",
    )
    _tell(session, source, job, outcome, parts, carried, probed)
    say_use(session, use, f"{source.path}: " if job.several else "")
    for line in keeping_lines(kept, sum(part.recalled for part in parts)):
        session.say(line)
    return outcome


def _tell(
    session: Session,
    source: Source,
    job: Job,
    outcome: Outcome,
    parts: Sequence[Compaction],
    carried: CarriedOn | None,
    probed: Probed | None,
) -> None:
    """What became of the file, for people."""
    _show(session, source, job, outcome, parts)
    if carried and job.asked.writes:
        session.say(carried.line)
    if probed and probed.before is not None:
        from compactor_cli.render.model_use import probe_line

        session.say(probe_line(probed))
    if job.asked.check:
        session.say(f"{source.path}: {verdict(source.tokens, outcome.after.tokens, changed=outcome.changed)}")


def _report(
    session: Session,
    source: Source,
    stored: Content,
    place: str,
    parts: Sequence[Compaction],
    use: ModelUse | None,
) -> dict[str, object]:
    """The report of one file for scripts, as far as the compaction itself goes."""
    from compactor_cli.render import jsons
    from compactor_cli.render.model_use import model_json
    from compactor_cli.views.compare_sources import survival_of

    warnings = [*session.warnings, *(use.warnings if use else ())]
    value = jsons.compact_json(source, session.counter.name, place, stored, parts, survival_of(parts), warnings)
    value |= model_json(use) if use else {}
    return value


def _write(
    session: Session, source: Source, job: Job, data: Content, parts: Sequence[Compaction], place: str, *, changed: bool
) -> StoredResult:
    """The output of one file, as it is to be stored, when all that it takes away is kept as asked."""
    kept = job.keeper.keep(source, data, parts, place, changed=changed)
    if changed and job.manifest:  # first: without the archive it is the only account of what goes
        kept = replace(kept, manifest=job.keeper.write_manifest(source, data, parts, place))
    if changed or not (job.asked.in_place or job.asked.new_session):
        parts_of_it = job.asked.in_place and gathers(place)
        split = split_warning(place) if job.asked.in_place and not parts_of_it else ""
        if parts_of_it:
            add_events(place, source.stored, data)
        else:
            write_bytes(place, data, source.stored if job.asked.in_place else None, [source.path])
        if split:
            session.warn(split)
    job.keeper.confirm(kept, put_in([*job.recalled, *job.keeper.bearing.found.values()], parts))
    return kept


def _compacted(
    session: Session, source: Source, job: Job, settings: Settings, progress: Steps | NoSteps
) -> tuple[Content, list[Compaction], Probed | None]:
    """The output of one file; with a probe, what the provider counts of it."""
    found: list[Probed] = []
    remember = remembering(session, settings) if job.asked.writes and job.keeper.flushes else None
    always = partial(compact_always, session, progress=progress, recalled=job.recalled, remember=remember)
    if job.decisions:
        always = partial(always, decided=job.decisions.of(session, source))
    if settings.memory.auto_recall:
        always = partial(always, recall=job.keeper.bearing)
    if job.asked.emit == "native":
        always = partial(natively, session, always)

    def make(aimed: Settings) -> tuple[Content, list[Compaction]]:
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


def _unchanged(parts: Sequence[Compaction]) -> str:
    """Return why a file stays as it is."""
    aimed = any(part.target is not None for part in parts)
    return "already within its target: unchanged" if aimed else "nothing to compact: unchanged"


def _place(file: str, job: Job) -> str:
    """Return where the output goes, in a folder that is there."""
    place = _named_place(file, job)
    if job.asked.out_dir and not is_remote(place):
        Path(place).parent.mkdir(parents=True, exist_ok=True)
    return place


def _named_place(file: str, job: Job) -> str:
    if job.asked.in_place:
        return file
    return under(job.asked.out_dir, job.names[file]) if job.asked.out_dir else job.asked.out or "-"


def _show(session: Session, source: Source, job: Job, outcome: Outcome, parts: Sequence[Compaction]) -> None:
    """What people see of it: the plan of --dry-run on standard output, everything else on standard error; of one among
    several files a line."""
    console = session.err
    if console.quiet and not job.asked.dry_run:
        return
    from compactor_cli.render import tables

    if job.asked.dry_run and not job.asked.json:
        for part in parts:
            if part.plan is not None:
                session.out.print(tables.plan_table(session.out, part))
    if console.quiet:
        return
    if job.several:
        from compactor_cli.render.many import file_line

        console.print(file_line(outcome, written=job.asked.writes), soft_wrap=True)
        _show_remarks(session, parts, f"{source.path}: ")
        return
    tables.heading(console, source, session.counter.name)
    if not outcome.changed or not parts:
        console.print(_unchanged(parts))
        return
    _show_tables(session, outcome, parts)
    _show_remarks(session, parts)
    if job.asked.writes:
        console.print(f"written to {'standard output' if outcome.place == '-' else outcome.place}", soft_wrap=True)


def _show_tables(session: Session, outcome: Outcome, parts: Sequence[Compaction]) -> None:
    from compactor_cli.render import tables

    console = session.err
    used = next((STRATEGIES.get(part.plan.strategy) for part in parts if part.plan is not None), None)
    by_tier = used is not None and used.tiers
    name = used.name if used else ""  # repairs alone need no strategy
    console.print(tables.tier_table(console, parts) if by_tier else tables.spent_table(console, parts, name))
    console.print(tables.savings_table(console, outcome.before, outcome.after))
    console.print(tables.disposition_line(parts))
    if any(part.kept or part.dropped for part in parts):
        console.print(tables.decided_line(parts))


def _show_remarks(session: Session, parts: Sequence[Compaction], file: str = "") -> None:
    """Warnings and repairs; `file` stands before each."""
    for warning in dict.fromkeys(warning for part in parts for warning in part.warnings):
        session.say(f"warning: {file}{warning}")
    for part in parts:
        for note in part.repairs:
            session.say(f"repaired: {file}message {note.index}: {note.kind}: {note.detail}")
