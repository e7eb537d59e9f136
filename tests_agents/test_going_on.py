"""Agents continue from outputs: what they send to a provider on this machine is what the compaction kept."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from compactor_cli.agents import AGENTS as KNOWN
from compactor_cli.agents.base import make_machine
from tests.builders import load, run_process
from tests.pipeline.test_recount import counted
from tests.resuming.sessions import CWD, session
from tests_agents.agents import AGENTS, ASKED, BIN, Place
from tests_agents.provider import provider

_BEGAN = 1_767_225_600.0
"""2026-01-01."""
_ENOUGH = 60
"""Characters that identify a message."""
_LONG = 300
"""Minimum characters of a result that no summary quotes whole."""
WAYS = {
    "new session": ("--new-session",),
    "native": ("--emit", "native", "--new-session"),
    "in place": ("--in-place",),
    "native, in place": ("--emit", "native", "--in-place"),
}


@pytest.fixture(scope="session", autouse=True)
def installed():
    if not BIN.is_dir():
        pytest.exit(".agents is missing: run these tests with `make test-agents`", returncode=1)


@pytest.fixture
def place(tmp_path):
    project = tmp_path / "project"
    project.mkdir()
    home = tmp_path / "home"
    (home / ".gemini" / "tmp" / "project").mkdir(parents=True)
    (home / ".gemini" / "tmp" / "project" / ".project_root").write_text(str(project))
    (home / ".gemini" / "projects.json").write_text(json.dumps({"projects": {str(project): "project"}}))
    with provider() as (address, requests):
        yield Place(home, project, address, requests)


def put(place, format, data):
    """Write a session to where its agent stores it, and return the path. For opencode, write a file to be imported."""
    data = data.replace(CWD.encode(), str(place.project).encode())
    if format == "opencode":
        path = place.project / "session.json"
    else:
        agent = next(agent for agent in KNOWN.values() if agent.format == format and agent.resume)
        machine = make_machine({"HOME": str(place.home)}, windows=False)
        own = load(data).transcripts[0].session_id
        assert agent.new_folder is not None and agent.new_name is not None
        folder = agent.new_folder(machine, str(place.project), _BEGAN)
        assert folder is not None
        path = folder / agent.new_name(own, _BEGAN)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


def gone_on(place, format, path, *way):
    """Compact a session, let its agent continue, and return the output and the agent's requests."""
    out = ("-o", str(place.project / "out.json")) if format == "opencode" and "--new-session" in way else ()
    options = ("--target-ratio", "0.25", "--json", *way, *out)
    done = run_process("compact", str(path), *options, HOME=str(place.home), USERPROFILE=str(place.home))
    assert done.code == 0, done.stderr
    report = json.loads(done.text)
    written = place.project / "out.json" if out else path
    made = report.get("session") or {"id": load(path.read_bytes()).transcripts[0].session_id, "path": str(written)}
    AGENTS[format](place, made["id"], made["path"])
    return load(Path(made["path"]).read_bytes()), place.requests


def strings(value):
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from strings(item)
    elif isinstance(value, list):
        for item in value:
            yield from strings(item)


def plain(text):
    """Return a text without what differs between JSON encodings: blanks, quotation marks and backslashes."""
    return re.sub(r"[\s\\\"]+", " ", text).strip()


def beginning(message):
    part = next((part for part in message.parts if part.kind in ("text", "tool_result") and part.text.strip()), None)
    return plain(part.text)[:_ENOUGH] if part else ""


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("format", AGENTS)
def test_what_the_agent_sends_is_what_the_compaction_left(place, format, way):
    if format == "opencode" and way == "in place":
        pytest.skip("an import changes no message that is there")
    original = session(format)
    path = put(place, format, original)
    output, requests = gone_on(place, format, path, *WAYS[way])
    asked = next(body for body in requests if ASKED in json.dumps(body))
    sent = plain(" ".join(strings(asked)))
    at = 0
    left = [beginning(m) for m in output.transcripts[0].messages if m.role != "system" and beginning(m)]
    # the agent has already added the question and its answer to the file
    left = left[: next((n for n, text in enumerate(left) if ASKED in text), len(left))]
    assert len(left) > 3
    for text in left:
        assert text in sent[at:], text
        at = sent.index(text, at)
    assert ASKED in sent[at:]
    kept = {plain(part.text) for m in output.transcripts[0].messages for part in m.parts}
    results = [plain(part.text) for m in load(original).transcripts[0].messages for part in m.results]
    gone = [text for text in results if len(text) > _LONG and text not in kept]
    assert gone
    assert not [text for text in gone if text in sent]


@pytest.mark.parametrize("way", ["new session", "native"])
@pytest.mark.parametrize("format", ["claude-code", "codex", "qwen", "pi", "opencode"])
def test_no_agent_compacts_at_once_what_has_just_been_compacted(place, format, way):
    path = put(place, format, counted(format))
    _, requests = gone_on(place, format, path, *WAYS[way])
    first = next(body for body in requests if "messages" in body or "input" in body)
    assert ASKED in json.dumps(first)
    assert "compaction_trigger" not in json.dumps(first)
