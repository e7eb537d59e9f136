"""Consoles that rich is loaded for when something is printed: a run that prints nothing starts without it."""

from __future__ import annotations

from functools import cached_property
from typing import IO, TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from rich.console import Console


class _LateConsole:
    """A console on a stream that is made when it is used."""

    def __init__(self, file: IO[str], quiet: bool) -> None:
        self.file = file
        self.quiet = quiet

    @cached_property
    def _console(self) -> Console:
        from compactor_cli.render.console import make_console

        return make_console(self.file, quiet=self.quiet)

    def print(self, *objects: Any, **options: Any) -> None:
        if not self.quiet:
            self._console.print(*objects, **options)

    def __enter__(self) -> Console:
        return self._console.__enter__()

    def __exit__(self, *raised: Any) -> None:
        self._console.__exit__(*raised)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._console, name)


def late_console(file: IO[str], *, quiet: bool = False) -> Console:
    """Return what works as `make_console(file, quiet=quiet)` does."""
    return cast("Console", _LateConsole(file, quiet))
