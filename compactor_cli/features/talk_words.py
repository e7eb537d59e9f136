"""The words of a spoken text in any script, and features of its form."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise
from unicodedata import normalize

from compactor_cli.text.marks import marks_as_letters
from compactor_cli.text.patterns import compiled_later

UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3100-\u312f\u31a0-\u31bf\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
)
"""Scripts that do not put spaces between words."""
_WORD_OR_RUN = compiled_later(rf"([{UNSPACED}]+)|[^\W_{UNSPACED}]+")
_ASCII_WORD = compiled_later(r"[^\W_]+")
_UNSPACED_RUN = compiled_later(f"[{UNSPACED}]+")
_NEGATION = compiled_later(r"n['’]t\b")
_QUESTION_MARKS = "?？؟;՞፧⁇‽⸮"
_QUESTION_END = compiled_later(rf"(?:[{_QUESTION_MARKS}]|か[。．]?|[吗呢][。．]?)[^\w{_QUESTION_MARKS}。．]*\Z")
_CHEER = compiled_later(
    r"[!！]|[\u2600-\u27bf\U0001f300-\U0001faff]|[:;]-?[)(DP]|\b(?:a?ha(?:ha)+|(?:ja){2,}|lo+l|w{3,}|x+d)\b", re.I
)
_INNER_NAME = compiled_later(r"(?<=[\w,;)'’] )[^\W\d_]\w+")
_CODE = compiled_later(
    r"\w+(?:[_/@\\#=]\w+)+|\w*\d[^\W\d]\w*|\w*[^\W\d_]\d\w*|\w+(?:\.\w+)+|[^\W\d_]*[a-z][A-Z]\w*|\b[A-Z]{3,}\b|--\w"
)
_CODE_RUN = compiled_later(r"[\w/@\\#=.-]+")
"""The characters that may surround or form such a name."""
_NUMBER = compiled_later(
    r"\d+(?:[.,:/-]\d+)*|[一二三四五六七八九十百千万两半]+(?=[个個天日月年点點時时次人元円块条字分])"
)


def words(text: str) -> list[str]:
    """Return the words in lower case; in scripts without spaces, overlapping pairs of characters."""
    expanded = _NEGATION.sub(" not", text.lower())
    return _ASCII_WORD.findall(expanded) if expanded.isascii() else list(_iter_words(expanded))


def _iter_words(text: str) -> Iterator[str]:
    for match in _WORD_OR_RUN.finditer(marks_as_letters(text)):
        run = text[match.start() : match.end()]
        if match[1] is None or len(run) < 3:
            yield run
        else:
            yield from map("".join, pairwise(run))


def word_lengths(words: Iterable[str]) -> list[int]:
    """Return the number of letters of each word in scripts with spaces. Korean syllables count by their components."""
    return [
        len(word) if word.isascii() else len(normalize("NFD", word))
        for word in words
        if not word.isdigit() and _UNSPACED_RUN.match(word) is None
    ]


def count_unspaced(text: str) -> int:
    """Count the characters of scripts without spaces."""
    return 0 if text.isascii() else sum(len(run) for run in _UNSPACED_RUN.findall(text))


def is_question(text: str) -> bool:
    """Return whether a text ends with a question, in any script."""
    if text.isascii() and "?" not in text and ";" not in text:  # as in most lines
        return False
    return _QUESTION_END.search(text) is not None


def count_questions(text: str) -> int:
    """Count the question marks of any script."""
    return sum(map(text.count, _QUESTION_MARKS))


def count_cheers(text: str) -> int:
    """Count exclamation marks, pictographs and laughter."""
    return len(_CHEER.findall(text))


def count_inner_names(text: str) -> int:
    """Count the capitalized words that do not begin a sentence."""
    return sum(name[0].isupper() for name in _INNER_NAME.findall(text))


def count_codes(text: str) -> int:
    """Count names that are not words: `snake_case`, paths, addresses, `A17`, abbreviations."""
    runs = _CODE_RUN.findall(text)
    # most are plain words, which do not count
    return sum(len(_CODE.findall(run)) for run in runs if not (run.isalpha() and (run.islower() or run.istitle())))


def count_numbers(text: str) -> int:
    """Count the numbers, in figures or in Chinese characters before a counted noun."""
    return len(_NUMBER.findall(text))
