"""Qwen Code: .qwen/projects/SLUG/chats/ID.jsonl, and chats/archive/."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from compactor_cli.agents.base import About, Agent, Figure, FoundSession, Machine, find_files, jsonl_id
from compactor_cli.agents.reading import inner, lines_of, recorded, request, to_int, tokens_or_size, word

_KINDS = (b'"type":"user"', b'"type":"assistant"', b'"type":"tool_result"')


def _folders(machine: Machine) -> list[Path]:
    return [machine.folder_by_variable("", ".qwen", "projects")]


def _id(path: Path) -> str | None:
    return jsonl_id(path) if path.parts[1:-1] in (("chats",), ("chats", "archive")) else None


def _look(session: FoundSession) -> About:
    lines = lines_of(session.path, session.size)
    return About(
        id=lines.first_picked(lambda value: word(value, "sessionId") or None, b'"sessionId"') or "",
        project=lines.first_picked(lambda value: word(value, "cwd") or None, b'"cwd"') or "",
        request=lines.first_picked(_request, b'"user"') or "",
        messages=lines.count(lambda line: any(kind in line[:400] for kind in _KINDS)),
        tokens=tokens_or_size(lines.last_picked(_token_figure, b'"usageMetadata"'), session),
    )


def _request(value: dict[str, Any]) -> str | None:
    if value.get("type") != "user" or value.get("subtype"):
        return None
    return request(inner(value, "message").get("parts"))


def _token_figure(value: dict[str, Any]) -> Figure | None:
    return recorded(to_int(inner(value, "usageMetadata").get("totalTokenCount")))


def _new_folder(machine: Machine, project: str, began: float) -> Path | None:
    slug = re.sub(r"[^A-Za-z0-9]", "-", project)
    return _folders(machine)[0] / slug / "chats" if project else None


AGENT = Agent(
    name="qwen",
    title="Qwen Code",
    format="qwen",
    aliases=("qwen-code",),
    folders=_folders,
    find=find_files("qwen", 3, _id),
    look=_look,
    resume="qwen --resume {id}",
    new_folder=_new_folder,
    new_name=lambda session, _: f"{session}.jsonl",
)
