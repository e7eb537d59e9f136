"""The commands, each loaded when it is named: what the others need costs a run nothing."""

from __future__ import annotations

from collections.abc import ItemsView, ValuesView
from importlib import import_module
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

_SUMMARIES = {
    "sessions": "List the sessions on this machine.",
    "score": "Score every message, mark the residuals.",
    "budget": "Share out a token budget.",
    "compact": "Make transcripts smaller.",
    "assemble": "Write the messages of a prompt.",
    "inspect": "Look into a session.",
    "diff": "What survived a compaction.",
    "restore": "Bring back what was taken away.",
    "doctor": "Say what is wrong with a session, and mend it.",
    "convert": "Write a session in another format, for another agent.",
    "evaluate": "Which strategy keeps what your sessions needed.",
    "learn": "Fit strategy adaptive to your own sessions.",
    "strategies": "List the strategies.",
    "formats": "List the formats.",
    "memory": "The memory log.",
    "config": "Show and change settings.",
}
"""Command -> what the list of commands says of it. Its module and what is called there have the same name."""


class Commands(dict[str, Any]):
    """Name -> command. A command is loaded when it is asked for by its name."""

    def __init__(self) -> None:
        super().__init__(dict.fromkeys(_SUMMARIES))

    def summary(self, name: str) -> str:
        return _SUMMARIES[name]

    def __getitem__(self, name: str) -> TyperCommand | TyperGroup:
        found = super().__getitem__(name)
        if found is None:
            found = self[name] = _load(name)
        return found

    def get(self, name: str, default: Any = None) -> Any:
        try:
            return self[name]
        except KeyError:
            return default

    def values(self) -> ValuesView[Any]:
        self._load_all()
        return super().values()

    def items(self) -> ItemsView[str, Any]:
        self._load_all()
        return super().items()

    def _load_all(self) -> None:
        for name in self:
            self[name]


def _load(name: str) -> TyperCommand | TyperGroup:
    found = getattr(import_module(f"compactor_cli.cli.{name}"), name)
    if isinstance(found, typer.Typer):
        command = typer.main.get_command(found)
    else:
        from compactor_cli.cli.picking import Picking

        alone = typer.Typer(rich_markup_mode=None, add_completion=False, pretty_exceptions_enable=False)
        alone.command(name, cls=Picking)(found)
        command = typer.main.get_command(alone)
    command.name, command.short_help = name, _SUMMARIES[name]
    assert isinstance(command, TyperCommand | TyperGroup)
    return command
