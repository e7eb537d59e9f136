"""The commands. Each is loaded only when it is named, so that a run does not pay for the imports of the others."""

from __future__ import annotations

from collections import UserDict
from importlib import import_module
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

ARGS = "compactor.args"
"""Key under which a click context stores the options of the running command."""
_SUMMARIES = {
    "sessions": "List the sessions on this machine.",
    "score": "Score every message and mark the residuals.",
    "budget": "Split a token budget.",
    "compact": "Make transcripts smaller.",
    "browse": "Review a session and choose what to keep.",
    "assemble": "Build the messages of a prompt.",
    "inspect": "Show what is in a session.",
    "diff": "Show what survived a compaction.",
    "restore": "Bring back what compact removed.",
    "doctor": "Find and fix what is wrong with a session.",
    "convert": "Convert a session to the format of another agent.",
    "evaluate": "Measure which strategy keeps what your sessions needed.",
    "learn": "Fit strategy adaptive to your own sessions.",
    "strategies": "List the strategies.",
    "formats": "List the formats.",
    "memory": "Read and change the memory log.",
    "config": "Show and change settings.",
    "hook": "Run before and after an agent's own compaction.",
    "textconv": "Print a transcript as text, for git diff.",
    "mcp": "Serve sessions to an agent (MCP).",
    "completion": "Print a shell completion script.",
}
"""Command -> its summary in the list of commands. The module and the function in it have the command's name."""


def summary(name: str) -> str:
    return _SUMMARIES[name]


class Commands(UserDict[str, Any]):
    """Name -> command. A command is loaded when it is looked up by its name."""

    def __init__(self) -> None:
        super().__init__(dict.fromkeys(_SUMMARIES))

    def __getitem__(self, name: str) -> TyperCommand | TyperGroup:
        command: TyperCommand | TyperGroup = self.data[name] or _load(name)
        self.data[name] = command
        return command


def _load(name: str) -> TyperCommand | TyperGroup:
    member = getattr(import_module(f"compactor_cli.cli.commands.{name}"), name)
    if isinstance(member, typer.Typer):
        command = typer.main.get_command(member)
    else:
        from compactor_cli.cli.picking import Picking

        alone = typer.Typer(rich_markup_mode=None, add_completion=False, pretty_exceptions_enable=False)
        alone.command(name, cls=Picking)(member)
        command = typer.main.get_command(alone)
    command.name, command.short_help = name, _SUMMARIES[name]
    assert isinstance(command, TyperCommand | TyperGroup)
    return command
