"""The scopes of lines: in a file, the surrounding function, class or section, found by indentation in any language;
in a nested list, the item around an inner item."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Mapping

from compactor_cli.text.patterns import compiled_later

_LINE_NUMBER = r"(?:[ \t]*\d{1,6}(?:→|\t|:|\| ?)|\d{5}\| ?)?"
"""The line number that tools put before a line of a file."""
_INDENT = r"[ \t]*(?:[+-][ \t]*)?"
"""The sign of a diff, or of a list item, counts as a space."""
_MODIFIERS = (
    r"(?:(?:export|default|public|private|protected|internal|static|final|abstract|async|override|virtual|inline|local"
    r"|pub(?:\([^)\n]*\))?|unsafe|extern|const|data|sealed|open|declare|partial)[ \t]+)*"
)
_DEFINITION_KEYWORD = (
    r"(?:(?:func|fun|def(?:p|n|un|module|macro|impl|protocol)?|class|fn|function|interface|impl|struct|enum|trait"
    r"|namespace)\b[ \t]*[\w(*<$]|(?:module|sub)[ \t]+[A-Z_a-z][\w:]*[ \t\r]*(?:\{[ \t\r]*)?$"
    r"|(?:type|mod|object|protocol|extension|record|message|service|contract)[ \t]+\w[^\n]{0,120}[{=(])"
)
_ASSIGNED_FUNCTION = (
    r"(?:const|let|var)[ \t]+(?=[^\n]{3,200}$)[\w$]+[^=\n]*=[ \t]*(?:async[ \t]*)?"
    r"(?:function\b|[\w$]+[ \t]*=>|\([ \t\r]*$|\([^\n]*=>|(?:[\w$]+\.)*[\w$]+\(.*=>[ \t]*\{$)"
)
_TEST_CALL = r"(?:describe|it|test|context)(?:\.\w+)?(?:\([ \t]*|[ \t]+)['\"`]"
_SQL_CREATE = r"(?i:create)[ \t]+(?:\w+[ \t]+)*?(?i:table|view|function|procedure|trigger|type)\b"
_NOT_A_STATEMENT = (
    r"(?!(?:if|else|elif|for|foreach|while|until|switch|case|default|match|when|try|catch|except|finally|do|with|return"
    r"|new|throw|await|defer|go|using|lock|synchronized|select|loop|unless|begin|then)\b)"
)
_OPENING_BRACE = rf"(?:\{{[ \t\r]*$|[ \t\r]*\n{_LINE_NUMBER}[ \t]*\{{[ \t\r]*$)"
"""The brace at the end of a line, or alone on the next one."""
_SIGNATURE = (
    r"(?=[\w<>\[\],.*&?: \t~$]+\()"  # most lines have no bracket, or something else before it
    rf"(?=[^\n]{{3,200}}\{{[ \t\r]*$|[^\n]{{3,200}}\n{_LINE_NUMBER}[ \t]*\{{[ \t\r]*$)"
    rf"(?:[\w<>\[\],.*&?:]+[ \t]+)*~?[\w$]+[ \t]*\([^;\n]*\)[^;={{\n]*{_OPENING_BRACE}"
)
_YAML_KEY = r"(?!public|private|protected)[\w.\"'-]{1,60}:[ \t\r]*$"
"""A key with members below it, as in YAML."""
_DEFINITION = compiled_later(
    rf"\n{_LINE_NUMBER}{_INDENT}()(?=[A-Za-z_\"'~])"
    rf"(?:{_MODIFIERS}(?:{_DEFINITION_KEYWORD}|{_ASSIGNED_FUNCTION}|{_TEST_CALL}|{_SQL_CREATE})|"
    rf"{_NOT_A_STATEMENT}(?:{_SIGNATURE}|{_YAML_KEY}))",
    re.MULTILINE,
)
"""The line break before a definition, and the definition. Searching for a line break is many times faster than for
`^`, which is tried at every character. The same applies to the next patterns."""
_HEADING = compiled_later(
    rf"\n{_LINE_NUMBER}(?=(#{{1,6}}))\1[ \t]+\S[^\n]{{0,100}}\n{_LINE_NUMBER}[ \t\r]*$", re.MULTILINE
)
"""A Markdown heading, with the blank line after it that comments rarely have."""
_COMMENT = compiled_later(rf"{_LINE_NUMBER}{_INDENT}(?:#|//|/\*|\*|--|@)[^\n]*\n")
"""A comment or decorator; it belongs to the definition directly below it."""
_MAX_COMMENT_LINES = 40
"""Maximum number of comment lines before that definition."""
_SEARCH_LOCATION = compiled_later(r"(?=[\w~-]*[./\\])[\w./\\~-]{1,300}?[:-]\d+[:-]")
"""The location before a line of a search result."""
_MAX_LINE_CHARS = 2_000
"""Maximum distance, in characters, to the beginning of a long line."""
_TAB_WIDTH = 4
_SCANNED_LINE = compiled_later(
    rf"\n(?:[ \t]*(--[ \t\r]*$|\[?…)|(?=((?:[ \t]*(\d{{1,6}})(?:→|\t|:|\| ?)|\d{{5}}\| ?)?))\2"
    rf"({_INDENT})(#|//|[*)\]}}{{]|\S)|[ \t]*(\d{{1,6}})(?:→|\t|:|\|)[ \t\r]*$)",
    re.MULTILINE,
)
"""A line that marks an omission; a line with words, after its number; or the number of a blank line."""
_NEVER_ENDING = ("#", "//", "*", ")", "]", "}", "{")
"""Beginnings of lines that never end a definition, whatever their indent: comments, directives, and what closes an
argument list or opens a body."""
_LIST_ITEM = compiled_later(r"^([ \t]*)(?:[-*+•]|\d{1,3}[.)]) +(?=\S)")
_MAX_ITEM_CHARS = 80
"""Maximum length of an item that serves as context for the items inside it."""


class Scopes:
    """The definitions and headings around the lines of a text, which is read once."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._starts: list[int] = []
        """Starts of the lines whose scope differs from that of the previous line."""
        self._scope_starts: list[int] = []
        """Start of the innermost definition or heading around those lines, after its indent; -1 if there is none."""
        with_break = f"\n{text}"  # a line of the text begins at each of its line breaks
        self._definitions = {match.start(): match.start(1) - 1 for match in _DEFINITION.finditer(with_break)}
        heading_matches = _HEADING.finditer(with_break) if "# " in text else ()
        headings = {match.start(): (match.start(1) - 1, match.end(1) - 1) for match in heading_matches}
        if self._definitions or headings:
            self._read(with_break, headings)

    def _read(self, with_break: str, headings: Mapping[int, tuple[int, int]]) -> None:
        sections: list[tuple[int, int]] = []
        indents: list[int] = []
        definition_starts: list[int] = []
        current, last = -1, -1
        for line in _SCANNED_LINE.finditer(with_break):
            part, _, number, indentation, first_sign, blank = line.groups()
            start, before, last = line.start(), last, int(number or blank or -1)
            if part or (last >= 0 <= before and last != before + 1):
                # lines are left out here: the next line's scope is unknown
                del indents[:], definition_starts[:], sections[:]
            if part or blank:
                continue
            indent = len(indentation.expandtabs(_TAB_WIDTH))
            heading_start, heading_end = headings.get(start, (-1, -1))
            if heading_start >= 0:
                del indents[:], definition_starts[:]
                while sections and sections[-1][0] >= heading_end - heading_start:
                    sections.pop()
            depth = bisect_left(indents, indent)
            scope = definition_starts[depth - 1] if depth else sections[-1][1] if sections else -1
            if scope != current:
                self._starts.append(start)
                self._scope_starts.append(scope)
                current = scope
            if heading_start >= 0:
                sections.append((heading_end - heading_start, heading_start))
            elif first_sign not in _NEVER_ENDING:
                del indents[depth:], definition_starts[depth:]
            if start in self._definitions:
                indents.append(indent)
                definition_starts.append(self._definitions[start])

    def scope_start(self, position: int) -> int:
        """Return the start of the context of a position: the surrounding definition or heading, the definition below
        a comment, or the beginning of a long line that says what it is; -1 if there is none."""
        search_start = max(0, position - _MAX_LINE_CHARS)
        start = self._text.rfind("\n", search_start, position) + 1 or search_start
        if (definition := self._definitions.get(start, position)) < position:
            return definition
        if start < position and _SEARCH_LOCATION.match(self._text, start, position):
            return start
        if self._definitions and (definition_below := self._definition_below(start)) >= 0:
            return definition_below
        number = bisect_right(self._starts, position) - 1
        return self._scope_starts[number] if number >= 0 else -1

    def _definition_below(self, start: int) -> int:
        """Return the start of the definition directly below the comment at `start`; -1 if there is none."""
        for _ in range(_MAX_COMMENT_LINES):
            comment = _COMMENT.match(self._text, start)
            if comment is None:
                break
            start = comment.end()
            if start in self._definitions:
                return self._definitions[start]
        return -1


def parent_items(text: str) -> dict[int, tuple[int, int]]:
    """Map the starts of items in inner lists, after their indent, to the span of the item around them, if that is
    short. A price among the items of a flight does not say which flight it belongs to."""
    parents: dict[int, tuple[int, int]] = {}
    if "\n " not in text and "\n\t" not in text:  # most texts have no indented lines
        return parents
    open_items: list[tuple[int, int, int]] = []
    """(indent, start, end) of the open items."""
    offset = 0
    for line in text.split("\n"):
        item = _LIST_ITEM.match(line)
        indent = len(line) - len(line.lstrip())
        if line.strip():
            while open_items and open_items[-1][0] >= indent:
                open_items.pop()
        if item:
            start, end = offset + indent, offset + len(line.rstrip())
            if open_items and open_items[-1][2] - open_items[-1][1] <= _MAX_ITEM_CHARS:
                parents[start] = open_items[-1][1:]
            open_items.append((indent, start, end))
        offset += len(line) + 1
    return parents
