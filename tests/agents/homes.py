"""A home folder with the layout of each agent, and small sessions that the tests write."""

from __future__ import annotations

import json
import os
import sqlite3
from contextlib import closing
from pathlib import Path

CLAUDE_ID = "0a1b2c3d-1111-4111-8111-aaaaaaaaaaaa"
OLDER_CLAUDE_ID = "0a1b2c3d-2222-4222-8222-bbbbbbbbbbbb"
CODEX_ID = "019ed836-b1da-78f1-8a0c-e598363d10f4"
GEMINI_ID = "fa4593e0-f7e1-4dd1-b656-da95fb4d60fa"
OPENCODE_ID = "ses_4f2a"
DAY = 86_400


def lines(*values):
    return "".join(json.dumps(value, separators=(",", ":")) + "\n" for value in values)


def write_aged(path, text, age=0.0, now=1_800_000_000):
    """Write a file with a modification time `age` seconds ago."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    os.utime(path, (now - age, now - age))
    return path


def claude_records(id, cwd, request, turns=1, filler="done", usage=None):
    """Return a session of Claude Code: a request, answers with calls, and their results, in a chain."""
    common = {"isSidechain": False, "userType": "external", "cwd": cwd, "sessionId": id, "version": "2.1.5"}
    records, parent = [], None

    def add(kind, message, n):
        nonlocal parent
        uuid = f"{n:08x}-0000-4000-8000-{id[-12:]}"
        stamp = f"2026-11-20T10:{n // 60:02d}:{n % 60:02d}.000Z"
        records.append(
            {"parentUuid": parent, **common, "type": kind, "message": message, "uuid": uuid, "timestamp": stamp}
        )
        parent = uuid

    add("user", {"role": "user", "content": request}, 0)
    for turn in range(turns):
        n = 3 * turn + 1
        call = {"type": "tool_use", "id": f"toolu_{turn}", "name": "Bash", "input": {"command": f"make part{turn}"}}
        answer = {"id": f"msg_{turn}", "type": "message", "role": "assistant", "model": "m"}
        add("assistant", {**answer, "content": [{"type": "text", "text": f"Step {turn}: building part {turn}."}]}, n)
        body = {**answer, "content": [call], "usage": usage or {"input_tokens": 10, "output_tokens": 5}}
        add("assistant", body, n + 1)
        result = {"type": "tool_result", "tool_use_id": f"toolu_{turn}", "content": f"{filler} {turn}"}
        add("user", {"role": "user", "content": [result]}, n + 2)
    add(
        "assistant",
        {
            "id": "msg_end",
            "type": "message",
            "role": "assistant",
            "content": [{"type": "text", "text": "All parts are built."}],
            "usage": {
                "input_tokens": 3,
                "cache_read_input_tokens": 41_000,
                "cache_creation_input_tokens": 900,
                "output_tokens": 97,
            },
        },
        3 * turns + 1,
    )
    return records


def codex_records(id, cwd, request, turns=1, filler="done"):
    """Return a rollout of Codex: the user's words as item and as event, calls and their outputs."""
    stamp = "2026-11-19T09:00:00.000Z"

    def record(kind, payload):
        return {"timestamp": stamp, "type": kind, "payload": payload}

    def said(role, text):
        kind = "output_text" if role == "assistant" else "input_text"
        return record("response_item", {"type": "message", "role": role, "content": [{"type": kind, "text": text}]})

    records = [
        record("session_meta", {"id": id, "timestamp": stamp, "cwd": cwd, "originator": "codex_cli", "source": "cli"}),
        said("developer", "Be brief."),
        said("user", request),
        record("event_msg", {"type": "user_message", "message": request}),
    ]
    for turn in range(turns):
        call = {"type": "function_call", "name": "shell", "arguments": json.dumps({"command": f"make part{turn}"})}
        records.append(record("response_item", {**call, "call_id": f"call_{turn}"}))
        output = {"type": "function_call_output", "call_id": f"call_{turn}", "output": f"{filler} {turn}"}
        records.append(record("response_item", output))
    records.append(said("assistant", "All parts are built."))
    usage = {"input_tokens": 29_162, "cached_input_tokens": 22_400, "output_tokens": 405}
    records.append(record("event_msg", {"type": "token_count", "info": {"last_token_usage": usage}}))
    return records


def write_claude(home, now, *, turns=1, filler="done"):
    folder = home / ".claude/projects/-work-shop"
    records = claude_records(CLAUDE_ID, "/work/shop", "Build all parts of the shop.", turns, filler)
    path = write_aged(folder / f"{CLAUDE_ID}.jsonl", lines(*records), 60, now)
    older = claude_records(OLDER_CLAUDE_ID, "/work/shop", "Fix the till.")
    title = {"type": "summary", "summary": "Till repair", "leafUuid": older[-1]["uuid"]}
    write_aged(folder / f"{OLDER_CLAUDE_ID}.jsonl", lines(title, *older), 3 * DAY, now)
    side = [{**record, "isSidechain": True} for record in claude_records(CLAUDE_ID, "/work/shop", "Look around.")]
    write_aged(folder / CLAUDE_ID / "subagents/agent-a1.jsonl", lines(*side), 30, now)
    return path


def write_codex(home, now, *, turns=1, filler="done"):
    folder = home / ".codex/sessions/2026/11/19"
    records = codex_records(CODEX_ID, "/work/billing", "Round totals half up.", turns, filler)
    return write_aged(folder / f"rollout-2026-11-19T09-00-00-{CODEX_ID}.jsonl", lines(*records), 2 * 3600, now)


def write_gemini(home, now):
    head = {"sessionId": GEMINI_ID, "projectHash": "abc", "startTime": "x", "lastUpdated": "x", "kind": "main"}
    asked = {"id": "m1", "timestamp": "x", "type": "user", "content": [{"text": "List the ports."}]}
    said = {"id": "m2", "timestamp": "x", "type": "gemini", "content": "None.", "tokens": {"input": 9, "total": 12_216}}
    project = home / ".gemini/tmp/ports"
    write_aged(project / ".project_root", "/work/ports", 0, now)
    return write_aged(project / "chats/session-2026-11-18T08-00-fa4593e0.jsonl", lines(head, asked, said), DAY, now)


def write_copilot(home, now):
    start = {"type": "session.start", "data": {"sessionId": "cop-1", "context": {"cwd": "/work/site"}}, "id": "e1"}
    asked = {"type": "user.message", "data": {"content": "Write the imprint."}, "id": "e2"}
    end = {"type": "session.shutdown", "data": {"currentTokens": 11_468}, "id": "e3"}
    return write_aged(home / ".copilot/session-state/cop-1/events.jsonl", lines(start, asked, end), 4 * DAY, now)


def write_pi(home, now):
    head = {"type": "session", "version": 3, "id": "pi-uuid-1", "timestamp": "x", "cwd": "/work/pi"}
    asked = {
        "type": "message",
        "id": "a",
        "parentId": None,
        "message": {"role": "user", "content": "Measure the room."},
    }
    said = {"role": "assistant", "content": [{"type": "text", "text": "4 m"}], "usage": {"totalTokens": 1_900}}
    answer = {"type": "message", "id": "b", "parentId": "a", "message": said}
    folder = home / ".pi/agent/sessions/--work-pi--"
    return write_aged(folder / "2026-11-17T08-00-00_pi-uuid-1.jsonl", lines(head, asked, answer), 5 * DAY, now)


def write_opencode(home, now, *, wal=False):
    """Write the agent's database with one session, and one of a subagent."""
    path = home / ".local/share/opencode/opencode.db"
    path.parent.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(path)) as database:
        if wal:
            database.execute("PRAGMA journal_mode=WAL")
        database.executescript(
            "CREATE TABLE session(id text primary key, project_id text, parent_id text, directory text, title text,"
            " version text, time_created integer, time_updated integer);"
            "CREATE TABLE message(id text primary key, session_id text, time_created integer, data text);"
            "CREATE TABLE part(id text primary key, message_id text, session_id text, data text);"
        )
        row = ("p", "/work/open", "Opening hours", "1.2", 0)
        for name, parent, age in ((OPENCODE_ID, None, 6 * DAY), ("ses_child", OPENCODE_ID, 0)):
            project, folder, title, version, created = row
            values = (name, project, parent, folder, title, version, created, int((now - age) * 1000))
            database.execute("INSERT INTO session VALUES (?,?,?,?,?,?,?,?)", values)
        tokens = {"input": 700, "output": 20, "reasoning": 0, "cache": {"read": 80, "write": 0}}
        for name, created, data, text in (
            ("msg_1", 1, {"role": "user"}, "Change the opening hours."),
            ("msg_2", 2, {"role": "assistant", "tokens": tokens, "finish": "stop"}, "Done."),
        ):
            database.execute("INSERT INTO message VALUES (?,?,?,?)", (name, OPENCODE_ID, created, json.dumps(data)))
            part = json.dumps({"type": "text", "text": text})
            database.execute("INSERT INTO part VALUES (?,?,?,?)", (f"prt_{name}", name, OPENCODE_ID, part))
        database.commit()
    return path


def write_home(home, now):
    """Write sessions of six agents. The newest is that of Claude Code, then Codex, Gemini, Copilot, pi, opencode."""
    home = Path(home)
    for write in (write_claude, write_codex, write_gemini, write_copilot, write_pi, write_opencode):
        write(home, now)
    return home
