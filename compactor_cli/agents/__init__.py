"""The agents whose sessions can be found on a machine.

A new agent is one file here and its name in `_MODULES`. No agent imports another.
"""

from __future__ import annotations

from importlib import import_module

from compactor_cli.agents.base import Agent
from compactor_cli.errors import UsageError, meant

_MODULES = "claude_code codex gemini qwen opencode cline openhands pi openclaw copilot kimi kimi_code grok cursor droid"
_MODULES += " hermes antigravity"
"""In the order of lists."""
AGENTS: dict[str, Agent] = {
    known.name: known for module in _MODULES.split() for known in [import_module(f"{__name__}.{module}").AGENT]
}
NAMES: dict[str, str] = {name: known.name for known in AGENTS.values() for name in known.names}
"""Every name and alias -> the agent's main name."""


def agent(name: str) -> Agent:
    """Return an agent by name or alias. Raises UsageError for an unknown name."""
    known = NAMES.get(name.strip().lower())
    if known is None:
        raise UsageError(f"unknown agent {name!r}{meant(name, NAMES)}; known agents: {', '.join(AGENTS)}")
    return AGENTS[known]
