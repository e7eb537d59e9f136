"""opencode's older storage: folders storage/{session,message,part}/ with one JSON file per item.

A session is in session/PROJECT/ID.json, its messages in message/ID/, and the parts of each message in part/MESSAGE/.
The first versions put all parts directly into part/.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from compactor_cli.agents.reading import document, to_int
from compactor_cli.formats.values import word

Read = Callable[[Path], dict[str, Any]]
_FOLDERS = ("session", "message", "part")


def is_storage(folder: Path) -> bool:
    return all((folder / name).is_dir() for name in _FOLDERS[:2])


def storage_around(file: Path) -> tuple[Path, str] | None:
    """Return the storage that contains a file, and the name of the folder in it; None for files elsewhere."""
    for folder in (file.parents[1:3]) if file.suffix == ".json" else ():
        session_folder = folder / file.relative_to(folder).parts[0]
        if session_folder.name in _FOLDERS and is_storage(folder):
            return folder, session_folder.name
    return None


def session_files(storage: Path) -> list[Path]:
    return sorted((storage / "session").glob("*/*.json"))


def session_id_of(file: Path, storage: Path) -> Path | None:
    """Return the session file for the file of a message or part; None if it is missing."""
    folder = file.parent.name
    if file.is_relative_to(storage / "part"):
        message_id = word(document(file), "messageID") or folder
        files = (storage / "message").glob("*/*.json")
        folder = next((path.parent.name for path in files if message_id in (path.stem, word(document(path), "id"))), "")
    return next((path for path in session_files(storage) if folder == _id(document(path), path)), None)


def messages(storage: Path, id: str, read: Read = document) -> list[tuple[dict[str, Any], Path]]:
    """Return the messages of a session in order, each with its file."""
    pairs = [(read(path), path) for path in (storage / "message" / id).glob("*.json")]
    return sorted(pairs, key=lambda pair: (creation_time(pair[0]), str(pair[0].get("id"))))


def parts(
    storage: Path, info: dict[str, Any], file: Path, read: Read = document
) -> Iterator[tuple[Path, dict[str, Any]]]:
    name = _id(info, file)
    files = [*(storage / "part").glob("*.json"), *(storage / "part" / name).glob("*.json")]
    for path in sorted(files, key=lambda path: path.name):
        part = read(path)
        if path.parent.name == name or word(part, "messageID") == name:
            yield path, part


def export_session(file: Path, read: Read = document) -> dict[str, Any]:
    """Return the session as `opencode export` writes it, with the ids that only file names have."""
    storage, session = file.parents[2], read(file)
    session_id = _id(session, file)
    written = []
    for info, path in messages(storage, session_id, read):
        message_info: dict[str, Any] = {"id": _id(info, path), "sessionID": session_id, **info}
        ids: dict[str, Any] = {"messageID": message_info["id"], "sessionID": session_id}
        own_parts = [{"id": part_file.stem} | ids | part for part_file, part in parts(storage, info, path, read)]
        written.append({"info": message_info, "parts": own_parts})
    return {"info": session, "messages": written}


def _id(value: dict[str, Any], file: Path) -> str:
    return word(value, "id") or file.stem


def creation_time(info: dict[str, Any]) -> int:
    """Return when a session or message began, in milliseconds; 0 if unknown."""
    times = info.get("time")
    return to_int(times.get("created")) if isinstance(times, dict) else 0
