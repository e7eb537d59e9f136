"""OpenHands: .openhands/conversations/ID/ with base_state.json and a file per event; 0.x: sessions/ID/events/N.json."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from compactor_cli.agents.base import About, Agent, Figure, FoundSession, Machine
from compactor_cli.agents.reading import document, estimated, request
from compactor_cli.formats.values import inner, word

_FIRST = 30
"""Number of events searched for the first request."""


def _folders(machine: Machine) -> list[Path]:
    below = machine.home / ".openhands"
    return [below / "conversations", below / "sessions"]


def _find(folder: Path) -> Iterator[FoundSession]:
    with os.scandir(folder) as entries:
        sessions = [Path(entry.path) for entry in entries if entry.is_dir()]
    for session in sessions:
        states = [path.stat() for path in _events(session)]
        if states:
            size, used = sum(state.st_size for state in states), max(state.st_mtime for state in states)
            yield FoundSession(AGENT.name, session, session.name, size, used)


def _events(session: Path) -> list[Path]:
    """Return the event files in order of the numbers in their names."""
    try:
        names = [name for name in os.listdir(session / "events") if name.endswith(".json")]  # noqa: PTH208  # by name alone
    except OSError:
        return []
    return [session / "events" / name for name in sorted(names, key=_number)]


def _number(name: str) -> int:
    digits = name.removeprefix("event-").removesuffix(".json").partition("-")[0]
    return int(digits) if digits.isdigit() else 1 << 62


def _look(session: FoundSession) -> About:
    events = _events(session.path)
    requests = (_request(document(path)) for path in events[:_FIRST])
    state = document(session.path / "base_state.json")
    return About(
        id=word(state, "id"),
        project=word(inner(state, "workspace"), "working_dir"),
        request=next(filter(None, requests), ""),
        messages=Figure(len(events), "estimated"),
        tokens=estimated(session.size),
    )


def _request(event: dict[str, Any]) -> str | None:
    if event.get("source") != "user":
        return None
    message = event.get("llm_message")
    content = message.get("content") if isinstance(message, dict) else word(inner(event, "args"), "content")
    return request(content or event.get("message"))


AGENT = Agent(name="openhands", title="OpenHands", folders=_folders, find=_find, look=_look)
