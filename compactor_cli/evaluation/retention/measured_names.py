"""The measure's own definition of identifiers.

It is deliberately separate from `text/identifiers.py`, which strategies and summarizers use: a measure with the same
patterns would share their blind spots.
"""

from __future__ import annotations

import re

from compactor_cli.text.clean import plain

SHORTEST, LONGEST = 4, 200
_MIN_NUMBER_DIGITS = 3
_LONGEST_QUOTE, _MOST_WORDS = 60, 10

_URL = re.compile(r"https?://[^\s<>\"'`|^{}()\[\]\\]+")
_MAIL = re.compile(r"(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_PATH = re.compile(r"(?<![\w.~@+:/-])[\w.~@+-]*(?:/[\w.@+-]+)+")
_DOTTED = re.compile(r"(?<![\w.@/-])[A-Za-z_][\w-]*(?:\.[A-Za-z_][\w-]*)+(?![\w@/])")
_JOINED = re.compile(r"(?<!\w)\w*_\w*")
_CAMEL = re.compile(r"(?<!\w)[A-Za-z][a-z0-9]+[A-Z]\w*")
_FAILURE = re.compile(r"(?<!\w)(?:[A-Z]\w*(?:Error|Exception|Warning|Fault)|SIG[A-Z]{3,6})(?!\w)")
_ERRNO = re.compile(
    r"\bE(?:NOENT|NOTDIR|NOTEMPTY|NOMEM|ACCES|AGAIN|ADDR\w+|BUSY|CONN\w+|EXIST|INVAL|ISDIR|MFILE|PERM|PIPE|ROFS"
    r"|TIMEDOUT)\b"
)
_WITH_DIGIT = re.compile(r"(?<![\w-])#?[\w-]*\d[\w-]*")
_DATE = re.compile(r"(?<![\w-])\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?)?(?!\d)")
_NUMBER = re.compile(r"(?<![\w.,-])[$€£]?(\d[\d,]*(?:\.\d+)*)%?(?!\w)")
_FLAG = re.compile(r"(?<![\w-])--[A-Za-z][\w-]+")
_QUOTED = (re.compile(r'"([^"\n]*)"'), re.compile(r"`([^`\n]*)`"), re.compile(r"(?<!\w)'([^'\n]{4,60})'(?!\w)"))
_SYMBOLS = (_URL, _MAIL, _DOTTED, _JOINED, _CAMEL, _FAILURE, _ERRNO, _WITH_DIGIT, _FLAG)
_OPENING = " ,:;!?*|()[]{}<>\"'`\\"
_CLOSING = _OPENING + ".-/"
_LETTERS = re.compile(r"[^\W\d_]{2}")
_KEY = re.compile(r"""(["'])([A-Za-z_][\w-]*)\1\s*:""")
_BREAK = re.compile(r"(?<!\\)\\+[nrt]")
_ESCAPE = re.compile(r"(?<!\\)\\+([\"'/])")

_COMMON = """
    about after again all also and any are because been before being both but can cannot could did does done down
    each either else false few first for from get gets got had has have here hers him his how into its just know last
    less let like made make many may more most much must need new nil none not nothing now null off okay once one only
    other our out over please same see set should since some still such than thanks that the their them then there
    these they thing this those through too true two type under undefined until use used user very want was way well
    were what when where which while who why will with without would yes yet you your assistant content message name
    role system text tool value
"""
COMMON = frozenset(_COMMON.split())


def readable(text: str) -> str:
    """Return a text as a person reads it, without terminal escapes and with JSON strings unescaped."""
    text = plain(text)
    if "\\" not in text:
        return text
    return _ESCAPE.sub(r"\1", _BREAK.sub("\n", text))


def identifiers(text: str) -> list[str]:
    """Return the distinct identifiers of a text, in a fixed order. These are paths, file names, URLs, addresses, error
    names and codes, ids with digits, dates, numbers, symbols, flags and quoted strings. Each pattern searches the whole
    text, so both a path and the file name in it are found; the caller drops such pieces."""
    text = readable(text)
    raw = [match for pattern in _SYMBOLS for match in pattern.findall(text)]
    for path in _PATH.findall(text):
        raw += (path.removeprefix("./"), path.rpartition("/")[2])
    names = [name for name in map(_trimmed, raw) if _is_identifier(name)]
    names += _DATE.findall(text)
    names += [number for match in _NUMBER.findall(text) if len(number := match.replace(",", "")) >= _MIN_NUMBER_DIGITS]
    for pattern in _QUOTED:
        names += [quote for quote in map(_trimmed, pattern.findall(text)) if _is_identifier(quote) and _is_name(quote)]
    return list(dict.fromkeys(names))


def spellings(name: str) -> tuple[str, ...]:
    """Return the spellings of an identifier: numbers with and without thousands separators."""
    if name.isascii() and name.isdigit() and len(name) > 3:
        return name, f"{int(name):,}"
    return (name,)


def keys(text: str) -> set[str]:
    """Return the keys of JSON (or of a literal) in a text: words of a schema, which no compaction has to keep."""
    return {key for _, key in _KEY.findall(readable(text))}


def _trimmed(raw: str) -> str:
    """Return a name without surrounding punctuation; leading dots and dashes of a path or flag stay."""
    return " ".join(raw.split()).lstrip(_OPENING).rstrip(_CLOSING)


def _is_identifier(name: str) -> bool:
    return SHORTEST <= len(name) <= LONGEST and any(map(str.isalpha, name)) and name.lower() not in COMMON


def _is_name(quote: str) -> bool:
    return len(quote) <= _LONGEST_QUOTE and quote.count(" ") < _MOST_WORDS and _LETTERS.search(quote) is not None
