"""The option --width of the program and of every command, which sets how wide tables are."""

from __future__ import annotations

import os
from typing import Annotated

import typer

_MIN_WIDTH = 40


def _set_width(width: int | None) -> int | None:
    """Set the width of the terminal for everything that prints and for child processes."""
    if width is not None:
        os.environ["COLUMNS"] = str(width)
    return width


WidthOption = Annotated[
    int | None,
    typer.Option(
        "--width",
        metavar="N",
        min=_MIN_WIDTH,
        is_eager=True,
        callback=_set_width,
        help="Width of tables; default: that of the terminal, or COLUMNS.",
    ),
]
