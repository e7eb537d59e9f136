"""A home folder with sessions of six agents, and the command line that finds it."""

from __future__ import annotations

import time

import pytest

from tests.agents.homes import write_home
from tests.builders import run_process

MOVED_BY = (
    *("CLAUDE_CONFIG_DIR", "CODEX_HOME", "GEMINI_CLI_HOME", "XDG_DATA_HOME", "CLINE_SESSION_DATA_DIR"),
    *("CLINE_DATA_DIR", "CLINE_DIR", "PI_CODING_AGENT_DIR", "OPENCLAW_STATE_DIR", "COPILOT_HOME"),
    *("KIMI_SHARE_DIR", "KIMI_CODE_HOME", "GROK_HOME", "HERMES_HOME"),
)


@pytest.fixture(autouse=True)
def agents_at_their_usual_places(monkeypatch):
    for name in MOVED_BY:
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def home(tmp_path):
    return write_home(tmp_path / "home", time.time())


@pytest.fixture
def at_home(home, tmp_path):
    """Run `compactor ARGS...` with that home folder."""
    (tmp_path / "elsewhere").mkdir()

    def runner(*args, **options):
        there = {"cwd": tmp_path / "elsewhere", "HOME": str(home), "USERPROFILE": str(home)}
        return run_process(*args, **{**there, **options})

    return runner
