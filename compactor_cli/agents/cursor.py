"""Cursor: .cursor/projects/SLUG/agent-transcripts/, one file per session, without project, time or usage."""

from __future__ import annotations

from pathlib import Path

from compactor_cli.agents.base import About, Agent, FoundSession, find_files, jsonl_id
from compactor_cli.agents.reading import asked, lines_of, marked

_ROLES = (b'"role":"user"', b'"role":"assistant"')


def _id(path: Path) -> str | None:
    return jsonl_id(path) if path.parts[1:2] == ("agent-transcripts",) else None


def _look(session: FoundSession) -> About:
    slugs = (up.parent.name for up in session.path.parents if up.name == "agent-transcripts")
    project = next(slugs, session.path.parent.name)
    return lines_of(session).about(asked("role", "user", "message", "content"), marked(40, *_ROLES), project=project)


AGENT = Agent(
    name="cursor",
    title="Cursor",
    aliases=("cursor-agent",),
    folders=lambda machine: [machine.home / ".cursor" / "projects"],
    find=find_files("cursor", 4, _id, lambda path: "subagents" in path.parts),
    look=_look,
)
