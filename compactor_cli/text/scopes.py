"""The scopes of lines: in a file, the surrounding function, class or section, found by indentation in any language;
in a nested list, the item around an inner item."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Mapping

from compactor_cli.text.json_values import begins_as_json
from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.telling_members import failed_records

_BEFORE = r"(?:[ \t]*\d{1,6}(?:→|\t|:|\| ?)|\d{5}\| ?)?"
"""The line number that tools put before a line of a file."""
_INDENT = r"[ \t]*(?:[+-][ \t]*)?"
"""The sign of a diff, or of a list item, counts as a space."""
_MODIFIERS = (
    r"(?:(?:export|default|public|private|protected|internal|static|final|abstract|async|override|virtual|inline|local"
    r"|pub(?:\([^)\n]*\))?|unsafe|extern|const|data|sealed|open|declare|partial)[ \t]+)*"
)
_KIND = (
    r"(?:(?:func|fun|def(?:p|n|un|module|macro|impl|protocol)?|class|fn|function|interface|impl|struct|enum|trait"
    r"|namespace)\b[ \t]*[\w(*<$]|(?:module|sub)[ \t]+[A-Z_a-z][\w:]*[ \t\r]*(?:\{[ \t\r]*)?$"
    r"|(?:type|mod|object|protocol|extension|record|message|service|contract)[ \t]+\w[^\n]{0,120}[{=(])"
)
_ASSIGNED = (
    r"(?:const|let|var)[ \t]+(?=[^\n]{3,200}$)[\w$]+[^=\n]*=[ \t]*(?:async[ \t]*)?"
    r"(?:function\b|[\w$]+[ \t]*=>|\([ \t\r]*$|\([^\n]*=>|(?:[\w$]+\.)*[\w$]+\(.*=>[ \t]*\{$)"
)
_TEST = r"(?:describe|it|test|context)(?:\.\w+)?(?:\([ \t]*|[ \t]+)['\"`]"
_TABLE = r"(?i:create)[ \t]+(?:\w+[ \t]+)*?(?i:table|view|function|procedure|trigger|type)\b"
_NO_STATEMENT = (
    r"(?!(?:if|else|elif|for|foreach|while|until|switch|case|default|match|when|try|catch|except|finally|do|with|return"
    r"|new|throw|await|defer|go|using|lock|synchronized|select|loop|unless|begin|then)\b)"
)
_OPENS = rf"(?:\{{[ \t\r]*$|[ \t\r]*\n{_BEFORE}[ \t]*\{{[ \t\r]*$)"
"""The brace at the end of a line, or alone on the next one."""
_SIGNATURE = (
    r"(?=[\w<>\[\],.*&?: \t~$]+\()"  # most lines have no bracket, or something else before it
    rf"(?=[^\n]{{3,200}}\{{[ \t\r]*$|[^\n]{{3,200}}\n{_BEFORE}[ \t]*\{{[ \t\r]*$)"
    rf"(?:[\w<>\[\],.*&?:]+[ \t]+)*~?[\w$]+[ \t]*\([^;\n]*\)[^;={{\n]*{_OPENS}"
)
_KEY = r"(?!public|private|protected)[\w.\"'-]{1,60}:[ \t\r]*$"
"""A key with members below it, as in YAML."""
_DEFINITION = compiled_later(
    rf"\n{_BEFORE}{_INDENT}()(?=[A-Za-z_\"'~])"
    rf"(?:{_MODIFIERS}(?:{_KIND}|{_ASSIGNED}|{_TEST}|{_TABLE})|{_NO_STATEMENT}(?:{_SIGNATURE}|{_KEY}))",
    re.MULTILINE,
)
"""The line break before a definition, and the definition. Searching for a line break is many times faster than for
`^`, which is tried at every character. The same applies to the next patterns."""
_HEADING = compiled_later(rf"\n{_BEFORE}(?=(#{{1,6}}))\1[ \t]+\S[^\n]{{0,100}}\n{_BEFORE}[ \t\r]*$", re.MULTILINE)
"""A Markdown heading, with the blank line after it that comments rarely have."""
_COMMENT = compiled_later(rf"{_BEFORE}{_INDENT}(?:#|//|/\*|\*|--|@)[^\n]*\n")
"""A comment or decorator; it belongs to the definition directly below it."""
_COMMENTS = 40
"""Maximum number of comment lines before that definition."""
_FOUND = compiled_later(r"(?=[\w~-]*[./\\])[\w./\\~-]{1,300}?[:-]\d+[:-]")
"""The location before a line of a search result."""
_LONGEST = 2_000
"""Maximum distance, in characters, to the beginning of a long line."""
_TAB = 4
_LINE = compiled_later(
    rf"\n(?:[ \t]*(--[ \t\r]*$|\[?…)|(?=((?:[ \t]*(\d{{1,6}})(?:→|\t|:|\| ?)|\d{{5}}\| ?)?))\2"
    rf"({_INDENT})(#|//|[*)\]}}{{]|\S)|[ \t]*(\d{{1,6}})(?:→|\t|:|\|)[ \t\r]*$)",
    re.MULTILINE,
)
"""A line that marks an omission; a line with words, after its number; or the number of a blank line."""
_PASSIVE = ("#", "//", "*", ")", "]", "}", "{")
"""Beginnings of lines that never end a definition, whatever their indent: comments, directives, and what closes an
argument list or opens a body."""
_LIST_ITEM = compiled_later(r"^([ \t]*)(?:[-*+•]|\d{1,3}[.)]) +(?=\S)")
_SHORT_ITEM = 80
"""Maximum length of an item that serves as context for the items inside it."""


class Scopes:
    """The definitions and headings around the lines of a text, which is read once."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._starts: list[int] = []
        """Starts of the lines whose scope differs from that of the previous line."""
        self._around: list[int] = []
        """Start of the innermost definition or heading around those lines, after its indent; -1 if there is none."""
        self._failed = next(iter(failed_records(text)), (-1, -1))[0] if begins_as_json(text) else -1
        """Position of a record that reports a failure; without it, the other records would suggest that all went
        well."""
        broken = f"\n{text}"  # a line of the text begins at each of its line breaks
        self._definitions = {match.start(): match.start(1) - 1 for match in _DEFINITION.finditer(broken)}
        found = _HEADING.finditer(broken) if "# " in text else ()
        headings = {match.start(): (match.start(1) - 1, match.end(1) - 1) for match in found}
        if self._definitions or headings:
            self._read(broken, headings)

    def _read(self, broken: str, headings: Mapping[int, tuple[int, int]]) -> None:
        sections: list[tuple[int, int]] = []
        indents: list[int] = []
        begins: list[int] = []
        inside, last = -1, -1
        for line in _LINE.finditer(broken):
            part, _, number, indentation, begun, blank = line.groups()
            start, before, last = line.start(), last, int(number or blank or -1)
            if part or (last >= 0 <= before and last != before + 1):
                del indents[:], begins[:], sections[:]  # lines are left out here: the next line's scope is unknown
            if part or blank:
                continue
            indent = len(indentation.expandtabs(_TAB))
            begin, end = headings.get(start, (-1, -1))
            if begin >= 0:
                del indents[:], begins[:]
                while sections and sections[-1][0] >= end - begin:
                    sections.pop()
            depth = bisect_left(indents, indent)
            around = begins[depth - 1] if depth else sections[-1][1] if sections else -1
            if around != inside:
                self._starts.append(start)
                self._around.append(around)
                inside = around
            if begin >= 0:
                sections.append((end - begin, begin))
            elif begun not in _PASSIVE:
                del indents[depth:], begins[depth:]
            if start in self._definitions:
                indents.append(indent)
                begins.append(self._definitions[start])

    def around(self, at: int) -> int:
        """Return the start of the context of a position. This is the surrounding definition or heading, the
        definition below a comment, or the beginning of a long line that says what it is. If there is none, it is a
        failed record among others; -1 if there is no context at all."""
        own = self._own(at)
        return own if own >= 0 else self._failed

    def _own(self, at: int) -> int:
        begin = max(0, at - _LONGEST)
        start = self._text.rfind("\n", begin, at) + 1 or begin
        if (defined := self._definitions.get(start, at)) < at:
            return defined
        if start < at and _FOUND.match(self._text, start, at):
            return start
        if self._definitions and (below := self._below(start)) >= 0:
            return below
        number = bisect_right(self._starts, at) - 1
        return self._around[number] if number >= 0 else -1

    def _below(self, start: int) -> int:
        """Return the start of the definition directly below the comment at `start`; -1 if there is none."""
        for _ in range(_COMMENTS):
            comment = _COMMENT.match(self._text, start)
            if comment is None:
                break
            start = comment.end()
            if start in self._definitions:
                return self._definitions[start]
        return -1


def parents_of_items(text: str) -> dict[int, tuple[int, int]]:
    """Map the starts of items in inner lists, after their indent, to the span of the item around them, if that is
    short. A price among the items of a flight does not say which flight it belongs to."""
    parents: dict[int, tuple[int, int]] = {}
    if "\n " not in text and "\n\t" not in text:  # most texts have no indented lines
        return parents
    around: list[tuple[int, int, int]] = []
    """(indent, start, end) of the open items."""
    offset = 0
    for line in text.split("\n"):
        item = _LIST_ITEM.match(line)
        indent = len(line) - len(line.lstrip())
        if line.strip():
            while around and around[-1][0] >= indent:
                around.pop()
        if item:
            start, end = offset + indent, offset + len(line.rstrip())
            if around and around[-1][2] - around[-1][1] <= _SHORT_ITEM:
                parents[start] = around[-1][1:]
            around.append((indent, start, end))
        offset += len(line) + 1
    return parents
