"""Antigravity CLI: .gemini/antigravity-cli/brain/ID/.system_generated/logs/transcript.jsonl."""

from __future__ import annotations

import re
from typing import Any

from compactor_cli.agents.base import About, Agent, FoundSession, find_files
from compactor_cli.agents.reading import lines_of, marked, request
from compactor_cli.formats.values import word

_LOG = (".system_generated", "logs", "transcript.jsonl")
_TYPED = re.compile(r"<USER_REQUEST>(.*?)(?:</USER_REQUEST>|$)", re.DOTALL)
_INTERNAL = (b'"type":"CHECKPOINT"', b'"type":"CONVERSATION_HISTORY"', b'"type":"EPHEMERAL_MESSAGE"')


def _look(session: FoundSession) -> About:
    is_internal = marked(120, *_INTERNAL)
    return lines_of(session).about((_request, b'"USER_INPUT"'), lambda line: bool(line) and not is_internal(line))


def _request(value: dict[str, Any]) -> str | None:
    content = word(value, "content")
    typed = _TYPED.search(content)
    return request(typed[1] if typed else content) if value.get("type") == "USER_INPUT" else None


AGENT = Agent(
    name="antigravity",
    title="Antigravity",
    aliases=("antigravity-cli",),
    folders=lambda machine: [machine.home / ".gemini" / "antigravity-cli" / "brain"],
    find=find_files("antigravity", 3, lambda path: path.parts[0] if path.parts[1:] == _LOG else None),
    look=_look,
)
