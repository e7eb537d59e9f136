"""The command line's way of naming a session by a property instead of by its file."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

from typer.core import TyperCommand

from compactor_cli.cli.files import is_there
from compactor_cli.cli.options import PickOptions, check_at_most_one
from compactor_cli.cli.session import Session
from compactor_cli.errors import UsageError
from compactor_cli.text.clean import one_line

ANY = "any"
"""Value of --latest without an agent."""
_MAX_WORD_CHARS = 80


class Picking(TyperCommand):
    """A command whose --latest takes an agent's name or no value. It rejects both words of a switch together."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        given_args = frozenset(args[: args.index("--")] if "--" in args else args)
        remaining = super().parse_args(ctx, _add_latest_values(args) if "--latest" in args else args)
        for switch in self.params:
            words = (given_args.intersection(side) for side in (switch.opts, switch.secondary_opts))
            check_at_most_one((word, True) for side in words for word in sorted(side)[:1])
        return remaining


def _add_latest_values(args: Sequence[str]) -> list[str]:
    """Return arguments in which each --latest has a value: the next word if it names an agent, otherwise any agent."""
    from compactor_cli.agents import NAMES

    out: list[str] = []
    remaining = list(args)
    while remaining:
        word = remaining.pop(0)
        if word == "--":
            return [*out, word, *remaining]
        if word == "--latest":
            agent_name = remaining.pop(0) if remaining and remaining[0].lower() in NAMES else ANY
            word = f"--latest={agent_name}"
        out.append(word)
    return out


def pick_files(session: Session, files: Sequence[str], args: PickOptions) -> list[str]:
    """Return the files named, or the session chosen by options or at the terminal. Raises UsageError if none is."""
    latest, session_id, project = args.latest, args.session, args.project
    files = [file for file in files if file]
    chosen = check_at_most_one((("--latest", latest), ("--session", session_id)))
    if files and (chosen or project):
        _refuse_files(files, (*chosen, "--project")[0], latest)
    if files:
        return files
    if not chosen and not (sys.stdin.isatty() and sys.stderr.isatty() and not session.err.quiet):
        raise UsageError("Missing argument 'FILE'. Name a file, - for standard input, --latest or --session ID.")
    # the agents are imported only when a session is searched for
    from compactor_cli.cli.session_menu import choose

    return [choose(session, "" if latest == ANY else latest, session_id, project, newest=bool(latest))]


def _refuse_files(files: Sequence[str], option: str, latest: str) -> NoReturn:
    """Raise UsageError for files with an option that chooses a session; the word after --latest may mean an agent."""
    from compactor_cli.agents import AGENTS

    if latest == ANY and not Path(files[0]).suffix and not is_there(files[0]):
        agent_names = ", ".join(AGENTS)
        raise UsageError(f"--latest {one_line(files[0], _MAX_WORD_CHARS)}: unknown agent; known agents: {agent_names}")
    raise UsageError(f"{option} already chooses a session; leave out {one_line(' '.join(files), _MAX_WORD_CHARS)}")
