"""`compactor completion`: a script with which a shell completes commands, options and their values."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from compactor_cli.cli import options
from compactor_cli.cli.typed_options import takes_options
from compactor_cli.errors import UsageError, meant
from compactor_cli.settings.frozen import frozen

SHELLS = {"bash": "compactor.bash", "zsh": "_compactor", "fish": "compactor.fish"}
"""Shell -> its script in `compactor_cli/shell`."""
_FOLDER = Path(__file__).parent.parent.parent / "shell"


@frozen(frozen=True, kw_only=True)
class CompletionOptions(options.RunOptions):
    shell: Annotated[
        str, typer.Argument(metavar="[SHELL]", help=f"{', '.join(SHELLS)}; without it, the one that SHELL names.")
    ] = ""


@takes_options("completion")
def completion(args: CompletionOptions) -> None:
    """Print a shell script that completes commands, options and their values when you press Tab.

    It completes the names of strategies, formats, agents, models and settings, and the ids of sessions. Its
    first lines say how to install it.

    \b
    Examples:
      compactor completion bash
      compactor completion zsh > ~/.zfunc/_compactor
      compactor completion fish > ~/.config/fish/completions/compactor.fish
    """
    name = args.shell or Path(os.environ.get("SHELL", "")).name
    if name not in SHELLS:
        problem = (
            f"no completion exists for {name!r}{meant(name, SHELLS)}" if name else "the variable SHELL names no shell"
        )
        raise UsageError(f"{problem}; name one of {', '.join(SHELLS)}")
    script = (_FOLDER / SHELLS[name]).read_text(encoding="utf-8")
    typer.echo(script, nl=False)
    if sys.stdout.isatty() and not args.quiet:
        lines = [line for line in script.splitlines() if line.startswith("#") and "compdef" not in line]
        typer.echo("\n" + "\n".join(line.removeprefix("# ") for line in lines), err=True)
