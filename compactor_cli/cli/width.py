"""How wide tables are: an option that every command has, in front of the command or behind it."""

from __future__ import annotations

import os
from typing import Annotated, Any

import typer

_NARROWEST = 40


def _set(width: int | None) -> None:
    """Have all that prints, and the processes that are started, take it for the width of the terminal."""
    if width is not None:
        os.environ["COLUMNS"] = str(width)


WidthOption = Annotated[
    int | None,
    typer.Option(
        "--width",
        metavar="N",
        min=_NARROWEST,
        is_eager=True,
        callback=_set,
        expose_value=False,
        help="How wide tables are, instead of as wide as the terminal, or COLUMNS.",
    ),
]


def _nothing(width: WidthOption = None) -> None: ...


def give_width(command: Any) -> None:
    """Give the option to a command, and to those in it."""
    alone = typer.Typer(rich_markup_mode=None, add_completion=False)
    alone.command()(_nothing)
    option = typer.main.get_command(alone).params[0]
    for one in (command, *getattr(command, "commands", {}).values()):
        one.params.append(option)
