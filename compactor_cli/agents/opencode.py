"""opencode: a SQLite database, in older versions folders storage/{session,message,part}/ with one file per item."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from compactor_cli.agents.base import About, Agent, Figure, FoundSession
from compactor_cli.agents.opencode_storage import export_session, messages, parts, session_files
from compactor_cli.agents.reading import document, parse_line, recorded, request, to_int, tokens_or_size
from compactor_cli.formats.values import inner, word

_DATABASE = "opencode.db"
_SESSIONS = """
SELECT s.id, s.parent_id, s.time_updated,
  (SELECT coalesce(sum(length(data)), 0) FROM message WHERE session_id = s.id)
  + (SELECT coalesce(sum(length(data)), 0) FROM part WHERE session_id = s.id)
FROM session s
"""
_PARTS = "SELECT data FROM part WHERE message_id = ? ORDER BY id"


def _find(folder: Path) -> Iterator[FoundSession]:
    with os.scandir(folder):
        pass  # raises OSError for an unreadable folder, for the caller to report
    if (folder / _DATABASE).is_file():
        path = folder / _DATABASE
        for session, parent, updated, size in _rows(path, _SESSIONS):
            used, is_subagent = updated / 1000, bool(parent)
            yield FoundSession(AGENT.name, path, str(session), int(size), used, is_subagent, is_in_database=True)
    elif (folder / "storage" / "session").is_dir():
        yield from _find_in_folders(folder / "storage")


def _open_database(path: Path) -> sqlite3.Connection:
    """Return the database, opened for reading. Without a write-ahead log, nobody is writing to it, so it is opened
    as immutable and no files are created next to it."""
    fixed = "" if Path(f"{path}-wal").exists() else "&immutable=1"
    return sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro{fixed}", uri=True)


def _rows(path: Path, query: str, *values: str) -> list[Any]:
    """Return the rows of a query. Raises OSError if the database cannot be read."""
    try:
        with closing(_open_database(path)) as database:
            return database.execute(query, values).fetchall()
    except sqlite3.Error as error:
        raise OSError(f"the database cannot be read: {error}") from None


def _find_in_folders(storage: Path) -> Iterator[FoundSession]:
    for path in session_files(storage):
        session = document(path)
        name = word(session, "id") or path.stem
        files = [path]
        for info, message in messages(storage, name):
            files += [message, *(part for part, _ in parts(storage, info, message))]
        states = [file.stat() for file in files]
        size, used = sum(state.st_size for state in states), max(state.st_mtime for state in states)
        times = session.get("time")
        if isinstance(times, dict) and to_int(times.get("updated")):
            used = times["updated"] / 1000
        yield FoundSession(AGENT.name, path, name, size, used, bool(session.get("parentID")), is_in_database=True)


def _look(session: FoundSession) -> About:
    if session.path.name == _DATABASE:
        return _look_into_database(session)
    whole_session = _export_session(session)
    infos = [message["info"] for message in whole_session["messages"]]
    requests = (_request(m["parts"]) for m in whole_session["messages"] if m["info"].get("role") == "user")
    return About(
        project=word(whole_session["info"], "directory"),
        title=word(whole_session["info"], "title"),
        request=next(filter(None, requests), ""),
        messages=Figure(len(infos), "counted"),
        tokens=tokens_or_size(map(_token_figure, reversed(infos)), session),
    )


def _look_into_database(session: FoundSession) -> About:
    path, name = session.path, session.id
    row = _rows(path, "SELECT directory, title FROM session WHERE id = ?", name)
    messages = _rows(path, "SELECT id, data FROM message WHERE session_id = ? ORDER BY time_created, id", name)
    infos = [(message, _data(data)) for message, data in messages]
    typed = (message for message, info in infos if info.get("role") == "user")
    requests = (_request([_data(data) for (data,) in _rows(path, _PARTS, message)]) for message in typed)
    return About(
        project=str(row[0][0]) if row else "",
        title=str(row[0][1]) if row else "",
        request=next(filter(None, requests), ""),
        messages=Figure(len(infos), "counted"),
        tokens=tokens_or_size((_token_figure(info) for _, info in reversed(infos)), session),
    )


def _request(parts: list[dict[str, Any]]) -> str | None:
    """Return what the user typed, without the parts that the agent adds to a message."""
    return request([part for part in parts if part.get("type") == "text" and not part.get("synthetic")])


def _token_figure(info: dict[str, Any]) -> Figure | None:
    tokens, cache = inner(info, "tokens"), inner(info, "tokens", "cache")
    sent = sum(to_int(tokens.get(key)) for key in ("input", "output", "reasoning"))
    return recorded(sent + to_int(cache.get("read")) + to_int(cache.get("write")))


def _export_session(session: FoundSession) -> dict[str, Any]:
    """Return a session in the form written by `opencode export`."""
    if session.path.name == _DATABASE:
        return _export_from_database(session.path, session.id)
    return export_session(session.path)


def _export_from_database(path: Path, id: str) -> dict[str, Any]:
    columns = "id, parent_id, project_id, directory, title, version, time_created, time_updated"
    row = next(iter(_rows(path, f"SELECT {columns} FROM session WHERE id = ?", id)), None)
    parts: dict[str, list[dict[str, Any]]] = {}
    every_part = "SELECT id, message_id, data FROM part WHERE session_id = ? ORDER BY id"
    for part, message, data in _rows(path, every_part, id):
        parts.setdefault(message, []).append({**_data(data), "id": part, "messageID": message, "sessionID": id})
    messages = _rows(path, "SELECT id, data FROM message WHERE session_id = ? ORDER BY time_created, id", id)
    info: dict[str, Any] = {}
    if row:
        *named, created, updated = row
        names = ("id", "parentID", "projectID", "directory", "title", "version")
        info = {name: value for name, value in zip(names, named, strict=True) if value is not None}
        info["time"] = {"created": created, "updated": updated}
    return {
        "info": info,
        "messages": [
            {"info": {**_data(data), "id": message, "sessionID": id}, "parts": parts.get(message, [])}
            for message, data in messages
        ],
    }


def _data(text: Any) -> dict[str, Any]:
    value = parse_line(text.encode("utf-8", "surrogatepass") if isinstance(text, str) else bytes(text))
    return value if isinstance(value, dict) else {}


AGENT = Agent(
    name="opencode",
    title="opencode",
    folders=lambda machine: [machine.folder_by_variable("XDG_DATA_HOME", ".local", "share") / "opencode"],
    find=_find,
    look=_look,
    resume="opencode -s {id}",
    export=lambda session: (
        json.dumps(_export_session(session), ensure_ascii=False, indent=1).encode("utf-8", "backslashreplace") + b"\n"
    ),
)
