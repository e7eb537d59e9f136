"""Texts in the form in which they are compared: case, white space, kinds of quote marks, marks at the start of a
line, and punctuation at both ends are set aside."""

from __future__ import annotations

import re

from compactor_cli.text.clean import plain

SHORT = 15
"""Letters below which a sentence is so common that finding it inside other text proves nothing."""

_QUOTES = str.maketrans(
    {**dict.fromkeys('“”„‟«»「」『』`"', '"'), **dict.fromkeys("‘’‚ʼ´", "'"), "*": None, "\u00a0": " ", "\t": " "}
)
_MARKS = re.compile(r"(?:[\s>|•◦▪·→+–—-]+|#{1,6} |\[[ x]\] |\d{1,3}[.)] )+")
_LABEL = re.compile(r"(?:[a-z]+ )?(?:#?\d+ ?)?[\w.-]{0,40} ?[:→] |… ?")
_REFERENCES = re.compile(r"(?:\s*(?:\[[^\[\]]{0,40}\]|\(\d+x?\)))+$")
_DENSE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff\uff66-\uff9f]")
"""Letters of scripts in which one says as much as several of an alphabet."""


def folded_lines(text: str) -> list[str]:
    """Return the lines of a text in small letters, without the marks of lists and quotes they begin with."""
    lines = plain(text).translate(_QUOTES).lower().split("\n")
    return [_unmarked(" ".join(line.split())) for line in lines]


def core(text: str) -> str:
    """Return a sentence as it is looked for; empty when it has no letter and no digit."""
    return _inside(_unmarked(" ".join(plain(text).translate(_QUOTES).lower().split())))


def trimmed(line: str) -> str:
    """Return a folded line without references behind it, as `core` would leave it."""
    return _inside(_REFERENCES.sub("", line))


def bare(line: str) -> str:
    """Return a folded line without what says who said it, too."""
    label = _LABEL.match(line)
    return trimmed(line[label.end() :] if label else line)


def is_short(key: str) -> bool:
    """Return whether a sentence must stand alone to count as found."""
    return len(key) < SHORT and len(key) + 2 * len(_DENSE.findall(key)) < SHORT


def _inside(text: str) -> str:
    """Return a text from its first letter or digit to its last."""
    start, end = 0, len(text)
    while start < end and not _is_letter(text[start]):
        start += 1
    while end > start and not _is_letter(text[end - 1]):
        end -= 1
    return text[start:end]


def _is_letter(sign: str) -> bool:
    return sign.isalnum() or sign == "_"


def _unmarked(line: str) -> str:
    marks = _MARKS.match(line)
    return line[marks.end() :] if marks else line
