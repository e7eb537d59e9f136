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

from compactor_cli.cli.databases import create_database, existing_database
from compactor_cli.cli.files import is_there, make_folder, read_bytes, write_bytes
from compactor_cli.cli.lookup import read_again
from compactor_cli.cli.options import ConfiguredOptions
from compactor_cli.cli.options import parse_tokens as tokens_of
from compactor_cli.cli.session import Session, open_session
from compactor_cli.configuration.layers import Layer
from compactor_cli.errors import CompactorError, InputError, StoreError, UsageError, bug_message
from compactor_cli.hooks.context import Original, restored_context
from compactor_cli.hooks.payload import Payload, parse_payload, start_output
from compactor_cli.model.content import read_all
from compactor_cli.text.clean import visible

if TYPE_CHECKING:
    from compactor_cli.db.database import Database
    from compactor_cli.model.archived import Archived
    from compactor_cli.model.transcript import Source

_MAX_ORIGINALS = 5
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


def answer_hook(args: ConfiguredOptions, tokens: str, overrides: Layer, unknown: Sequence[str]) -> None:
    """Answer the payload on standard input. Failures exit with code 0, as code 2 would stop the agent at some
    events."""
    try:
        if unknown:
            _print_message(f"ignored, as unknown: {' '.join(unknown)}", quiet=args.quiet)
        _handle_payload(parse_payload(read_bytes("-")), args, tokens, overrides)
    except CompactorError as error:
        _print_message(str(error), quiet=args.quiet)
    except BadParameter as error:
        _print_message(error.message, quiet=args.quiet)
    except Exception as error:  # report a bug, and let the agent continue
        if args.debug:
            import traceback

            traceback.print_exc()
        _print_message(bug_message(error), quiet=args.quiet)


def _print_message(text: str, *, quiet: bool) -> None:
    if not quiet:
        print(visible(f"compactor hook: {text}; the agent continues without it"), file=sys.stderr)  # noqa: T201


def _handle_payload(payload: Payload, args: ConfiguredOptions, tokens: str, overrides: Layer) -> None:
    if not (payload.is_before or payload.is_after):
        return
    session = open_session(args, overrides, profile=True)
    if payload.is_before:
        _archive_session(session, payload)
    else:
        limit = tokens_of(tokens) if tokens else session.settings.hook.tokens
        context = _restored_context(session, payload, limit)
        if context:
            print(start_output(context))  # noqa: T201  # for the agent


def _session_path(payload: Payload) -> str:
    if not payload.transcript:
        raise UsageError("the payload names no transcript_path, so there is nothing to archive")
    return str(Path(payload.transcript).expanduser())


# Before the agent's compaction.


def _archive_session(session: Session, payload: Payload) -> None:
    """Archive the session, and write a copy if asked for. Standard output stays empty: an agent may obey it."""
    hook = session.settings.hook
    source = session.load(_session_path(payload))
    if hook.archive and source.message_count:
        _archive(session, source)
    if hook.folder and source.message_count:
        _write_compacted_copy(session, source)


def _archive(session: Session, source: Source) -> None:
    from compactor_cli.archive.manifest import cut_chunks
    from compactor_cli.archive.stored import archive
    from compactor_cli.cli.recording import evict
    from compactor_cli.hooks.archiving import make_manifest

    now = time.time()
    source = replace(source, path=str(Path(source.path).absolute()))
    with create_database(session.reading.database_url) as database:
        with database.write() as connection:
            archive.keep(connection, make_manifest(source, session.counter.name), cut_chunks(source), now)
        evict(session, database, now)
    session.say(f"archived {source.path}: {source.message_count} messages, {source.tokens:,} tokens")


def _write_compacted_copy(session: Session, source: Source) -> None:
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
    while (out_path := folder / f"{stem}.{number}.jsonl").exists():
        number += 1
    data, parts = compact_source(source, [session.tools(t, settings) for t in source.transcripts], settings)
    keeper = Keeper(session)
    try:
        stored_result = keeper.store(source, data, parts, str(out_path), changed=data != source.data)
        write_bytes(str(out_path), data, inputs=[source.path])
        keeper.confirm_output(stored_result, ())
    finally:
        keeper.close()
    session.say(f"compacted to {out_path}: {sum(part.tokens for part in parts):,} tokens")


# After the agent's compaction.


def _restored_context(session: Session, payload: Payload, limit: int) -> str:
    path = _session_path(payload)
    data = _contents(session, path)
    now = _to_original(read_again(data, path)) if data else Original(())
    earlier = _recorded_originals(data, path)
    written = bool(earlier) and _has_just_compacted(data)
    before = earlier[-1] if written else now
    originals = _archived_originals(session, payload, path, data)
    if not originals and data:
        session.say(f"{path}: nothing of it is archived, so the file itself is read")
        originals = earlier if written else [*earlier, before]
    elif originals and not {m.id for m in before.messages} <= {m.id for m in originals[-1].messages}:
        session.say(f"{path}: its last part is not archived, so the file itself is read")
        originals = [*originals, before]
    if not originals:
        raise InputError("the session does not exist, and nothing of it is archived", path=path)
    return restored_context(
        originals, now.messages if written else (), _restore_hint(path), session.counter.count, limit
    )


def _contents(session: Session, path: str) -> bytes:
    """Return the contents of the session's file; empty if it is gone or unreadable."""
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
    lines_after = lines[_boundaries(lines)[-1] + 1 :]
    return not any(b'"assistant"' in line for line in lines_after)


def _boundaries(lines: Sequence[bytes]) -> list[int]:
    return [index for index, line in enumerate(lines) if index and any(word in line for word in _BOUNDARIES)]


def _archived_originals(session: Session, payload: Payload, path: str, data: bytes) -> list[Original]:
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
                for compaction_id in ids:
                    if not compaction_id.kept:
                        continue
                    manifest = archive.manifest(connection, compaction_id.id)
                    stored = archive.restore(connection, compaction_id.id, None)
                    contents = contents or read_all(stored)
                    source = read_again(stored, manifest.input.path)
                    references = {entry.messages[0]: entry.reference for entry in manifest.removed if entry.messages}
                    originals.append(_to_original(source, references))
            return [*_recorded_originals(contents, path), *originals]
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
        past_rounds = rounds.history(connection, keys) if keys else []
        ids = sorted({past_round.compaction for past_round in past_rounds if past_round.round.strategy == STRATEGY})
        return [archive.get_compaction(connection, compaction_id) for compaction_id in ids[-_MAX_ORIGINALS:]]


def _recorded_originals(data: bytes, path: str) -> list[Original]:
    """Return the session as it was before each compaction recorded in its file, oldest first."""
    lines = data.splitlines(keepends=True)
    boundaries = _boundaries(lines)[-_MAX_ORIGINALS:]
    histories = [_to_original(read_again(b"".join(lines[:end]), path)) for end in boundaries]
    return [history for history in histories if history.messages]


def _to_original(source: Source, references: Mapping[int, str] | None = None) -> Original:
    session = source.transcripts[0]
    return Original(session.messages, references or {}, session.folder)


def _restore_hint(path: str) -> str:
    quoted_path = f'"{path}"' if " " in path else path
    return (
        "### More\n"
        f"- `compactor restore {quoted_path} --search WORDS` finds messages of the original session.\n"
        f"- `compactor restore {quoted_path} --ref ctx_…` prints the message of a reference."
    )
