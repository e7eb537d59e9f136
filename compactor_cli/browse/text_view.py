"""A long text, wrapped once per width and rendered only where it is visible."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual.binding import Binding, BindingType
from textual.geometry import Size
from textual.scroll_view import ScrollView
from textual.strip import Strip

from compactor_cli.browse.output import OutputLine
from compactor_cli.browse.rows import wrap_line


class TextView(ScrollView, can_focus=True, inherit_bindings=False):
    """Scrollable lines of text."""

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
        style = base + self._style("text--heading") if piece.heading else base
        return Strip(list(self._marked(piece.text, style))).adjust_cell_length(width, base)

    def _marked(self, text: str, style: Style) -> list[Segment]:
        words, out, low = self._words, [], text.lower()
        start = 0
        while words and len(low) == len(text) and (position := low.find(words, start)) >= 0:
            hit = Segment(text[position : position + len(words)], self._style("text--hit"))
            out += [Segment(text[start:position], style), hit]
            start = position + len(words)
        return [*out, Segment(text[start:], style)]

    def _style(self, name: str) -> Style:
        return self.get_component_rich_style(name)
