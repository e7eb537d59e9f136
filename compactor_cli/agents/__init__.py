"""The agents whose sessions can be found on a machine.

A new agent is one file here and one line in AGENTS. No agent imports another.
"""

from __future__ import annotations

from compactor_cli.agents import (
    antigravity,
    claude_code,
    cline,
    codex,
    copilot,
    cursor,
    droid,
    gemini,
    grok,
    hermes,
    kimi,
    kimi_code,
    openclaw,
    opencode,
    openhands,
    pi,
    qwen,
)
from compactor_cli.agents.base import Agent
from compactor_cli.errors import UsageError, meant

AGENTS: dict[str, Agent] = {
    known.AGENT.name: known.AGENT
    for known in (
        claude_code,
        codex,
        gemini,
        qwen,
        opencode,
        cline,
        openhands,
        pi,
        openclaw,
        copilot,
        kimi,
        kimi_code,
        grok,
        cursor,
        droid,
        hermes,
        antigravity,
    )
}
NAMES: dict[str, str] = {name: known.name for known in AGENTS.values() for name in known.names}
"""Every name and alias -> the agent's main name."""


def agent(name: str) -> Agent:
    """Return an agent by name or alias. Raises UsageError for an unknown name."""
    known = NAMES.get(name.strip().lower())
    if known is None:
        raise UsageError(f"unknown agent {name!r}{meant(name, NAMES)}; known agents: {', '.join(AGENTS)}")
    return AGENTS[known]
