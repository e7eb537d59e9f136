"""Codex: sessions/YYYY/MM/DD/rollout-TIME-UUID.jsonl, or .jsonl.zst, and archived_sessions/."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from compactor_cli.agents.base import About, Agent, Figure, FoundSession, Machine, files_below, new_session, uuid_in
from compactor_cli.agents.reading import JsonLines, asked_inside, estimated, lines_of, recorded, request, to_int
from compactor_cli.formats.values import inner, word

_PACKED_SUFFIX = ".zst"


def _home(machine: Machine) -> Path:
    return machine.folder_by_variable("CODEX_HOME", ".codex")


def _folders(machine: Machine) -> list[Path]:
    return [_home(machine) / "sessions", _home(machine) / "archived_sessions"]


def _find(folder: Path) -> Iterator[FoundSession]:
    rollouts = [entry for entry in files_below(folder, 3) if entry.name.startswith("rollout-")]
    plain = {entry.path for entry in rollouts if entry.name.endswith(".jsonl")}
    for entry in rollouts:
        packed = entry.name.endswith(".jsonl" + _PACKED_SUFFIX)
        if entry.path in plain or (packed and entry.path.removesuffix(_PACKED_SUFFIX) not in plain):
            stem = entry.name.removesuffix(_PACKED_SUFFIX).removesuffix(".jsonl")
            yield new_session(AGENT.name, entry, uuid_in(stem) or stem)


def _look(session: FoundSession) -> About:
    if session.path.name.endswith(_PACKED_SUFFIX):
        return About()  # decompressing takes too long for a listing
    lines = lines_of(session)
    meta = lines.first_picked(
        lambda v: v.get("payload") if v.get("type") == "session_meta" else None, b'"session_meta"'
    )
    asked = lines.first_picked(_typed_text, b'"user_message"') or lines.first_picked(*asked_inside("payload"))
    return About(
        id=word(meta, "id"),
        project=word(meta, "cwd"),
        request=asked or "",
        messages=_messages(lines),
        tokens=lines.last_picked(_token_figure, b'"token_count"') or estimated(session.size),
    )


def _messages(lines: JsonLines) -> Figure | None:
    """Return the number of items after the last compaction."""
    if not lines.is_whole_file:
        return None
    items = 0
    for line in lines.head:
        items = 0 if b'"type":"compacted"' in line[:120] else items + (b'"type":"response_item"' in line[:120])
    return Figure(items, "estimated")


def _typed_text(value: dict[str, Any]) -> str | None:
    payload = inner(value, "payload")
    return request(payload.get("message")) if payload.get("type") == "user_message" else None


def _token_figure(value: dict[str, Any]) -> Figure | None:
    """Return the context size at the last answer, including the answer; the input count includes cached tokens."""
    usage = inner(value, "payload", "info", "last_token_usage")
    return recorded(to_int(usage.get("input_tokens")) + to_int(usage.get("output_tokens")))


def _new_folder(machine: Machine, project: str, began: float) -> Path:
    day = datetime.fromtimestamp(began, timezone.utc)
    return _folders(machine)[0] / f"{day:%Y}" / f"{day:%m}" / f"{day:%d}"


AGENT = Agent(
    name="codex",
    title="Codex",
    aliases=("codex-cli", "openai-codex"),
    folders=_folders,
    find=_find,
    look=_look,
    resume="codex resume {id}",
    new_folder=_new_folder,
    new_name=lambda session, began: (
        f"rollout-{datetime.fromtimestamp(began, timezone.utc):%Y-%m-%dT%H-%M-%S}-{session}.jsonl"
    ),
)
