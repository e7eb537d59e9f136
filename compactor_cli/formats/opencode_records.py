"""New opencode messages. They are complete, because `opencode import` validates each message and part by schema."""

from __future__ import annotations

import json
from typing import Any, Literal

from compactor_cli.formats.base import Around
from compactor_cli.formats.values import inner
from compactor_cli.model.message import CLOSING_ID, Message
from compactor_cli.text.times import parse_time

MODEL = ("providerID", "modelID")
NO_TOKENS = {"input": 0, "output": 0, "reasoning": 0, "cache": {"read": 0, "write": 0}}


def new_message(role: Literal["user", "assistant"], message: Message, around: Around) -> dict[str, Any]:
    """Return `{info, parts}` with one text part. The agent sorts messages by time and then by id, so this message is
    dated a millisecond before the one at its place. A closing message is dated a millisecond after it."""
    template_info = inner(around.template, "info")
    created = inner(template_info, "time").get("created")
    # infinity is a number too
    millis = int(created) if isinstance(created, (int, float)) and parse_time(created) is not None else 0
    millis = millis + 1 if message.id == CLOSING_ID else max(0, millis - 1)
    ids = {"id": f"msg_{_ascending(millis, around.key)}", "sessionID": around.transcript.session_id}
    make_info = _user_info if role == "user" else _assistant_info
    info = {**ids, **make_info(template_info, millis, around)}
    part = {"id": f"prt_{_ascending(millis, around.key[26:])}", "sessionID": ids["sessionID"], "messageID": ids["id"]}
    return {"info": info, "parts": [{**part, "type": "text", "text": message.parts[0].text}]}


def _user_info(template_info: dict[str, Any], millis: int, around: Around) -> dict[str, Any]:
    answer = template_info if template_info.get("role") == "assistant" else _newest(around, "assistant")
    known_model = template_info["model"] if isinstance(template_info.get("model"), dict) else answer
    model = {key: str(known_model.get(key) or "") for key in MODEL}
    agent = str(template_info.get("agent") or template_info.get("mode") or answer.get("mode") or "build")
    return {"role": "user", "time": {"created": millis}, "agent": agent, "model": model}


def _assistant_info(template_info: dict[str, Any], millis: int, around: Around) -> dict[str, Any]:
    like = template_info if template_info.get("role") == "assistant" else _newest(around, "assistant")
    request = template_info if template_info.get("role") == "user" else _newest(around, "user")
    mode = str(like.get("mode") or like.get("agent") or "build")
    path = like.get("path")
    return {
        "role": "assistant",
        "time": {"created": millis, "completed": millis},
        "parentID": str(like.get("parentID") or request.get("id") or ""),
        **{key: str(like.get(key) or "") for key in reversed(MODEL)},
        "mode": mode,
        "agent": str(like.get("agent") or mode),
        "path": path if isinstance(path, dict) else {"cwd": "", "root": ""},
        "cost": 0,
        "tokens": NO_TOKENS,
        "finish": "stop",
    }


def _newest(around: Around, role: str) -> dict[str, Any]:
    """Return the `info` of the newest message with this role; empty if there is none."""
    messages = reversed(around.transcript.messages)
    record = next((m.records[-1] for m in messages if m.role == role and m.records), None)
    return {} if record is None else inner(json.loads(around.transcript.raw(record)), "info")


def _ascending(millis: int, key: str) -> str:
    """Return an id that sorts by time, like the agent's own: milliseconds and a counter in 12 hex digits, then other
    digits."""
    return f"{millis * 0x1000 % (1 << 48):012x}{key[:14]}"
