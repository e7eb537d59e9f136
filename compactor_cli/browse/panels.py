"""The lines above and below the list: file, target, sums, reason, and last action."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from rich.text import Text
from textual.widgets import Static

from compactor_cli.browse import labels as words
from compactor_cli.browse.rows import BrowserView
from compactor_cli.model.transcript import Source

STYLES = {"kept": "success", "shortened": "primary", "summarized": "accent", "gone": "error", "added": "secondary"}
"""Fate -> colour in the theme."""
MIN_WIDE_WIDTH = 110
"""From this width on, the sums are on one line."""
_BAR_WIDTH = 10
CSS = """
#head, #aims, #filtered, #columns, #reason, #said { height: 1; }
#head, #aims, #sums, #filtered, #reason, #said { padding: 0 1; background: $panel; }
#head { text-style: bold; }
#sums { height: auto; max-height: 3; }
#sums.failed { color: $text-error; text-style: bold; }
#filtered { color: $text-warning; display: none; }
#filtered.on { display: block; }
#columns { color: $text-muted; text-style: bold; }
#said { color: $text-muted; }
#said.told { color: $text-warning; }
"""


def one_line(text: str = "") -> Text:
    return Text(text, no_wrap=True, overflow="ellipsis")


class Panels:
    """These lines. They can be updated before they are displayed."""

    def __init__(self, source: Source, counter: str, colour: Callable[[str], str]) -> None:
        """`colour`: maps a theme colour's name to the colour, or to nothing if there are no colours."""
        self._source, self._colour = source, colour
        self._head = Static(one_line(words.heading(source, counter)), id="head")
        self._aims, self._sums, self._filtered = Static(id="aims"), Static(id="sums"), Static(id="filtered")
        self._columns, self._reason, self._said = Static(id="columns"), Static(id="reason"), Static(id="said")
        self.said = ""

    def above(self) -> Iterator[Static]:
        yield from (self._head, self._aims, self._sums, self._filtered, self._columns)

    def below(self) -> Iterator[Static]:
        yield from (self._reason, self._said)

    def say(self, text: str, *, noticed: bool = False) -> None:
        """Show a message about what was done. `noticed`: make it stand out."""
        self.said = text
        self._said.set_class(noticed, "told")
        self._said.update(one_line(text))

    def reason(self, text: Text) -> None:
        self._reason.update(text)

    def columns(self, names: str) -> None:
        self._columns.update(one_line(names))

    def show(self, aims: str, filtered: str) -> None:
        """Show the target, and which rows are shown."""
        self._aims.update(one_line(aims))
        self._filtered.set_class(bool(filtered), "on")
        self._filtered.update(one_line(filtered))

    def fail(self, why: str) -> None:
        self._sums.add_class("failed")
        self._sums.update(Text(why))

    def sum_up(self, view: BrowserView, *, computing: bool, width: int) -> None:
        self._sums.remove_class("failed")
        if not view.parts:
            self._sums.update(one_line("computing …"))
            return
        before, after = self._source.tokens, view.tokens
        out = one_line().append(f"{after:,} tokens", "bold").append(f" of {before:,} ({after / max(1, before):.0%})")
        if target := view.target:
            full = round(_BAR_WIDTH * min(1.0, after / target))
            out.append("  ").append("█" * full, self._colour("primary")).append("░" * (_BAR_WIDTH - full))
            out.append(f" {after / target:.0%} of target")
        if computing:
            out.append("  computing …")
        sums = words.fate_sums(view)
        fates = one_line("  ").join(Text(f"{count:,} {fate}", self._colour(STYLES[fate])) for fate, count in sums)
        self._sums.update(one_line("  " if width >= MIN_WIDE_WIDTH else "\n").join([out, fates]))
