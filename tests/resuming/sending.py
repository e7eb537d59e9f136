"""What each agent sends of a session file, according to checkers written from its rules."""

from __future__ import annotations

import json
from typing import Any

from tests.formats.checkers import claude_code, codex, copilot_cli, gemini_cli, opencode, pi, qwen

_OPAQUE = frozenset(
    (
        *("id", "call_id", "callID", "tool_use_id", "toolCallId", "messageID", "sessionID", "parentID"),
        *("time", "timestamp", "usage", "tokens"),
    )
)


def lines(data):
    return [json.loads(line) for line in data.decode().splitlines()]


def without_ids(value):
    """Return a JSON value without ids and times."""
    if isinstance(value, dict):
        return {name: without_ids(item) for name, item in value.items() if name not in _OPAQUE}
    return [without_ids(item) for item in value] if isinstance(value, list) else value


def _claude_code(data):
    turns = claude_code.resumed(lines(data))
    claude_code.check_resumed(turns)
    return [(turn["type"], turn["message"]["content"]) for turn in turns]


def _codex(data):
    _, items = codex.resumed(lines(data))
    codex.check_history(items)
    return items


def _gemini_cli(data):
    contents = gemini_cli.history(gemini_cli.load_session(data))
    gemini_cli.check_history(contents)
    return contents


def _qwen(data):
    contents: list[Any] = []
    for role, parts in qwen.history(qwen.load_session(data)[0]):
        answers = all("functionResponse" in part for part in parts)
        if answers and contents and all("functionResponse" in part for part in contents[-1][1]):
            contents[-1][1].extend(parts)  # one record per result of an answer
        else:
            contents.append((role, parts))
    qwen.check_history(contents)
    return contents


def _pi(data):
    entries = pi.context(lines(data))
    pi.check_sent(entries)
    return [entry.get("message") or entry["summary"] for entry in entries]


def _opencode(data):
    messages = json.loads(data)["messages"]
    opencode.check_messages(messages)
    assert opencode.parents_known(messages)
    order = [(m["info"]["time"]["created"], m["info"]["id"]) for m in messages]
    assert order == sorted(order)  # the agent sorts them in this way
    ids = [m["info"]["id"] for m in messages] + [part["id"] for m in messages for part in m["parts"]]
    assert len(set(ids)) == len(ids)
    asked = [at for at, m in enumerate(messages) if any(part["type"] == "compaction" for part in m["parts"])]
    start = asked[-1] if asked else 0
    return [(m["info"]["role"], m["parts"]) for m in messages[start:]]


def _copilot_cli(data):
    events = lines(data)
    copilot_cli.check_events(events)
    messages = copilot_cli.sent(events)
    copilot_cli.check_sent(messages)
    return [(event["type"], event["data"]) for event in messages]


_SENT = {
    "copilot-cli": _copilot_cli,
    "claude-code": _claude_code,
    "codex": _codex,
    "gemini-cli": _gemini_cli,
    "qwen": _qwen,
    "pi": _pi,
    "opencode": _opencode,
}


def sent_values(format, data):
    """Return what is sent, after checking it, without ids and times."""
    return without_ids(json.loads(json.dumps(_SENT[format](data))))
