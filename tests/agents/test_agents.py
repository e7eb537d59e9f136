"""Every agent's folders and files, as the agents lay them out."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from compactor_cli.agents import AGENTS, NAMES, agent
from compactor_cli.agents.base import make_machine
from compactor_cli.agents.finding import SavedSession, find_sessions, look
from compactor_cli.errors import UsageError
from tests.agents.homes import lines, write_aged

USER = {"role": "user", "content": "Paint it blue."}
PATHS = {
    # a path below the home folder -> what is there; the first of each agent is the session
    "claude-code": {".claude/projects/-w/abc.jsonl": lines({"type": "user", "cwd": "/w", "message": USER})},
    "codex": {
        ".codex/sessions/2026/01/02/rollout-2026-01-02T00-00-00-0a1b2c3d-1111-4111-8111-aaaaaaaaaaaa.jsonl": lines(
            {"type": "session_meta", "payload": {"id": "0a1b2c3d-1111-4111-8111-aaaaaaaaaaaa", "cwd": "/w"}},
            {"type": "event_msg", "payload": {"type": "user_message", "message": "Paint it blue."}},
        ),
        ".codex/sessions/2026/01/02/rollout-2026-01-02T00-00-00-0a1b2c3d-1111-4111-8111-aaaaaaaaaaaa.jsonl.zst": "x",
    },
    "gemini-cli": {
        ".gemini/tmp/p/chats/session-1.json": json.dumps(
            {"sessionId": "g", "messages": [{"type": "user", "content": "Paint it blue."}]}
        ),
        ".gemini/projects.json": '{"projects": {"/w": "p"}}',
        ".gemini/tmp/p/logs.json": "[]",
    },
    "qwen": {
        ".qwen/projects/-w/chats/q.jsonl": lines(
            {"type": "user", "sessionId": "q", "cwd": "/w", "message": {"parts": [{"text": "Paint it blue."}]}}
        )
    },
    "opencode": {
        ".local/share/opencode/storage/session/p/ses_1.json": '{"id": "ses_1", "directory": "/w"}',
        ".local/share/opencode/storage/message/ses_1/msg_1.json": '{"id": "msg_1", "role": "user"}',
        ".local/share/opencode/storage/part/msg_1/prt_1.json": '{"type": "text", "text": "Paint it blue."}',
    },
    "cline": {
        ".cline/data/sessions/c1/c1.messages.json": json.dumps({"sessionId": "c1", "messages": [USER]}),
        ".cline/data/sessions/c1/c1.json": '{"session_id": "c1", "cwd": "/w"}',
        ".cline/data/sessions/c1/c1.compaction.json": "{}",
    },
    "openhands": {
        ".openhands/conversations/o1/events/event-00000-x.json": json.dumps(
            {"source": "user", "llm_message": {"content": [{"type": "text", "text": "Paint it blue."}]}}
        ),
        ".openhands/conversations/o1/base_state.json": '{"id": "o1", "workspace": {"working_dir": "/w"}}',
    },
    "pi": {
        ".pi/agent/sessions/--w--/t_pi.jsonl": lines(
            {"type": "session", "id": "pi", "cwd": "/w"}, {"type": "message", "message": USER}
        )
    },
    "openclaw": {
        ".openclaw/agents/main/sessions/oc.jsonl": lines(
            {"type": "session", "id": "oc", "cwd": "/w"}, {"type": "message", "message": USER}
        ),
        ".openclaw/agents/main/sessions/oc.trajectory.jsonl": "{}\n",
        ".openclaw/agents/main/sessions/old.jsonl.deleted.2026": "{}\n",
        ".openclaw/agents/main/sessions/old.jsonl.reset.2026": "{}\n",
    },
    "copilot-cli": {
        ".copilot/session-state/cp.jsonl": lines(
            {"type": "session.start", "data": {"sessionId": "cp", "context": {"cwd": "/w"}}},
            {"type": "user.message", "data": {"content": "Paint it blue."}},
        ),
        ".copilot/session-state/cp/workspace.yaml": "x",
    },
    "kimi": {
        # the MD5 of /w
        ".kimi/sessions/1cce3e60ac2d51100ef178d6509a4972/k1/context.jsonl": lines(USER),
        ".kimi/sessions/1cce3e60ac2d51100ef178d6509a4972/k1/context_1.jsonl": lines(USER),
        ".kimi/kimi.json": '{"work_dirs": [{"path": "/w"}]}',
    },
    "kimi-code": {
        ".kimi-code/sessions/x/kc/agents/main/wire.jsonl": lines(
            {"type": "turn.prompt", "input": [{"type": "text", "text": "Paint it blue."}]}
        ),
        ".kimi-code/sessions/x/kc/state.json": '{"workDir": "/w"}',
        ".kimi-code/sessions/x/kc/agents/agent-0/wire.jsonl": "{}\n",
    },
    "grok": {".grok/sessions/%2Fw/gr/chat_history.jsonl": lines({"type": "user", "content": "Paint it blue."})},
    "cursor": {
        ".cursor/projects/w/agent-transcripts/cu/cu.jsonl": lines({"role": "user", "message": USER}),
        ".cursor/projects/w/agent-transcripts/cu/subagents/child.jsonl": lines({"role": "user", "message": USER}),
    },
    "droid": {
        ".factory/sessions/-w/dr.jsonl": lines(
            {"type": "session_start", "id": "dr", "cwd": "/w"}, {"type": "message", "message": USER}
        ),
        ".factory/sessions/-w/dr.settings.json": "{}",
    },
    "hermes": {".hermes/sessions/session_he.json": json.dumps({"session_id": "he", "messages": [USER]})},
    "antigravity": {
        ".gemini/antigravity-cli/brain/an/.system_generated/logs/transcript.jsonl": lines(
            {"type": "USER_INPUT", "content": "<USER_REQUEST>\nPaint it blue.\n</USER_REQUEST>"}
        )
    },
}
NO_PROJECT = {"hermes", "antigravity", "cursor"}


@pytest.mark.parametrize("name", PATHS)
def test_the_one_session_among_an_agents_files(name, tmp_path):
    for path, text in PATHS[name].items():
        write_aged(tmp_path / path, text)
    listing = find_sessions(make_machine({"HOME": str(tmp_path)}, windows=False), [agent(name)])
    assert [one.path.relative_to(tmp_path).as_posix() for one in listing.sessions] == [
        next(iter(PATHS[name])).removesuffix("/events/event-00000-x.json")
    ]
    saved = look(listing, listing.sessions[0])
    assert saved.summary.request == "Paint it blue."
    assert saved.summary.project == ("" if name in NO_PROJECT - {"cursor"} else "w" if name == "cursor" else "/w")
    assert listing.failed == []


def test_every_agent_has_its_case():
    assert set(PATHS) == set(AGENTS)


def test_no_name_means_two_agents():
    names = [name for known in AGENTS.values() for name in known.names]
    assert len(names) == len(set(names)) == len(NAMES)
    with pytest.raises(UsageError, match="known agents"):
        agent("nobody")


@pytest.mark.parametrize(
    ("name", "variable", "folder"),
    [
        ("claude-code", "CLAUDE_CONFIG_DIR", "projects"),
        ("codex", "CODEX_HOME", "sessions"),
        ("gemini-cli", "GEMINI_CLI_HOME", ".gemini/tmp"),
        ("opencode", "XDG_DATA_HOME", "opencode"),
        ("cline", "CLINE_SESSION_DATA_DIR", ""),
        ("cline", "CLINE_DATA_DIR", "sessions"),
        ("cline", "CLINE_DIR", "data/sessions"),
        ("pi", "PI_CODING_AGENT_DIR", "sessions"),
        ("openclaw", "OPENCLAW_STATE_DIR", "agents"),
        ("copilot-cli", "COPILOT_HOME", "session-state"),
        ("kimi", "KIMI_SHARE_DIR", "sessions"),
        ("kimi-code", "KIMI_CODE_HOME", "sessions"),
        ("grok", "GROK_HOME", "sessions"),
        ("hermes", "HERMES_HOME", "sessions"),
    ],
)
def test_variables(name, variable, folder):
    machine = make_machine({"HOME": "/h", variable: "/elsewhere"}, windows=False)
    assert agent(name).folders(machine)[0] == Path("/elsewhere") / folder


def test_the_home_folder_is_that_of_the_system():
    environment = {"HOME": "/h", "USERPROFILE": "/users/me"}
    assert make_machine(environment, windows=True).home == Path("/users/me")
    assert make_machine(environment, windows=False).home == Path("/h")


def test_resume_commands_name_the_session(tmp_path):
    write_aged(tmp_path / ".pi/agent/sessions/--w--/t_pi.jsonl", PATHS["pi"][".pi/agent/sessions/--w--/t_pi.jsonl"])
    write_aged(tmp_path / ".claude/projects/-w/abc.jsonl", PATHS["claude-code"][".claude/projects/-w/abc.jsonl"])
    listing = find_sessions(make_machine({"HOME": str(tmp_path)}, windows=False), AGENTS.values())
    commands = {one.agent: look(listing, one).resume for one in listing.sessions}
    assert commands["claude-code"] == "claude --resume abc"
    assert commands["pi"] == f"pi --session {tmp_path / '.pi/agent/sessions/--w--/t_pi.jsonl'}"
    assert SavedSession(listing.sessions[0], look(listing, listing.sessions[0]).summary).agent.title
