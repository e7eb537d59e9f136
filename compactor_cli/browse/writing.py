"""Save decisions and the compacted file from the browser, so that nothing is lost when it ends."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from textual.app import App
from textual.screen import ModalScreen

from compactor_cli.browse.dialogs import Answer, KeyDialog, TextDialog
from compactor_cli.browse.rows import BrowserView
from compactor_cli.browse.view_state import History, State
from compactor_cli.errors import CompactorError
from compactor_cli.model.decisions import Aim
from compactor_cli.model.transcript import Source


class Desk(Protocol):
    """A session, the computations on it, and where results are saved."""

    source: Source
    place: str
    """The default path for decisions."""
    output: str
    """The default path for the compacted file."""

    @property
    def counter(self) -> str:
        """Return the name of the token counter."""

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


class Writing(App[int]):
    """The part of the browser that writes files."""

    desk: Desk
    history: History
    view: BrowserView
    failure: Exception | None
    """Why nothing could be computed for the current state."""
    settled: asyncio.Event
    """Set while nothing is being computed."""

    if TYPE_CHECKING:  # provided by the browser

        def say(self, text: str, *, noticed: bool = False) -> None:
            """Show a message about what was done. `noticed`: make it stand out."""

        def refresh_head(self) -> None:
            """Show the current target, decisions and sums."""

    def ask(self, dialog: ModalScreen[Answer | None], take: Callable[[Answer], object]) -> None:
        """Show a dialog, and call `take` with the answer unless Escape closes it."""

        def answered(answer: Answer | None) -> None:
            if answer is not None:
                take(answer)

        self.push_screen(dialog, answered)

    def action_save(self) -> None:
        self._ask_place("Save the decisions", "for compact --decisions", self.desk.place, self._save)

    def action_write(self) -> None:
        if self.failure is not None or not self.view.data:
            self.say("There is nothing to write; see the line at the top.", noticed=True)
        elif not self.settled.is_set():
            self.say("Still computing; press w again in a moment.", noticed=True)
        else:
            title, hint, place = "Write the compacted file", "as the list shows it", self.desk.output
            self._ask_place(title, hint, place, lambda path: self._try(lambda: self.desk.write(path, self.view)))

    def _ask_place(self, title: str, hint: str, default_path: str, write: Callable[[str], bool]) -> None:
        def take(path: str) -> None:
            if path and self.desk.is_there(path):
                self.ask(KeyDialog(f"{path} already exists.", {"y": "replace it"}), lambda answer: write(path))
            elif path:
                write(path)

        self.ask(TextDialog(title, f"{hint}; enter writes, esc cancels", default_path), take)

    def _save(self, path: str) -> bool:
        state = self.history.now
        message = self._try(lambda: self.desk.save(path, state))
        if message:
            self.history.saved = state
            self.refresh_head()
        return message

    def _try(self, work: Callable[[], str]) -> bool:
        try:
            self.say(work())
        except CompactorError as error:
            self.say(" ".join(str(error).split()), noticed=True)
            return False
        return True

    def action_leave(self) -> None:
        def take(answer: str) -> None:
            if answer == "q" or (answer == "s" and self._save(self.desk.place)):
                self.exit(0)

        if self.history.is_saved:
            self.exit(0)
        else:
            answers = {"s": f"save to {self.desk.place} and quit", "q": "quit without saving"}
            self.ask(KeyDialog("The decisions have not been saved.", answers), take)

    async def action_quit(self) -> None:
        """Quit with the same checks as the key q, for Ctrl+Q and Textual's command palette."""
        self.action_leave()
