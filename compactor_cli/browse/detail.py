"""One message in full: as it was, and what the output contains of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from msgspec import Struct
from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.screen import Screen
from textual.widgets import Footer, Static

from compactor_cli.browse.output import after_lines, before_lines
from compactor_cli.browse.panels import one_line
from compactor_cli.browse.rows import BrowserRow, BrowserView
from compactor_cli.browse.text_view import TextView

_MIN_WIDE_WIDTH = 110
"""From this width on, both are shown side by side."""


class FullRow(Struct, frozen=True):
    """A row of the list with everything known about it."""

    row: BrowserRow
    title: Text
    reason: Text
    view: BrowserView
    words: str


class Detail(Screen[None]):
    """Shows the current row of the list; keys move to other rows and decide about it."""

    DEFAULT_CSS = """
    Detail {
        & #title { height: auto; background: $panel; padding: 0 1; }
        & #word { height: 1; background: $panel; color: $text-muted; padding: 0 1; }
        & .side { width: 1fr; }
        & .side > .name { background: $surface; color: $text-primary; text-style: bold; padding: 0 1; width: 1fr; }
        & #after-side { border-left: solid $primary-muted; }
        &.narrow #after-side { border-left: none; }
        &.narrow.before #after-side { display: none; }
        &.narrow.after #before-side { display: none; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,enter,q", "app.pop_screen", "Back"),
        Binding("tab", "side", "Side"),
        Binding("left", "step(-1)", "Previous"),
        Binding("right", "step(1)", "Next"),
        Binding("k", "app.decide('keep')", "Keep"),
        Binding("d", "app.decide('drop')", "Drop"),
        Binding("u", "app.undo", "Undo"),
        Binding("r", "app.redo", "Redo", show=False),
    ]

    def __init__(self, current: Callable[[], FullRow | None], move: Callable[[int], None]) -> None:
        """`current`: returns the current row. `move`: moves by that many rows."""
        super().__init__()
        self._current, self._move = current, move

    def compose(self) -> ComposeResult:
        yield Static(id="title")
        with Horizontal():
            with Vertical(id="before-side", classes="side"):
                yield Static(classes="name", id="before-name")
                yield TextView(id="before")
            with Vertical(id="after-side", classes="side"):
                yield Static(classes="name", id="after-name")
                yield TextView(id="after")
        yield Static(id="word")
        yield Footer(compact=True, show_command_palette=False)

    def on_mount(self) -> None:
        self.add_class("before")
        self._fold(self.app.size.width)
        self.refill()

    def on_resize(self, event: events.Resize) -> None:
        self._fold(event.size.width)

    def _fold(self, width: int) -> None:
        self.set_class(width < _MIN_WIDE_WIDTH, "narrow")
        self._name_sides()

    def refill(self) -> None:
        current = self._current()
        if current is None:
            return
        self.query_one("#title", Static).update(one_line("\n").join([current.title, current.reason]))
        self.query_one("#before", TextView).show(before_lines(current.row), current.words)
        self.query_one("#after", TextView).show(after_lines(current.view, current.row), current.words)
        self._name_sides()

    def say(self, text: str) -> None:
        self.query_one("#word", Static).update(one_line(text))

    def _name_sides(self) -> None:
        current = self._current()
        if current is None:
            return
        row = current.row
        hint = "  (tab: the other side)" if self.has_class("narrow") else ""
        after = f"in the output · {row.after:,} tokens" if row.after else "in the output"
        self.query_one("#before-name", Static).update(Text(f"before · {row.before:,} tokens{hint}"))
        self.query_one("#after-name", Static).update(Text(f"{after}{hint}"))

    def action_side(self) -> None:
        before = self.has_class("before")
        self.set_class(not before, "before")
        self.set_class(before, "after")
        self.query_one("#after" if before else "#before", TextView).focus()

    def action_step(self, by: int) -> None:
        self._move(by)
