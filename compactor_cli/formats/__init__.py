"""The registry of formats, and how the format of a file is chosen.

A new format is one file here and one line in `_CLASSES`; see CONTRIBUTING.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from compactor_cli.errors import InputError, UsageError, meant
from compactor_cli.formats import documents
from compactor_cli.formats.base import Format, fit
from compactor_cli.formats.foreign_calls import refuse_foreign
from compactor_cli.model.loaded_later import LoadedLater

_RUN_MEMBERS = "input inputs observations patch post runs"
_CLASSES = {
    "openai-chat": (
        "openai_chat.OpenAIChat",
        f"role messages history conversations conversation trajectory body samples {_RUN_MEMBERS}",
    ),
    "anthropic": ("anthropic_messages.AnthropicMessages", f"role messages body {_RUN_MEMBERS}"),
    "claude-code": ("claude_code.ClaudeCode", "type"),
    "codex": ("codex.Codex", "payload"),
    "memory": ("memory_entries.MemoryEntries", "timestamp importance"),
    "ai-sdk": ("ai_sdk.AISDK", "role messages"),
    "atif": ("atif.ATIF", "step_id steps"),
    "opencode": ("opencode.OpenCode", "info messages"),
    "pi": ("pi.Pi", "type"),
    "sharegpt": ("sharegpt.ShareGPT", "from role conversations conversation messages"),
    "adp": ("adp.ADP", "class_ content"),
    "inspect": ("inspect_log.Inspect", "samples messages"),
    "gemini-cli": ("gemini_cli.GeminiCLI", "$set $rewindTo $patch sessionId type parts messages history"),
    "qwen": ("qwen.Qwen", "parentUuid"),
    "copilot-cli": ("copilot_cli.CopilotCLI", "data"),
    "antigravity": ("antigravity.Antigravity", "step_index"),
    "hermes": ("hermes.Hermes", "role messages"),
    "openhands": ("openhands.OpenHands", "kind action observation history trajectory events items"),
    "grok": ("grok.Grok", "type"),
    "cursor": ("cursor.Cursor", "message status"),
    "droid": ("droid.Droid", "type"),
    "langchain": ("langchain.LangChain", f"type messages kwargs values channel_values {_RUN_MEMBERS}"),
    "sts": ("sts.STS", "harness message"),
    "openai-responses": ("openai_responses.OpenAIResponses", "type role input body"),
    "kimi": ("kimi.Kimi", "type role"),
    "cline": ("cline.Cline", "ts messages"),
    "bedrock": ("bedrock.Bedrock", "role messages input"),
    "gemini": ("gemini.GeminiContents", "parts contents request"),
    "claude-ai": ("claude_ai.ClaudeAI", "sender chat_messages"),
    "chatgpt": ("chatgpt.ChatGPT", "children mapping"),
}
"""Format name -> its class, and a list of members. Every record that the format recognizes has at least one of them,
and so does every document in which it finds a conversation. A format is loaded only for data that has one of its
members."""


class Formats(LoadedLater[Format]):
    """Maps names to formats. A format is loaded when it is requested or when a file may be in it."""

    def __init__(self) -> None:
        super().__init__("compactor_cli.formats", {name: of_class for name, (of_class, _) in _CLASSES.items()})
        self._signs = {name: frozenset(signs.split()) for name, (_, signs) in _CLASSES.items()}

    def may_know(self, values: Iterable[Any]) -> list[Format]:
        """Return the formats that may recognize one of the records or documents; all others recognize none."""
        members: set[str] = set()
        for value in values:
            if not isinstance(value, dict):
                return [*self.values()]
            members.update(value)
        return [self[name] for name, signs in self._signs.items() if not signs.isdisjoint(members)]


FORMATS = Formats()
NAMES = (*FORMATS, documents.NAME)

_MAX_HEAD_RECORDS = 200
"""Number of records examined to detect the format."""
_MIN_MEAN_FIT = 0.55
"""Minimum mean recognition for a file; below it, the format is unknown."""
_MIN_CLEAR_FIT = 0.75
"""Minimum recognition for a record to count as clearly of a format."""
_MIN_EVIDENCE = 0.5
"""Minimum recognition for a record to count as evidence at all. A record with only a role fits many formats."""


def check_name(name: str) -> None:
    """Raise UsageError if a format name is unknown. An empty name means any format."""
    if name and name not in NAMES:
        raise UsageError(f"unknown format {name!r}{meant(name, NAMES)}; known formats: {', '.join(NAMES)}")


def choose(values: Sequence[Any], name: str = "") -> Format:
    """Return the named format, or else the one that recognizes the records best."""
    if name and name != documents.NAME:
        check_name(name)
        return FORMATS[name]
    head = values[:_MAX_HEAD_RECORDS]
    if (by_header := _format_by_header(head)) is not None:
        return by_header
    best = max(FORMATS.may_know(head), key=lambda known: fit(known, head), default=None)
    if best is not None and fit(best, head) >= _MIN_MEAN_FIT:
        return best
    # A session can have few messages among unknown kinds of records, especially after a compaction. And a file that
    # mixes two formats fits neither well: `second_format` then names the line where the second one starts.
    possible = FORMATS.may_know(values)
    refuse_foreign(head)
    if not any(known.recognize(value) for known in possible for value in values):
        message = f"unknown format: none of the {len(FORMATS)} known formats matches its records"
        raise InputError(f"{message}; if it is one that compactor formats lists, name it with --format", line=1)
    return max(possible, key=lambda known: fit(known, values))


def _format_by_header(head: Sequence[Any]) -> Format | None:
    """Return the format that alone recognizes the first record, and does so with certainty. None if another format
    recognizes a record that this one does not."""
    known_by = [known for known in FORMATS.may_know(head[:1]) if known.recognize(head[0])]
    if len(known_by) != 1 or known_by[0].recognize(head[0]) < 1:
        return None
    strays = [value for value in head if not known_by[0].recognize(value)]
    possible = FORMATS.may_know(strays)
    return None if any(known.recognize(value) for value in strays for known in possible) else known_by[0]


def closest_formats(values: Sequence[Any]) -> str:
    """Return a list of the closest formats, with how many of the records each recognizes."""
    known_by = {known.name: sum(known.recognize(value) > 0 for value in values) for known in FORMATS.may_know(values)}
    closest = sorted((name for name, count in known_by.items() if count), key=lambda name: -known_by[name])[:3]
    return ", ".join(f"{name} knows {known_by[name]:,} of {len(values):,} records" for name in closest)


def format_of_all(values: Sequence[Any]) -> Format | None:
    """Return the best-fitting format that recognizes every record with clear evidence. Plain texts look alike in
    several formats, so the best fit at first sight may be wrong."""
    ranked = sorted(FORMATS.may_know(values), key=lambda known: -fit(known, values))
    known_values = [value for value in values if any(known.recognize(value) >= _MIN_EVIDENCE for known in ranked)]
    return next((known for known in ranked if all(known.recognize(value) for value in known_values)), None)


def _claimant(value: Any) -> str:
    """Return the name of the format that clearly recognizes a record, or an empty string."""
    clearest = max(FORMATS.may_know([value]), key=lambda known: known.recognize(value), default=None)
    return clearest.name if clearest is not None and clearest.recognize(value) >= _MIN_CLEAR_FIT else ""


def second_format(chosen: Format, values: Sequence[Any], known: frozenset[int]) -> tuple[int, str, str] | None:
    """Return where a second format starts: the record's index, the format before it, and the format from there on.

    Returns None when no record clearly belongs to a format other than `chosen`. `known`: records that `chosen`
    recognizes.
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
