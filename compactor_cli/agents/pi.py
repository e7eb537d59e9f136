"""pi: .pi/agent/sessions/--SLUG--/TIME_UUID.jsonl."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from compactor_cli.agents import entries
from compactor_cli.agents.base import Agent, Found, Machine, files_below, found


def _folders(machine: Machine) -> list[Path]:
    return [machine.place("PI_CODING_AGENT_DIR", ".pi", "agent") / "sessions"]


def _find(folder: Path) -> Iterator[Found]:
    for entry in files_below(folder, 1):
        if entry.name.endswith(".jsonl"):
            yield found(AGENT.name, entry, entry.name.removesuffix(".jsonl").rpartition("_")[2])


AGENT = Agent(
    name="pi",
    title="pi",
    format="pi",
    folders=_folders,
    find=_find,
    look=entries.look,
    resume="pi --session {path}",
)
