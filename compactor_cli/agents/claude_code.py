"""Claude Code: projects/SLUG/UUID.jsonl; subagents in SLUG/UUID/subagents/, or beside it as agent-ID.jsonl."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from compactor_cli.agents.base import About, Agent, Figure, FoundSession, Machine, find_files, jsonl_id
from compactor_cli.agents.reading import JsonLines, estimated, lines_of, recorded, request, to_int
from compactor_cli.formats.values import inner, word

_TITLES = {"custom-title": "customTitle", "ai-title": "aiTitle", "summary": "summary"}
_BYTES_A_TOKEN = 15
"""Median of eight real sessions without a compaction. They contain results twice, and progress records."""
_SLUG_SEPARATOR = re.compile(r"[^A-Za-z0-9-]")


def _folders(machine: Machine) -> list[Path]:
    return [machine.folder_by_variable("CLAUDE_CONFIG_DIR", ".claude") / "projects"]


def _id(path: Path) -> str | None:
    return jsonl_id(path) if path.name.startswith("agent-") or len(path.parts) == 2 else None


def _look(session: FoundSession) -> About:
    lines = lines_of(session)
    return About(
        project=lines.first_word("cwd"),
        title=lines.last_picked(_title, b"itle") or lines.first_picked(_title, b'"summary"') or "",
        request=lines.first_picked(_request, b'"user"') or "",
        messages=_messages(lines),
        tokens=lines.last_picked(_token_figure, b'"usage"') or estimated(session.size, _BYTES_A_TOKEN),
    )


def _title(value: dict[str, Any]) -> str | None:
    key = _TITLES.get(word(value, "type"))
    return word(value, key) or None if key else None


def _request(value: dict[str, Any]) -> str | None:
    if value.get("type") != "user" or value.get("isMeta") or value.get("isCompactSummary"):
        return None
    return request(inner(value, "message").get("content"))


def _token_figure(value: dict[str, Any]) -> Figure | None:
    """Return the context size at the last answer, including the answer."""
    usage = inner(value, "message", "usage")
    if value.get("type") != "assistant" or value.get("isSidechain"):
        return None
    keys = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens", "output_tokens")
    return recorded(sum(to_int(usage.get(key)) for key in keys))


def _messages(lines: JsonLines) -> Figure | None:
    """Return the number of turns after the last boundary. Records of one answer share a message id."""
    if not lines.is_whole_file:
        return None
    turns = 0
    answers: set[bytes] = set()
    for line in lines.head:
        if b'"subtype":"compact_boundary"' in line:
            turns, answers = 0, set()
        elif b'"type":"progress"' in line or b'"isSidechain":true' in line[:300]:
            continue
        elif b'"type":"assistant"' in line:
            start = line.find(b'"id":"msg_')
            answers.add(line[start + 6 : line.find(b'"', start + 6)] if start >= 0 else line)
        elif b'"type":"user"' in line:
            turns += 1
    return Figure(turns + len(answers), "estimated")


AGENT = Agent(
    name="claude-code",
    title="Claude Code",
    aliases=("claude", "cc"),
    folders=_folders,
    find=find_files("claude-code", 3, _id, lambda path: path.name.startswith("agent-")),
    look=_look,
    resume="claude --resume {id}",
    new_folder=lambda machine, project, _: (
        _folders(machine)[0] / _SLUG_SEPARATOR.sub("-", project) if project else None
    ),
    new_name=lambda session, _: f"{session}.jsonl",
)
