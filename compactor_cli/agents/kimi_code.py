"""Kimi Code: .kimi-code/sessions/.../ID/agents/NAME/wire.jsonl; the agent named `main` holds the session itself."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from compactor_cli.agents.base import About, Agent, Figure, FoundSession, find_files
from compactor_cli.agents.reading import asked, document, lines_of, marked, recorded, to_int
from compactor_cli.formats.values import inner, word

_KINDS = (b"context.append_message", b'"tool.call"', b'"tool.result"', b'"content.part"')


def _id(path: Path) -> str | None:
    is_session = path.name == "wire.jsonl" and path.parent.parent.name == "agents"
    return path.parents[2].name if is_session else None


def _look(session: FoundSession) -> About:
    lines, state = lines_of(session), document(session.path.parents[2] / "state.json")
    project, request = word(state, "workDir") or word(state, "cwd"), asked("type", "turn.prompt", "input")
    used, is_message = (_token_figure, b'"usage"'), marked(120, *_KINDS)
    return lines.about(request, is_message, used, project=project, title=word(state, "title"))


def _token_figure(value: dict[str, Any]) -> Figure | None:
    event = inner(value, "event")
    usage = inner(event, "usage") if event.get("type") == "step.end" else {}
    return recorded(sum(map(to_int, usage.values())))


AGENT = Agent(
    name="kimi-code",
    title="Kimi Code",
    format="kimi",
    folders=lambda machine: [machine.folder_by_variable("KIMI_CODE_HOME", ".kimi-code") / "sessions"],
    find=find_files("kimi-code", 5, _id, lambda path: path.parent.name != "main"),
    look=_look,
)
