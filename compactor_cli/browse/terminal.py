"""The terminal that the browser runs in."""

from __future__ import annotations

import sys

from textual.app import App

from compactor_cli.errors import ExitCode


def end_with_the_terminal(app: App[int]) -> None:
    """End the application when its terminal is closed: reading keys from one that is gone never waits."""

    def look() -> None:
        if not _is_there():
            app.exit(return_code=int(ExitCode.INTERRUPTED))

    if _is_there():  # nobody is at a terminal in tests
        app.set_interval(1, look)


def _is_there() -> bool:
    return sys.__stdin__ is not None and sys.__stdin__.isatty()
