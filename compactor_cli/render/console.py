"""Consoles: colours and boxes on a terminal, plain columns in a pipe."""

from __future__ import annotations

import os
from collections.abc import Iterable
from io import StringIO
from typing import IO, Any

from msgspec import Struct
from rich import box
from rich.console import Console, ConsoleOptions, JustifyMethod, OverflowMethod, RenderableType
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from compactor_cli.text.clean import one_line, shown

_PIPE_WIDTH = 140
_BAR_WIDTH = 20
_BLOCKS, _PLAIN = "█·", "#."
"""Characters for the full and the empty part of a bar. The plain ones are for encodings without block characters,
where each would become a long escape."""


class FileHeading(Text):
    """The name of a file as the heading of what follows."""


class SafeConsole(Console):
    """A console that escapes control characters from any source, including file names. It prints a blank line before
    a heading, and before and after a table."""

    before: object = None
    """What was printed last."""
    blocks: bool = True
    """Whether bars use block characters."""

    def print(self, *objects: Any, **options: Any) -> None:
        first = objects[0] if objects else ""
        if self.before is not None and (isinstance(first, Table | FileHeading) or isinstance(self.before, Table)):
            super().print()
        super().print(*objects, **options)
        self.before = first

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        for segment in super().render(renderable, options):
            safe = segment.text if segment.control else shown(segment.text)
            yield segment if safe == segment.text else Segment(safe, segment.style)


def make_console(file: IO[str], *, quiet: bool = False) -> Console:
    """Return a console for a stream. Without a terminal it has no colours and a fixed width ($COLUMNS, if set)."""
    terminal = file.isatty()
    columns = os.environ.get("COLUMNS", "")
    width = None if terminal else int(columns) if columns.isdecimal() and int(columns) else _PIPE_WIDTH
    console = SafeConsole(
        file=file, width=width, quiet=quiet, highlight=False, emoji=False, markup=False, soft_wrap=False
    )
    console.blocks = _has_blocks(console.encoding)
    return console


def _has_blocks(encoding: str) -> bool:
    try:
        return bool(_BLOCKS.encode(encoding))
    except (UnicodeEncodeError, LookupError):
        return False


class ConsoleLook(Struct, frozen=True):
    """The settings of a console."""

    width: int
    blocks: bool
    terminal: bool
    colors: str | None
    quiet: bool


def console_look(console: Console) -> ConsoleLook:
    return ConsoleLook(
        console.width, getattr(console, "blocks", True), console.is_terminal, console.color_system, console.quiet
    )


def recording_console(look: ConsoleLook) -> Console:
    """Return a console with these settings that writes to a StringIO, as if something had already been printed."""
    console = SafeConsole(
        file=StringIO(),
        width=look.width,
        force_terminal=look.terminal,
        color_system=look.colors,  # type: ignore[arg-type]  # it is one that a console has
        quiet=look.quiet,
        highlight=False,
        emoji=False,
        markup=False,
        soft_wrap=False,
    )
    console.before, console.blocks = "", look.blocks
    return console


def is_unused(console: Console) -> bool:
    """Return whether nothing has been printed yet."""
    return getattr(console, "before", None) is None


def make_table(console: Console, title: str, *columns: str) -> Table:
    """Return an empty table in this program's style. A column whose name begins with `>` is right-justified; one that
    ends with `!` is never wrapped, one that ends with `~` is folded."""
    table = Table(
        title=Text(title, style="bold"),
        title_justify="left",
        box=box.SIMPLE_HEAD if console.is_terminal else None,
        header_style="bold",
        pad_edge=False,
        show_edge=False,
        collapse_padding=True,
    )
    for column in columns:
        justify: JustifyMethod = "right" if column.startswith(">") else "left"
        overflow: OverflowMethod = "fold" if column.endswith("~") else "ellipsis"
        table.add_column(column.strip(">!~"), justify=justify, no_wrap=column.endswith("!"), overflow=overflow)
    return table


def snippet(text: str, width: int) -> Text:
    """Return the start of a text on one line, safe for a terminal. `width`: in cells (a CJK character takes two)."""
    short = Text(one_line(text, 4 * width), overflow="ellipsis", no_wrap=True)
    short.truncate(max(8, width), overflow="ellipsis")
    return short


def bar(console: Console, share: float) -> Text:
    """Return a bar for a share between 0 and 1."""
    full = max(0, min(_BAR_WIDTH, round(share * _BAR_WIDTH)))
    letters = _BLOCKS if getattr(console, "blocks", True) else _PLAIN
    return Text(letters[0] * full, style="cyan") + Text(letters[1] * (_BAR_WIDTH - full), style="dim")


def percent(part: float, whole: float) -> str:
    return f"{100 * part / whole:.1f}%" if whole else "-"


def count_phrase(number: int, noun: str, nouns: str = "") -> str:
    """Return a number with its noun: "1 file", "2,000 files"."""
    return f"{number:,} {noun if number == 1 else nouns or noun + 's'}"


def format_figure(value: float | None, digits: int = 3) -> str:
    return "-" if value is None else f"{value:.{digits}f}"
