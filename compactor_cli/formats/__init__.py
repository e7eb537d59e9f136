"""The formats, and how one is chosen for a file.

A new format is one file here and one line in FORMATS; see CONTRIBUTING.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from compactor_cli.errors import InputError, UsageError, meant
from compactor_cli.formats import documents
from compactor_cli.formats.adp import ADP
from compactor_cli.formats.ai_sdk import AISDK
from compactor_cli.formats.anthropic_messages import AnthropicMessages
from compactor_cli.formats.antigravity import Antigravity
from compactor_cli.formats.atif import ATIF
from compactor_cli.formats.base import Format, fit
from compactor_cli.formats.bedrock import Bedrock
from compactor_cli.formats.chatgpt import ChatGPT
from compactor_cli.formats.claude_ai import ClaudeAI
from compactor_cli.formats.claude_code import ClaudeCode
from compactor_cli.formats.cline import Cline
from compactor_cli.formats.codex import Codex
from compactor_cli.formats.copilot_cli import CopilotCLI
from compactor_cli.formats.cursor import Cursor
from compactor_cli.formats.droid import Droid
from compactor_cli.formats.gemini import GeminiContents
from compactor_cli.formats.gemini_cli import GeminiCLI
from compactor_cli.formats.grok import Grok
from compactor_cli.formats.hermes import Hermes
from compactor_cli.formats.inspect_log import Inspect
from compactor_cli.formats.kimi import Kimi
from compactor_cli.formats.langchain import LangChain
from compactor_cli.formats.memory_entries import MemoryEntries
from compactor_cli.formats.openai_chat import OpenAIChat
from compactor_cli.formats.openai_responses import OpenAIResponses
from compactor_cli.formats.opencode import OpenCode
from compactor_cli.formats.openhands import OpenHands
from compactor_cli.formats.pi import Pi
from compactor_cli.formats.qwen import Qwen
from compactor_cli.formats.sharegpt import ShareGPT
from compactor_cli.formats.sts import STS

FORMATS: dict[str, Format] = {
    known.name: known
    for known in (
        OpenAIChat(),
        AnthropicMessages(),
        ClaudeCode(),
        Codex(),
        MemoryEntries(),
        AISDK(),
        ATIF(),
        OpenCode(),
        Pi(),
        ShareGPT(),
        ADP(),
        Inspect(),
        GeminiCLI(),
        Qwen(),
        CopilotCLI(),
        Antigravity(),
        Hermes(),
        OpenHands(),
        Grok(),
        Cursor(),
        Droid(),
        LangChain(),
        STS(),
        OpenAIResponses(),
        Kimi(),
        Cline(),
        Bedrock(),
        GeminiContents(),
        ClaudeAI(),
        ChatGPT(),
    )
}
NAMES = (*FORMATS, documents.NAME)

_HEAD = 200
"""Records that are looked at to tell the format."""
_SURE = 0.55
"""Mean recognition below which a file is of no known format."""
_CLAIM = 0.75
"""Recognition from which on a record counts as plainly of a format."""
_LIKELY = 0.5
"""Recognition from which on a record says anything: one with a role and nothing else is of many formats."""


def check_name(name: str) -> None:
    """Raise UsageError for the name of a format that is not known; an empty one stands for any."""
    if name and name not in NAMES:
        raise UsageError(f"unknown format {name!r}{meant(name, NAMES)}; known formats: {', '.join(NAMES)}")


def choose(values: Sequence[Any], name: str = "") -> Format:
    """Return the format of records: the one named, or the one that recognises them best."""
    if name and name != documents.NAME:
        check_name(name)
        return FORMATS[name]
    head = values[:_HEAD]
    if (named := _told_by_header(head)) is not None:
        return named
    best = max(FORMATS.values(), key=lambda known: fit(known, head))
    if fit(best, head) >= _SURE:
        return best
    # a session may have few messages among records of kinds that nobody knows, more so when it was compacted; and a
    # file of two formats fits neither well: let `foreign` name the line where they meet
    if not any(known.recognize(value) for known in FORMATS.values() for value in values):
        message = f"no known format: none of {len(FORMATS)} knows any of its records"
        raise InputError(f"{message}; name it with --format (compactor formats lists them)", line=1)
    return max(FORMATS.values(), key=lambda known: fit(known, values))


def _told_by_header(head: Sequence[Any]) -> Format | None:
    """Return the format whose header comes first, where it is in no other format and what follows is in this one,
    too."""
    known_by = [known for known in FORMATS.values() if head and known.recognize(head[0])]
    if len(known_by) != 1 or known_by[0].recognize(head[0]) < 1:
        return None
    strays = [value for value in head if not known_by[0].recognize(value)]
    return None if any(known.recognize(value) for value in strays for known in FORMATS.values()) else known_by[0]


def nearest(values: Sequence[Any]) -> str:
    """Return the formats that come nearest, and how near: how many of the records they recognise."""
    known_by = {known.name: sum(known.recognize(value) > 0 for value in values) for known in FORMATS.values()}
    near = sorted((name for name, count in known_by.items() if count), key=lambda name: -known_by[name])[:3]
    return ", ".join(f"{name} knows {known_by[name]:,} of {len(values):,} records" for name in near)


def at_home(values: Sequence[Any]) -> Format | None:
    """Return the best format that recognises every record that any plainly does. Plain texts look alike in several
    formats, so the best at first sight need not be the right one."""
    ranked = sorted(FORMATS.values(), key=lambda known: -fit(known, values))
    known_values = [value for value in values if any(known.recognize(value) >= _LIKELY for known in ranked)]
    return next((known for known in ranked if all(known.recognize(value) for value in known_values)), None)


def _claimant(value: Any) -> str:
    """Return the format that recognises a record beyond doubt, or an empty string."""
    sure = max(FORMATS.values(), key=lambda known: known.recognize(value))
    return sure.name if sure.recognize(value) >= _CLAIM else ""


def foreign(chosen: Format, values: Sequence[Any], known: frozenset[int]) -> tuple[int, str, str] | None:
    """Return where a second format starts: the record's index, the format before it, and the one from there on.

    None when no record plainly belongs to another format than the chosen one. `known`: records that it recognizes.
    """
    strays = [index for index in range(len(values)) if index not in known and _claimant(values[index])]
    if not strays:
        return None
    first = chosen.name if strays[0] else _claimant(values[0])
    for index, value in enumerate(values):
        if first in FORMATS and FORMATS[first].recognize(value):
            continue
        name = chosen.name if chosen.recognize(value) else _claimant(value)
        if name and name != first:
            return index, first, name
    return None
