"""Hermes: .hermes/sessions/session_ID.json."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from compactor_cli.agents.base import About, Agent, Figure, FoundSession, Machine, files_below, new_session
from compactor_cli.agents.reading import document, estimated, first_request, objects, word


def _folders(machine: Machine) -> list[Path]:
    return [machine.folder_by_variable("HERMES_HOME", ".hermes") / "sessions"]


def _find(folder: Path) -> Iterator[FoundSession]:
    for entry in files_below(folder, 0):
        if entry.name.startswith("session_") and entry.name.endswith(".json"):
            yield new_session(AGENT.name, entry, entry.name.removesuffix(".json").removeprefix("session_"))


def _look(session: FoundSession) -> About:
    value = document(session.path)
    messages = objects(value.get("messages"))
    return About(
        id=word(value, "session_id"),
        project=word(value, "cwd"),
        title=word(value, "title"),
        request=first_request(messages),
        messages=Figure(len(messages), "counted") if messages else None,
        tokens=estimated(session.size),
    )


AGENT = Agent(name="hermes", title="Hermes", format="hermes", folders=_folders, find=_find, look=_look)
