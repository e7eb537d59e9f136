"""Build records of every format and files of them, and run the command line as a process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from compactor_cli import api
from compactor_cli.errors import InputError
from compactor_cli.formats import FORMATS, jsonedit
from compactor_cli.pipeline.recorded_context import recorded_context
from compactor_cli.pipeline.verify import faults
from compactor_cli.settings import Settings

ROOT = Path(__file__).parent.parent
WORDS = [
    "amber",
    "basalt",
    "cedar",
    "delta",
    "ember",
    "fjord",
    "garnet",
    "harbour",
    "indigo",
    "juniper",
    "kelp",
    "lagoon",
    "marble",
    "nectar",
    "onyx",
]


# files


def jsonl(*values, newline="\n", final=True, bom=False):
    """Return the bytes of a JSONL file. Values that are bytes or strings are written unchanged."""
    lines = [as_bytes(value) for value in values]
    body = newline.encode().join(lines) + (newline.encode() if final else b"")
    return (b"\xef\xbb\xbf" if bom else b"") + body


def as_bytes(value):
    if isinstance(value, bytes):
        return value
    return (value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)).encode()


def read_records(*values, format="", **layout):
    """Return the messages of records, read with the counter that takes four characters per token."""
    return load(jsonl(*values, **layout), format=format).transcripts[0].messages


def load(data, **options):
    return api.load(data, "file.jsonl", tokenizer="chars", **options)


def load_or_skip(path, tokenizer=""):
    """Load a real file. Skip the test if the file is not a session, or is damaged."""
    try:
        return api.load(path.read_bytes(), str(path), tokenizer=tokenizer)
    except InputError:
        pytest.skip("no session, or damaged")


def last_count(transcript, format):
    """Return the last token count of the provider, which must exist."""
    found = recorded_context(transcript, format)
    assert found is not None
    return found


def compact(data, **settings):
    """Compact bytes in this process. `format` and `skip_damaged` are options for reading, all others are settings."""
    reading = {name: settings.pop(name) for name in ("format", "skip_damaged") if name in settings}
    return api.compact(load(data, **reading), Settings(**settings), tokenizer="chars")


def find_faults(source):
    """Return the faults of all conversations of a source."""
    return [
        fault
        for t in source.transcripts
        for own in [FORMATS[t.format]]
        for fault in faults(t.messages, adjacent_results=own.adjacent_results, alternates=own.alternates)
    ]


def values_of(data):
    return [json.loads(line) for line in data.removeprefix(b"\xef\xbb\xbf").splitlines() if line.strip()]


def lines_of(data):
    return [line for line in data.removeprefix(b"\xef\xbb\xbf").splitlines() if line.strip()]


def assert_changed_only_at(before, after, *paths):
    """Assert that two records have the same bytes except for the values at these paths."""
    text = after.decode()
    changes = {}
    for path in paths:
        start, end = jsonedit.locate(text, path)
        changes[path] = text[start:end]
    assert jsonedit.replace(before, changes) == after


def prose(topic, sentences=6):
    """Return sentences about a topic. No two topics share a line, and no word in them scores points."""
    return " ".join(
        f"The {WORDS[(at + len(topic)) % len(WORDS)]} part number {at} of {topic} has a shape of its own."
        for at in range(sentences)
    )


def listing_output(topic, lines=60):
    """Return the output of a tool, long enough that a token budget shortens it."""
    return "\n".join(f"{topic} line {at}: {WORDS[at % len(WORDS)]} {at * 7919 % 1000}" for at in range(lines))


# OpenAI chat


def system(content="You are a careful assistant."):
    return {"role": "system", "content": content}


def user(content, **extra):
    return {"role": "user", "content": content, **extra}


def assistant(content, **extra):
    return {"role": "assistant", "content": content, **extra}


def call(id, name="shell", arguments='{"command": "ls"}'):
    return {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}


def calling_message(*calls, content=None, **extra):
    return {"role": "assistant", "content": content, "tool_calls": list(calls), **extra}


def result(id, content, **extra):
    return {"role": "tool", "tool_call_id": id, "content": content, **extra}


def plain_exchanges(count, start=0):
    """Yield requests and answers without tools, about 200 tokens for each pair."""
    for at in range(start, start + count):
        yield user(f"Request {at}: {prose(f'request {at}', 3)}")
        yield assistant(f"Answer {at}: {prose(f'answer {at}', 8)}")


# Anthropic


def tool_use(id, name="Bash", **arguments):
    return {"type": "tool_use", "id": id, "name": name, "input": arguments or {"command": "ls"}}


def tool_result(id, content, **extra):
    return {"type": "tool_result", "tool_use_id": id, "content": content, **extra}


def text_block(text):
    return {"type": "text", "text": text}


# Claude Code


@dataclass
class ClaudeSession:
    """Records of a Claude Code session, each linked to the one before it."""

    records: list = field(default_factory=list)
    last: str | None = None
    count: int = 0

    def add(self, type, message=None, **extra):
        """Add a record after the last one (or after `parentUuid`), and return it."""
        self.count += 1
        uuid = f"uuid-{self.count:04}"
        record = {
            "parentUuid": self.last,
            "isSidechain": False,
            "sessionId": "session-1",
            "cwd": "/home/sam/work",
            "version": "2.1.0",
            "type": type,
            **({"message": message} if message is not None else {}),
            "uuid": uuid,
            "timestamp": f"2026-03-02T09:{self.count // 60 % 60:02}:{self.count % 60:02}.000Z",
            **extra,
        }
        if not record["isSidechain"]:
            self.last = uuid
        self.records.append(record)
        return record

    def add_raw(self, record):
        """Add a record without an envelope."""
        self.records.append(record)
        return record

    def add_answer(self, text, **extra):
        return self.add("user", {"role": "user", "content": text}, **extra)

    def add_call(self, *blocks, id="", **extra):  # the format's own name for it
        message = {
            "id": id or f"msg_{self.count}",
            "type": "message",
            "role": "assistant",
            "content": list(blocks),
            "stop_reason": None,
        }
        return self.add("assistant", message, **extra)

    def add_result(self, id, content, **extra):
        return self.add("user", {"role": "user", "content": [tool_result(id, content)]}, **extra)

    def exchanges(self, count, topic="topic"):
        for at in range(count):
            self.add_answer(f"Request {topic} {at}: {prose(f'{topic} request {at}', 3)}")
            self.add_call(text_block(f"Answer {topic} {at}: {prose(f'{topic} answer {at}', 8)}"))

    @property
    def data(self):
        return jsonl(*self.records)


def assert_chain_whole(values):
    """Assert that every parent that a record names comes before it in the file."""
    seen = set()
    for value in values:
        if not value.get("uuid"):
            continue
        assert value.get("parentUuid") is None or value["parentUuid"] in seen, value["uuid"]
        seen.add(value["uuid"])


# Codex


def codex_meta(**payload):
    return {"timestamp": "2026-03-02T09:00:00Z", "type": "session_meta", "payload": {"id": "codex-1", **payload}}


def codex_item(**payload):
    return {"timestamp": "2026-03-02T09:00:01Z", "type": "response_item", "payload": payload}


def codex_event(**payload):
    return {"timestamp": "2026-03-02T09:00:01Z", "type": "event_msg", "payload": payload}


def codex_says(role, text):
    kind = "output_text" if role == "assistant" else "input_text"
    return codex_item(type="message", role=role, content=[{"type": kind, "text": text}])


def codex_exchanges(count):
    """Yield requests and answers, with their copies for display."""
    for at in range(count):
        request, answer = f"Request {at}: {prose(f'request {at}', 3)}", f"Answer {at}: {prose(f'answer {at}', 8)}"
        yield codex_says("user", request)
        yield codex_event(type="user_message", message=request)
        yield codex_event(type="agent_message", message=answer)
        yield codex_says("assistant", answer)


# the command line


@dataclass(frozen=True)
class FinishedRun:
    """The result of a process."""

    code: int
    stdout: bytes
    stderr: str

    @property
    def text(self):
        return self.stdout.decode()

    @property
    def json(self):
        return json.loads(self.stdout)


def clean_environment(**extra):
    """Return the environment without variables that change how output looks."""
    ours = ("COLUMNS", "LINES", "NO_COLOR", "TERM", "PYTHONIOENCODING", "TIKTOKEN_CACHE_DIR", "DATA_GYM_CACHE_DIR")
    kept = {
        name: value
        for name, value in os.environ.items()
        if name not in ours and not name.startswith(("FORCE_COLOR", "CLICOLOR", "COMPACTOR_", "PROMPT_COMPACTION_"))
    }
    path = os.pathsep.join(filter(None, (str(ROOT), kept.get("PYTHONPATH"))))
    return {**kept, "PYTHONPATH": path, "PYTHONUTF8": "1", **extra}


def program_command(*args):
    return [sys.executable, "-m", "compactor_cli", *map(str, args)]


def run_process(*args, **options):
    """Run `compactor ARGS...` and wait for it, like `run_fresh`, but forked from a process that has imported all of
    it."""
    from tests.warm import run_warm  # it imports this module

    return run_warm(*args, **options)


def run_fresh(*args, input=None, cwd=None, timeout=120, **variables):
    """Run `compactor ARGS...` in a new Python process and wait for it, for tests of how a process starts or ends.
    Keyword arguments in capitals are environment variables."""
    done = subprocess.run(
        program_command(*args),
        input=input if input is not None else b"",
        capture_output=True,
        cwd=cwd,
        timeout=timeout,
        env=clean_environment(**variables),
        check=False,
    )
    return FinishedRun(done.returncode, done.stdout, done.stderr.decode("utf-8", "replace"))
