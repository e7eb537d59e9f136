"""Kimi CLI: .kimi/sessions/MD5(cwd)/ID/context.jsonl. Compacted or undone history is in context_N.jsonl."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

from compactor_cli.agents.base import About, Agent, Figure, FoundSession, find_files, folder_id
from compactor_cli.agents.reading import asked, document, lines_of, recorded, to_int
from compactor_cli.formats.values import word


def _look(session: FoundSession) -> About:
    lines, state = lines_of(session), document(session.path.with_name("state.json"))
    project = _project(session.path.parents[3] / "kimi.json", session.path.parent.parent.name)
    title, used = word(state, "title") or word(state, "custom_title"), (_token_figure, b'"_usage"')
    return lines.about(asked("role", "user", "content"), _is_message, used, project=project, title=title)


def _is_message(line: bytes) -> bool:
    return b'"role"' in line[:20] and b'"_' not in line[:20]


def _project(projects_file: Path, name: str) -> str:
    """Return the folder whose MD5 is `name`, among those that the agent has recorded."""
    noted = document(projects_file).get("work_dirs")
    paths = [word(entry, "path") for entry in noted] if isinstance(noted, list) else []
    return next((path for path in paths if hashlib.md5(path.encode(), usedforsecurity=False).hexdigest() == name), "")


def _token_figure(value: dict[str, Any]) -> Figure | None:
    return recorded(to_int(value.get("token_count"))) if value.get("role") == "_usage" else None


AGENT = Agent(
    name="kimi",
    title="Kimi CLI",
    aliases=("kimi-cli",),
    folders=lambda machine: [machine.folder_by_variable("KIMI_SHARE_DIR", ".kimi") / "sessions"],
    find=find_files("kimi", 2, folder_id("context.jsonl")),
    look=_look,
    resume="kimi --session {id}",
)
