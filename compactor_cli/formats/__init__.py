"""The formats, and how one is chosen for a file.

A new format is one file here and one line in `_CLASSES`; see CONTRIBUTING.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from compactor_cli.errors import InputError, UsageError, meant
from compactor_cli.formats import documents
from compactor_cli.formats.base import Format, fit
from compactor_cli.model.loaded_later import LoadedLater

_IN_RUNS = "input inputs observations patch post runs"
_CLASSES = {
    "openai-chat": (
        "openai_chat.OpenAIChat",
        f"role messages history conversations conversation trajectory body samples {_IN_RUNS}",
    ),
    "anthropic": ("anthropic_messages.AnthropicMessages", f"role messages body {_IN_RUNS}"),
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
    "langchain": ("langchain.LangChain", f"type messages kwargs values channel_values {_IN_RUNS}"),
    "sts": ("sts.STS", "harness message"),
    "openai-responses": ("openai_responses.OpenAIResponses", "type role input body"),
    "kimi": ("kimi.Kimi", "type role"),
    "cline": ("cline.Cline", "ts messages"),
    "bedrock": ("bedrock.Bedrock", "role messages input"),
    "gemini": ("gemini.GeminiContents", "parts contents request"),
    "claude-ai": ("claude_ai.ClaudeAI", "sender chat_messages"),
    "chatgpt": ("chatgpt.ChatGPT", "children mapping"),
}
"""Name of a format -> its class, and members of which one is in each record that it recognizes, and in each document in
which it finds a conversation: a format is loaded for what has one of them."""


class Formats(LoadedLater[Format]):
    """Name -> format. One is loaded when it is asked for, or a file may be of it."""

    def __init__(self) -> None:
        super().__init__("compactor_cli.formats", {name: of_class for name, (of_class, _) in _CLASSES.items()})
        self._signs = {name: frozenset(signs.split()) for name, (_, signs) in _CLASSES.items()}

    def may_know(self, values: Iterable[Any]) -> list[Format]:
        """Return the formats of which any of the records or documents may be; the others recognize none of them."""
        members: set[str] = set()
        for value in values:
            if not isinstance(value, dict):
                return [*self.values()]
            members.update(value)
        return [self[name] for name, signs in self._signs.items() if not signs.isdisjoint(members)]


FORMATS = Formats()
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
    best = max(FORMATS.may_know(head), key=lambda known: fit(known, head), default=None)
    if best is not None and fit(best, head) >= _SURE:
        return best
    # a session may have few messages among records of kinds that nobody knows, more so when it was compacted; and a
    # file of two formats fits neither well: let `foreign` name the line where they meet
    possible = FORMATS.may_know(values)
    if not any(known.recognize(value) for known in possible for value in values):
        message = f"no known format: none of {len(FORMATS)} knows any of its records"
        raise InputError(f"{message}; name it with --format (compactor formats lists them)", line=1)
    return max(possible, key=lambda known: fit(known, values))


def _told_by_header(head: Sequence[Any]) -> Format | None:
    """Return the format whose header comes first, where it is in no other format and what follows is in this one,
    too."""
    known_by = [known for known in FORMATS.may_know(head[:1]) if known.recognize(head[0])]
    if len(known_by) != 1 or known_by[0].recognize(head[0]) < 1:
        return None
    strays = [value for value in head if not known_by[0].recognize(value)]
    possible = FORMATS.may_know(strays)
    return None if any(known.recognize(value) for value in strays for known in possible) else known_by[0]


def nearest(values: Sequence[Any]) -> str:
    """Return the formats that come nearest, and how near: how many of the records they recognise."""
    known_by = {known.name: sum(known.recognize(value) > 0 for value in values) for known in FORMATS.may_know(values)}
    near = sorted((name for name, count in known_by.items() if count), key=lambda name: -known_by[name])[:3]
    return ", ".join(f"{name} knows {known_by[name]:,} of {len(values):,} records" for name in near)


def at_home(values: Sequence[Any]) -> Format | None:
    """Return the best format that recognises every record that any plainly does. Plain texts look alike in several
    formats, so the best at first sight need not be the right one."""
    ranked = sorted(FORMATS.may_know(values), key=lambda known: -fit(known, values))
    known_values = [value for value in values if any(known.recognize(value) >= _LIKELY for known in ranked)]
    return next((known for known in ranked if all(known.recognize(value) for value in known_values)), None)


def _claimant(value: Any) -> str:
    """Return the format that recognises a record beyond doubt, or an empty string."""
    sure = max(FORMATS.may_know([value]), key=lambda known: known.recognize(value), default=None)
    return sure.name if sure is not None and sure.recognize(value) >= _CLAIM else ""


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
