"""Set up each agent in a home folder, and run the command with which it continues a session."""

from __future__ import annotations

import json
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.builders import ROOT, clean_environment

BIN = ROOT / ".agents" / "node_modules" / ".bin"
ASKED = "Say how far we are."
PATIENCE = 120
_MODEL = {"id": "m", "name": "m", "reasoning": False, "input": ["text"], "contextWindow": 200_000, "maxTokens": 8_000}
_COST = {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0}


@dataclass
class Place:
    """A home folder, a project in it, and the provider for the agents."""

    home: Path
    project: Path
    address: str
    requests: list[Any]
    """The requests that the provider has received so far."""

    def write(self, path, value):
        target = self.home / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(value if isinstance(value, str) else json.dumps(value))

    def run(self, name, *args, **variables):
        line = [str(BIN / name), *args]
        # opencode waits for events of the folder that PWD names
        env = clean_environment(HOME=str(self.home), PWD=str(self.project), CI="1", NO_COLOR="1", **variables)
        where = {"cwd": self.project, "env": env, "stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE}
        done = subprocess.run(line, **where, stderr=subprocess.STDOUT, timeout=PATIENCE, check=False)
        assert done.returncode == 0, done.stdout.decode(errors="replace")[-3_000:]


def claude_code(place, session, path):
    place.write(".claude.json", {"hasCompletedOnboarding": True})
    address = {"ANTHROPIC_BASE_URL": place.address, "ANTHROPIC_API_KEY": "sk-ant-x"}
    quiet = {"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_TELEMETRY": "1"}
    place.run("claude", "--resume", session, "-p", ASKED, **address, **quiet)


def codex(place, session, path):
    trust = f'[projects."{place.project}"]\ntrust_level = "trusted"\n'
    settings = f'model = "gpt-5"\nopenai_base_url = "{place.address}/v1"\nsandbox_mode = "read-only"\n'
    place.write(".codex/config.toml", f'approval_policy = "never"\n{settings}{trust}')
    key = {"CODEX_API_KEY": "sk-x", "OPENAI_API_KEY": "sk-x"}
    place.run("codex", "exec", "--skip-git-repo-check", "resume", session, ASKED, **key)


def gemini_cli(place, session, path):
    place.write(".gemini/settings.json", {"security": {"auth": {"selectedType": "gemini-api-key"}}})
    address = {"GEMINI_API_KEY": "x", "GOOGLE_GEMINI_BASE_URL": place.address}
    place.run("gemini", "--skip-trust", "--resume", session, "-m", "gemini-2.5-pro", "-p", ASKED, **address)


def qwen(place, session, path):
    address = {"OPENAI_BASE_URL": f"{place.address}/v1", "OPENAI_API_KEY": "x", "OPENAI_MODEL": "m"}
    place.run("qwen", "--auth-type", "openai", "--resume", session, "-p", ASKED, **address)


def pi(place, session, path):
    provider = {"baseUrl": f"{place.address}/v1", "api": "openai-completions", "apiKey": "x"}
    place.write(".pi/agent/models.json", {"providers": {"local": {**provider, "models": [{**_MODEL, "cost": _COST}]}}})
    place.run("pi", "--session", str(path), "--provider", "local", "--model", "m", "-p", ASKED)


def opencode(place, session, path):
    options = {"baseURL": f"{place.address}/v1", "apiKey": "x"}
    models = {"m": {"name": "m", "limit": {"context": 200_000, "output": 8_000}}}
    provider = {"npm": "@ai-sdk/openai-compatible", "name": "local", "options": options, "models": models}
    settings = {"autoupdate": False, "model": "local/m", "provider": {"local": provider}}
    place.write(".config/opencode/opencode.json", settings)
    quiet = {"OPENCODE_DISABLE_MODELS_FETCH": "1", "OPENCODE_DISABLE_AUTOUPDATE": "1"}
    place.run("opencode", "import", str(path), **quiet)
    place.run("opencode", "run", "-s", session, "-m", "local/m", ASKED, **quiet)


def copilot_cli(place, session, path):
    sizes = {"COPILOT_PROVIDER_MAX_PROMPT_TOKENS": "200000", "COPILOT_PROVIDER_MAX_OUTPUT_TOKENS": "8000"}
    address = {"COPILOT_OFFLINE": "true", "COPILOT_PROVIDER_BASE_URL": f"{place.address}/v1", "COPILOT_MODEL": "m"}
    place.run("copilot", "--resume", session, "-p", ASKED, "--allow-all-tools", **address, **sizes)


AGENTS = {
    "claude-code": claude_code,
    "codex": codex,
    "gemini-cli": gemini_cli,
    "qwen": qwen,
    "pi": pi,
    "opencode": opencode,
    "copilot-cli": copilot_cli,
}
