"""How Gemini CLI loads a session, written from the rules of its recording service: what the model is sent."""

from __future__ import annotations

import json
from typing import Any

_LEFT_OUT = ("/", "?", "<session_context>", "<hook_context>")


def load_session(data):
    """The messages of a session file, a record a line or one document."""
    header: dict[str, Any] = {}
    known: dict[str, Any] = {}
    for line in data.decode().splitlines():
        try:
            record = json.loads(line)
        except json.JSONDecodeError:
            continue
        if not isinstance(record, dict):
            continue
        if isinstance(record.get("$rewindTo"), str):
            names = list(known)
            at = names.index(record["$rewindTo"]) if record["$rewindTo"] in known else 0
            for name in names[at:]:
                del known[name]
        elif isinstance(record.get("$patch"), dict):
            known = _patched(known, record["$patch"])
        elif isinstance(record.get("id"), str):
            known[record["id"]] = record
        elif isinstance(record.get("$set"), dict):
            header |= {key: value for key, value in record["$set"].items() if key != "messages"}
            if "messages" in record["$set"]:
                known = {message["id"]: message for message in record["$set"]["messages"]}
        elif isinstance(record.get("sessionId"), str) and isinstance(record.get("projectHash"), str):
            header |= record
    if header.get("sessionId") and header.get("projectHash"):
        return list(known.values())
    return json.loads(data)["messages"]


def _patched(known, patch):
    for update in [patch, *patch.get("updates", ())]:
        if update.get("id") in known:
            message = known[update["id"]] = json.loads(json.dumps(known[update["id"]]))
            if "content" in update:
                message["content"] = update["content"]
            for changed in update.get("toolCalls", ()):
                for call in message.get("toolCalls", ()):
                    if call["id"] == changed["id"]:
                        call["result"] = changed["result"]
    left = {name: message for name, message in known.items() if name not in patch.get("removeIds", ())}
    order = [name for name in patch.get("orderIds", ()) if name in left]
    return {name: left[name] for name in [*(name for name in left if name not in order), *order]}


def history(messages):
    """The contents that the model is sent, and that its API takes: calls are answered but for those at the end."""
    contents = []
    for message in messages:
        content = message.get("content") or message.get("parts") or []
        parts: list[Any] = [{"text": content}] if isinstance(content, str) else list(content)
        if message["type"] == "user":
            words = "".join(part.get("text", "") for part in parts).strip()
            if words.startswith(_LEFT_OUT) or not (words or any("text" not in part for part in parts)):
                continue
            contents.append(("user", parts))
        elif message["type"] in ("gemini", "model"):
            inside = {part["functionCall"].get("id") for part in parts if "functionCall" in part}
            calls = [call for call in message.get("toolCalls") or () if isinstance(call, dict)]
            parts += [
                {"functionCall": {"id": call["id"], "name": call["name"], "args": call["args"]}}
                for call in calls
                if call["id"] not in inside
            ]
            if parts:
                contents.append(("model", parts))
            back = [part for call in calls for part in call.get("result") or ()]
            if back:
                contents.append(("user", back))
    return contents


def check_history(contents):
    """Fails where the API would refuse the contents."""
    for at, (role, parts) in enumerate(contents):
        for part in parts:
            assert len(part.keys() & {"text", "functionCall", "functionResponse", "inlineData"}) == 1
            for key in ("functionCall", "functionResponse"):
                if key in part:
                    assert role == ("model" if key == "functionCall" else "user")
                    inside = part[key]["args" if key == "functionCall" else "response"]
                    assert isinstance(inside, dict)
        calls = [part["functionCall"]["id"] for part in parts if "functionCall" in part]
        behind = contents[at + 1][1] if at + 1 < len(contents) else []
        answers = [part["functionResponse"]["id"] for part in behind if "functionResponse" in part]
        assert set(answers) <= set(calls)
