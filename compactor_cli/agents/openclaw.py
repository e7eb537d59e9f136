"""OpenClaw: .openclaw/agents/AGENT/sessions/ID.jsonl, in older versions below .clawdbot."""

from __future__ import annotations

from pathlib import Path

from compactor_cli.agents import entries
from compactor_cli.agents.base import Agent, Machine, find_files, jsonl_id


def _folders(machine: Machine) -> list[Path]:
    if machine.environment.get("OPENCLAW_STATE_DIR"):
        return [machine.folder_by_variable("OPENCLAW_STATE_DIR") / "agents"]
    return [machine.home / name / "agents" for name in (".openclaw", ".clawdbot")]


def _id(path: Path) -> str | None:
    """Return the id. Reset or deleted sessions have another suffix; a trajectory is a log of the same session."""
    session_id = jsonl_id(path) if path.parent.name == "sessions" else None
    return session_id if session_id is not None and not session_id.endswith(".trajectory") else None


AGENT = Agent(
    name="openclaw",
    title="OpenClaw",
    format="pi",
    aliases=("clawdbot",),
    folders=_folders,
    find=find_files("openclaw", 2, _id),
    look=entries.look,
)
