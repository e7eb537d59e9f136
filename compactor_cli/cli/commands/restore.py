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
from compactor_cli.cli.databases import existing_database, not_there
from compactor_cli.cli.files import clear_beside, is_file, read_bytes, split_warning, write_bytes
from compactor_cli.cli.outputs import check_outputs, files_read
from compactor_cli.cli.picking import picked
from compactor_cli.cli.session import Session, open_session
from compactor_cli.cli.streams import print_json
from compactor_cli.cli.typed_options import takes
from compactor_cli.configuration.layers import Layer
from compactor_cli.containers import container_of, unpack
from compactor_cli.errors import InputError, NotKeptError, UsageError
from compactor_cli.model.content import Content, in_memory, in_pieces, joined
from compactor_cli.settings.frozen import frozen

if TYPE_CHECKING:
    from compactor_cli.archive.search import MessageHit
    from compactor_cli.cli.lookup import Lookup
    from compactor_cli.db.database import Database
    from compactor_cli.model.archived import Archived

_KEPT_ARE = "Only compactions with --archive, or with the setting archive.enabled, are archived."

_HITS = 10
_STATES = 50
"""Maximum number of archived states to search, newest first."""


@frozen(frozen=True, kw_only=True)
class RestoreOptions(options.SessionOptions):
    file: Annotated[str, typer.Argument(metavar="[FILE]", help="Output of compact; - is standard input.")] = ""
    out: options.OutOption = ""
    in_place: options.InPlaceOption = False
    ref: Annotated[
        str | None,
        typer.Option("--ref", metavar="REF", help="Print one original: ctx_ and hex digits, from a mark or --list."),
    ] = None
    listed: Annotated[
        bool,
        typer.Option(
            "--list", help="List what the archive holds of the file and what was removed; without FILE: of all files."
        ),
    ] = False
    search: Annotated[
        str | None,
        typer.Option(
            "--search", metavar="WORDS", help="Find archived messages with these words; without FILE: of all files."
        ),
    ] = None
    round: Annotated[
        int | None,
        typer.Option(
            "--round",
            min=1,
            metavar="N",
            help="Restore the file as it was before its Nth compaction, numbered as in --list.",
        ),
    ] = None
    compaction: Annotated[
        int | None,
        typer.Option(
            "--compaction", min=1, metavar="N", help="Restore the input of compaction N of the list without FILE."
        ),
    ] = None
    purge: Annotated[
        bool,
        typer.Option(
            "--purge", help="Delete everything the archive holds of this file's session; this cannot be undone."
        ),
    ] = False
    yes: Annotated[
        bool, typer.Option("--yes", help="Also delete what the archive holds of other files of the session.")
    ] = False


@takes("restore")
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
        args = replace(args, file=picked(session, [args.file], args)[0])
    _check(args)
    read = files_read(session.configured, [args.file] if args.file else [])
    check_outputs(read, {"-o": [args.out]}, "; --in-place replaces it")
    clear_beside(args.file if args.in_place else args.out)
    data = in_memory(session.bytes_of(args.file)) if args.file else b""

    url = session.reading.database_url
    with existing_database(url) as kept:
        if kept is None:
            missing = not_there(url)
            _without(session, args, data, f" And {missing}." if missing else "")
        _run(session, kept, args, data)


def _check(args: RestoreOptions) -> None:
    asks = args.search is not None
    jobs = [("--ref", args.ref is not None), ("--list", args.listed), ("--search", asks), ("--purge", args.purge)]
    named = options.at_most_one(jobs)
    options.at_most_one((("--round", args.round), ("--compaction", args.compaction)))
    if not args.file and not args.listed and not asks and args.compaction is None:
        raise UsageError("name a file, or --compaction N; restore --list shows what is archived")
    if args.listed or args.purge or asks:
        used = [("-o", args.out), ("--in-place", args.in_place), ("--round", args.round)]
        _exclude(named[0], [name for name, is_set in used if is_set])
    if args.in_place:
        unfit = [("-o", args.out), ("--ref", args.ref), ("--compaction", args.compaction), ("-", args.file == "-")]
        _exclude("--in-place", [name for name, is_set in unfit if is_set])
    if args.json and not (args.listed or asks or args.ref is not None):
        raise UsageError("--json works with --list, --search and --ref; a restored file is written as it was")


def _exclude(option: str, others: Sequence[str]) -> None:
    if others:
        raise UsageError(f"{option} excludes {others[0]}")


def _run(session: Session, kept: Database, args: RestoreOptions, data: bytes) -> None:
    from compactor_cli.cli.lookup import by_number, look_up, of_its_path

    if not args.file and args.compaction is None:
        if args.search is not None:
            _search(session, kept, args.search, None, json=args.json)
        else:
            _list_all(session, kept, args)
        return
    lookup = by_number(kept, args.compaction) if args.compaction else look_up(session, kept, args.file, data)
    if lookup is None:
        if args.purge:  # an earlier purge may have been interrupted before the database's files were rewritten
            _scrub(kept)
        _without(session, args, data, of_its_path(kept, args.file))
    if args.purge:
        _purge(session, kept, args, lookup)
    elif args.search is not None:
        _search(session, kept, args.search, lookup.compactions, json=args.json)
    elif args.listed:
        _list(session, kept, args, lookup)
    elif args.ref is not None:
        _one(kept, args, args.ref, lookup)
    else:
        _whole(session, kept, args, lookup)


def _whole(session: Session, kept: Database, args: RestoreOptions, lookup: Lookup) -> None:
    """Write the file as it was before its newest compaction, plus what was appended since, or as it was before an
    earlier one."""
    from compactor_cli.cli.lookup import in_form_of, input_of
    from compactor_cli.render.archive import when

    if not lookup.is_sure and args.round is None:
        raise NotKeptError(
            f"{args.file}: does not match the output of any compaction, but {len(lookup.compactions)} compactions of "
            "its session are archived; restore --list shows them, and --round N -o OTHER restores one of them"
        )
    chosen = lookup.chosen(args.round)
    data: Content = input_of(kept, lookup, chosen)
    was = container_of(data)
    if lookup.match == "input" and args.round is None:
        session.say(f"note: {args.file} is itself the input of a compaction")
    added = lookup.appended(chosen) if args.round is None else b""
    if len(added):
        session.say(f"note: {len(added):,} bytes that were appended after the compaction follow the restored content")
        if was is not container_of(lookup.data):
            data, added = unpack(data), unpack(added)
        data = joined(data, [*in_pieces(data), *in_pieces(added)])
    place = args.file if args.in_place else args.out or "-"
    data = in_form_of(data, place, lookup.stored if args.in_place else None)
    split = split_warning(place) if args.in_place else ""
    write_bytes(place, data, lookup.stored if args.in_place else None, [args.file] if args.file else ())
    if split:
        session.warn(split)
    shown = "standard output" if place == "-" else place
    held = container_of(data)
    form = "" if held is was else f"packed as {held.name}, " if held else "unpacked, "
    session.say(f"{len(data):,} bytes, {form}as before the compaction of {when(chosen.at)}, written to {shown}")


def _one(kept: Database, args: RestoreOptions, reference: str, lookup: Lookup) -> None:
    """Write one original. Its mark may belong to any round of the file; the newest rounds are searched first."""
    from compactor_cli.archive.originals import find, original
    from compactor_cli.archive.stored import archive
    from compactor_cli.cli.lookup import input_of, read_again

    among = [lookup.chosen(args.round)] if args.round else list(reversed(lookup.compactions))
    with kept.read() as connection:
        manifests = [(each, archive.manifest(connection, each.id)) for each in among]
    removed = find([entry for _, manifest in manifests for entry in manifest.removed], reference)
    chosen, manifest = next(pair for pair in manifests if any(entry is removed for entry in pair[1].removed))
    source = read_again(input_of(kept, lookup, chosen), manifest.input.path, manifest.format)
    content = original(source, removed)
    if args.json:
        from compactor_cli.archive.manifest_json import removed_json
        from compactor_cli.render import jsons

        text = content.decode("utf-8", "surrogatepass")
        content = (jsons.dumps(removed_json([removed])[0] | {"text": text}) + "\n").encode()
    elif not args.out and not content.endswith(b"\n") and sys.stdout.isatty():
        content += b"\n"
    write_bytes(args.out or "-", content, inputs=[args.file] if args.file else ())


def _list(session: Session, kept: Database, args: RestoreOptions, lookup: Lookup) -> None:
    """List the compactions of a file, and what each removed."""
    from compactor_cli.archive.manifest_json import manifest_json
    from compactor_cli.archive.stored import archive, rounds
    from compactor_cli.render.archive import compactions_table, removed_table, round_json

    ids = [each.id for each in lookup.compactions]
    with kept.read() as connection:
        past = [past_round for each in ids for past_round in rounds.rounds_of(connection, each)]
        manifests = [archive.manifest(connection, each) for each in ids]
    if args.json:
        print_json({"rounds": list(map(round_json, past)), "manifests": list(map(manifest_json, manifests))})
        return
    session.out.print(compactions_table(session.out, lookup.compactions, past, of_file=True))
    for number, manifest in enumerate(manifests, start=1):
        if manifest.removed:
            session.out.print(removed_table(session.out, manifest, number))
    if not lookup.is_sure:
        session.say(f"note: {args.file} does not match the output of any of them; they belong to the same session")


def _list_all(session: Session, kept: Database, args: RestoreOptions) -> None:
    """List every compaction in the archive, newest first."""
    from compactor_cli.archive.stored import archive, rounds
    from compactor_cli.render.archive import compactions_table, round_json

    with kept.read() as connection:
        known = archive.newest(connection)
        past = [past_round for each in known for past_round in rounds.rounds_of(connection, each.id)]
        size = archive.size(connection)
    if args.json:
        print_json({"rounds": list(map(round_json, past))})
        return
    session.out.print(compactions_table(session.out, known, past, of_file=False))
    session.say(
        f"{size.kept} of {size.compactions} can be restored; they take {size.stored / 1e6:,.1f} MB in {kept.name}"
    )


def _search(session: Session, kept: Database, query: str, among: Sequence[Archived] | None, *, json: bool) -> None:
    """Print the archived messages that contain words of the query, best first. `among`: the compactions to search,
    or None for the newest of all. Raises NotKeptError if there are none."""
    from compactor_cli.archive.search import best, words_of
    from compactor_cli.archive.stored import archive
    from compactor_cli.render.archive import hits_table

    words = words_of(query)
    if not words:
        raise UsageError("--search: no words given; write what to look for")
    if among is None:
        with kept.read() as connection:
            among = archive.newest(connection, _STATES)
    best_hits = best((hit for archived in among for hit in _hits_in(session, kept, archived, words)), _HITS)
    if json:
        print_json({"query": query, "hits": [asdict(hit) for hit in best_hits]})
    elif best_hits:
        session.out.print(hits_table(session.out, best_hits))
    if not best_hits:
        raise NotKeptError(f"--search {query!r}: no archived message contains any of these words")


def _hits_in(session: Session, kept: Database, archived: Archived, words: Sequence[str]) -> Iterator[MessageHit]:
    """Yield the matching messages of one archived state. An unreadable state is reported and skipped."""
    from compactor_cli.archive.search import hits
    from compactor_cli.archive.stored import archive
    from compactor_cli.cli.lookup import read_again

    if not archived.kept:
        return
    with kept.read() as connection:
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
        yield from hits(transcript.messages, words, references, archived.input.path, archived.id)


def _purge(session: Session, kept: Database, args: RestoreOptions, lookup: Lookup) -> None:
    """Remove every round of the session, and make sure that none of its text is left in the database's files."""
    from compactor_cli.archive.stored import archive
    from compactor_cli.archive.stored.archive_room import related
    from compactor_cli.render.console import counted

    own = {each.id for each in lookup.compactions}
    with kept.write() as connection:
        others = [archive.known(connection, each) for each in related(connection, own) if each not in own]
        if others and not args.yes:
            raise UsageError(
                "--purge would also delete what is archived of these files, which have the same "
                f"text:{_named(others)}\nAdd --yes to delete all of it."
            )
        gone = archive.purge(connection, own)
    _scrub(kept)
    session.say(f"everything archived of the session was deleted ({counted(gone.compactions, 'compaction')})")


def _named(compactions: Sequence[Archived]) -> str:
    return "".join(f"\n  {each.id}: {each.input.path}" for each in compactions)


def _scrub(kept: Database) -> None:
    from compactor_cli.db.removal import ARCHIVE, scrub

    scrub(kept, ARCHIVE)


def _without(session: Session, args: RestoreOptions, data: bytes, more: str) -> NoReturn:
    """Report that the archive holds nothing of the file. A manifest next to the file still says what was removed.
    `more`: further words, about another archived state of the path or a missing database."""
    from compactor_cli.archive.manifest_json import SUFFIX, manifest_json, read_manifest

    beside = Path(args.file + SUFFIX)
    if not args.file:
        raise NotKeptError(f"nothing is archived. {_KEPT_ARE}{more}")
    if args.file == "-" or not is_file(beside):
        raise NotKeptError(f"{args.file}: nothing of it is archived. {_KEPT_ARE}{more}")
    if not args.listed:
        raise NotKeptError(
            f"{args.file}: its original is not archived; restore --list shows what was removed. {_KEPT_ARE}{more}"
        )
    from compactor_cli.render.archive import removed_table

    manifest = read_manifest(read_bytes(str(beside)), str(beside))
    if manifest.output.sha256 != hashlib.sha256(data).hexdigest():
        session.warn(f"{beside} belongs to an earlier state of {args.file}; the file has changed since")
    if args.json:
        print_json({"rounds": [], "manifests": [manifest_json(manifest)]})
    else:
        session.out.print(removed_table(session.out, manifest, 1))
        session.say(f"from {beside}; the originals are not archived.{more}")
    raise typer.Exit
