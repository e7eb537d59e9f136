"""A progress bar for work that takes longer than a second, on a terminal only."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Timer
from typing import TYPE_CHECKING

from rich.console import Console

if TYPE_CHECKING:
    from rich.progress import ProgressColumn
    from rich.table import Column

_PATIENCE = 1.0
"""Seconds before a bar appears."""


class Steps:
    """Steps done of a known number; shown once the work has taken a second. With `each`, the number is one of files,
    each of so many steps, and the rate and the time that is left are shown."""

    def __init__(self, console: Console, total: int, each: int = 0) -> None:
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

        columns = [
            SpinnerColumn(),
            TextColumn("{task.description}", table_column=_one_line()),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
        ]
        self._step, self._last = 1 / each if each else 1.0, 0.0
        self._bar = Progress(*columns, *(_rate_columns() if each else []), console=console, transient=True)
        self._task = self._bar.add_task("reading", total=total)
        self._timer = Timer(_PATIENCE, self._bar.start)
        self._timer.daemon = True
        self._timer.start()

    def step(self, description: str | None = None) -> None:
        """One more step is done."""
        self._bar.update(self._task, advance=self._step, description=description)

    def say(self, description: str) -> None:
        """What is being done."""
        self._bar.update(self._task, description=description)

    def whole(self, description: str | None = None) -> None:
        """One more file is done, whatever was counted of its steps."""
        self._last += 1
        self._bar.update(self._task, completed=self._last, description=description)

    def stop(self) -> None:
        self._timer.cancel()
        self._timer.join()
        self._bar.stop()


def _one_line() -> Column:
    from rich.table import Column

    return Column(ratio=1, no_wrap=True, overflow="ellipsis")


def _rate_columns() -> list[ProgressColumn]:
    from rich.progress import ProgressColumn, Task, TimeRemainingColumn
    from rich.text import Text

    class Rate(ProgressColumn):
        def render(self, task: Task) -> Text:
            return Text(f"{task.speed:,.1f} files/s" if task.speed else "")

    return [Rate(), TimeRemainingColumn()]


class NoSteps:
    """Nobody looks."""

    def step(self, description: str | None = None) -> None: ...

    def say(self, description: str) -> None: ...

    def whole(self, description: str | None = None) -> None: ...

    def stop(self) -> None: ...


@contextmanager
def steps(console: Console, total: int, each: int = 0) -> Iterator[Steps | NoSteps]:
    """Steps on a terminal, as `Steps` has them; nothing in a pipe or with --quiet."""
    # with FORCE_COLOR a pipe counts as a terminal to rich, and would get each state of the bar
    shown = Steps(console, total, each) if console.file.isatty() and not console.quiet else NoSteps()
    try:
        yield shown
    finally:
        shown.stop()
