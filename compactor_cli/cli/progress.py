"""A progress bar for work that takes longer than a second, only on a terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock, Timer
from typing import TYPE_CHECKING

from compactor_cli.cli import streams

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import ProgressColumn

_DELAY_SECONDS = 1.0
_MIN_BYTES_SHOWN = 500_000
"""Bytes from which the reading of a file is shown."""


class Steps:
    """Progress in a known number of steps, shown once the work has taken a second.

    With `unit`, the rate and the remaining time are shown. With `steps_per_file`, `total` is a number of
    files, each with that many steps. The bar is hidden while something is printed on standard output.
    """

    shows = True

    def __init__(self, console: Console, total: int, steps_per_file: int = 0, unit: str = "") -> None:
        from rich.progress import Progress

        self._step, self._last = 1 / steps_per_file if steps_per_file else 1.0, 0.0
        self._unit = unit or ("files" if steps_per_file else "")
        # do not redirect standard output to the console of the bar
        self._bar = Progress(*_columns(), console=console, transient=True, redirect_stdout=False, redirect_stderr=False)
        self._task = self._bar.add_task(
            "reading", total=total if total > 1 else None, unit=self._unit, visible=total > 1
        )
        self._total, self._due, self._held = total, False, False
        self._lock = Lock()
        self._timer = Timer(_DELAY_SECONDS, self._appear)
        self._timer.daemon = True
        self._timer.start()
        streams.before_printing = self._pause

    def step(self, description: str | None = None) -> None:
        self._bar.update(self._task, advance=self._step, description=description)
        self._resume()

    def say(self, description: str) -> None:
        self._bar.update(self._task, description=description, visible=True)
        self._resume()

    def finish_file(self, description: str | None = None) -> None:
        """Count one more finished file, however many of its steps were counted."""
        self._last += 1
        self._bar.update(self._task, completed=self._last, description=description)
        if self._last < self._total:
            self._resume()

    @contextmanager
    def reading(self, name: str, size: int) -> Iterator[Callable[[int], None]]:
        """Yield a function that counts bytes as they are read, out of `size`, in a bar of their own."""
        if size < _MIN_BYTES_SHOWN:
            yield lambda read: None
            return
        task = self._bar.add_task(f"reading {name}", total=size, unit="bytes")
        waiting = 0

        def read(more: int) -> None:
            nonlocal waiting
            waiting += more
            if waiting > size / 100:
                self._bar.advance(task, waiting)
                waiting = 0

        self._resume()
        try:
            yield read
        finally:
            self._bar.remove_task(task)
            self._bar.update(self._task, description=f"working on {name}", visible=True)

    def stop(self) -> None:
        self._timer.cancel()
        self._timer.join()
        self._bar.stop()
        streams.before_printing = None

    def _appear(self) -> None:
        with self._lock:
            self._due = True
            if not self._held:
                self._bar.start()

    def _pause(self) -> None:
        with self._lock:
            self._held = True
            self._bar.stop()

    def _resume(self) -> None:
        with self._lock:
            if self._held and self._due:
                self._bar.start()
            self._held = False


def _columns() -> list[ProgressColumn]:
    from rich.progress import (
        BarColumn,
        ProgressColumn,
        SpinnerColumn,
        Task,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )
    from rich.table import Column
    from rich.text import Text

    class Done(ProgressColumn):
        def render(self, task: Task) -> Text:
            if task.fields["unit"] == "bytes":
                return Text(f"{task.completed / 1e6:,.1f}/{(task.total or 0) / 1e6:,.1f} MB")
            return Text(f"{int(task.completed):,}/{task.total:,.0f}" if task.total else "")

    class Rate(ProgressColumn):
        def render(self, task: Task) -> Text:
            unit = task.fields["unit"]
            if not (unit and task.speed):
                return Text("")
            return Text(f"{task.speed / 1e6:,.1f} MB/s" if unit == "bytes" else f"{task.speed:,.1f} {unit}/s")

    class Left(TimeRemainingColumn):
        def render(self, task: Task) -> Text:
            return super().render(task) if task.fields["unit"] and task.total else Text("")

    one_line = Column(ratio=1, no_wrap=True, overflow="ellipsis")
    words = TextColumn("{task.description}", table_column=one_line)
    return [SpinnerColumn(), words, BarColumn(), Done(), TimeElapsedColumn(), Rate(), Left()]


class NoSteps:
    """Stands in for `Steps` when progress is not shown."""

    shows = False

    def step(self, description: str | None = None) -> None: ...

    def say(self, description: str) -> None: ...

    def finish_file(self, description: str | None = None) -> None: ...

    @contextmanager
    def reading(self, name: str, size: int) -> Iterator[Callable[[int], None]]:
        yield lambda read: None

    def stop(self) -> None: ...


@contextmanager
def steps(console: Console, total: int, steps_per_file: int = 0, unit: str = "") -> Iterator[Steps | NoSteps]:
    """Yield a progress bar as `Steps` on a terminal, and `NoSteps` in a pipe or with --quiet."""
    # with FORCE_COLOR, rich takes a pipe for a terminal and would write every state of the bar to it
    is_visible = console.file.isatty() and not console.quiet
    progress = Steps(console, total, steps_per_file, unit) if is_visible else NoSteps()
    try:
        yield progress
    finally:
        progress.stop()
