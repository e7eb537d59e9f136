"""The sentences of a text with what they stand under: its sections, lists and items in items."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from itertools import groupby

from msgspec import Struct

from compactor_cli.text.clauses import LEADS_ON, item_mark
from compactor_cli.text.gap_marks import GAP_MARK
from compactor_cli.text.kept_sentences import goes_on, says_something, sentence_spans, with_code
from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.section_headings import is_banner, is_heading

_TAB = 4
_TAG = compiled_later(r"\s*<(/?)([A-Za-z][\w:.-]*)[^<>\n]*>\s*$")
_HASHES = compiled_later(r"\s*(#{1,6})\s")
_LABEL = compiled_later(r"[ \t]*(?=[^\s:]+(?: [^\s:]+){0,3}:[ \t])[^\W\d]")
"""How a line begins that says of what it is: as in an item, what it says further on is of the same."""
_DEPTH = 12
"""Lines at most that one is in."""
_SHORT = 30
"""Characters below which a sentence is taken to go on from the one before it in its line."""
_IN_BOLD = 7
"""Level of a heading that is a line in bold: below all others."""
_RUN = 3
"""Sentences at most that go on from each other."""
_DIGITS = "0"
"""Stands for the numbers of items, which differ."""


class Outlined(Struct):
    """A sentence, a line that stands over others, or a block of code, by its place in a text."""

    start: int
    end: int
    parent: int = -1
    """The one without which it does not stay, such as a heading, what leads to a list, or the sentence before it that
    it speaks of; -1 for none."""
    heads: bool = False
    """It only says what stands under it."""
    section: int = -1
    """The heading of its section, or what leads to the outermost list that it is in; -1 for none."""


class _Open(Struct):
    """A line whose inner lines may follow."""

    unit: int
    indent: int
    mark: str
    leads: bool = False
    fresh: bool = True
    """Nothing stands under it yet."""
    listed: bool = False
    """An item, code or what is indented stands under it: what is none of these is of it no more."""


class _Outline:
    """Reads the lines of a text one after the other."""

    def __init__(self) -> None:
        self.units: list[Outlined] = []
        self.sections: list[tuple[int, int]] = []
        """(level, unit) of the headings that are open."""
        self.tags: list[tuple[str, int]] = []
        """Tags that are open, with the sections that were when they began."""
        self.open: Counter[str] = Counter()
        """Number of these tags by name."""
        self.lines: list[_Open] = []
        self.after_blank = True

    def tag(self, closes: bool, name: str) -> None:
        del self.lines[:]
        if not closes:
            self.tags.append((name, len(self.sections)))
            self.open[name] += 1
            return
        opened = "" if self.open[name] else name
        while opened != name:
            opened, depth = self.tags.pop()
            self.open[opened] -= 1
            del self.sections[depth:]

    def heading(self, unit: Outlined, level: int) -> None:
        del self.lines[:]
        while self.sections and self.sections[-1][0] >= level:
            self.sections.pop()
        unit.heads, unit.parent = True, self.sections[-1][1] if self.sections else -1
        self.sections.append((level, len(self.units)))
        unit.section = len(self.units)
        self.units.append(unit)

    def banner(self, unit: Outlined, text: str) -> None:
        """Take a line between rows of marks: what is in another one that is open closes that, as END does BEGIN."""
        _, *words = _words(text, unit)
        opened = self.sections[0][1] if self.sections and self.sections[0][0] == 0 else -1
        closes = opened >= 0 and {*words} <= {
            *re.findall(r"\w+", text[self.units[opened].start : self.units[opened].end])
        }
        del self.sections[:]
        if closes:
            del self.lines[:]
        else:
            self.heading(unit, 0)

    def line(self, unit: Outlined, indent: int, mark: str, *, listed: bool) -> None:
        """Take a line: what is indented belongs to the line before that is not, and items, or what follows at once, to
        what leads to them."""
        while self.lines and not self._is_under(self.lines[-1], indent, mark):
            self.lines.pop()
        del self.lines[_DEPTH:]
        if self.lines:
            self.lines[-1].fresh = False
            self.lines[-1].listed |= listed or indent > self.lines[-1].indent
            self.units[self.lines[-1].unit].heads |= self.lines[-1].leads
        unit.section = self.sections[-1][1] if self.sections else self.lines[0].unit if self.lines else -1
        unit.parent = self.lines[-1].unit if self.lines else unit.section
        self.units.append(unit)
        self.lines.append(_Open(len(self.units) - 1, indent, mark))

    def _is_under(self, above: _Open, indent: int, mark: str) -> bool:
        if indent != above.indent or not above.leads:
            return indent > above.indent
        if mark:
            return mark != above.mark
        return not above.mark and (above.fresh or not (self.after_blank or above.listed))

    def sentence(self, unit: Outlined, first: int, *, goes_on: bool, in_item: bool) -> None:
        """Take a further sentence of a line. `first`: the one with which that begins; `goes_on`: it speaks of the one
        before it."""
        unit.parent = len(self.units) - 1 if goes_on else first if in_item else self.units[first].parent
        unit.section = self.units[first].section
        self.units.append(unit)

    def leads(self) -> None:
        """Take the last sentence for what leads to those behind it."""
        if self.lines:
            self.lines[-1].leads, self.lines[-1].fresh, self.lines[-1].unit = True, True, len(self.units) - 1


def outline(text: str) -> list[Outlined]:
    """Return what a text consists of, in order; not what only marks something, such as tags and blank lines."""
    found = _Outline()
    for line in _lines(text):
        start, end = line[0]
        said = text[start:end].strip()
        if not said:
            found.after_blank = True
        elif tag := _TAG.match(said):
            found.tag(bool(tag[1]), tag[2])
        elif is_heading(said):
            hashes = _HASHES.match(said)
            found.heading(Outlined(start, end), len(hashes[1]) if hashes else _IN_BOLD)
        elif is_banner(said):
            found.banner(Outlined(start, end), text)
        else:
            _take(found, text, line)
    return found.units


def _take(found: _Outline, text: str, line: list[tuple[int, int]]) -> None:
    """Take the sentences of a line."""
    first, run, labelled = -1, 0, False
    for start, end in line:
        if not says_something(text[start:end]) or GAP_MARK.fullmatch(text[start:end].strip()):
            continue
        if first < 0:
            blanks = start + len(text[start:end]) - len(text[start:end].lstrip())
            indent = len(text[start:blanks].expandtabs(_TAB))
            mark = _kind(item_mark(text, start))
            labelled = bool(mark) or _LABEL.match(text, start, end) is not None
            found.line(Outlined(start, end), indent, mark, listed=bool(mark) or text.count("\n", start, end) > 1)
            first = len(found.units) - 1
        else:
            run = run + 1 if end - start < _SHORT or goes_on(text, start, end) else 0
            found.sentence(Outlined(start, end), first, goes_on=0 < run <= _RUN, in_item=labelled)
    if first >= 0:
        found.after_blank = False
        start, end = line[-1]
        if text[start:end].strip().rstrip("*_").endswith(LEADS_ON):
            found.leads()


def _words(text: str, unit: Outlined) -> list[str]:
    return re.findall(r"\w+", text[unit.start : unit.end])


def _kind(mark: str) -> str:
    """Return what items of one list have in common: their numbers and letters differ."""
    return re.sub(r"\w+", _DIGITS, mark)


def _lines(text: str) -> Iterator[list[tuple[int, int]]]:
    """Yield the sentences of each line; a block of code is a line."""
    begins = 0

    def number(span: tuple[int, int]) -> int:
        nonlocal begins
        begins += span[0] == 0 or text[span[0] - 1] == "\n"
        return begins

    for _, spans in groupby(with_code(text, sentence_spans(text)), number):
        yield [*spans]
