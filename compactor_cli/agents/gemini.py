"""Gemini CLI: .gemini/tmp/PROJECT/chats/session-TIME-ID8.jsonl, or .json; PROJECT is a short id or a hash."""

from __future__ import annotations

from datetime import datetime, timezone
from hashlib import sha256
from pathlib import Path
from typing import Any

from compactor_cli.agents import reading
from compactor_cli.agents.base import About, Agent, Figure, FoundSession, Machine, find_files
from compactor_cli.formats.values import word

_USED = reading.used("tokens", "tokens", "total")
_COMMAND_PREFIXES = ("/", "?")
"""How messages begin that are commands to the agent."""


def _folders(machine: Machine) -> list[Path]:
    return [machine.folder_by_variable("GEMINI_CLI_HOME", "") / ".gemini" / "tmp"]


def _id(path: Path) -> str | None:
    is_session = path.parent.name == "chats" and path.name.startswith("session-") and path.suffix in (".json", ".jsonl")
    return "" if is_session else None


def _look(session: FoundSession) -> About:
    project = _project(session.path.parent.parent)
    if session.path.suffix == ".json":
        return _look_at_document(session, reading.document(session.path), project)
    lines = reading.lines_of(session)
    is_message = reading.marked(200, b'"type":"user"', b'"type":"gemini"')
    return lines.about((_request, b'"user"'), is_message, _USED, id=lines.first_word("sessionId"), project=project)


def _look_at_document(session: FoundSession, whole_file: dict[str, Any], project: str) -> About:
    messages = reading.objects(whole_file.get("messages"))
    return About(
        id=word(whole_file, "sessionId"),
        project=project,
        request=next(filter(None, map(_request, messages)), ""),
        messages=Figure(len(messages), "counted") if messages else None,
        tokens=reading.tokens_or_size(map(_USED[0], reversed(messages)), session),
    )


def _project(folder: Path) -> str:
    """Return the root of a project, which the agent records in the project's folder and in projects.json."""
    try:
        return (folder / ".project_root").read_text(encoding="utf-8").strip()
    except (OSError, ValueError):
        project_folders = reading.document(folder.parent.parent / "projects.json").get("projects")
        pairs = project_folders.items() if isinstance(project_folders, dict) else ()
        return next((str(root) for root, name in pairs if name == folder.name), "")


def _request(value: dict[str, Any]) -> str | None:
    text = reading.request(value.get("content")) if value.get("type") == "user" else None
    return None if text is None or text.startswith(_COMMAND_PREFIXES) else text


def _new_folder(machine: Machine, project: str, began: float) -> Path | None:
    """Return the chats folder of the project with this root or root hash."""
    folders = sorted(_folders(machine)[0].glob("*/"))
    roots = {folder: _project(folder) for folder in folders}
    matching = (
        f for f, root in roots.items() if project and project in (f.name, root, sha256(root.encode()).hexdigest())
    )
    folder = next(matching, None)
    return folder / "chats" if folder else None


AGENT = Agent(
    name="gemini-cli",
    title="Gemini CLI",
    aliases=("gemini",),
    folders=_folders,
    find=find_files("gemini-cli", 2, _id),
    look=_look,
    resume="gemini --resume {id}",
    new_folder=_new_folder,
    new_name=lambda session, began: (
        f"session-{datetime.fromtimestamp(began, timezone.utc):%Y-%m-%dT%H-%M}-{session[:8]}.jsonl"
    ),
)
