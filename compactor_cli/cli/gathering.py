"""Sessions that are not a single file: a database or storage of opencode, and a folder of OpenHands events.

They are read as JSON lines with one conversation or event each, in the form that the agent itself exports. Results
are separate files, with one exception: events can be added to a folder of events.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from compactor_cli.cli.files import changed_error, read_content, real_path, write_bytes
from compactor_cli.errors import AccessError, InputError, UsageError
from compactor_cli.model.content import Content, is_same_content, read_all
from compactor_cli.text.patterns import compiled_later

if TYPE_CHECKING:
    import sqlite3

_SQLITE = b"SQLite format 3\0"
_EVENT = compiled_later(r"event-(\d+)-[0-9A-Za-z-]+\.json\Z")
_OLD_EVENT = compiled_later(r"(\d+)\.json\Z")
_TABLES = {"session", "message", "part"}


def is_gathered(path: str) -> bool:
    """Return whether a path holds one or more sessions in parts."""
    try:
        return _events_folder(Path(path)) is not None or _is_database(Path(path)) or _is_in_storage(Path(path))
    except OSError:  # the code that reads the path reports why it cannot
        return False


def read_session(path: str) -> Content:
    """Return the bytes of a session: from its file, from standard input for `-`, or assembled from its parts."""
    return gather_sessions(path) if path != "-" and is_gathered(path) else read_content(path)


def refuse_in_place(paths: Iterable[str], contents: Collection[str] = (), *, appends: bool = False) -> None:
    """Raise UsageError if an input is not a single file that can be replaced. `contents`: names of sessions without
    a file of their own. `appends`: the run only appends, so a folder of events is fine."""
    for path in paths:
        if path == "-":
            raise UsageError("standard input cannot be replaced in place; use -o")
        parts = path in contents or is_gathered(path)
        if appends and path not in contents and parts and _events_folder(Path(path)) is not None:
            continue
        if parts:
            raise UsageError(
                f"--in-place: {path} is a session in several files, which cannot be replaced; write to a file with -o"
            )


def gather_sessions(path: str) -> bytes:
    """Return the sessions at a path as JSON lines. Raises InputError if they cannot be read."""
    try:
        folder = _events_folder(Path(path))
        lines = (
            _events(folder) if folder else _sessions(path) if _is_database(Path(path)) else _stored_sessions(Path(path))
        )
        return b"".join(line + b"\n" for line in lines)
    except OSError as error:
        raise AccessError(f"cannot be read: {error.strerror}", path=path) from None


def add_events(path: str, before: Content, after: Content) -> None:
    """Write the events that `after` has beyond `before` as new files. Raises InputError if the folder has changed."""
    folder = _events_folder(Path(path))
    if folder is None or not is_same_content(gather_sessions(path), before):
        raise changed_error(path)
    like = [str(file) for _, file in _numbered_files(folder)]
    for number, line in enumerate(after[len(before) :].splitlines(), start=read_all(before).count(b"\n")):
        write_bytes(str(folder / f"event-{number:05}-{json.loads(line)['id']}.json"), line, inputs=like)


def _events_folder(path: Path) -> Path | None:
    """Return the folder with the events of a conversation; `path` may be that folder or its parent."""
    if not path.is_dir():
        return None
    for folder in (path / "events", path):
        if folder.name == "events" and folder.is_dir() and next(_numbered_files(folder), None) is not None:
            return folder
    return None


def _numbered_files(folder: Path) -> Iterator[tuple[int, Path]]:
    for file in folder.iterdir():
        match = _EVENT.match(file.name) or _OLD_EVENT.match(file.name)
        if match:
            yield int(match[1]), file


def _events(folder: Path) -> Iterator[bytes]:
    """Yield the events in order; like the SDK, ignore everything after a gap in its numbers."""
    files = sorted(_numbered_files(folder))
    for index, (number, file) in enumerate(files):
        if _EVENT.match(file.name) and number != index:
            return
        yield file.read_bytes().strip().replace(b"\r", b" ").replace(b"\n", b" ")


def _is_in_storage(path: Path) -> bool:
    if not (path / "session").is_dir() and not (path.suffix == ".json" and path.is_file()):
        return False
    path = path.absolute()
    if path.is_file() and not {folder.name for folder in path.parents[:2]} & {"session", "message", "part"}:
        return False
    from compactor_cli.agents.opencode_storage import is_storage, storage_around

    return is_storage(path) or storage_around(path) is not None


def _stored_sessions(path: Path) -> Iterator[bytes]:
    """Yield the session of a file in a storage, or all sessions of a storage that have messages, oldest first."""
    from compactor_cli.agents.opencode_storage import (
        creation_time,
        export_session,
        session_files,
        session_id_of,
        storage_around,
    )

    storage = storage_around(path.absolute())
    if storage and storage[1] != "session":
        stored_session = session_id_of(path.absolute(), storage[0])
        where = f"its session, {stored_session}" if stored_session else f"the folder {storage[0]}"
        raise InputError(f"holds a {storage[1]} of an opencode session, not a session; name {where}", path=str(path))
    sessions = [export_session(file, _read_object) for file in ([path.absolute()] if storage else session_files(path))]
    for session in sorted(sessions, key=lambda entry: creation_time(entry["info"])):
        if session["messages"] or storage:
            yield json.dumps(session, ensure_ascii=False).encode("utf-8", "backslashreplace")


def _read_object(file: Path) -> dict[str, Any]:
    """Return the JSON object in a file. Raises InputError if the file contains anything else."""
    try:
        value = json.loads(file.read_bytes())
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise InputError(
            "a file of an opencode session that is not a JSON object; move it away to read the rest", path=str(file)
        )
    return value


def _is_database(path: Path) -> bool:
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(len(_SQLITE)) == _SQLITE


def _sessions(path: str) -> Iterator[bytes]:
    """Yield the sessions of an opencode database that have messages, oldest first, as `opencode export` writes them."""
    import sqlite3

    try:
        connection = sqlite3.connect(f"{real_path(path).as_uri()}?mode=ro", uri=True)
        connection.row_factory = sqlite3.Row
        try:
            tables = {row["name"] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
            if not tables >= _TABLES:
                raise InputError("a database that was not written by opencode", path=path)
            for row in connection.execute("SELECT * FROM session ORDER BY time_created, id"):
                session = _session(connection, row)
                if session["messages"]:
                    yield json.dumps(session, ensure_ascii=False).encode()
        finally:
            connection.close()
    except (sqlite3.Error, ValueError, RecursionError) as error:
        raise InputError(f"the database cannot be read: {error}", path=path) from None


def _session(connection: sqlite3.Connection, row: sqlite3.Row) -> dict[str, Any]:
    session_id = (row["id"],)
    parts: dict[str, list[dict[str, Any]]] = {}
    for part in connection.execute("SELECT * FROM part WHERE session_id = ? ORDER BY id", session_id):
        ids = {"id": part["id"], "messageID": part["message_id"], "sessionID": row["id"]}
        parts.setdefault(part["message_id"], []).append({**ids, **json.loads(part["data"])})
    messages = []
    for entry in connection.execute("SELECT * FROM message WHERE session_id = ? ORDER BY time_created, id", session_id):
        about = {"id": entry["id"], "sessionID": row["id"], **json.loads(entry["data"])}
        messages.append({"info": about, "parts": parts.get(entry["id"], [])})
    info = {
        "id": row["id"],
        "projectID": row["project_id"],
        "directory": row["directory"],
        **({"parentID": row["parent_id"]} if row["parent_id"] else {}),
        "title": row["title"],
        "version": row["version"],
        "time": {"created": row["time_created"], "updated": row["time_updated"]},
    }
    return {"info": info, "messages": messages}
