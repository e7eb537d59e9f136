"""Python values printed into a result, such as `{'name': None}`: read as the JSON that they would be."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from compactor_cli.text.patterns import compiled_later

_SIGNS = ("{'", "['")
"""Every object and list of strings that Python prints begins like this."""
_BEGINS = compiled_later(r"\s*(?:\[\s*)?\{'")
_STRING = compiled_later(r'"[^"\\]*(?:\\.[^"\\]*)*(?:(?P<end>")|\\?\Z)', re.DOTALL)
"""A JSON string; the last one of a text may be cut off."""
_OF_JSON = compiled_later(r'"[^"\\]*(?:\\.[^"\\]*)*"|[\[\]{}]', re.DOTALL)
_TOKEN = compiled_later(
    r"""'(?:[^'\\]|\\\\'|\\.)*'|\\"(?:[^"\\]|\\[^"])*\\"|"(?:[^"\\]|\\.)*"|[\[\]{}()'"]""", re.DOTALL
)
"""A string, a bracket, or the quote of a string that was cut off. In a JSON string, a quote or a backslash of Python
has another backslash before it."""
_CLOSING = {"{": "}", "[": "]"}
_CLOSES = ("}", "]")
_QUOTES = ("'", '"')
_AS_JSON = str.maketrans("()", "[]")
_NOT_PLAIN = compiled_later(r'["\\]')
_SHORTEST = 100
"""Minimum length of a value that is worth reading."""


def as_json(text: str) -> str:
    """Return a text with the Python values in it as JSON, every character at its place. What closes a value that was
    cut off is added. Other texts are returned unchanged."""
    if not any(sign in text for sign in _SIGNS) or len(text) < _SHORTEST:
        return text
    if _BEGINS.match(text):
        return _read(text) or text
    if text[:1] not in ("{", "["):
        return text
    cut_at: list[int] = []

    def read_string(found: re.Match[str]) -> str:
        if not _BEGINS.match(found[0], 1):
            return found[0]
        if not found["end"]:
            cut_at.append(found.start())
            return found[0]
        return f" {inner} " if (inner := _read(found[0][1:-1])) else found[0]

    read = _STRING.sub(read_string, text)
    if not cut_at:
        return read
    around = read[: cut_at[0]]
    opened = _opened(_OF_JSON.findall(around), [])
    rest = _read(read[cut_at[0] + 1 :], opened) if opened else ""
    return f"{around} {rest}" if rest else read


def _opened(tokens: Iterable[str], opened: Sequence[str]) -> list[str] | None:
    """Return what closes the brackets that are open after these tokens and before them (`opened`), innermost last;
    None if they do not match."""
    stack = [*opened]
    for token in tokens:
        if token in _CLOSING:
            stack.append(_CLOSING[token])
        elif token in _CLOSES and (len(stack) <= len(opened) or stack.pop() != token):
            return None
    return stack


def _read(value: str, around: Sequence[str] = ()) -> str:
    """Return a Python value as JSON, every character at its place; "" if its brackets do not match. `around`: what
    closes the JSON that it was cut off in."""
    pieces: list[str] = []
    signs: list[str] = []
    position = 0
    for token in _TOKEN.finditer(value):
        if token[0] in _QUOTES:
            break
        pieces.append(_NOT_PLAIN.sub("_", value[position : token.start()].replace("'", '"')))
        sign = token[0].translate(_AS_JSON) if len(token[0]) == 1 else ""
        signs.append(sign)
        pieces.append(sign or _quoted(token[0]))
        position = token.end()
    opened = _opened(signs, around)
    if opened is None or (not opened and value[position:].strip()):
        return ""
    if not opened:
        return "".join(pieces) + value[position:]
    rest = _NOT_PLAIN.sub("_", value[position:]).replace("'", '"', 1)
    return "".join((*pieces, rest, '"' if '"' in rest else "", *reversed(opened)))


def _quoted(token: str) -> str:
    """Return a string in the quotes of JSON, with the same length."""
    marks = 2 if token.startswith("\\") else 1
    return f'{" " * (marks - 1)}"{_NOT_PLAIN.sub("_", token[marks : len(token) - marks])}"{" " * (marks - 1)}'
