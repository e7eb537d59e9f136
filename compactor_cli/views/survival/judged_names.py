"""Identifiers, as the judge sees them: paths, URLs, symbols, codes, numbers with units."""

from __future__ import annotations

import re
from collections.abc import Iterable

from compactor_cli.model.message import Message

_CHUNK = re.compile(r"[\w/~.-][\w./:@%+=~-]{2,118}[\w%]", re.ASCII)
_NAME = re.compile(
    r"[\w./@%+~-]*[/_@][\w./@%+~-]*"  # paths, addresses, joined words
    r"|[A-Za-z][\w-]*(?:\.\w+)+"  # module.name, file.ext
    r"|[a-z]+(?:[A-Z][a-z0-9]*)+|(?:[A-Z][a-z0-9]+){2,}"  # camelCase, PascalCase
    r"|(?=[\w-]*\d)(?=[\w-]*[A-Za-z])\w[\w-]*"  # ids, dates, numbers with units
    r"|\d+(?:\.\d+)+(?:%|[A-Za-z]+)?|\d+%"
    r"|--[A-Za-z][\w-]+|E(?:NO[A-Z]+|ACCES|EXIST|PERM|PIPE|CONN[A-Z]+|ADDR[A-Z]+|TIMEDOUT|INVAL|ISDIR|AGAIN|BUSY)|SIG[A-Z]{3,}",
    re.ASCII,
)
_ESCAPED = re.compile(r"\\+[nrt\"'/]")
_BEFORE = re.compile(r"^(?:\.+(?!/)|-(?!-)|--+(?![A-Za-z]))")
"""Signs before a name that are not of it."""


def identifiers(messages: Iterable[Message]) -> dict[str, int]:
    """Return distinct identifiers -> the first message that names each."""
    chunks: dict[str, int] = {}
    for message in messages:
        for part in message.parts:
            text = _ESCAPED.sub(" ", part.text) if "\\" in part.text else part.text
            for chunk in set(_CHUNK.findall(text)):
                chunks.setdefault(chunk, message.index)
    first_messages: dict[str, int] = {}
    for chunk, index in chunks.items():
        for name in _names(chunk):
            first_messages.setdefault(name, index)
    return first_messages


def _names(chunk: str) -> list[str]:
    pieces = [chunk] if "://" in chunk else re.split(r"[:=]+", chunk)
    names = (_BEFORE.sub("", piece).rstrip(".-+@/") for piece in pieces)
    return [name for name in names if len(name) > 3 and ("://" in name or _NAME.fullmatch(name))]
