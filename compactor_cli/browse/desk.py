"""The interface between the browser and the files; the browser itself accesses none."""

from __future__ import annotations

from typing import Protocol

from compactor_cli.browse.rows import BrowserView
from compactor_cli.browse.view_state import State
from compactor_cli.model.decisions import Aim
from compactor_cli.model.transcript import Source


class Desk(Protocol):
    """A session, the computations on it, and where results are saved."""

    @property
    def source(self) -> Source: ...

    @property
    def counter(self) -> str:
        """Return the name of the token counter."""

    @property
    def place(self) -> str:
        """Return the default path for decisions."""

    @property
    def output(self) -> str:
        """Return the default path for the compacted file."""

    def aimed(self, text: str, aim: Aim) -> Aim:
        """Return the aim with another target, written by a person: 25%, 4k; empty for none. Raises CompactorError."""

    def strategy(self, aim: Aim) -> str:
        """Return the name of the strategy used for an aim."""

    def view(self, state: State) -> BrowserView:
        """Return what a compaction would make of the session. Called in a thread. Raises CompactorError."""

    def is_there(self, place: str) -> bool:
        """Return whether saving there would replace something."""

    def save(self, out_path: str, state: State) -> str:
        """Save the decisions and return a message about it. Raises CompactorError."""

    def write(self, out_path: str, view: BrowserView) -> str:
        """Write the compacted file and return a message about it. Raises CompactorError."""
