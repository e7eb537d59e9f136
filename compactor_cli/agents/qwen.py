"""Qwen Code: .qwen/projects/SLUG/chats/ID.jsonl, and chats/archive/."""

from __future__ import annotations

import re
from pathlib import Path

from compactor_cli.agents.base import About, Agent, FoundSession, Machine, find_files, jsonl_id
from compactor_cli.agents.reading import asked, lines_of, marked, used

_KINDS = (b'"type":"user"', b'"type":"assistant"', b'"type":"tool_result"')


def _folders(machine: Machine) -> list[Path]:
    return [machine.home / ".qwen" / "projects"]


def _id(path: Path) -> str | None:
    return jsonl_id(path) if path.parts[1:-1] in (("chats",), ("chats", "archive")) else None


def _look(session: FoundSession) -> About:
    lines = lines_of(session)
    known_id, project = lines.first_word("sessionId"), lines.first_word("cwd")
    request = asked("type", "user", "message", "parts", unless="subtype")
    tokens = used("usageMetadata", "usageMetadata", "totalTokenCount")
    return lines.about(request, marked(400, *_KINDS), tokens, id=known_id, project=project)


def _new_folder(machine: Machine, project: str, began: float) -> Path | None:
    slug = re.sub(r"[^A-Za-z0-9]", "-", project)
    return _folders(machine)[0] / slug / "chats" if project else None


AGENT = Agent(
    name="qwen",
    title="Qwen Code",
    aliases=("qwen-code",),
    folders=_folders,
    find=find_files("qwen", 3, _id),
    look=_look,
    resume="qwen --resume {id}",
    new_folder=_new_folder,
    new_name=lambda session, _: f"{session}.jsonl",
)
