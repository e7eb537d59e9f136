"""Read a text as an outline: each sentence with the heading, the lead-in of a list, or the item that it is under."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from itertools import groupby

from msgspec import Struct

from compactor_cli.text.clauses import LEAD_ENDS, item_mark
from compactor_cli.text.gap_marks import GAP_MARK
from compactor_cli.text.kept_sentences import has_content, merge_code_blocks, refers_back, sentence_spans
from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.section_headings import is_heading

_TAB_WIDTH = 4
_TAG = compiled_later(r"\s*<(/?)([A-Za-z][\w:.-]*)[^<>\n]*>\s*$")
_HASHES = compiled_later(r"\s*(#{1,6})\s")
_MAX_NESTED_LINES = 12
"""Maximum number of lines that one line is nested in."""
_MIN_SENTENCE_CHARS = 30
"""A sentence with fewer characters is taken to continue the one before it in its line."""
_BOLD_LEVEL = 7
"""Level of a line in bold that serves as a heading: below all other headings."""
_MAX_CONTINUED = 3
"""Maximum sentences in a row that are taken to continue each other."""
_ANY_NUMBER = "0"
"""Replaces the numbers and letters of list items, which differ within a list."""


class OutlineUnit(Struct):
    """A unit of the outline, by its position in the text: a sentence, a heading, or a code block."""

    start: int
    end: int
    parent: int = -1
    """The unit without which this one is not kept: a heading, the lead-in of a list, or the sentence before it that it
    refers to. -1 if there is none."""
    is_heading: bool = False
    """Whether it only announces the units under it, as a heading or a lead-in does."""
    section: int = -1
    """The heading of its section; without headings, the outermost line that it is nested in. -1 if there is none."""


class _OpenLine(Struct):
    """A line that following lines may be nested in."""

    unit: int
    indent: int
    mark: str
    is_lead_in: bool = False
    is_empty: bool = True
    """Whether no line is nested in it yet."""
    has_items: bool = False
    """Whether a list item, code or an indented line is nested in it. A later line that is none of these ends it."""


class _OutlineBuilder:
    """The outline of a text while its lines are read one by one."""

    def __init__(self) -> None:
        self.units: list[OutlineUnit] = []
        self.sections: list[tuple[int, int]] = []
        """(level, unit) of the open headings, outermost first."""
        self.tags: list[tuple[str, int]] = []
        """Open tags, each with the number of sections that were open when it began."""
        self.open_tag_counts: Counter[str] = Counter()
        """Number of open tags by name."""
        self.lines: list[_OpenLine] = []
        self.after_blank = True

    def add_tag(self, closes: bool, name: str) -> None:
        del self.lines[:]
        if not closes:
            self.tags.append((name, len(self.sections)))
            self.open_tag_counts[name] += 1
            return
        opened = "" if self.open_tag_counts[name] else name
        while opened != name:
            opened, depth = self.tags.pop()
            self.open_tag_counts[opened] -= 1
            del self.sections[depth:]

    def add_heading(self, unit: OutlineUnit, level: int) -> None:
        del self.lines[:]
        while self.sections and self.sections[-1][0] >= level:
            self.sections.pop()
        unit.is_heading, unit.parent = True, self.sections[-1][1] if self.sections else -1
        self.sections.append((level, len(self.units)))
        unit.section = len(self.units)
        self.units.append(unit)

    def add_line(self, unit: OutlineUnit, indent: int, mark: str, *, listed: bool) -> None:
        """Add the first sentence of a line. Its parent is the line before it with a smaller indent, or the lead-in
        that it follows as a list item or at once; else its heading."""
        while self.lines and not self._is_under(self.lines[-1], indent, mark):
            self.lines.pop()
        del self.lines[_MAX_NESTED_LINES:]
        if self.lines:
            self.lines[-1].is_empty = False
            self.lines[-1].has_items |= listed or indent > self.lines[-1].indent
            self.units[self.lines[-1].unit].is_heading |= self.lines[-1].is_lead_in
        unit.section = self.sections[-1][1] if self.sections else self.lines[0].unit if self.lines else -1
        unit.parent = self.lines[-1].unit if self.lines else unit.section
        self.units.append(unit)
        self.lines.append(_OpenLine(len(self.units) - 1, indent, mark))

    def _is_under(self, above: _OpenLine, indent: int, mark: str) -> bool:
        if indent != above.indent or not above.is_lead_in:
            return indent > above.indent
        if mark:
            return mark != above.mark
        return not above.mark and (above.is_empty or not (self.after_blank or above.has_items))

    def add_sentence(self, unit: OutlineUnit, first: int, *, continues: bool, in_item: bool) -> None:
        """Add a later sentence of a line. `first`: the first unit of the line; `continues`: the sentence continues the
        one before it."""
        unit.parent = len(self.units) - 1 if continues else first if in_item else self.units[first].parent
        unit.section = self.units[first].section
        self.units.append(unit)

    def mark_lead_in(self) -> None:
        """Mark the last unit as a lead-in to the lines after it."""
        if self.lines:
            self.lines[-1].is_lead_in, self.lines[-1].is_empty, self.lines[-1].unit = True, True, len(self.units) - 1


def outline_units(text: str) -> list[OutlineUnit]:
    """Return the units of a text in order, without tags, blank lines and other lines of marks only."""
    builder = _OutlineBuilder()
    for line in _iter_lines(text):
        start, end = line[0]
        stripped = text[start:end].strip()
        if not stripped:
            builder.after_blank = True
        elif tag := _TAG.match(stripped):
            builder.add_tag(bool(tag[1]), tag[2])
        elif is_heading(stripped):
            hashes = _HASHES.match(stripped)
            builder.add_heading(OutlineUnit(start, end), len(hashes[1]) if hashes else _BOLD_LEVEL)
        else:
            _add_line(builder, text, line)
    return builder.units


def _add_line(builder: _OutlineBuilder, text: str, line: list[tuple[int, int]]) -> None:
    """Add the sentences of a line to the outline."""
    first, continued, mark = -1, 0, ""
    for start, end in line:
        if not has_content(text[start:end]) or GAP_MARK.fullmatch(text[start:end].strip()):
            continue
        if first < 0:
            blanks = start + len(text[start:end]) - len(text[start:end].lstrip())
            indent = len(text[start:blanks].expandtabs(_TAB_WIDTH))
            mark = _list_mark(item_mark(text, start))
            builder.add_line(
                OutlineUnit(start, end), indent, mark, listed=bool(mark) or text.count("\n", start, end) > 1
            )
            first = len(builder.units) - 1
        else:
            continued = continued + 1 if end - start < _MIN_SENTENCE_CHARS or refers_back(text, start, end) else 0
            builder.add_sentence(
                OutlineUnit(start, end), first, continues=0 < continued <= _MAX_CONTINUED, in_item=bool(mark)
            )
    if first >= 0:
        builder.after_blank = False
        start, end = line[-1]
        if text[start:end].strip().rstrip("*_").endswith(LEAD_ENDS):
            builder.mark_lead_in()


def _list_mark(mark: str) -> str:
    """Return the part of an item's mark that all items of its list share, without the number or letter."""
    return re.sub(r"\w+", _ANY_NUMBER, mark)


def _iter_lines(text: str) -> Iterator[list[tuple[int, int]]]:
    """Yield the spans of the sentences of each line. A code block counts as one line."""
    begins = 0

    def number(span: tuple[int, int]) -> int:
        nonlocal begins
        begins += span[0] == 0 or text[span[0] - 1] == "\n"
        return begins

    for _, spans in groupby(merge_code_blocks(text, sentence_spans(text)), number):
        yield [*spans]
