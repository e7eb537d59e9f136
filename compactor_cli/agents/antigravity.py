"""Antigravity CLI: .gemini/antigravity-cli/brain/ID/.system_generated/logs/transcript.jsonl."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from compactor_cli.agents.base import About, Agent, FoundSession, Machine, files_below, new_session
from compactor_cli.agents.reading import estimated, lines_of, request, word

_LOG = (".system_generated", "logs", "transcript.jsonl")
_TYPED = re.compile(r"<USER_REQUEST>(.*?)(?:</USER_REQUEST>|$)", re.DOTALL)
_INTERNAL = (b'"type":"CHECKPOINT"', b'"type":"CONVERSATION_HISTORY"', b'"type":"EPHEMERAL_MESSAGE"')


def _folders(machine: Machine) -> list[Path]:
    return [machine.folder_by_variable("", ".gemini", "antigravity-cli", "brain")]


def _find(folder: Path) -> Iterator[FoundSession]:
    for entry in files_below(folder, 3):
        parts = Path(entry.path).relative_to(folder).parts
        if parts[1:] == _LOG:
            yield new_session(AGENT.name, entry, parts[0])


def _look(session: FoundSession) -> About:
    lines = lines_of(session.path, session.size)
    return About(
        request=lines.first_picked(_request, b'"USER_INPUT"') or "",
        messages=lines.count(lambda line: bool(line) and not any(kind in line[:120] for kind in _INTERNAL)),
        tokens=estimated(session.size),
    )


def _request(value: dict[str, Any]) -> str | None:
    content = word(value, "content")
    typed = _TYPED.search(content)
    return request(typed[1] if typed else content) if value.get("type") == "USER_INPUT" else None


AGENT = Agent(
    name="antigravity",
    title="Antigravity",
    format="antigravity",
    aliases=("antigravity-cli",),
    folders=_folders,
    find=_find,
    look=_look,
)
