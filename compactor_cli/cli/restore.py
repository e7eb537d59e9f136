"""`compactor restore`: what a compaction took away, brought back."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from compactor_cli.cli import options
from compactor_cli.cli.configured import configure
from compactor_cli.cli.files import read_bytes, write_bytes
from compactor_cli.cli.inputs import refuse_overwriting
from compactor_cli.cli.picking import picked
from compactor_cli.cli.searching import search as search_archive
from compactor_cli.cli.session import Session
from compactor_cli.errors import NotKeptError, UsageError

if TYPE_CHECKING:
    from compactor_cli.cli.lookup import Lookup
    from compactor_cli.model.archive import Archived
    from compactor_cli.store.database import Database

FileArgument = Annotated[
    str, typer.Argument(metavar="[FILE]", help="An output of compact, as it is now; - is standard input.")
]
RefOption = Annotated[
    str | None,
    typer.Option("--ref", metavar="REF", help="Print one original: ctx_ and hex digits, from a mark or --list."),
]
ListOption = Annotated[
    bool, typer.Option("--list", help="List what is kept of the file and what was taken away; without FILE: of all.")
]
RoundOption = Annotated[
    int | None,
    typer.Option("--round", min=1, metavar="N", help="The file as it was before its Nth compaction, as --list counts."),
]
CompactionOption = Annotated[
    int | None,
    typer.Option("--compaction", min=1, metavar="N", help="What compaction N of the list without FILE was made from."),
]
PurgeOption = Annotated[
    bool, typer.Option("--purge", help="Remove all that is kept of this file's session; it cannot be had back.")
]
SearchOption = Annotated[
    str | None, typer.Option("--search", metavar="WORDS", help="Find messages with these words; without FILE: in all.")
]
YesOption = Annotated[bool, typer.Option("--yes", help="Purge also what is kept of other files of the session.")]
_KEPT_ARE = "Kept are only compactions with --archive, or with the setting archive.enabled."


@dataclass(frozen=True, slots=True)
class Job:
    """What is asked for."""

    file: str
    out: str
    in_place: bool
    ref: str | None
    listed: bool
    search: str | None
    round: int | None
    compaction: int | None
    purge: bool
    yes: bool
    json: bool


def restore(
    file: FileArgument = "",
    out: options.OutOption = "",
    in_place: options.InPlaceOption = False,
    ref: RefOption = None,
    listed: ListOption = False,
    search: SearchOption = None,
    round: RoundOption = None,
    compaction: CompactionOption = None,
    purge: PurgeOption = False,
    yes: YesOption = False,
    database: options.DatabaseOption = "",
    config: options.ConfigOption = "",
    latest: options.LatestOption = "",
    session_id: options.SessionOption = "",
    project: options.ProjectOption = "",
    json: options.JsonOption = False,
    quiet: options.QuietOption = False,
    debug: options.DebugOption = False,
) -> None:
    """Bring back what compact took away: the whole file as it was, or one original.

    Needs a compaction that was made with --archive. The file is recognised by its content, wherever it is
    now. What was appended since then stands behind what is brought back. Of a file that was edited since, only
    its session or its marks are known: --list shows what is kept of that, and --round chooses.

    Exit code 1: nothing of it is kept.

    \b
    Examples:
      compactor restore small.jsonl -o session.jsonl
      compactor restore session.jsonl --in-place
      compactor restore small.jsonl --list
      compactor restore small.jsonl --ref ctx_1f2e3d4c
      compactor restore --search "retry limit"
      compactor restore session.jsonl --round 1 -o first.jsonl
      compactor restore --list
      compactor restore --compaction 12 -o session.jsonl
      compactor restore small.jsonl --purge
    """
    configured = configure({"database": database, "config": config})
    session = configured.session(quiet=quiet)
    if latest or session_id or project:
        (file,) = picked(session, [file], locals())
    job = Job(file, out, in_place, ref, listed, search, round, compaction, purge, yes, json)
    _check(job)
    if file and out:
        refuse_overwriting([file], {"-o": [out]}, "; --in-place replaces it")
    data = session.bytes_of(file) if file else b""
    from compactor_cli.store.database import open_existing

    kept = open_existing(configured.reading.database_url)
    if kept is None:
        _without(session, job, data)
    try:
        _run(session, kept, job, data)
    finally:
        kept.close()


def _check(job: Job) -> None:
    asks = job.search is not None
    jobs = [("--ref", job.ref is not None), ("--list", job.listed), ("--search", asks), ("--purge", job.purge)]
    named = [name for name, given in jobs if given]
    if len(named) > 1:
        raise UsageError(f"{' and '.join(named)} exclude each other")
    if job.round is not None and job.compaction is not None:
        raise UsageError("--round and --compaction exclude each other")
    if not job.file and not job.listed and not asks and job.compaction is None:
        raise UsageError("name a file, or --compaction N; restore --list says what is kept")
    if job.listed or job.purge or asks:
        used = [("-o", job.out), ("--in-place", job.in_place), ("--round", job.round)]
        _exclude(named[0], [name for name, given in used if given])
    if job.in_place:
        unfit = [("-o", job.out), ("--ref", job.ref), ("--compaction", job.compaction), ("-", job.file == "-")]
        _exclude("--in-place", [name for name, given in unfit if given])
    if job.json and not (job.listed or asks or job.ref is not None):
        raise UsageError("--json is for --list, --search and --ref; a file that is restored is written as it was")


def _exclude(option: str, others: Sequence[str]) -> None:
    if others:
        raise UsageError(f"{option} excludes {others[0]}")


def _run(session: Session, kept: Database, job: Job, data: bytes) -> None:
    from compactor_cli.cli.lookup import by_number, look_up

    if not job.file and job.compaction is None:
        if job.search is not None:
            search_archive(session, kept, job.search, None, json=job.json)
        else:
            _list_all(session, kept, job)
        return
    lookup = by_number(kept, job.compaction) if job.compaction else look_up(session, kept, job.file, data)
    if lookup is None:
        if job.purge:  # an earlier purge may have been interrupted before the files were written anew
            _scrub(kept)
        _without(session, job, data)
    if job.purge:
        _purge(session, kept, job, lookup)
    elif job.search is not None:
        search_archive(session, kept, job.search, lookup.compactions, json=job.json)
    elif job.listed:
        _list(session, kept, job, lookup)
    elif job.ref is not None:
        _one(session, kept, job, job.ref, lookup)
    else:
        _whole(session, kept, job, lookup)


def _whole(session: Session, kept: Database, job: Job, lookup: Lookup) -> None:
    """The file before its newest compaction, with what was appended since, or before an earlier one."""
    from compactor_cli.cli.lookup import input_of
    from compactor_cli.render.archive import when

    if not lookup.is_sure and job.round is None:
        raise NotKeptError(
            f"{job.file}: is not as any compaction wrote it; {len(lookup.compactions)} compactions of its session are "
            "kept: restore --list shows them, and --round N -o OTHER brings one of them back"
        )
    chosen = lookup.chosen(job.round)
    data = input_of(kept, lookup, chosen)
    if lookup.match == "input" and job.round is None:
        session.say(f"note: {job.file} is itself what was compacted")
    if lookup.match == "begins" and job.round is None:
        added = lookup.data[chosen.output.size :]
        session.say(f"note: {len(added):,} bytes that were appended since stand behind what is brought back")
        data += added
    place = job.file if job.in_place else job.out or "-"
    write_bytes(place, data, lookup.data if job.in_place else None, [job.file] if job.file else ())
    shown = "standard output" if place == "-" else place
    session.say(f"{len(data):,} bytes, as before the compaction of {when(chosen.at)}, written to {shown}")


def _one(session: Session, kept: Database, job: Job, reference: str, lookup: Lookup) -> None:
    """One original. A mark may be of any round of the file: the newest ones come first."""
    from compactor_cli.archive.originals import find, original
    from compactor_cli.cli.lookup import input_of, read_again
    from compactor_cli.store import archive

    among = [lookup.chosen(job.round)] if job.round else list(reversed(lookup.compactions))
    with kept.read() as connection:
        manifests = [(each, archive.manifest(connection, each.id)) for each in among]
    removed = find([entry for _, manifest in manifests for entry in manifest.removed], reference)
    chosen, manifest = next(pair for pair in manifests if any(entry is removed for entry in pair[1].removed))
    source = read_again(input_of(kept, lookup, chosen), manifest.input.path, manifest.format)
    content = original(source, removed)
    if job.json:
        from compactor_cli.archive.manifest_json import removed_json
        from compactor_cli.render import jsons

        text = content.decode("utf-8", "surrogatepass")
        content = (jsons.dumps(removed_json([removed])[0] | {"text": text}) + "\n").encode()
    elif not job.out and not content.endswith(b"\n") and sys.stdout.isatty():
        content += b"\n"
    write_bytes(job.out or "-", content, inputs=[job.file] if job.file else ())


def _list(session: Session, kept: Database, job: Job, lookup: Lookup) -> None:
    """The compactions of a file, and what each took away."""
    from compactor_cli.archive.manifest_json import manifest_json
    from compactor_cli.render import jsons
    from compactor_cli.render.archive import compactions_table, removed_table, round_json
    from compactor_cli.store import archive, rounds

    ids = [each.id for each in lookup.compactions]
    with kept.read() as connection:
        past = [one for each in ids for one in rounds.rounds_of(connection, each)]
        manifests = [archive.manifest(connection, each) for each in ids]
    if job.json:
        value = {"rounds": list(map(round_json, past)), "manifests": list(map(manifest_json, manifests))}
        typer.echo(jsons.dumps(value))
        return
    session.out.print(compactions_table(session.out, lookup.compactions, past, of_file=True))
    for number, manifest in enumerate(manifests, start=1):
        if manifest.removed:
            session.out.print(removed_table(session.out, manifest, number))
    if not lookup.is_sure:
        session.say(f"note: {job.file} is not as any of them wrote it; they are of the same session")


def _list_all(session: Session, kept: Database, job: Job) -> None:
    """Every compaction in the archive, the newest first."""
    from compactor_cli.render import jsons
    from compactor_cli.render.archive import compactions_table, round_json
    from compactor_cli.store import archive, rounds

    with kept.read() as connection:
        known = archive.newest(connection)
        past = [one for each in known for one in rounds.rounds_of(connection, each.id)]
        size = archive.size(connection)
    if job.json:
        typer.echo(jsons.dumps({"rounds": list(map(round_json, past))}))
        return
    session.out.print(compactions_table(session.out, known, past, of_file=False))
    session.say(
        f"{size.kept} of {size.compactions} can be restored; they take {size.stored / 1e6:,.1f} MB in {kept.name}"
    )


def _purge(session: Session, kept: Database, job: Job, lookup: Lookup) -> None:
    """Remove every round of the session, and make sure that no text of it is left in the database's files."""
    from compactor_cli.store import archive
    from compactor_cli.store.archive_room import related

    own = {each.id for each in lookup.compactions}
    with kept.write() as connection:
        others = [archive.known(connection, each) for each in related(connection, own) if each not in own]
        if others and not job.yes:
            raise UsageError(
                f"--purge would also remove what is kept of these, which have the same text:{_named(others)}\n"
                "Add --yes to remove all of it."
            )
        gone = archive.purge(connection, own)
    _scrub(kept)
    session.say(f"nothing of the session is kept any more ({gone.compactions} compactions)")


def _named(compactions: Sequence[Archived]) -> str:
    return "".join(f"\n  {each.id}: {each.input.path}" for each in compactions)


def _scrub(kept: Database) -> None:
    from compactor_cli.store.removal import ARCHIVE, scrub

    scrub(kept, ARCHIVE)


def _without(session: Session, job: Job, data: bytes) -> NoReturn:
    """Nothing of the file is in the archive; a manifest beside it still says what was taken away."""
    from compactor_cli.archive.manifest_json import SUFFIX, manifest_json, read_manifest

    beside = Path(job.file + SUFFIX)
    if not job.file:
        raise NotKeptError(f"nothing is kept. {_KEPT_ARE}")
    if job.file == "-" or not beside.is_file():
        raise NotKeptError(f"{job.file}: nothing of it is kept. {_KEPT_ARE}")
    if not job.listed:
        raise NotKeptError(
            f"{job.file}: its original is not kept; restore --list says what was taken away. {_KEPT_ARE}"
        )
    from compactor_cli.render import jsons
    from compactor_cli.render.archive import removed_table

    manifest = read_manifest(read_bytes(str(beside)), str(beside))
    if manifest.output.sha256 != hashlib.sha256(data).hexdigest():
        session.warn(f"{beside} is of an earlier state of {job.file}: the file was changed since")
    if job.json:
        typer.echo(jsons.dumps({"rounds": [], "manifests": [manifest_json(manifest)]}))
    else:
        session.out.print(removed_table(session.out, manifest, 1))
        session.say(f"from {beside}; the originals are not kept")
    raise typer.Exit
