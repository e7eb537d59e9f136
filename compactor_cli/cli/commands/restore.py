"""`compactor restore`: bring back what a compaction removed."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer
from msgspec.structs import asdict

from compactor_cli.cli import options
from compactor_cli.cli.databases import existing_database, missing_database
from compactor_cli.cli.files import clear_beside, is_file, read_bytes, write_bytes
from compactor_cli.cli.outputs import check_outputs, find_files_read
from compactor_cli.cli.picking import pick_files
from compactor_cli.cli.session import Session, open_session
from compactor_cli.cli.streams import print_json
from compactor_cli.cli.typed_options import takes_options
from compactor_cli.configuration.layers import Layer
from compactor_cli.containers import container_of, unpack
from compactor_cli.errors import InputError, NotKeptError, UsageError
from compactor_cli.model.content import Content, join_chunks, read_all, split_chunks
from compactor_cli.settings.frozen import frozen

if TYPE_CHECKING:
    from compactor_cli.archive.search import MessageHit
    from compactor_cli.cli.lookup import Lookup
    from compactor_cli.db.database import Database
    from compactor_cli.model.archived import Archived

_WHAT_IS_KEPT = "Only compactions with --archive, or with the setting archive.enabled, are archived."

_MAX_HITS = 10
_MAX_STATES = 50
"""Maximum number of archived states to search, newest first."""


@frozen(frozen=True, kw_only=True)
class RestoreOptions(options.SessionOptions):
    file: Annotated[str, typer.Argument(metavar="[FILE]", help="Output of compact; - is standard input.")] = ""
    out: options.OutOption = ""
    in_place: options.InPlaceOption = False
    ref: str | None = options.option("REF", "Print one original: ctx_ and hex digits, from a mark or --list.", None)
    listed: bool = options.switch(
        "List what the archive holds of the file and what was removed; without FILE: of all files.", "--list"
    )
    search: str | None = options.option(
        "WORDS", "Find archived messages with these words; without FILE: of all files.", None
    )
    round: int | None = options.option(
        "N", "Restore the file as it was before its Nth compaction, numbered as in --list.", None, min=1
    )
    compaction: int | None = options.option(
        "N", "Restore the input of compaction N of the list without FILE.", None, min=1
    )
    purge: bool = options.switch("Delete everything the archive holds of this file's session; this cannot be undone.")
    yes: bool = options.switch("Also delete what the archive holds of other files of the session.")


@takes_options("restore")
def restore(args: RestoreOptions, overrides: Layer) -> None:
    """Bring back what compact removed: the whole file as it was, or one original.

    This needs a compaction that was made with --archive. The file is recognised by its content, wherever it
    is now. Messages that were appended since then follow what is brought back. A file that was edited since
    is only recognised by its session or its marks: --list shows what the archive holds, and --round chooses.

    Exit code 1: the archive holds nothing of the file.

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
    session = open_session(args, overrides)
    if args.latest or args.session or args.project:
        args = replace(args, file=pick_files(session, [args.file], args)[0])
    _check(args)
    read = find_files_read(session.configured, [args.file] if args.file else [])
    check_outputs(read, {"-o": [args.out]}, "; --in-place replaces it")
    clear_beside(args.file if args.in_place else args.out)
    data = read_all(session.read_bytes(args.file)) if args.file else b""

    url = session.reading.database_url
    with existing_database(url) as database:
        if database is None:
            missing = missing_database(url)
            _report_nothing_kept(session, args, data, f" And {missing}." if missing else "")
        _restore(session, database, args, data)


def _check(args: RestoreOptions) -> None:
    is_search = args.search is not None
    jobs = [("--ref", args.ref is not None), ("--list", args.listed), ("--search", is_search), ("--purge", args.purge)]
    job = options.check_at_most_one(jobs)
    options.check_at_most_one((("--round", args.round), ("--compaction", args.compaction)))
    if not args.file and not args.listed and not is_search and args.compaction is None:
        raise UsageError("name a file, or --compaction N; restore --list shows what is archived")
    if args.listed or args.purge or is_search:
        used = [("-o", args.out), ("--in-place", args.in_place), ("--round", args.round)]
        _exclude(job[0], [name for name, is_set in used if is_set])
    if args.in_place:
        unfit = [("-o", args.out), ("--ref", args.ref), ("--compaction", args.compaction), ("-", args.file == "-")]
        _exclude("--in-place", [name for name, is_set in unfit if is_set])
    if args.json and not (args.listed or is_search or args.ref is not None):
        raise UsageError("--json works with --list, --search and --ref; a restored file is written as it was")


def _exclude(option: str, other_options: Sequence[str]) -> None:
    if other_options:
        raise UsageError(f"{option} excludes {other_options[0]}")


def _restore(session: Session, database: Database, args: RestoreOptions, data: bytes) -> None:
    from compactor_cli.cli.lookup import compaction_by_id, look_up, same_path_hint

    if not args.file and args.compaction is None:
        if args.search is not None:
            _search(session, database, args.search, None, json=args.json)
        else:
            _list_all(session, database, args)
        return
    lookup = (
        compaction_by_id(database, args.compaction) if args.compaction else look_up(session, database, args.file, data)
    )
    if lookup is None:
        if args.purge:  # an earlier purge may have been interrupted before the database's files were rewritten
            _scrub(database)
        _report_nothing_kept(session, args, data, same_path_hint(database, args.file))
    if args.purge:
        _purge(session, database, args, lookup)
    elif args.search is not None:
        _search(session, database, args.search, lookup.compactions, json=args.json)
    elif args.listed:
        _print_compactions(session, database, args, lookup)
    elif args.ref is not None:
        _restore_original(database, args, args.ref, lookup)
    else:
        _restore_file(session, database, args, lookup)


def _restore_file(session: Session, database: Database, args: RestoreOptions, lookup: Lookup) -> None:
    """Write the file as before its newest compaction plus what was appended since, or as before an earlier one."""
    from compactor_cli.cli.lookup import input_of, pack_like
    from compactor_cli.render.archive import local_time

    if not lookup.is_sure and args.round is None:
        raise NotKeptError(
            f"{args.file}: does not match the output of any compaction, but {len(lookup.compactions)} compactions of "
            "its session are archived; restore --list shows them, and --round N -o OTHER restores one of them"
        )
    chosen = lookup.chosen(args.round)
    data: Content = input_of(database, lookup, chosen)
    was = container_of(data)
    if lookup.match == "input" and args.round is None:
        session.say(f"note: {args.file} is itself the input of a compaction")
    added = lookup.appended(chosen) if args.round is None else b""
    if len(added):
        session.say(f"note: {len(added):,} bytes that were appended after the compaction follow the restored content")
        if was is not container_of(lookup.data):
            data, added = unpack(data), unpack(added)
        data = join_chunks(data, [*split_chunks(data), *split_chunks(added)])
    out_path = args.file if args.in_place else args.out or "-"
    data = pack_like(data, out_path, lookup.stored if args.in_place else None)
    session.write(out_path, data, lookup.stored if args.in_place else None, [args.file] if args.file else ())
    out_name = "standard output" if out_path == "-" else out_path
    container = container_of(data)
    packing = "" if container is was else f"packed as {container.name}, " if container else "unpacked, "
    session.say(
        f"{len(data):,} bytes, {packing}as before the compaction of {local_time(chosen.at)}, written to {out_name}"
    )


def _restore_original(database: Database, args: RestoreOptions, reference: str, lookup: Lookup) -> None:
    """Write one original. Its mark may belong to any round of the file; the newest rounds are searched first."""
    from compactor_cli.archive.manifest import find_entry, original_bytes
    from compactor_cli.archive.stored import archive
    from compactor_cli.cli.lookup import input_of, read_again

    candidates = [lookup.chosen(args.round)] if args.round else list(reversed(lookup.compactions))
    with database.read() as connection:
        manifests = [(compaction, archive.manifest(connection, compaction.id)) for compaction in candidates]
    removed = find_entry([entry for _, manifest in manifests for entry in manifest.removed], reference)
    chosen, manifest = next(pair for pair in manifests if any(entry is removed for entry in pair[1].removed))
    source = read_again(input_of(database, lookup, chosen), manifest.input.path, manifest.format)
    content = original_bytes(source, removed)
    if args.json:
        from compactor_cli.archive.manifest_json import removed_json
        from compactor_cli.render import jsons

        text = content.decode("utf-8", "surrogatepass")
        content = (jsons.dumps(removed_json([removed])[0] | {"text": text}) + "\n").encode()
    elif not args.out and not content.endswith(b"\n") and sys.stdout.isatty():
        content += b"\n"
    write_bytes(args.out or "-", content, inputs=[args.file] if args.file else ())


def _print_compactions(session: Session, database: Database, args: RestoreOptions, lookup: Lookup) -> None:
    from compactor_cli.archive.manifest_json import manifest_json
    from compactor_cli.archive.stored import archive, rounds
    from compactor_cli.render.archive import compactions_table, removed_table, round_json

    ids = [compaction.id for compaction in lookup.compactions]
    with database.read() as connection:
        past_rounds = [past_round for compaction in ids for past_round in rounds.rounds_of(connection, compaction)]
        manifests = [archive.manifest(connection, compaction) for compaction in ids]
    if args.json:
        print_json({"rounds": list(map(round_json, past_rounds)), "manifests": list(map(manifest_json, manifests))})
        return
    session.out.print(compactions_table(session.out, lookup.compactions, past_rounds, of_file=True))
    for number, manifest in enumerate(manifests, start=1):
        if manifest.removed:
            session.out.print(removed_table(session.out, manifest, number))
    if not lookup.is_sure:
        session.say(f"note: {args.file} does not match the output of any of them; they belong to the same session")


def _list_all(session: Session, database: Database, args: RestoreOptions) -> None:
    from compactor_cli.archive.stored import archive, rounds
    from compactor_cli.render.archive import compactions_table, round_json

    with database.read() as connection:
        compactions = archive.newest_compactions(connection)
        past_rounds = [past_round for one in compactions for past_round in rounds.rounds_of(connection, one.id)]
        size = archive.archive_size(connection)
    if args.json:
        print_json({"rounds": list(map(round_json, past_rounds))})
        return
    session.out.print(compactions_table(session.out, compactions, past_rounds, of_file=False))
    session.say(
        f"{size.kept} of {size.compactions} can be restored; they take {size.stored / 1e6:,.1f} MB in {database.name}"
    )


def _search(
    session: Session, database: Database, query: str, searched: Sequence[Archived] | None, *, json: bool
) -> None:
    """Print the best archived messages. `searched`: None for the newest of all. Raises NotKeptError if none match."""
    from compactor_cli.archive.search import query_words, select_best
    from compactor_cli.archive.stored import archive
    from compactor_cli.render.archive import hits_table

    words = query_words(query)
    if not words:
        raise UsageError("--search: no words given; write what to look for")
    if searched is None:
        with database.read() as connection:
            searched = archive.newest_compactions(connection, _MAX_STATES)
    best_hits = select_best(
        (hit for archived in searched for hit in _hits_in(session, database, archived, words)), _MAX_HITS
    )
    if json:
        print_json({"query": query, "hits": [asdict(hit) for hit in best_hits]})
    elif best_hits:
        session.out.print(hits_table(session.out, best_hits))
    if not best_hits:
        raise NotKeptError(f"--search {query!r}: no archived message contains any of these words")


def _hits_in(session: Session, database: Database, archived: Archived, words: Sequence[str]) -> Iterator[MessageHit]:
    """Yield the matching messages of one archived state. An unreadable state is reported and skipped."""
    from compactor_cli.archive.search import find_hits
    from compactor_cli.archive.stored import archive
    from compactor_cli.cli.lookup import read_again

    if not archived.kept:
        return
    with database.read() as connection:
        manifest = archive.manifest(connection, archived.id)
        data = archive.restore(connection, archived.id, None)
    try:
        source = read_again(data, archived.input.path, archived.format)
    except InputError as error:
        session.say(f"note: compaction {archived.id} was skipped: {error}")
        return
    for number, transcript in enumerate(source.transcripts):
        entries = [entry for entry in manifest.removed if entry.conversation == number and len(entry.messages) == 1]
        references = {entry.messages[0]: entry.reference for entry in reversed(entries)}
        yield from find_hits(transcript.messages, words, references, archived.input.path, archived.id)


def _purge(session: Session, database: Database, args: RestoreOptions, lookup: Lookup) -> None:
    """Remove every round of the session, and make sure that none of its text is left in the database's files."""
    from compactor_cli.archive.stored import archive
    from compactor_cli.render.console import count_phrase

    own_ids = {compaction.id for compaction in lookup.compactions}
    with database.write() as connection:
        other_compactions = [
            archive.get_compaction(connection, compaction)
            for compaction in archive.related(connection, own_ids)
            if compaction not in own_ids
        ]
        if other_compactions and not args.yes:
            lines = "".join(f"\n  {compaction.id}: {compaction.input.path}" for compaction in other_compactions)
            raise UsageError(
                f"--purge would also delete what is archived of these files, which have the same text:{lines}\n"
                "Add --yes to delete all of it."
            )
        removed = archive.purge(connection, own_ids)
    _scrub(database)
    session.say(f"everything archived of the session was deleted ({count_phrase(removed.compactions, 'compaction')})")


def _scrub(database: Database) -> None:
    from compactor_cli.db.removal import ARCHIVE, scrub

    scrub(database, ARCHIVE)


def _report_nothing_kept(session: Session, args: RestoreOptions, data: bytes, more: str) -> NoReturn:
    """Report that nothing is archived, and what a manifest next to the file says. `more`: further words."""
    from compactor_cli.archive.manifest_json import SUFFIX, manifest_json, read_manifest

    manifest_path = Path(args.file + SUFFIX)
    if not args.file:
        raise NotKeptError(f"nothing is archived. {_WHAT_IS_KEPT}{more}")
    if args.file == "-" or not is_file(manifest_path):
        raise NotKeptError(f"{args.file}: nothing of it is archived. {_WHAT_IS_KEPT}{more}")
    if not args.listed:
        raise NotKeptError(
            f"{args.file}: its original is not archived; restore --list shows what was removed. {_WHAT_IS_KEPT}{more}"
        )
    from compactor_cli.render.archive import removed_table

    manifest = read_manifest(read_bytes(str(manifest_path)), str(manifest_path))
    if manifest.output.sha256 != hashlib.sha256(data).hexdigest():
        session.warn(f"{manifest_path} belongs to an earlier state of {args.file}; the file has changed since")
    if args.json:
        print_json({"rounds": [], "manifests": [manifest_json(manifest)]})
    else:
        session.out.print(removed_table(session.out, manifest, 1))
        session.say(f"from {manifest_path}; the originals are not archived.{more}")
    raise typer.Exit
