"""Watches the terminal that the browser runs in."""

from __future__ import annotations

import sys

from textual.app import App

from compactor_cli.errors import ExitCode


def quit_with_terminal(app: App[int]) -> None:
    """End the application when its terminal is closed; otherwise, reading keys from the closed terminal would spin."""

    def look() -> None:
        if not _is_terminal_open():
            app.exit(return_code=int(ExitCode.INTERRUPTED))

    if _is_terminal_open():  # in tests there is no terminal
        app.set_interval(1, look)


def _is_terminal_open() -> bool:
    return sys.__stdin__ is not None and sys.__stdin__.isatty()
