"""The list of messages, which renders only the visible rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from rich.text import Text
from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Region, Size
from textual.message import Message
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip

from compactor_cli.browse.rows import BrowserRow
from compactor_cli.browse.view_state import Groups
from compactor_cli.model.decisions import Choice, MessageKey

_WHO, _FATE = 11, 10
_MIN_WIDE_WIDTH = 120
"""From this width on, the reason has its own column."""
_MARKS: Mapping[tuple[Choice | None, bool], str] = {
    ("keep", True): "K",
    ("keep", False): "k",
    ("drop", True): "D",
    ("drop", False): "d",
    (None, False): " ",
}
"""The mark before a message: upper case for its own decision, lower case for one on another message of its group."""


_STYLES = {
    "head": "color: $text-muted; text-style: bold;",
    "dim": "color: $text-muted;",
    "hit": "color: $text-warning; text-style: bold;",
    "keep": "color: $text-success; text-style: bold;",
    "drop": "color: $text-error; text-style: bold;",
    "kept": "color: $text-success;",
    "shortened": "color: $text-primary;",
    "summarized": "color: $text-accent;",
    "gone": "color: $text-error;",
    "added": "color: $text-secondary;",
}
"""Kind of cell -> its style."""
_RULES = "".join(f"& > .list--{name} {{ {style} }}\n" for name, style in _STYLES.items())


class MessageList(ScrollView, can_focus=True):
    """The rows to show, one of which is the current one."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"list--cursor", *(f"list--{name}" for name in _STYLES)}
    DEFAULT_CSS = f"""
    MessageList {{
        height: 1fr;
        scrollbar-size-vertical: 1;
        overflow-x: hidden;
        & > .list--cursor {{ background: $block-cursor-blurred-background; }}
        &:focus > .list--cursor {{ background: $block-cursor-background; color: $block-cursor-foreground; }}
        {_RULES}
    }}
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "move(-1)", "Up", show=False),
        Binding("down", "move(1)", "Down", show=False),
        Binding("pageup", "page(-1)", "Page up", show=False),
        Binding("pagedown", "page(1)", "Page down", show=False),
        Binding("home", "end(0)", "First", show=False),
        Binding("end", "end(1)", "Last", show=False),
    ]
    cursor = reactive(0, repaint=False)

    class Moved(Message):
        """Posted when another row becomes the current one."""

    class Opened(Message):
        """Posted when a row is to be shown in full."""

    def __init__(self, groups: Groups) -> None:
        super().__init__(id="messages")
        self._groups = groups
        self._rows: Sequence[BrowserRow] = ()
        self._shown: Sequence[int] = ()
        self._choices: Mapping[MessageKey, Choice] = {}
        self._digits = self._tokens = 1
        self._several = False
        self.words = ""

    @property
    def row(self) -> BrowserRow | None:
        """Return the current row; None if no row is shown."""
        return self._rows[self._shown[self.cursor]] if self.cursor < len(self._shown) else None

    @property
    def shown_rows(self) -> list[BrowserRow]:
        return [self._rows[index] for index in self._shown]

    @property
    def shown(self) -> Sequence[int]:
        return self._shown

    def show(self, rows: Sequence[BrowserRow], shown_rows: Sequence[int], choices: Mapping[MessageKey, Choice]) -> None:
        """Show these rows, keeping the current one or the nearest to it."""
        before = self.row
        self._rows, self._shown, self._choices = rows, shown_rows, choices
        self._several = bool(rows) and rows[-1].entry.conversation > 0
        self._digits = max((len(self._number(row)) for row in rows), default=1)
        self._tokens = max((len(_tokens(row)) for row in rows), default=6)
        self.virtual_size = Size(self.size.width, len(shown_rows))
        self.cursor = self._index_of(before) if before else 0
        self.refresh()
        self.post_message(self.Moved())

    def go(self, index: int) -> None:
        """Make the row at an index the current one."""
        self.cursor = max(0, min(index, len(self._shown) - 1))

    def next_decided(self) -> bool:
        """Go to the next row with a decision, wrapping around at the end. Return False if there is none."""
        places = [index for index, row_index in enumerate(self._shown) if self._choice(self._rows[row_index])[0]]
        if not places:
            return False
        self.go(next((index for index in places if index > self.cursor), places[0]))
        return True

    def index_of_number(self, number: int) -> int:
        """Return the index of the shown message with this number, or of the next one after it."""
        after = (index for index, row_index in enumerate(self._shown) if self._rows[row_index].number >= number)
        return next((index for index in after if self._rows[self._shown[index]].spot), max(0, len(self._shown) - 1))

    def _index_of(self, row: BrowserRow) -> int:
        key = (row.entry.conversation, row.number if row.spot else -1)
        near = [
            (abs(self._rows[index].entry.conversation - key[0]), abs(self._rows[index].number - key[1]))
            for index in self._shown
        ]
        return min(range(len(near)), key=near.__getitem__, default=0)

    def watch_cursor(self, old: int, new: int) -> None:
        self.scroll_to_region(Region(0, new, max(1, self.size.width), 1), animate=False, force=True)
        for index in (old, new):
            self.refresh(Region(0, index - round(self.scroll_y), self.size.width, 1))
        self.post_message(self.Moved())

    def action_move(self, by: int) -> None:
        self.go(self.cursor + by)

    def action_page(self, by: int) -> None:
        self.go(self.cursor + by * max(1, self.size.height - 1))

    def action_end(self, last: int) -> None:
        self.go(len(self._shown) - 1 if last else 0)

    def on_click(self, event: events.Click) -> None:
        index = round(event.y + self.scroll_y)
        if index < len(self._shown):
            is_current = index == self.cursor
            self.go(index)
            if is_current:
                self.post_message(self.Opened())

    def on_resize(self) -> None:
        self.virtual_size = Size(self.size.width, len(self._shown))

    # -- what is visible

    @property
    def _width(self) -> int:
        return self.scrollable_content_region.width

    def render_line(self, y: int) -> Strip:
        index = y + round(self.scroll_y)
        width = self._width
        if index >= len(self._shown):
            return Strip.blank(width, self.rich_style)
        row = self._rows[self._shown[index]]
        current = index == self.cursor
        base = self.get_component_rich_style("list--cursor") if current else self.rich_style
        segments = [Segment(text, base if current else self._style(style)) for text, style in self._cells(row, width)]
        return Strip(segments).adjust_cell_length(width, base)

    def head(self) -> str:
        """Return the column headings at their positions."""
        end = self._digits + 3
        line = f"{'#':>{end - 1}} {'role, tool':<{_WHO}} {'tokens':>{self._tokens}} {'becomes':<{_FATE}} message"
        wide = self._width >= _MIN_WIDE_WIDTH
        return line.ljust(self._says(self._width)[1]) + "why" if wide else line

    def _cells(self, row: BrowserRow, width: int) -> list[tuple[str, str]]:
        choice, is_own = self._choice(row)
        mark = _MARKS[choice, is_own]
        hit = "list--hit" if self.words and row.holds(self.words) else ""
        text_width, reason_at = self._says(width)
        cells = [
            (f"{mark} ", f"list--{choice}" if choice else ""),
            (f"{self._number(row):>{self._digits}} ", "list--dim"),
            (f"{_fit_width(row.who, _WHO)} ", hit or ("list--dim" if row.spot is None else "")),
            (f"{_tokens(row):>{self._tokens}} ", "list--dim" if row.fate == "gone" else ""),
            (f"{row.fate:<{_FATE}} ", f"list--{row.fate}" if row.fate else ""),
            (_fit_width(row.says(), text_width), hit or ("list--dim" if row.fate in ("gone", "summarized") else "")),
        ]
        return [*cells, (" " + _fit_width(row.entry.reason, width - reason_at), "list--dim")] if reason_at else cells

    def _says(self, width: int) -> tuple[int, int]:
        """Return the width for the message text, and the start of the reason column; 0 if there is no such column."""
        begin = self._digits + 3 + _WHO + 1 + self._tokens + 1 + _FATE + 1
        text_width = max(4, width - begin)
        if width < _MIN_WIDE_WIDTH:
            return text_width, 0
        words_width = text_width * 6 // 10
        return words_width, begin + words_width + 1

    def _choice(self, row: BrowserRow) -> tuple[Choice | None, bool]:
        if row.spot is None or not self._choices:
            return None, False
        return self._groups.choice(self._choices, row.spot), row.spot in self._choices

    def _number(self, row: BrowserRow) -> str:
        if row.spot is None:
            return "+"
        return f"{row.entry.conversation}:{row.number}" if self._several else str(row.number)

    def _style(self, name: str) -> Style:
        return self.get_component_rich_style(name) if name else self.rich_style


def _tokens(row: BrowserRow) -> str:
    """Return the tokens before and after, or only once if they are equal."""
    same = row.before == row.after or not row.fate
    return f"{row.before:,}" if same else f"{row.before:,} → {row.after:,}"


def _fit_width(text: str, width: int) -> str:
    """Return a text padded or cut to exactly this width."""
    line = Text(text, no_wrap=True, end="")
    line.truncate(max(0, width), overflow="ellipsis", pad=True)
    return line.plain
