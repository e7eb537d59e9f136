"""The words used to find memories: the same for a memory and for a query, whatever the database.

Case, width, accents and English endings are ignored: `trade`, `traded` and `trading` are the same word. A name
(`read_timeout`, `readTimeout`, `net/read.py`) contributes its parts and also the whole name without separators. Each
word also contributes its form in the text. Scripts without blanks are split into overlapping pairs of characters.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

from compactor_cli.features.talk_words import UNSPACED

MAX_WORD_CHARS = 64
"""Maximum significant characters of a word; longer words are equal if they begin alike."""
BORDER = "  "
"""In `term_text`, separates the words of the text in order from the further ones."""

_LETTER_RUN = re.compile(r"[^\W_]+")
_INNER_SIGNS = re.compile(r"[_./\\:@+#~-]{1,3}")
"""Separators between the parts of a name."""
_JOINS = frozenset("_-")
"""Separators between the parts of a name that is itself part of a longer one."""
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_SCRIPTS = re.compile(f"[{UNSPACED}]+|[^{UNSPACED}]+")
_LETTER_UNSPACED = re.compile(f"[{UNSPACED}]")
_ACCENTS = re.compile("[\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670]")
_LETTER = re.compile(r"[^\W_]")


class Token(NamedTuple):
    """A word and its position in the text."""

    word: str
    """The word without its ending."""
    start: int
    end: int
    form: str = ""
    """The word as it is in the text, normalized."""


class Name(NamedTuple):
    """A stretch of text without blanks."""

    tokens: tuple[Token, ...]
    """Its words, in order."""
    parts: tuple[str, ...]
    """Its words, with `camelCase` split as well."""
    joined: tuple[str, ...]
    """Joined parts of the name, ending with the whole name. Empty for a plain word."""
    ends: tuple[str, ...]
    """The last characters of stretches in scripts without blanks; no pair begins with them."""


def term_text(text: str) -> str:
    """Return the words of a text separated by blanks; the further ones follow BORDER."""
    own_words: list[str] = []
    further_words: dict[str, None] = {}
    for name in find_names(text):
        own_words += [token.word for token in name.tokens]
        forms = (token.form for token in name.tokens if token.form != token.word)
        further_words |= dict.fromkeys((*name.parts, *name.joined, *name.ends, *forms))
    for word in own_words:
        further_words.pop(word, None)
    return " ".join(own_words) + (BORDER + " ".join(further_words) if further_words else "")


def find_names(text: str) -> Iterator[Name]:
    """Yield the names and plain words of a text, in order."""
    runs: list[str] = []
    tokens: list[list[Token]] = []
    joiners: list[str] = []
    end = 0
    for run in _letter_runs(text):
        separator = text[end : run.start]
        if runs and not (separator and _INNER_SIGNS.fullmatch(separator)):
            yield _make_name(runs, tokens, joiners)
            runs, tokens, joiners = [], [], []
        elif runs:
            joiners.append(separator)
        end = run.end
        runs.append(text[run.start : end])
        tokens.append(
            [Token(stem(plain_word), run.start, end, plain_word) for plain_word in _normalized_words(runs[-1])]
        )
    if runs:
        yield _make_name(runs, tokens, joiners)


def _letter_runs(text: str) -> Iterator[Token]:
    """Yield stretches of letters, digits, and combining marks."""
    if text.isascii():
        for match in _LETTER_RUN.finditer(text):
            yield Token("", match.start(), match.end())
        return
    start = None
    for position, letter in enumerate(text):
        if letter.isalnum() or unicodedata.category(letter)[0] == "M":
            start = position if start is None else start
        elif start is not None:
            yield Token("", start, position)
            start = None
    if start is not None:
        yield Token("", start, len(text))


def _normalized_words(piece: str) -> list[str]:
    """Return the words of a stretch of letters and digits: one, or one for each script."""
    if piece.isascii():
        return [piece.lower()[:MAX_WORD_CHARS]]
    plain = unicodedata.normalize("NFKC", piece)
    for _ in range(2):  # folding may produce characters that need folding again
        plain = _ACCENTS.sub("", unicodedata.normalize("NFKD", plain.casefold()))
        plain = unicodedata.normalize("NFKC", plain)
    pieces = []
    for part in _split(plain):
        if _is_unspaced(part) and len(part) > 1:
            pieces += [part[start : start + 2] for start in range(len(part) - 1)]
        else:
            pieces.append(part[:MAX_WORD_CHARS])
    return pieces


def _split(plain: str) -> list[str]:
    """Return the runs without characters other than letters, digits and marks, split by script."""
    letters = "".join(c if c.isalnum() or unicodedata.category(c)[0] == "M" else " " for c in plain)
    pieces = [piece for part in letters.split() for piece in _SCRIPTS.findall(part)]
    return [piece for piece in pieces if _is_unspaced(piece) or _LETTER.search(piece)]


@lru_cache(maxsize=20_000)
def stem(word: str) -> str:
    """Return a word without English endings, stemmed until nothing changes, so that a stored word matches itself."""
    if len(word) < 3 or not (word.isascii() and word.isalpha()):
        return word
    from snowballstemmer.english_stemmer import EnglishStemmer  # most runs search for nothing

    stemmer = EnglishStemmer()
    before = ""
    while before != word:
        before, word = word, stemmer.stemWord(word)
    return word


def _make_name(runs: list[str], tokens: list[list[Token]], joiners: list[str]) -> Name:
    flat = tuple(token for part in tokens for token in part)
    if any(_is_unspaced(token.word) for token in flat):
        # text without blanks is not a name
        return Name(flat, (), (), tuple(_end_letters([token.word for token in flat])))
    if len(runs) == 1 and len(flat) < 2 and not _HUMP.search(runs[0]):
        return Name(flat, (), (), ())
    humps = [stem(word) for run in runs for piece in _HUMP.split(run) for word in _normalized_words(piece)]
    joined = dict.fromkeys(_components(tokens, joiners))
    whole = _joined_parts(token.form for token in flat)
    joined.pop(whole, None)
    return Name(flat, tuple(humps), (*joined, whole), ())


def _components(tokens: list[list[Token]], joiners: list[str]) -> Iterator[str]:
    """Yield the names within a longer one: `read_timeout` in `net/read_timeout.py`."""
    component: list[str] = []
    for index, part in enumerate(tokens):
        component += [token.form for token in part]
        if index == len(joiners) or not _JOINS.issuperset(joiners[index]):
            if len(component) > 1:
                yield _joined_parts(component)
            component = []


def _joined_parts(parts: Iterable[str]) -> str:
    return stem("".join(parts)[:MAX_WORD_CHARS])


def _end_letters(pieces: list[str]) -> Iterator[str]:
    """Yield the last character of each sequence of pairs."""
    for word, following in zip(pieces, [*pieces[1:], ""], strict=True):
        if _is_pair(word) and not (_is_pair(following) and following[0] == word[1]):
            yield word[1]


def _is_pair(word: str) -> bool:
    return len(word) == 2 and _is_unspaced(word)


def _is_unspaced(word: str) -> bool:
    return bool(_LETTER_UNSPACED.match(word))
