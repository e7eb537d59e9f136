"""OpenClaw: .openclaw/agents/AGENT/sessions/ID.jsonl, in older versions below .clawdbot."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from compactor_cli.agents import entries
from compactor_cli.agents.base import Agent, FoundSession, Machine, files_below, new_session


def _folders(machine: Machine) -> list[Path]:
    if machine.environment.get("OPENCLAW_STATE_DIR"):
        return [machine.folder_by_variable("OPENCLAW_STATE_DIR") / "agents"]
    return [machine.home / name / "agents" for name in (".openclaw", ".clawdbot")]


def _find(folder: Path) -> Iterator[FoundSession]:
    """Yield the sessions of the folder. Reset or deleted sessions have another suffix; a trajectory is a log of the
    same session."""
    for entry in files_below(folder, 2):
        stem = entry.name.removesuffix(".jsonl")
        in_sessions = Path(entry.path).parent.name == "sessions"
        if in_sessions and entry.name.endswith(".jsonl") and not stem.endswith(".trajectory"):
            yield new_session(AGENT.name, entry, stem)


AGENT = Agent(
    name="openclaw",
    title="OpenClaw",
    format="pi",
    aliases=("clawdbot",),
    folders=_folders,
    find=_find,
    look=entries.look,
)
