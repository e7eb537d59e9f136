"""Answer the completion scripts in `compactor_cli/shell`, which ask at each Tab what can be inserted at the cursor.

The first line of the answer is its kind: words, open (words that may be continued), files, dirs or none. For words, one
line each follows: the word, a tab, and its description. The commands and their options come from `shell/words.json`,
which `make docs` writes, because loading the commands themselves would take longer than a person waits for a key.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

REQUEST_VARIABLE = "_COMPACTOR_COMPLETE"
"""The environment variable that names the shell that asks."""
_TABLE = Path(__file__).parent.parent / "shell" / "words.json"
_MAX_SESSIONS = 30
"""Maximum number of sessions to offer, since describing each takes time."""
_ASSIGNMENT = re.compile(r"\w+=")

Choices = list[tuple[str, str]]
"""Pairs of a word and its description."""


@dataclass(slots=True)
class CursorPosition:
    """The position of the cursor, derived from the words before it."""

    command: str = ""
    """Empty for the program itself; `config set` for a command of a group."""
    option: str = ""
    """The option whose value comes next."""
    used: list[str] = field(default_factory=list)
    arguments: list[str] = field(default_factory=list)
    only_arguments: bool = False
    """Whether the cursor is after `--`."""


def print_completions() -> None:
    shell, words = os.environ[REQUEST_VARIABLE], sys.argv[1:]
    if shell == "bash":
        words = _split(words[0] if words else "")
    words = words or [""]
    kind, choices = completions(json.loads(_TABLE.read_bytes()), words)
    cut, head, value = 0, "", words[-1]
    if value.startswith("--") and "=" in value:
        head, _, value = value.partition("=")
    if shell == "bash":  # bash splits words at = and :, and inserts the completion after the last of them
        cut = max(value.rfind("="), value.rfind(":")) + 1
    # fish replaces the whole word with the completion
    head = f"{head}=" if head and shell == "fish" else ""
    lines = [f"{head}{word[cut:]}\t{' '.join(description.split())}" for word, description in choices]
    sys.stdout.write("".join(f"{line}\n" for line in (kind, *lines)))


def completions(table: Mapping[str, Any], words: Sequence[str]) -> tuple[str, Choices]:
    """Return the kind of the answer and its words. `words`: the last one is incomplete."""
    *before, typed = words
    cursor = _cursor_position(table, before)
    if typed.startswith("-") and not cursor.only_arguments and not _needs_value(table, cursor):
        cursor.option, equals, typed = typed.partition("=") if typed.startswith("--") else ("", "", typed)
        if not equals:
            return _matching_choices(_options(table, cursor), cursor.option or typed)
    typed_option = _option(table, cursor.command, cursor.option)
    if typed_option is not None:
        return _values(table, typed_option["value"] or "", cursor, typed)
    command = table["commands"][cursor.command]
    if command["commands"]:
        inner = [(name, table["commands"][f"{cursor.command} {name}".strip()]["help"]) for name in command["commands"]]
        return _matching_choices(inner, typed)
    kinds = command["arguments"]
    position = len(cursor.arguments)
    kind = kinds[position] if position < len(kinds) else kinds[-1] if kinds and command["many"] else ""
    return _values(table, kind, cursor, typed)


def _cursor_position(table: Mapping[str, Any], before: Iterable[str]) -> CursorPosition:
    position = CursorPosition()
    for word in before:
        if _needs_value(table, position) or (position.option and word in dict(table["values"]["agents"])):
            position.option = ""
            continue
        position.option = ""
        if position.only_arguments or not word.startswith("-") or word == "-":
            inner = f"{position.command} {word}".strip()
            if not position.arguments and inner in table["commands"]:
                position.command, position.used = inner, []
            else:
                position.arguments.append(word)
        elif word == "--":
            position.only_arguments = True
        else:
            name, equals, _ = word.partition("=")
            position.used.append(name)
            option = _option(table, position.command, name)
            position.option = name if option and option["value"] is not None and not equals else ""
    return position


def _option(table: Mapping[str, Any], command: str, name: str) -> dict[str, Any] | None:
    return next((option for option in _options_of(table, command) if name in option["names"]), None)


def _options_of(table: Mapping[str, Any], command: str) -> list[dict[str, Any]]:
    return [table["options"][name] for name in table["commands"][command]["options"]]


def _needs_value(table: Mapping[str, Any], position: CursorPosition) -> bool:
    """Return whether the next word is certain to be the value of an option."""
    option = _option(table, position.command, position.option)
    return option is not None and not option["maybe"]


def _options(table: Mapping[str, Any], position: CursorPosition) -> Choices:
    options = _options_of(table, position.command)
    free = [option for option in options if option["many"] or not set(option["names"]) & set(position.used)]
    return [(name, option["help"]) for option in free for name in option["names"]]


def _values(table: Mapping[str, Any], kind: str, position: CursorPosition, typed: str) -> tuple[str, Choices]:
    if kind in ("files", "dirs"):
        return kind, []
    if kind == "models":
        return _matching_choices(_models(typed), typed)
    if kind == "sessions":
        return _matching_choices(_sessions(), typed)
    if kind == "key values":
        key = position.arguments[0] if position.arguments else ""
        return _matching_choices([(value, "") for value in table["keys"].get(key, ())], typed)
    listed = kind.endswith(",")  # several values, separated by commas
    head = typed[: typed.rfind(",") + 1] if listed else ""
    return _matching_choices([(head + word, help_) for word, help_ in table["values"].get(kind.rstrip(","), ())], typed)


def _matching_choices(choices: Iterable[tuple[str, str]], typed: str) -> tuple[str, Choices]:
    matching = [(word, description) for word, description in choices if word.startswith(typed)]
    if not matching:
        return "none", []
    return "open" if all(word.endswith("=") for word, _ in matching) else "words", matching


def _models(typed: str) -> Choices:
    """Return the models in the table of context limits; until a `/` is typed, only those without a provider prefix."""
    from compactor_cli.tokens.models import chat_models

    return [(name, f"{limit:,} tokens") for name, limit in chat_models() if "/" in typed or "/" not in name]


def _sessions() -> Choices:
    """Return the newest sessions on this machine, by unique beginnings of their ids."""
    from compactor_cli.agents import AGENTS
    from compactor_cli.agents.base import make_machine
    from compactor_cli.agents.finding import describe_sessions, find_sessions, shortest_prefixes

    listing = find_sessions(make_machine(os.environ), AGENTS.values())
    newest = list(islice(describe_sessions(listing), _MAX_SESSIONS))
    ids = shortest_prefixes([saved.id for saved in newest])
    return [(name, f"{saved.agent.name}: {saved.words[:60]}") for name, saved in zip(ids, newest, strict=True)]


def _split(line: str) -> list[str]:
    """Return the words of a line after the program's name, split as a shell would. The last word may be incomplete."""
    import shlex

    lexer = shlex.shlex(line, posix=True, punctuation_chars=False)
    lexer.whitespace_split, lexer.commenters = True, ""
    words: list[str] = []
    try:
        words.extend(iter(lexer.get_token, None))
    except ValueError:  # an open quote or escape
        words.append(lexer.token)
    while words and _ASSIGNMENT.match(words[0]):
        del words[0]
    if line[-1:].isspace():
        words.append("")
    return words[1:]
