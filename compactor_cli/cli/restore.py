"""`compactor restore`: what a compaction took away, brought back."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from compactor_cli.cli import options
from compactor_cli.cli.configured import Configured, configure
from compactor_cli.cli.files import read_bytes, write_bytes
from compactor_cli.cli.session import Session
from compactor_cli.errors import InputError, NotKeptError, StoreError, UsageError

if TYPE_CHECKING:
    from compactor_cli.model.archive import Archived, Found
    from compactor_cli.model.transcript import Source
    from compactor_cli.store.database import Database

FileArgument = Annotated[
    str, typer.Argument(metavar="FILE", help="An output of compact, as it is now; - is standard input.")
]
RefOption = Annotated[
    str, typer.Option("--ref", metavar="REF", help="Print one original: ctx_ and hex digits, from a mark or --list.")
]
ListOption = Annotated[bool, typer.Option("--list", help="List the rounds of the file and what was taken away.")]
RoundOption = Annotated[
    int | None, typer.Option("--round", min=1, metavar="N", help="The file as it was before its Nth kept compaction.")
]
PurgeOption = Annotated[
    bool, typer.Option("--purge", help="Remove all that is kept of this file's rounds; it cannot be had back.")
]
_KEPT_ARE = "Kept are only compactions with --archive, or with the setting archive.enabled."


@dataclass(frozen=True, slots=True)
class Job:
    """What is asked of one file."""

    file: str
    data: bytes
    out: str
    ref: str
    listed: bool
    round: int | None
    json: bool


def restore(
    file: FileArgument,
    out: options.OutOption = "",
    in_place: options.InPlaceOption = False,
    ref: RefOption = "",
    listed: ListOption = False,
    round: RoundOption = None,
    purge: PurgeOption = False,
    database: options.DatabaseOption = "",
    config: options.ConfigOption = "",
    json: options.JsonOption = False,
    quiet: options.QuietOption = False,
    debug: options.DebugOption = False,
) -> None:
    """Bring back what compact took away: the whole file as it was, or one original.

    Needs a compaction that was made with --archive. The file is recognised by its content, wherever it is
    now. What was appended since then stands behind what is brought back. A file that was edited is recognised
    by its session id, where its format has one.

    Exit code 1: nothing of this file is kept.

    \b
    Examples:
      compactor restore small.jsonl -o session.jsonl
      compactor restore small.jsonl --list
      compactor restore small.jsonl --ref ctx_1f2e3d4c
      compactor restore session.jsonl --round 1 -o first.jsonl
      compactor restore session.jsonl --in-place
      compactor restore small.jsonl --purge
    """
    configured = configure(locals())
    session = configured.session(quiet=quiet)
    _check(file, out, in_place=in_place, chosen=[("--ref", ref), ("--list", listed), ("--purge", purge)])
    job = Job(file, read_bytes(file), file if in_place else out or "-", ref, listed, round, json)
    kept = _open(configured)
    try:
        if kept is None:
            _without(session, job)
        elif purge:
            _purge(session, kept, job)
        else:
            _restore(session, configured, kept, job)
    finally:
        if kept is not None:
            kept.close()


def _check(file: str, out: str, *, in_place: bool, chosen: Sequence[tuple[str, object]]) -> None:
    named = [name for name, given in chosen if given]
    if len(named) > 1:
        raise UsageError(f"{' and '.join(named)} exclude each other")
    if in_place and (out or file == "-"):
        raise UsageError("--in-place excludes -o, and standard input")
    if in_place and named:
        raise UsageError(f"--in-place excludes {named[0]}")


def _open(configured: Configured) -> Database | None:
    from compactor_cli.store.database import open_existing

    return open_existing(configured.reading.database_url)


def _restore(session: Session, configured: Configured, kept: Database, job: Job) -> None:
    """List, print one original, or bring a whole file back."""
    found, chain = _find(session, kept, job)
    if found is None:
        _without(session, job)
    elif job.listed:
        _list(session, kept, job, chain)
    elif job.ref:
        _one(session, kept, job, chain)
    else:
        _whole(session, kept, job, found, chain)


def _find(session: Session, kept: Database, job: Job) -> tuple[Found | None, Sequence[Archived]]:
    """The compaction that the file belongs to, and the rounds that led to it, the oldest first."""
    from compactor_cli.store import archive

    with kept.read() as connection:
        found = archive.find_compaction(connection, job.data)
        if found is None and (keys := _session_keys(session, job)):
            found = archive.find_compaction(connection, job.data, keys)
        return found, archive.chain(connection, found.id) if found else []


def _session_keys(session: Session, job: Job) -> Sequence[str]:
    """The keys of the sessions in the file, as far as it can be read and its format has any."""
    from compactor_cli.archive.sessions import session_keys

    try:
        return session_keys(_read(job.data, job.file))
    except InputError as error:
        session.say(f"note: looked for by its bytes only, as it cannot be read: {error}")
        return ()


def _read(data: bytes, path: str, format: str = "") -> Source:
    """A file as it was read when it was compacted; tokens do not matter here."""
    from compactor_cli.formats.loading import load
    from compactor_cli.tokens import make_counter

    return load(data, path, make_counter("chars").counter, format=format, skip_damaged=True)


def _whole(session: Session, kept: Database, job: Job, found: Found, chain: Sequence[Archived]) -> None:
    """The file before its newest compaction, with what was appended since, or before an earlier one."""
    from compactor_cli.render.archive import when

    if job.round is not None and job.round > len(chain):
        raise UsageError(f"--round {job.round}: {len(chain)} compactions of this file are kept; see --list")
    chosen = chain[job.round - 1] if job.round else chain[-1]
    data = _input(kept, job, chosen)
    if chosen is chain[-1] and not job.round:
        if found.match == "input":
            session.say(f"note: {job.file} is itself what was compacted")
        elif found.match == "begins":
            added = job.data[chosen.output.size :]
            session.say(f"note: {len(added):,} bytes that were appended since stand behind what is brought back")
            data += added
        elif found.match == "session":
            session.warn(
                f"{job.file} is not as it was written; its session was last compacted into {chosen.output.path}"
            )
    write_bytes(job.out, data)
    place = "standard output" if job.out == "-" else job.out
    session.say(f"{len(data):,} bytes, as before the compaction of {when(chosen.at)}, written to {place}")


def _input(kept: Database, job: Job, chosen: Archived) -> bytes:
    """The input of a compaction, which counts as used. What was not changed is not kept: it is the file itself."""
    from compactor_cli.store import archive

    if not chosen.changed:
        return job.data[: chosen.output.size]
    try:
        with kept.write() as connection:
            return archive.restore(connection, chosen.id, time.time())
    except StoreError:
        # where it cannot be noted that it is used, it may still be read; when not, the same error comes again
        with kept.read() as connection:
            return archive.restore(connection, chosen.id, None)


def _one(session: Session, kept: Database, job: Job, chain: Sequence[Archived]) -> None:
    """One original. A mark may be of any round of the file: the newest ones come first."""
    from compactor_cli.archive.originals import find, original
    from compactor_cli.store import archive

    with kept.read() as connection:
        manifests = [(each, archive.manifest(connection, each.id)) for each in reversed(chain)]
    removed = find([entry for _, manifest in manifests for entry in manifest.removed], job.ref)
    chosen, manifest = next(pair for pair in manifests if any(entry is removed for entry in pair[1].removed))
    source = _read(_input(kept, job, chosen), manifest.input.path, manifest.format)
    content = original(source, removed)
    if job.json:
        from compactor_cli.archive.manifest_json import removed_json
        from compactor_cli.render import jsons

        text = content.decode("utf-8", "surrogatepass")
        content = (jsons.dumps(removed_json([removed])[0] | {"text": text}) + "\n").encode()
    elif job.out == "-" and not content.endswith(b"\n") and sys.stdout.isatty():
        content += b"\n"
    write_bytes(job.out, content)


def _list(session: Session, kept: Database, job: Job, chain: Sequence[Archived]) -> None:
    from compactor_cli.archive.manifest_json import manifest_json
    from compactor_cli.render import jsons
    from compactor_cli.render.archive import removed_table, round_json, rounds_table
    from compactor_cli.store import archive, rounds

    with kept.read() as connection:
        past = rounds.history(connection, ids=[each.id for each in chain])
        manifests = [archive.manifest(connection, each.id) for each in chain]
    if job.json:
        value = {
            "rounds": [round_json(each) for each in past],
            "manifests": [manifest_json(each) for each in manifests],
        }
        typer.echo(jsons.dumps(value))
        return
    session.out.print(rounds_table(session.out, past))
    for manifest in manifests:
        session.out.print(removed_table(session.out, manifest))


def _purge(session: Session, kept: Database, job: Job) -> None:
    """Remove every round of the file, and make sure that no text of it is left in the database's files."""
    from compactor_cli.store import archive
    from compactor_cli.store.removal import ARCHIVE, scrub

    found, chain = _find(session, kept, job)
    if found is None:
        _without(session, job)
    with kept.write() as connection:
        gone = archive.purge(connection, [each.id for each in chain])
    scrub(kept, ARCHIVE)
    session.say(f"{job.file}: nothing of its session is kept any more ({gone.compactions} compactions)")


def _without(session: Session, job: Job) -> NoReturn:
    """Nothing of the file is in the archive; a manifest beside it still says what was taken away."""
    from compactor_cli.archive.manifest_json import SUFFIX, manifest_json, read_manifest

    beside = Path(job.file + SUFFIX)
    if job.file == "-" or not beside.is_file():
        raise NotKeptError(f"{job.file}: nothing of it is kept. {_KEPT_ARE}")
    if not job.listed:
        raise NotKeptError(
            f"{job.file}: its original is not kept; restore --list says what was taken away. {_KEPT_ARE}"
        )
    from compactor_cli.render import jsons
    from compactor_cli.render.archive import removed_table

    manifest = read_manifest(read_bytes(str(beside)), str(beside))
    if job.json:
        typer.echo(jsons.dumps(manifest_json(manifest)))
    else:
        session.out.print(removed_table(session.out, manifest))
        session.say(f"from {beside}; the originals are not kept")
    raise typer.Exit
