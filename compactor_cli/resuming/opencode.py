"""opencode: a request for a summary, the summary that answers it, and copies of the messages that are kept.

Ids sort by time, and each message and part has its own id in the agent's database, so copies get new ids.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from compactor_cli.converting.base import digest, millis
from compactor_cli.formats import jsonedit
from compactor_cli.formats.opencode_records import MODEL, NO_TOKENS
from compactor_cli.model.message import Path
from compactor_cli.resuming.base import Agentic, Compacted

_STAMP = slice(4, 16)
"""Position in an id of its time, in 12 hex digits."""
_IDS = ("id", "sessionID", "messageID", "parentID", "tail_start_id")


class ResumedOpenCode(Agentic):
    format = "opencode"
    appends = "a request for a summary, the summary, and what is kept after it"
    lines = False
    project_path = ("info", "directory")

    def append(self, compacted: Compacted) -> list[Any]:
        summary, kept = compacted.lead()
        infos = [value["info"] for _, value in compacted.records]
        answer: dict[str, Any] = next((info for info in reversed(infos) if info.get("role") == "assistant"), {})
        session, created = compacted.before.session_id, millis(compacted.last_time()) + 1
        values = list(_compaction(compacted, session, created, summary, answer))
        renamed: dict[str, str] = {}
        request_id = values[0]["info"]["id"]
        for number, (_, value) in enumerate(kept, start=2):
            info, time_ms = value["info"], created + number
            message_id = _id("msg", time_ms, compacted.key, str(number))
            renamed[str(info.get("id"))] = message_id
            if info.get("role") == "user":
                request_id = message_id
            else:
                info = {**info, "parentID": renamed.get(str(info.get("parentID")), request_id)}
            time = {**(info["time"] if isinstance(info.get("time"), dict) else {}), "created": time_ms}
            parts = [
                {**part, "id": _id("prt", time_ms, compacted.key, f"{number} {part_index}"), "messageID": message_id}
                for part_index, part in enumerate(value["parts"])
            ]
            values.append({**value, "info": {**info, "id": message_id, "time": time}, "parts": parts})
        return values

    def rename(self, value: Any, old: str, new: str) -> dict[Path, str]:
        return {path: jsonedit.encode(_replace_id(name, old, new)) for path, name in _ids(value)}


def _compaction(
    compacted: Compacted, session: str, created: int, summary: str, answer: dict[str, Any]
) -> Iterator[dict[str, Any]]:
    """Yield the request for a summary and the summary in the agent's own form."""
    ids = [_id("msg", created + number, compacted.key, str(number)) for number in range(2)]
    model = {name: str(answer.get(name) or "") for name in MODEL}
    path = answer["path"] if isinstance(answer.get("path"), dict) else {"cwd": "", "root": ""}
    agent = str(answer.get("agent") or "build")
    request = {"role": "user", "time": {"created": created}, "agent": agent, "model": model}
    answered = {
        "role": "assistant",
        "time": {"created": created + 1, "completed": created + 1},
        "parentID": ids[0],
        **model,
        "mode": "compaction",
        "agent": "compaction",
        "path": path,
        "cost": 0,
        "tokens": NO_TOKENS,
        "summary": True,
        "finish": "stop",
    }
    infos: list[dict[str, Any]] = [request, answered]
    parts: list[dict[str, Any]] = [{"type": "compaction", "auto": False}, {"type": "text", "text": summary}]
    for number, (info, part) in enumerate(zip(infos, parts, strict=True)):
        compaction_part = {"id": _id("prt", created + number, compacted.key, f"{number} 0"), "sessionID": session}
        head = {"id": ids[number], "sessionID": session}
        yield {"info": {**head, **info}, "parts": [{**compaction_part, "messageID": ids[number], **part}]}


def _id(kind: str, created: int, key: str, word: str) -> str:
    """Return an id that sorts by its time, given in milliseconds; the same key and word give the same id."""
    counter = int(word.rpartition(" ")[2]) % 0x1000
    return f"{kind}_{(created * 0x1000 + counter) % (1 << 48):012x}{digest(key, kind, word)[:14]}"


def _replace_id(name: str, old: str, new: str) -> str:
    """Return the new id of a session or of something in it; it sorts like the old one."""
    if name == old:
        return new
    return f"{name[:4]}{name[_STAMP]}{digest(new, name)[:14]}"


def _ids(value: Any, path: Path = ()) -> Iterator[tuple[Path, str]]:
    """Yield the ids of sessions, messages and parts with their paths, but none from texts."""
    if not isinstance(value, dict):
        return
    for name in _IDS:
        if isinstance(value.get(name), str) and value[name][:4] in ("ses_", "msg_", "prt_"):
            yield (*path, name), value[name]
    if isinstance(value.get("info"), dict):
        yield from _ids(value["info"], (*path, "info"))
    for list_of in ("messages", "parts"):
        for index, item in enumerate(value[list_of] if isinstance(value.get(list_of), list) else ()):
            yield from _ids(item, (*path, list_of, index))
