"""Print what to do next when `compactor` is run without arguments, with the newest sessions on this machine."""

from __future__ import annotations

import shlex
import sys
import sysconfig
import time
from itertools import islice
from pathlib import Path

import compactor_cli
from compactor_cli.agents import AGENTS
from compactor_cli.agents.finding import describe_sessions, find_sessions, shortest_prefixes
from compactor_cli.cli.session_menu import this_machine
from compactor_cli.render.console import count_phrase, make_console
from compactor_cli.render.sessions import session_table

_MAX_SHOWN = 5
_SAMPLE = "openai-chat.jsonl"


def welcome(program: str) -> None:
    """Print the welcome to standard error, since no output was requested. `program`: the name that the user typed."""
    console = make_console(sys.stderr)
    console.print(f"Usage: {program} COMMAND [OPTIONS]\n", soft_wrap=True)
    console.print("Makes saved sessions with language models smaller without losing what the work needs.")
    listing = find_sessions(this_machine(), AGENTS.values())
    newest = list(islice(describe_sessions(listing), _MAX_SHOWN))
    if newest:
        console.print(session_table(console, newest, time.time()))
        example_option = f"--session {shortest_prefixes([saved.id for saved in newest])[0]}"
        phrase = f"{'is' if len(listing.sessions) == 1 else 'are'} {count_phrase(len(listing.sessions), 'session')}"
        console.print(f"There {phrase} on this machine. To inspect the newest and compact it:")
    else:
        example_option = shlex.quote(str(sample_path() or "session.jsonl"))
        console.print("\nThere are no agent sessions on this machine. Name a file of your own, or try a sample:")
    console.print(
        f"\n  {program} inspect {example_option}\n  {program} compact {example_option} --target-ratio 0.25 -o "
        f"small.jsonl\n\nSee {program} --help for all commands, {program} sessions for all sessions, and {program} "
        "completion for Tab completion.",
        soft_wrap=True,
    )


def sample_path() -> Path | None:
    """Return a sample session of a checkout or an installation; None if there is none."""
    checkout = Path(compactor_cli.__file__).parent.parent / "sample_transcripts"
    installed = Path(sysconfig.get_path("data"), "share", "compactor")
    return next((candidate for folder in (checkout, installed) if (candidate := folder / _SAMPLE).is_file()), None)
