"""Read a text as an outline: each sentence with the heading, the lead-in of a list, or the item that it is under."""

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
"""The beginning of a line with a label. As in a list item, its later sentences depend on the first one."""
_DEPTH = 12
"""Maximum number of lines that one line is nested in."""
_SHORT = 30
"""A sentence with fewer characters is taken to continue the one before it in its line."""
_IN_BOLD = 7
"""Level of a line in bold or in capitals that serves as a heading: below all other headings."""
_LONGEST, _LETTERS = 60, 4
"""Maximum characters of a heading in capitals, and its minimum letters."""
_SHOUTS = compiled_later(r"(?:NEVER|ALWAYS|DO NOT|DON['’]T|NO|MUST|ONLY|PLEASE|STOP|NIE|IMMER|NUNCA|JAMAIS)\b")
"""The beginning of an order in capitals."""
_RUN = 3
"""Maximum sentences in a row that are taken to continue each other."""
_DIGITS = "0"
"""Replaces the numbers and letters of list items, which differ within a list."""


class Outlined(Struct):
    """A unit of the outline, by its position in the text: a sentence, a heading, or a code block."""

    start: int
    end: int
    parent: int = -1
    """The unit without which this one is not kept: a heading, the lead-in of a list, or the sentence before it that it
    refers to. -1 if there is none."""
    heads: bool = False
    """Whether it only announces the units under it, as a heading or a lead-in does."""
    section: int = -1
    """The heading of its section; without headings, the outermost line that it is nested in. -1 if there is none."""


class _Open(Struct):
    """A line that following lines may be nested in."""

    unit: int
    indent: int
    mark: str
    leads: bool = False
    fresh: bool = True
    """Whether no line is nested in it yet."""
    listed: bool = False
    """Whether a list item, code or an indented line is nested in it. A later line that is none of these ends it."""


class _Outline:
    """The outline of a text while its lines are read one by one."""

    def __init__(self) -> None:
        self.units: list[Outlined] = []
        self.sections: list[tuple[int, int]] = []
        """(level, unit) of the open headings, outermost first."""
        self.tags: list[tuple[str, int]] = []
        """Open tags, each with the number of sections that were open when it began."""
        self.open: Counter[str] = Counter()
        """Number of open tags by name."""
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
        """Add a banner, such as `--- BEGIN FILE ---`. If its words after the first all occur in the open banner, it
        closes that instead, as END does BEGIN."""
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
        """Add the first sentence of a line. Its parent is the line before it with a smaller indent, or the lead-in
        that it follows as a list item or at once; else its heading."""
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
        """Add a later sentence of a line. `first`: the first unit of the line; `goes_on`: the sentence continues the
        one before it."""
        unit.parent = len(self.units) - 1 if goes_on else first if in_item else self.units[first].parent
        unit.section = self.units[first].section
        self.units.append(unit)

    def leads(self) -> None:
        """Mark the last unit as a lead-in to the lines after it."""
        if self.lines:
            self.lines[-1].leads, self.lines[-1].fresh, self.lines[-1].unit = True, True, len(self.units) - 1


def outline(text: str) -> list[Outlined]:
    """Return the units of a text in order, without tags, blank lines and other lines of marks only."""
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
        elif len(line) == 1 and (found.after_blank or not found.units) and _is_in_capitals(text, said, end):
            found.heading(Outlined(start, end), _IN_BOLD)
        elif is_banner(said):
            found.banner(Outlined(start, end), text)
        else:
            _take(found, text, line)
    return found.units


def _is_in_capitals(text: str, said: str, end: int) -> bool:
    """Return whether a line in capitals, which ends at `end`, is the heading of the text right below it."""
    if len(said) > _LONGEST or not said.isupper() or not (said[0].isalpha() and said[-1].isalnum()):
        return False
    below = text[end : end + _LONGEST].split("\n", maxsplit=1)[0].strip()
    is_told = bool(below) and not below.isupper() and sum(map(str.isalpha, said)) >= _LETTERS
    return is_told and not _SHOUTS.match(said)


def _take(found: _Outline, text: str, line: list[tuple[int, int]]) -> None:
    """Add the sentences of a line to the outline."""
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
    """Return the part of an item's mark that all items of its list share, without the number or letter."""
    return re.sub(r"\w+", _DIGITS, mark)


def _lines(text: str) -> Iterator[list[tuple[int, int]]]:
    """Yield the spans of the sentences of each line. A code block counts as one line."""
    begins = 0

    def number(span: tuple[int, int]) -> int:
        nonlocal begins
        begins += span[0] == 0 or text[span[0] - 1] == "\n"
        return begins

    for _, spans in groupby(with_code(text, sentence_spans(text)), number):
        yield [*spans]
