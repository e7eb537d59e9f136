"""Hermes: .hermes/sessions/session_ID.json."""

from __future__ import annotations

from pathlib import Path

from compactor_cli.agents.base import About, Agent, Figure, FoundSession, find_files
from compactor_cli.agents.reading import document, estimated, first_request, objects
from compactor_cli.formats.values import word


def _id(path: Path) -> str | None:
    is_session = path.name.startswith("session_") and path.name.endswith(".json")
    return path.name.removesuffix(".json").removeprefix("session_") if is_session else None


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


AGENT = Agent(
    name="hermes",
    title="Hermes",
    folders=lambda machine: [machine.folder_by_variable("HERMES_HOME", ".hermes") / "sessions"],
    find=find_files("hermes", 0, _id),
    look=_look,
)
