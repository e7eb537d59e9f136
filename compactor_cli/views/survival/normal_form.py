"""Normalize texts for comparison: case, white space, quotation marks, list marks and punctuation at the ends."""

from __future__ import annotations

import re

from compactor_cli.text.clean import plain

SHORT_CHARS = 15

_QUOTES = str.maketrans(
    {**dict.fromkeys('“”„‟«»「」『』`"', '"'), **dict.fromkeys("‘’‚ʼ´", "'"), "*": None, "\u00a0": " ", "\t": " "}
)
_MARKS = re.compile(r"(?:[\s>|•◦▪·→+–—-]+|#{1,6} |\[[ x]\] |\d{1,3}[.)] )+")
_LABEL = re.compile(r"(?:[a-z]+ )?(?:#?\d+ ?)?[\w.-]{0,40} ?[:→] |… ?")
_REFERENCES = re.compile(r"(?:\s*(?:\[[^\[\]]{0,40}\]|\(\d+x?\)))+$")
_DENSE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff\uff66-\uff9f]")


def folded_lines(text: str) -> list[str]:
    """Return the lines of a text in lower case, without leading list and quote marks."""
    lines = plain(text).translate(_QUOTES).lower().split("\n")
    return [_unmarked(" ".join(line.split())) for line in lines]


def normal_form(text: str) -> str:
    """Return a sentence in the form used for searching; empty if it has no letter or digit."""
    return _trim_signs(_unmarked(" ".join(plain(text).translate(_QUOTES).lower().split())))


def without_references(line: str) -> str:
    """Return a folded line without trailing references, in the form that `normal_form` produces."""
    return _trim_signs(_REFERENCES.sub("", line))


def without_label(line: str) -> str:
    """Return a folded line without trailing references and without a leading speaker label."""
    label = _LABEL.match(line)
    return without_references(line[label.end() :] if label else line)


def is_short(key: str) -> bool:
    """Return whether a sentence only counts as found when it stands alone."""
    return len(key) < SHORT_CHARS and len(key) + 2 * len(_DENSE.findall(key)) < SHORT_CHARS


def _trim_signs(text: str) -> str:
    """Return a text from its first to its last letter or digit."""
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
