"""What the browser works with: it touches no file itself."""

from __future__ import annotations

from typing import Protocol

from compactor_cli.browse.rows import BrowserView
from compactor_cli.browse.view_state import State
from compactor_cli.model.decisions import Aim
from compactor_cli.model.transcript import Source


class Desk(Protocol):
    """A session, what is computed of it, and where things are saved."""

    @property
    def source(self) -> Source: ...

    @property
    def counter(self) -> str:
        """Return the name of what counts tokens."""

    @property
    def place(self) -> str:
        """Return where decisions are saved unless another place is named."""

    @property
    def output(self) -> str:
        """Return where the compacted file is written unless another place is named."""

    def aimed(self, text: str, aim: Aim) -> Aim:
        """Return the aim with another target, as people write it: 25%, 4k; empty: none. Raises CompactorError."""

    def strategy(self, aim: Aim) -> str:
        """Return the strategy that is used for an aim."""

    def view(self, state: State) -> BrowserView:
        """Return what a compaction would make of the session. Called in a thread. Raises CompactorError."""

    def is_there(self, place: str) -> bool:
        """Return whether something would be replaced there."""

    def save(self, place: str, state: State) -> str:
        """Save the decisions; returns what to say of it. Raises CompactorError."""

    def write(self, place: str, view: BrowserView) -> str:
        """Write the compacted file; returns what to say of it. Raises CompactorError."""
