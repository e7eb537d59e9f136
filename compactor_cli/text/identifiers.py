"""Identifiers: paths, URLs, symbols, error names, numbers with units, quoted strings.

Text is split into chunks at C speed, and each distinct chunk is examined once. The cost is that of one pass, however
long the transcript is.
"""

from __future__ import annotations

from collections.abc import Iterable

from compactor_cli.text.marks import is_word
from compactor_cli.text.patterns import compiled_later

_NAME_CHARACTERS = frozenset("_./@$%~-")
_SEPARATE_NAMES = bytes(
    code if code < 128 and (chr(code).isalnum() or chr(code) in _NAME_CHARACTERS) else ord(" ") for code in range(256)
)
"""Maps characters that cannot be part of a chunk to spaces."""
_QUOTE_PATTERNS = {"`": r"`([^`\n]{3,60})`", '"': r'"([^"\n]{4,60})"', "“": r"“([^”\n]{4,60})”"}
_QUOTED = compiled_later("|".join(_QUOTE_PATTERNS.values()))
_QUOTES_BY_MARK = {mark: compiled_later(pattern) for mark, pattern in _QUOTE_PATTERNS.items()}
"""Patterns for texts with only one kind of quotation marks; a pattern that begins with a fixed character is faster."""
_STRIP = ".-/@$~"
_LEADING = "@%"
ERROR_CODES = ("ENO", "EACC", "EEXI", "EPER", "ECON", "EADDR", "EPIPE", "ETIME", "EINV", "EISD", "EAGAIN", "SIG")
"""How names of errors in capital letters begin."""


class _IdentifierCache(dict[bytes, str]):
    """Chunk -> its identifier without surrounding punctuation, or "".

    As a dict, it needs no function call for known chunks.
    """

    def __missing__(self, chunk: bytes) -> str:
        if len(self) >= _MAX_CACHED:
            self.clear()
        self[chunk] = name = identifier(chunk.decode("ascii"))
        return name


_MAX_CACHED = 1 << 16


def chunks(text: str) -> list[bytes]:
    """Return the chunks that may be identifiers, in order, with repetitions and surrounding punctuation. Some are
    too short to be identifiers."""
    # takes a quarter of the time of a pattern; non-ASCII letters become separators
    return text.encode("ascii", "replace").translate(_SEPARATE_NAMES).split()


def identifier(chunk: str) -> str:
    """Return the identifier in a chunk, or "". It uses plain string tests, because a session has hundreds of
    thousands of distinct chunks."""
    core = chunk.rstrip(_STRIP)
    if core[:1] in _LEADING:
        core = core.lstrip(_LEADING)
    if len(core) < 4:
        return ""
    if "_" in core or "/" in core:
        return core
    if core.isalpha():
        if core.isupper():
            return core if core.startswith(ERROR_CODES) else ""
        return "" if core[1:].islower() else core  # camelCase, PascalCase, SomeError
    if core.isalnum() and core.isascii():
        return "" if core.isdigit() else core  # ids and numbers with units; not bare numbers
    if core.startswith("--"):
        return core
    if not any(map(str.isdigit, core)):
        return core if "." in core else ""  # module.name and file.ext; hyphenated words are words
    if "." in core or "%" in core or "$" in core:
        return core  # 3.14, 85%, v1.2
    return core if any(map(str.isalpha, core)) else ""  # ids and numbers with units; not bare numbers


_IDENTIFIERS = _IdentifierCache()


def unescape(text: str) -> str:
    """Return JSON inside a string with escaped line breaks and quotes resolved."""
    if "\\" not in text:
        return text
    return text.replace("\\n", "\n").replace("\\t", " ").replace('\\"', '"')


def identifiers(text: str) -> set[str]:
    """Return the distinct identifiers of a text."""
    names = set(map(_IDENTIFIERS.__getitem__, chunks(text)))
    names.discard("")
    return names


def quoted_strings(text: str) -> set[str]:
    """Return the distinct quoted strings of prose, except single ordinary words."""
    marks = [mark for mark in _QUOTE_PATTERNS if mark in text]
    if len(marks) == 1:
        matches: Iterable[str] = _QUOTES_BY_MARK[marks[0]].findall(text)
    else:
        matches = ("".join(groups) for groups in _QUOTED.findall(text)) if marks else ()
    strings = {string.strip() for string in matches}
    return {string for string in strings if len(string) >= 4 and not is_word(string)}
