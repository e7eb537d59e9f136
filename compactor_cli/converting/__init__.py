"""Conversion of conversations to other formats, and what those formats cannot hold.

A new target is one file in `targets/` and one line in TARGETS; see CONTRIBUTING.md.
"""

from __future__ import annotations

from compactor_cli.converting.base import Target
from compactor_cli.converting.targets.anthropic import ToAnthropic
from compactor_cli.converting.targets.atif import ToATIF
from compactor_cli.converting.targets.claude_code import ToClaudeCode
from compactor_cli.converting.targets.codex import ToCodex
from compactor_cli.converting.targets.gemini_cli import ToGeminiCLI
from compactor_cli.converting.targets.openai_chat import ToOpenAIChat
from compactor_cli.converting.targets.opencode import ToOpenCode
from compactor_cli.converting.targets.pi import ToPi
from compactor_cli.converting.targets.qwen import ToQwen
from compactor_cli.converting.targets.sharegpt import ToShareGPT

TARGETS: dict[str, Target] = {
    target.name: target
    for target in (
        ToOpenAIChat(),
        ToAnthropic(),
        ToShareGPT(),
        ToATIF(),
        ToClaudeCode(),
        ToCodex(),
        ToGeminiCLI(),
        ToQwen(),
        ToPi(),
        ToOpenCode(),
    )
}
