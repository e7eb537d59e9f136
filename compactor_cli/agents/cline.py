"""Cline: .cline/data/sessions/ID/ID.messages.json, with ID.json and the sidecar ID.compaction.json beside it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from compactor_cli.agents.base import About, Agent, Figure, FoundSession, Machine, find_files
from compactor_cli.agents.reading import document, first_request, objects, recorded, to_int, tokens_or_size
from compactor_cli.formats.values import inner, word

_SUFFIX = ".messages.json"
_SENT = ("inputTokens",)
_CACHE_KEYS = ("cacheReadTokens", "cacheWriteTokens")


def _folders(machine: Machine) -> list[Path]:
    if machine.environment.get("CLINE_SESSION_DATA_DIR"):
        return [machine.folder_by_variable("CLINE_SESSION_DATA_DIR")]
    if machine.environment.get("CLINE_DATA_DIR"):
        return [machine.folder_by_variable("CLINE_DATA_DIR") / "sessions"]
    return [machine.folder_by_variable("CLINE_DIR", ".cline") / "data" / "sessions"]


def _look(session: FoundSession) -> About:
    value = document(session.path)
    record = document(session.path.with_name(session.id + ".json"))
    messages = objects(value.get("messages"))
    return About(
        id=word(record, "session_id") or word(value, "sessionId"),
        project=word(record, "cwd"),
        title=word(inner(record, "metadata"), "title"),
        request=first_request(messages),
        messages=Figure(len(messages), "counted") if messages else None,
        tokens=tokens_or_size(map(_token_figure, reversed(messages)), session),
    )


def _token_figure(message: dict[str, Any]) -> Figure | None:
    metrics = inner(message, "metrics")
    sent, cached = (sum(to_int(metrics.get(key)) for key in keys) for keys in (_SENT, _CACHE_KEYS))
    # except with a few providers, the tokens sent include the cached ones
    return recorded(to_int(metrics.get("outputTokens")) + (sent if sent >= cached else sent + cached))


AGENT = Agent(
    name="cline",
    title="Cline",
    folders=_folders,
    find=find_files("cline", 1, lambda path: path.name.removesuffix(_SUFFIX) if path.name.endswith(_SUFFIX) else None),
    look=_look,
    resume="cline --id {id}",
)
