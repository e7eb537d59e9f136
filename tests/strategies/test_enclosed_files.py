"""A file that a harness puts beside a request: it is nobody's words, and what was done has room before it."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from compactor_cli import api
from compactor_cli.model.report import Compaction
from compactor_cli.settings import Settings
from tests.builders import ROOT, jsonl, load_or_skip

ASKED = "Put the firing curves of @kilns.py into one table."
FILE = "\n".join(f"source kiln {n:03} heat {n * 17 % 1000} at shelf {n % 9}" for n in range(600))
REAL = ROOT.parent / "shared" / "transcripts" / "cline" / "1784094124598_rruoq"
OUTPUT = "row " * 300
TIME = "2026-10-01T10:00:00.000Z"
REPORTS = [f"Curve {n} stands in the table now, in column {chr(65 + n)}." for n in range(6)]


NAMES = {"cline": "1790000000000_kiln.messages.json", "gemini-cli": "s.jsonl", "qwen": "s.jsonl", "opencode": "s.jsonl"}
HARNESS = ["\n--- Content from referenced files ---", "\nContent from @kilns.py:\n", FILE, "\n--- End of content ---"]
"""How Gemini CLI and Qwen Code put a file behind a request."""


def session(agent: str, *, last_has_file: bool) -> bytes:
    """A session in which a file comes with the first request, or with the last one too."""
    turns: list[tuple[str, str]] = [("asked", ASKED)]
    for number, report in enumerate(REPORTS):
        turns += [("called", f"c{number}"), ("told", report), ("said", f"Good, go on with curve {number + 1}.")]
    turns[-1:] = [("asked", "Now sort the table by heat.")] if last_has_file else [turns[-1], ("told", "On it.")]
    return WRITERS[agent](turns)


def cline(turns: list[tuple[str, str]]) -> bytes:
    said: list[dict[str, Any]] = []
    for kind, text in turns:
        if kind == "called":
            call = {"type": "tool_use", "id": text, "name": "run_commands", "input": {"commands": ["make table"]}}
            found = {"type": "tool_result", "tool_use_id": text, "name": "run_commands", "content": OUTPUT}
            said += [{"role": "assistant", "content": [call]}, {"role": "user", "content": [found]}]
        else:
            content = [{"type": "text", "text": text}]
            content += [{"type": "file", "path": "/srv/kilns.py", "content": FILE}] if kind == "asked" else []
            said.append({"role": "assistant" if kind == "told" else "user", "content": content})
    messages = [{"id": f"m{number}", **message} for number, message in enumerate(said)]
    document = {"version": 1, "agent": "lead", "sessionId": "1790000000000_kiln", "messages": messages}
    return json.dumps({"updated_at": TIME, **document}).encode()


def gemini(turns: list[tuple[str, str]]) -> bytes:
    records: list[dict[str, Any]] = [{"sessionId": "s", "projectHash": "h", "startTime": TIME, "kind": "main"}]
    for number, (kind, text) in enumerate(turns):
        own: dict[str, Any] = {"content": [{"text": part} for part in (text, *(HARNESS if kind == "asked" else ()))]}
        if kind == "called":
            response = {"id": text, "name": "run_shell_command", "response": {"output": OUTPUT}}
            call = {"id": text, "name": "run_shell_command", "args": {"command": "make table"}, "status": "success"}
            own = {"content": "", "toolCalls": [{**call, "result": [{"functionResponse": response}]}]}
        speaker = "user" if kind in ("asked", "said") else "gemini"
        records.append({"id": f"m{number}", "timestamp": TIME, "type": speaker, **own})
    return jsonl(*records)


def qwen(turns: list[tuple[str, str]]) -> bytes:
    contents: list[tuple[str, str, list[dict[str, Any]]]] = []
    for kind, text in turns:
        if kind == "called":
            call = {"id": text, "name": "run_shell_command"}
            contents.append(("assistant", "model", [{"functionCall": {**call, "args": {"command": "make table"}}}]))
            contents.append(("tool_result", "user", [{"functionResponse": {**call, "response": {"output": OUTPUT}}}]))
        else:
            parts = [{"text": part} for part in (text, *(HARNESS if kind == "asked" else ()))]
            contents.append(("assistant", "model", parts) if kind == "told" else ("user", "user", parts))
    ids = [f"aaaa0002-0000-4000-8000-{number:012}" for number in range(len(contents))]
    head = {"sessionId": "aaaa0002-0000-4000-8000-00000000000f", "timestamp": TIME, "version": "0.21.13"}
    return jsonl(
        *(
            {**head, "uuid": own, "parentUuid": parent, "type": kind, "message": {"role": role, "parts": parts}}
            for (kind, role, parts), own, parent in zip(contents, ids, [None, *ids], strict=False)
        )
    )


def opencode(turns: list[tuple[str, str]]) -> bytes:
    messages: list[dict[str, Any]] = []
    asked = ""
    for number, (kind, text) in enumerate(turns):
        name = f"msg_{number:03}"
        info: dict[str, Any] = {"id": name, "sessionID": "ses_1", "time": {"created": 1_790_000_000_000 + number}}
        parts: list[dict[str, Any]] = [{"type": "text", "text": text}]
        if kind in ("asked", "said"):
            parts += [{"type": "text", "text": FILE, "synthetic": True}] if kind == "asked" else []
            info, asked = {**info, "role": "user"}, name
        else:
            state = {"status": "completed", "input": {"command": "make table"}, "output": OUTPUT, "title": "make"}
            parts = [{"type": "tool", "callID": text, "tool": "bash", "state": state}] if kind == "called" else parts
            info = {**info, "role": "assistant", "parentID": asked, "finish": "stop", "modelID": "m", "mode": "build"}
        keys = {"sessionID": "ses_1", "messageID": name}
        messages.append(
            {"info": info, "parts": [{"id": f"prt_{number:03}{at}", **keys, **p} for at, p in enumerate(parts)]}
        )
    return jsonl(*messages)


WRITERS = {"cline": cline, "gemini-cli": gemini, "qwen": qwen, "opencode": opencode}


def compact(agent: str, data: bytes, strategy: str, ratio: float) -> Compaction:
    source = api.load(data, NAMES[agent], tokenizer="chars")
    assert source.format == agent
    (part,) = api.compact(source, Settings(strategy=strategy, target_ratio=ratio), tokenizer="chars").parts
    return part


@pytest.mark.parametrize("agent", WRITERS)
@pytest.mark.parametrize("strategy", ["adaptive", "rolling", "handoff", "tiered", "hybrid"])
def test_the_work_has_room_before_a_file_that_came_with_the_first_request(agent: str, strategy: str) -> None:
    text = "\n".join(m.text() for m in compact(agent, session(agent, last_has_file=False), strategy, 0.1).messages)
    assert ASKED in text
    assert REPORTS[-1] in text


@pytest.mark.parametrize("agent", WRITERS)
@pytest.mark.parametrize("strategy", ["adaptive", "rolling", "handoff", "tiered", "hybrid"])
def test_the_last_request_stays_without_most_of_its_file(agent: str, strategy: str) -> None:
    text = "\n".join(m.text() for m in compact(agent, session(agent, last_has_file=True), strategy, 0.1).messages)
    assert "Now sort the table by heat." in text
    assert REPORTS[-1] in text


@pytest.mark.skipif(not REAL.is_dir(), reason="the folder of real transcripts is not here")
def test_a_real_session_says_what_was_done_and_not_what_stood_in_its_file() -> None:
    source = load_or_skip(REAL / "1784094124598_rruoq.messages.json", "o200k_base")
    (part,) = api.compact(source, Settings(strategy="adaptive", target_ratio=0.1), tokenizer="o200k_base").parts
    text = "\n".join(m.text() for m in part.messages)
    assert 'The "Show more" button now has `className="pl-0"`' in text
    assert "I removed the left padding" in text
    quoting = [m.text().partition("#2 harness: ")[2] for m in part.messages if "#2 harness: " in m.text()]
    assert sum(len(re.split(r"\n#\d", quoted)[0]) for quoted in quoting) < 1_000


@pytest.mark.parametrize("strategy", ["adaptive", "rolling", "handoff", "hybrid", "summarize", "tiered", "ranked"])
def test_a_file_has_the_room_that_a_short_session_leaves(strategy: str) -> None:
    data = WRITERS["cline"]([("asked", ASKED), ("called", "c0"), ("told", REPORTS[0])])
    source = api.load(data, NAMES["cline"], tokenizer="chars")
    (part,) = api.compact(source, Settings(strategy=strategy, target_ratio=0.5), tokenizer="chars").parts
    total = sum(message.tokens for message in source.transcripts[0].messages)
    assert 0.4 * total < sum(message.tokens for message in part.messages) <= 0.5 * total
