"""`compactor hook run`: archive a session before its agent compacts it, and restore what was lost afterwards."""

from __future__ import annotations

import dataclasses
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace
from typer import BadParameter

from compactor_cli.cli.databases import existing_database, made_database
from compactor_cli.cli.files import is_there, make_folder, read_bytes, write_bytes
from compactor_cli.cli.lookup import read_again
from compactor_cli.cli.options import ConfiguredOptions
from compactor_cli.cli.options import tokens as tokens_of
from compactor_cli.cli.session import Session, open_session
from compactor_cli.configuration.layers import Layer
from compactor_cli.errors import CompactorError, InputError, StoreError, UsageError, bug_words
from compactor_cli.hooks.context import Original, restored
from compactor_cli.hooks.payload import Payload, payload_of, start_output
from compactor_cli.model.content import in_memory
from compactor_cli.text.clean import visible

if TYPE_CHECKING:
    from compactor_cli.db.database import Database
    from compactor_cli.model.archived import Archived
    from compactor_cli.model.transcript import Source

_ORIGINALS = 5
"""Maximum number of earlier states of a session to search, newest first."""
_BOUNDARIES = (
    b'"subtype":"compact_boundary"',
    b'"subtype": "compact_boundary"',
    b'"type":"compacted"',
    b'"type": "compacted"',
)
"""Contained in the records with which Claude Code and Codex mark a compaction."""
_RATIO = 0.25
"""The target ratio for the compacted copy of the session, if the settings name no target."""


def answer(args: ConfiguredOptions, tokens: str, overrides: Layer, unknown: Sequence[str]) -> None:
    """Answer the payload on standard input. `tokens` limits the restored text; if it is empty, the settings do.

    Failures still exit with code 0, because for some events code 2 would stop the agent.
    """
    try:
        if unknown:
            _say(f"ignored, as unknown: {' '.join(unknown)}", quiet=args.quiet)
        _answer(payload_of(read_bytes("-")), args, tokens, overrides)
    except CompactorError as error:
        _say(str(error), quiet=args.quiet)
    except BadParameter as error:
        _say(error.message, quiet=args.quiet)
    except Exception as error:  # report a bug, and let the agent continue
        if args.debug:
            import traceback

            traceback.print_exc()
        _say(bug_words(error), quiet=args.quiet)


def _say(text: str, *, quiet: bool) -> None:
    if not quiet:
        print(visible(f"compactor hook: {text}; the agent continues without it"), file=sys.stderr)  # noqa: T201


def _answer(payload: Payload, args: ConfiguredOptions, tokens: str, overrides: Layer) -> None:
    if not (payload.is_before or payload.is_after):
        return
    session = open_session(args, overrides, profile=True)
    if payload.is_before:
        _keep(session, payload)
    else:
        limit = tokens_of(tokens) if tokens else session.settings.hook.tokens
        context = _context(session, payload, limit)
        if context:
            print(start_output(context))  # noqa: T201  # for the agent


def _path(payload: Payload) -> str:
    if not payload.transcript:
        raise UsageError("the payload names no transcript_path, so there is nothing to archive")
    return str(Path(payload.transcript).expanduser())


# Before the agent's compaction.


def _keep(session: Session, payload: Payload) -> None:
    """Archive the session, and write a compacted copy of it if the settings ask for one. Standard output stays
    empty, because an agent may take it for instructions to its own summarizer."""
    hook = session.settings.hook
    source = session.load(_path(payload))
    if hook.archive and source.message_count:
        _archive(session, source)
    if hook.folder and source.message_count:
        _compact_beside(session, source)


def _archive(session: Session, source: Source) -> None:
    from compactor_cli.archive.chunks import cut
    from compactor_cli.archive.stored import archive
    from compactor_cli.cli.recording import evict
    from compactor_cli.hooks.archiving import manifest_before

    now = time.time()
    source = replace(source, path=str(Path(source.path).absolute()))
    with made_database(session.reading.database_url) as database:
        with database.write() as connection:
            archive.keep(connection, manifest_before(source, session.counter.name), cut(source), now)
        evict(session, database, now)
    session.say(f"archived {source.path}: {source.message_count} messages, {source.tokens:,} tokens")


def _compact_beside(session: Session, source: Source) -> None:
    from compactor_cli.cli.recording import Keeper
    from compactor_cli.pipeline.run import compact_source

    settings = session.settings
    if settings.target_tokens is None and settings.target_ratio is None:
        settings = dataclasses.replace(settings, target_ratio=_RATIO)
    archive = dataclasses.replace(settings.archive, enabled=settings.hook.archive)
    session.settings = settings = dataclasses.replace(settings, archive=archive)
    folder = Path(settings.hook.folder).expanduser()
    make_folder(str(folder / "_"))
    stem, number = Path(source.path).stem, 1
    while (place := folder / f"{stem}.{number}.jsonl").exists():
        number += 1
    data, parts = compact_source(source, [session.tools(t, settings) for t in source.transcripts], settings)
    keeper = Keeper(session)
    try:
        kept = keeper.keep(source, data, parts, str(place), changed=data != source.data)
        write_bytes(str(place), data, inputs=[source.path])
        keeper.confirm(kept, ())
    finally:
        keeper.close()
    session.say(f"compacted to {place}: {sum(part.tokens for part in parts):,} tokens")


# After the agent's compaction.


def _context(session: Session, payload: Payload, limit: int) -> str:
    path = _path(payload)
    data = _contents(session, path)
    now = _as_original(read_again(data, path)) if data else Original(())
    earlier = _earlier(data, path)
    written = bool(earlier) and _has_just_compacted(data)
    before = earlier[-1] if written else now
    originals = _archived(session, payload, path, data)
    if not originals and data:
        session.say(f"{path}: nothing of it is archived, so the file itself is read")
        originals = earlier if written else [*earlier, before]
    elif originals and not {m.id for m in before.messages} <= {m.id for m in originals[-1].messages}:
        session.say(f"{path}: its last part is not archived, so the file itself is read")
        originals = [*originals, before]
    if not originals:
        raise InputError("the session does not exist, and nothing of it is archived", path=path)
    return restored(originals, now.messages if written else (), _more(path), session.counter.count, limit)


def _contents(session: Session, path: str) -> bytes:
    """Return the contents of the session's file; empty if the file is gone or unreadable, since the session may be
    archived."""
    if not is_there(path):
        return b""
    try:
        data = read_bytes(path)
        read_again(data, path)
    except InputError as error:
        session.say(f"{error}; only its archived part is used")
        return b""
    return data


def _has_just_compacted(data: bytes) -> bool:
    """Return whether the newest compaction in the file is the current one: the agent has written nothing since.
    Otherwise the agent has not yet recorded it, and its summary is unknown."""
    lines = data.splitlines()
    behind = lines[_boundaries(lines)[-1] + 1 :]
    return not any(b'"assistant"' in line for line in behind)


def _boundaries(lines: Sequence[bytes]) -> list[int]:
    return [index for index, line in enumerate(lines) if index and any(word in line for word in _BOUNDARIES)]


def _archived(session: Session, payload: Payload, path: str, data: bytes) -> list[Original]:
    """Return the session as it was before its compactions, oldest first; empty if none of it is archived."""
    try:
        with existing_database(session.reading.database_url) as database:
            if database is None:
                return []
            from compactor_cli.archive.stored import archive

            originals: list[Original] = []
            contents = b""
            ids = _compactions(database, payload, path, data)
            with database.read() as connection:
                for each in ids:
                    if not each.kept:
                        continue
                    manifest = archive.manifest(connection, each.id)
                    stored = archive.restore(connection, each.id, None)
                    contents = contents or in_memory(stored)
                    source = read_again(stored, manifest.input.path)
                    references = {entry.messages[0]: entry.reference for entry in manifest.removed if entry.messages}
                    originals.append(_as_original(source, references))
            return [*_earlier(contents, path), *originals]
    except StoreError as error:
        session.say(f"the archive cannot be read: {error}")
        return []


def _compactions(database: Database, payload: Payload, path: str, data: bytes) -> list[Archived]:
    """Return the newest compactions that the agent made of the session, oldest first."""
    from compactor_cli.archive.manifest import id_key, session_keys
    from compactor_cli.archive.stored import archive, rounds
    from compactor_cli.hooks.archiving import STRATEGY

    keys = session_keys(read_again(data, path)) if data else ()
    if payload.session and not keys:
        keys = tuple(id_key(name, payload.session) for name in ("claude-code", "codex"))
    with database.read() as connection:
        past = rounds.history(connection, keys) if keys else []
        ids = sorted({made.compaction for made in past if made.round.strategy == STRATEGY})
        return [archive.known(connection, each) for each in ids[-_ORIGINALS:]]


def _earlier(data: bytes, path: str) -> list[Original]:
    """Return the session as it was before each compaction recorded in its file, oldest first."""
    lines = data.splitlines(keepends=True)
    ends = _boundaries(lines)[-_ORIGINALS:]
    histories = [_as_original(read_again(b"".join(lines[:end]), path)) for end in ends]
    return [history for history in histories if history.messages]


def _as_original(source: Source, references: Mapping[int, str] | None = None) -> Original:
    session = source.transcripts[0]
    return Original(session.messages, references or {}, session.folder)


def _more(path: str) -> str:
    shown = f'"{path}"' if " " in path else path
    return (
        "### More\n"
        f"- `compactor restore {shown} --search WORDS` finds messages of the original session.\n"
        f"- `compactor restore {shown} --ref ctx_…` prints the message of a reference."
    )
