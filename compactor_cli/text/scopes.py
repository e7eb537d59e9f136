"""What the lines of a file are in: the function, class or section around them, told by indentation in any language."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Mapping

from compactor_cli.text.patterns import compiled_later

_BEFORE = r"(?:[ \t]*\d{1,6}(?:→|\t|:|\| ?)|\d{5}\| ?)?"
"""The number that tools put before a line of a file."""
_INDENT = r"[ \t]*(?:[+-][ \t]*)?"
"""The sign of a diff, or of an item of a list, takes the place of a blank."""
_MODIFIERS = (
    r"(?:(?:export|default|public|private|protected|internal|static|final|abstract|async|override|virtual|inline|local"
    r"|pub(?:\([^)\n]*\))?|unsafe|extern|const|data|sealed|open|declare|partial)[ \t]+)*"
)
_KIND = (
    r"(?:func|fun|def\w*|class|fn|function|type|interface|impl|struct|enum|trait|module|namespace|mod|object|protocol"
    r"|extension|sub|record|message|service|contract)\b[ \t]*[\w(*<$]"
)
_ASSIGNED = (
    r"(?:const|let|var)[ \t]+(?=[^\n]{3,200}$)[\w$]+[^=\n]*=[ \t]*(?:async[ \t]*)?"
    r"(?:function\b|[\w$]+[ \t]*=>|\([ \t\r]*$|\([^\n]*=>|(?:[\w$]+\.)*[\w$]+\(.*=>[ \t]*\{$)"
)
_TEST = r"(?:describe|it|test|context)(?:\.\w+)?\([ \t]*['\"`]"
_TABLE = r"(?i:create)[ \t]+(?:\w+[ \t]+)*?(?i:table|view|function|procedure|trigger|type)\b"
_NO_STATEMENT = (
    r"(?!(?:if|else|elif|for|foreach|while|until|switch|case|default|match|when|try|catch|except|finally|do|with|return"
    r"|new|throw|await|defer|go|using|lock|synchronized|select|loop|unless|begin|then)\b)"
)
_SIGNATURE = r"(?=[^\n]{3,200}\{[ \t\r]*$)(?:[\w<>\[\],.*&?:]+[ \t]+)*~?[\w$]+[ \t]*\([^;\n]*\)[^;={\n]*\{[ \t\r]*$"
_KEY = r"(?!public|private|protected)[\w.\"'-]{1,60}:[ \t\r]*$"
"""A key with members below it, as in YAML."""
_DEFINITION = compiled_later(
    rf"^{_BEFORE}{_INDENT}()(?=[A-Za-z_\"'~])"
    rf"(?:{_MODIFIERS}(?:{_KIND}|{_ASSIGNED}|{_TEST}|{_TABLE})|{_NO_STATEMENT}(?:{_SIGNATURE}|{_KEY}))",
    re.MULTILINE,
)
_HEADING = compiled_later(rf"^{_BEFORE}(?=(#{{1,6}}))\1[ \t]+\S[^\n]{{0,100}}\n{_BEFORE}[ \t\r]*$", re.MULTILINE)
"""A heading of Markdown, with the blank line behind it that a comment seldom has."""
_TAB = 4
_LINE = compiled_later(rf"^{_BEFORE}({_INDENT})(#|//|[*)\]}}]|\S)", re.MULTILINE)
_PASSIVE = ("#", "//", "*", ")", "]", "}")
"""What lines begin with that end no definition wherever they stand: comments, directives, and what closes a list of
arguments."""


class Scopes:
    """The definitions and headings around the lines of a text, which is read once."""

    def __init__(self, text: str) -> None:
        self._starts: list[int] = []
        """Where the lines begin that are in something else than the line before them."""
        self._around: list[int] = []
        """Where the innermost definition or heading around those lines begins, without its indentation; -1 for none."""
        definitions = {match.start(): match.start(1) for match in _DEFINITION.finditer(text)}
        headings = {match.start(): match.span(1) for match in _HEADING.finditer(text)} if "# " in text else {}
        if definitions or headings:
            self._read(text, definitions, headings)

    def _read(self, text: str, definitions: Mapping[int, int], headings: Mapping[int, tuple[int, int]]) -> None:
        sections: list[tuple[int, int]] = []
        indents: list[int] = []
        begins: list[int] = []
        inside = -1
        for line in _LINE.finditer(text):
            start, indent = line.start(), len(line[1].expandtabs(_TAB))
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
            elif line[2] not in _PASSIVE:
                del indents[depth:], begins[depth:]
            if start in definitions:
                indents.append(indent)
                begins.append(definitions[start])

    def around(self, at: int) -> int:
        """Return where that begins which defines what a place of the text is in; -1 where nothing does."""
        number = bisect_right(self._starts, at) - 1
        return self._around[number] if number >= 0 else -1
