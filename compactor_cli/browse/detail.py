"""One message in full: as it was, and what the output contains of it. Long texts are wrapped once per width."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

from msgspec import Struct
from rich.segment import Segment
from rich.style import Style
from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.geometry import Size
from textual.screen import Screen
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.widgets import Footer, Static

from compactor_cli.browse.output import OutputLine, after_lines, before_lines
from compactor_cli.browse.panels import one_line
from compactor_cli.browse.rows import BrowserRow, BrowserView, wrap_line

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


class TextView(ScrollView, can_focus=True, inherit_bindings=False):
    """Scrollable lines of text, rendered only where they are visible."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"text--heading", "text--hit"}
    DEFAULT_CSS = """
    TextView {
        height: 1fr;
        padding: 0 1;
        scrollbar-size-vertical: 1;
        overflow-x: hidden;
        & > .text--heading { color: $text-accent; text-style: bold; }
        & > .text--hit { color: $text-warning; text-style: bold reverse; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "scroll_up", "Up", show=False),
        Binding("down", "scroll_down", "Down", show=False),
        Binding("pageup", "page_up", "Page up", show=False),
        Binding("pagedown", "page_down", "Page down", show=False),
        Binding("home", "scroll_home", "Top", show=False),
        Binding("end", "scroll_end", "End", show=False),
    ]

    def __init__(self, id: str) -> None:
        super().__init__(id=id)
        self._lines: Sequence[OutputLine] = ()
        self._pieces: list[OutputLine] = []
        self._words = ""

    def show(self, lines: Sequence[OutputLine], words: str = "") -> None:
        """Show these lines from the beginning, or from the first match of the words, which are highlighted."""
        self._lines, self._words = lines, words
        self._wrap()
        hit = next((index for index, piece in enumerate(self._pieces) if words and words in piece.text.lower()), 0)
        self.scroll_to(y=max(0, hit - 3) if hit else 0, animate=False, force=True)

    def text(self) -> str:
        return "\n".join(line.text for line in self._lines)

    def on_resize(self) -> None:
        self._wrap()

    def _wrap(self) -> None:
        width = max(1, self.scrollable_content_region.width)
        self._pieces = [
            OutputLine(piece, line.heading) for line in self._lines for piece in wrap_line(line.text, width)
        ]
        self.virtual_size = Size(width, len(self._pieces))
        self.refresh()

    def render_line(self, y: int) -> Strip:
        width = self.scrollable_content_region.width
        index = y + round(self.scroll_y)
        base = self.rich_style
        if index >= len(self._pieces):
            return Strip.blank(width, base)
        piece = self._pieces[index]
        style = base + self.get_component_rich_style("text--heading") if piece.heading else base
        return Strip(self._marked(piece.text, style)).adjust_cell_length(width, base)

    def _marked(self, text: str, style: Style) -> list[Segment]:
        words, out, low = self._words, [], text.lower()
        marked = self.get_component_rich_style("text--hit")
        start = 0
        while words and len(low) == len(text) and (position := low.find(words, start)) >= 0:
            out += [Segment(text[start:position], style), Segment(text[position : position + len(words)], marked)]
            start = position + len(words)
        return [*out, Segment(text[start:], style)]
