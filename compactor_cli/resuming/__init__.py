"""The agents whose sessions can be continued, either by appending a compaction as the agent would, or as a new session.

A new agent is one file here and one line in AGENTIC. None imports another.
"""

from __future__ import annotations

from compactor_cli.resuming import claude_code, codex, copilot_cli, gemini_cli, opencode, openhands, pi, qwen
from compactor_cli.resuming.base import Agentic

AGENTIC: dict[str, Agentic] = {
    known.format: known
    for known in (
        claude_code.ResumedClaudeCode(),
        codex.ResumedCodex(),
        gemini_cli.ResumedGeminiCLI(),
        qwen.ResumedQwen(),
        pi.ResumedPi(),
        opencode.ResumedOpenCode(),
        copilot_cli.ResumedCopilotCLI(),
        openhands.ResumedOpenHands(),
    )
}
"""Format -> how its sessions are continued."""
