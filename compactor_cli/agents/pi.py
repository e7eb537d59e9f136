"""pi: .pi/agent/sessions/--SLUG--/TIME_UUID.jsonl."""

from __future__ import annotations

import re
from datetime import datetime, timezone
from pathlib import Path

from compactor_cli.agents import entries
from compactor_cli.agents.base import Agent, Machine, find_files, jsonl_id


def _folders(machine: Machine) -> list[Path]:
    return [machine.folder_by_variable("PI_CODING_AGENT_DIR", ".pi", "agent") / "sessions"]


def _id(path: Path) -> str | None:
    name = jsonl_id(path)
    return None if name is None else name.rpartition("_")[2]


def _new_folder(machine: Machine, project: str, began: float) -> Path | None:
    slug = re.sub(r"[/\\:]", "-", re.sub(r"^[/\\]", "", project))
    return _folders(machine)[0] / f"--{slug}--" if project else None


def _new_name(id: str, began: float) -> str:
    time = datetime.fromtimestamp(began, timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return f"{re.sub('[:.]', '-', time)}_{id}.jsonl"


AGENT = Agent(
    name="pi",
    title="pi",
    folders=_folders,
    find=find_files("pi", 1, _id),
    look=entries.look,
    resume="pi --session {path}",
    new_folder=_new_folder,
    new_name=_new_name,
)
