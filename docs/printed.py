"""Run commands of this checkout, and return what they print, for pages and pictures.

Each command is a process forked from this one. A new Python process would spend half a second on imports that are
already done here.
"""

from __future__ import annotations

import os
import shlex
import sys
import tempfile
from functools import cache
from multiprocessing import get_context
from pathlib import Path

import typer

from compactor_cli.cli.app import app, main
from compactor_cli.tokens import make_counter

_OURS = ("COMPACTOR_", "PROMPT_COMPACTION_")


def printed(command: str, folder: Path, variables: dict[str, str], without: tuple[str, ...] = ()) -> tuple[str, int]:
    """Return what a command prints on both of its streams, and its exit code.

    Its environment is that of this process plus `variables`. Left out are the program's settings, and variables whose
    names begin with one of `without`.
    """
    _imported()
    environment = {name: value for name, value in os.environ.items() if not name.startswith((*_OURS, *without))}
    with tempfile.TemporaryFile() as out:
        words = ["compactor", *shlex.split(command)[1:]]
        process = get_context("fork").Process(
            target=_become, args=(words, folder, {**environment, **variables}, out.fileno())
        )
        process.start()
        process.join()
        out.seek(0)
        return out.read().decode(), process.exitcode or 0


@cache
def _imported() -> None:
    """Import all commands, and load the vocabulary."""
    list(typer.main.get_command(app).commands.values())  # type: ignore[attr-defined]  # it is a group
    make_counter().counter.count("words")


def _become(words: list[str], folder: Path, environment: dict[str, str], out: int) -> None:
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    for stream in (1, 2):
        os.dup2(out, stream)
    sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", encoding="utf-8", buffering=1, closefd=False)  # noqa: SIM115
    sys.argv = words
    main()
