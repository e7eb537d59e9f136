"""Hooks in an agent's settings file, as of Claude Code and Codex: event -> groups with a matcher -> commands."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from compactor_cli.errors import InputError
from compactor_cli.formats.jsonedit import Step, add, members, remove
from compactor_cli.formats.jsonl import parse
from compactor_cli.hooks.payload import BEFORE, START

TIMEOUT = 60
_OUR_COMMAND = re.compile(r"\bcompactor(?:_cli|-cli)?(?:\.exe)?[\"']?\s+hook\s+run\b")


def hook_groups(command: str) -> dict[str, dict[str, Any]]:
    """Return event -> the group to append to its groups."""
    run = {"type": "command", "command": command, "timeout": TIMEOUT}
    return {BEFORE: {"hooks": [run]}, START: {"matcher": "compact", "hooks": [run]}}


def with_hooks(text: str, command: str) -> str:
    """Return a settings file with the hooks, unchanged if they are there. Raises InputError if it is none."""
    new_groups = hook_groups(command)
    hooks = {event: [group] for event, group in new_groups.items()}
    if not text.strip():
        return json.dumps({"hooks": hooks}, indent=2) + "\n"
    document = _parse_settings(text)
    installed = [(event, document["hooks"][event][group]) for event, group, _ in _our_commands(document)]
    if sorted(installed, key=str) == sorted(new_groups.items(), key=str):
        return text
    text = without_hooks(text)
    document = _parse_settings(text)
    if "hooks" not in document:
        return add(text, (), "hooks", hooks)
    for event, group in new_groups.items():
        if event in document["hooks"]:
            text = add(text, ("hooks", event), None, group)
        else:
            text = add(text, ("hooks",), event, [group])
    return text


def without_hooks(text: str) -> str:
    """Return a settings file without our hooks and what becomes empty. Raises InputError if it is none."""
    document = _parse_settings(text) if text.strip() else {}
    while (position := next(_our_commands(document), None)) is not None:
        *path, last = _removable_path(document, *position)
        inside = document
        for step in path:
            inside = inside[step]  # type: ignore[index]  # a group is found by its number
        number = last if isinstance(last, int) else list(inside).index(last)
        if len(members(text, path)) != len(inside):
            raise InputError("contains a key twice; remove the hooks by hand")
        text = remove(text, path, number)
        document = _parse_settings(text)
    return text


def _our_commands(document: dict[str, Any]) -> Iterator[tuple[str, int, int]]:
    """Yield where our commands are: event, group, and position in the group."""
    for event, groups in document.get("hooks", {}).items():
        for number, group in enumerate(groups):
            for position, run in enumerate(group.get("hooks", ())):
                if isinstance(run, dict) and _OUR_COMMAND.search(str(run.get("command", ""))):
                    yield event, number, position


def _removable_path(document: dict[str, Any], event: str, group: int, position: int) -> tuple[Step, ...]:
    """Return the path of the largest item that contains nothing but one of our commands."""
    hooks = document["hooks"]
    if len(hooks[event][group]["hooks"]) > 1:
        return "hooks", event, group, "hooks", position
    if len(hooks[event]) > 1:
        return "hooks", event, group
    return ("hooks", event) if len(hooks) > 1 else ("hooks",)


def _parse_settings(text: str) -> dict[str, Any]:
    value = parse(text)
    if not isinstance(value, dict):
        raise InputError("is not a JSON object, so the agent cannot read it either; fix it first")
    hooks = value.get("hooks", {})
    if not isinstance(hooks, dict) or not all(map(_is_group_list, hooks.values())):
        raise InputError("its `hooks` do not have the documented form (events, groups, commands); fix them first")
    return value


def _is_group_list(groups: Any) -> bool:
    return isinstance(groups, list) and all(
        isinstance(group, dict) and isinstance(group.get("hooks", []), list) for group in groups
    )
