"""A progress bar for work that takes longer than a second, on a terminal only."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Timer

from rich.console import Console

_PATIENCE = 1.0
"""Seconds before a bar appears."""


class Steps:
    """Steps done of a known number; shown once the work has taken a second."""

    def __init__(self, console: Console, total: int) -> None:
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

        columns = (
            SpinnerColumn(),
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
        )
        self._bar = Progress(*columns, console=console, transient=True)
        self._task = self._bar.add_task("reading", total=total)
        self._timer = Timer(_PATIENCE, self._bar.start)
        self._timer.daemon = True
        self._timer.start()

    def step(self, description: str | None = None) -> None:
        """One more step is done."""
        self._bar.update(self._task, advance=1, description=description)

    def say(self, description: str) -> None:
        """What is being done."""
        self._bar.update(self._task, description=description)

    def stop(self) -> None:
        self._timer.cancel()
        self._timer.join()
        self._bar.stop()


class NoSteps:
    """Nobody looks."""

    def step(self, description: str | None = None) -> None: ...

    def say(self, description: str) -> None: ...

    def stop(self) -> None: ...


@contextmanager
def steps(console: Console, total: int) -> Iterator[Steps | NoSteps]:
    """Steps on a terminal; nothing in a pipe or with --quiet."""
    shown = Steps(console, total) if console.is_terminal and not console.quiet else NoSteps()
    try:
        yield shown
    finally:
        shown.stop()
