"""opencode's older storage: folders storage/{session,message,part}/ with a JSON file each.

A session stands in session/PROJECT/ID.json, its messages in message/ID/, the parts of each in part/MESSAGE/; the first
versions put all parts into part/ itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from compactor_cli.agents.reading import document, whole, word

Read = Callable[[Path], dict[str, Any]]
"""Reads a file that is one JSON object."""
_FOLDERS = ("session", "message", "part")


def is_storage(folder: Path) -> bool:
    return all((folder / name).is_dir() for name in _FOLDERS[:2])


def storage_around(file: Path) -> tuple[Path, str] | None:
    """Return the storage that a file stands in, and which of its folders; None for a file anywhere else."""
    for folder in (file.parents[1:3]) if file.suffix == ".json" else ():
        own = folder / file.relative_to(folder).parts[0]
        if own.name in _FOLDERS and is_storage(folder):
            return folder, own.name
    return None


def session_files(storage: Path) -> list[Path]:
    return sorted((storage / "session").glob("*/*.json"))


def session_of(file: Path, storage: Path) -> Path | None:
    """Return the session of a file with a message or a part; None where it is not there."""
    folder = file.parent.name
    if file.is_relative_to(storage / "part"):
        wanted = word(document(file), "messageID") or folder
        files = (storage / "message").glob("*/*.json")
        folder = next((path.parent.name for path in files if wanted in (path.stem, word(document(path), "id"))), "")
    return next((path for path in session_files(storage) if folder == _id(document(path), path)), None)


def messages(storage: Path, id: str, read: Read = document) -> list[tuple[dict[str, Any], Path]]:
    """Return the messages of a session in their order, each with its file."""
    pairs = [(read(path), path) for path in (storage / "message" / id).glob("*.json")]
    return sorted(pairs, key=lambda pair: (created(pair[0]), str(pair[0].get("id"))))


def parts(
    storage: Path, info: dict[str, Any], file: Path, read: Read = document
) -> Iterator[tuple[Path, dict[str, Any]]]:
    """Yield the parts of a message in their order, each with its file."""
    name = _id(info, file)
    files = [*(storage / "part").glob("*.json"), *(storage / "part" / name).glob("*.json")]
    for path in sorted(files, key=lambda path: path.name):
        part = read(path)
        if path.parent.name == name or word(part, "messageID") == name:
            yield path, part


def exported(file: Path, read: Read = document) -> dict[str, Any]:
    """Return the session that `file` holds as `opencode export` writes it; ids that files are named by are written
    out."""
    storage, session = file.parents[2], read(file)
    own = _id(session, file)
    written = []
    for info, path in messages(storage, own, read):
        about: dict[str, Any] = {"id": _id(info, path), "sessionID": own, **info}
        ids: dict[str, Any] = {"messageID": about["id"], "sessionID": own}
        own_parts = [{"id": place.stem} | ids | part for place, part in parts(storage, info, path, read)]
        written.append({"info": about, "parts": own_parts})
    return {"info": session, "messages": written}


def _id(value: dict[str, Any], file: Path) -> str:
    return word(value, "id") or file.stem


def created(info: dict[str, Any]) -> int:
    """Return when a session or a message was begun, in milliseconds; 0 where it does not say."""
    times = info.get("time")
    return whole(times.get("created")) if isinstance(times, dict) else 0
