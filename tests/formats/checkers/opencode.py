"""What `opencode import` and the agent's walk of a session ask of messages, written from the agent's schema."""

from __future__ import annotations

_PARTS = {
    "text": {"text": str},
    "reasoning": {"text": str, "time": dict},
    "file": {"mime": str, "url": str},
    "tool": {"callID": str, "tool": str, "state": dict},
    "step-start": {},
    "step-finish": {"reason": str, "cost": (int, float), "tokens": dict},
    "snapshot": {"snapshot": str},
    "patch": {"hash": str, "files": list},
    "agent": {"name": str},
    "subtask": {"prompt": str, "description": str, "agent": str},
    "retry": {"attempt": int, "error": dict, "time": dict},
    "compaction": {"auto": bool},
}
_STATES = {
    "pending": {"input": dict, "raw": str},
    "running": {"input": dict, "time": dict},
    "completed": {"input": dict, "output": str, "title": str, "metadata": dict, "time": dict},
    "error": {"input": dict, "error": str, "time": dict},
}
_ASSISTANT = {
    "parentID": str,
    "modelID": str,
    "providerID": str,
    "mode": str,
    "agent": str,
    "path": dict,
    "cost": (int, float),
    "tokens": dict,
}
_USER = {"agent": str, "model": dict}


def check_messages(messages):
    """Fails where the import would, or where a part of the context would be lost."""
    for message in messages:
        _check_info(message["info"])
        for part in message["parts"]:
            assert part["messageID"] == message["info"]["id"]
            assert part["sessionID"] == message["info"]["sessionID"]
            assert part["id"].startswith("prt")
            _check(part, _PARTS[part["type"]])
            if part["type"] == "tool":
                _check(part["state"], _STATES[part["state"]["status"]])
    ids = [message["info"]["id"] for message in messages]
    assert len(ids) == len(set(ids))
    # the agent sorts by time, then by id
    keys = [(m["info"]["time"]["created"], m["info"]["id"]) for m in messages]
    assert keys == sorted(keys)
    for message in messages:
        for part in message["parts"]:
            if part["type"] == "compaction" and part.get("tail_start_id"):
                assert part["tail_start_id"] in ids[: ids.index(message["info"]["id"])]


def parents_known(messages):
    ids = {message["info"]["id"] for message in messages if message["info"]["role"] == "user"}
    return all(m["info"].get("parentID") in ids for m in messages if m["info"]["role"] == "assistant")


def _check_info(info):
    assert info["id"].startswith("msg")
    assert info["sessionID"].startswith("ses")
    assert isinstance(info["time"]["created"], int)
    _check(info, _USER if info["role"] == "user" else _ASSISTANT)


def _check(value, wanted):
    for key, kind in wanted.items():
        assert isinstance(value[key], kind), key
