"""What the user of a conversation says anew: what is said last holds, and the older statement is nothing without it."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from compactor_cli.features.lines import SessionLines
from compactor_cli.features.talk_words import asks
from compactor_cli.model.message import Message
from compactor_cli.strategies.adaptive.lone_lines import said_after
from compactor_cli.strategies.shared.binding import turns_away
from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.subjects import subject_terms
from compactor_cli.text.terms import STOP_WORDS

_COMMON = 3
"""Sentences of the user up to which a word that they share says what is changed."""
_BEFORE, _BEHIND = 40, 40
"""Characters around the words that tell of a change in which it is said of what."""
_STEM, _SYLLABLES = 5, 2
"""Characters by which forms of a word are told to be the same, and syllables of Korean ones."""
_PAIRS = 3
"""Pairs of characters that sentences in scripts without blanks share, to be of the same."""
_UNSPACED = compiled_later(r"[\u3040-\u30ff\u3400-\u9fff]")
_HANGUL = compiled_later(r"[\uac00-\ud7a3]{2,}")
_MOVED = compiled_later(
    r"(?<!like )(?<!what )(?<!as )(?<!all )\bI (?:just |had |earlier )*(?:said|told you|wrote)\b"
    r"(?! (?:no|yes|hi|hello)\b)"
    r"|\b(?:moved|shifted|changed|switched|postponed|pushed|brought forward|rescheduled)\b[^.!?]{0,30}?"
    r"\b(?:to|till|until)\b(?! (?:be|do|get|make|see|help|keep|give|stay|go)\b)"
    r"|\bcorrection:|\b(?:hatte|habe) [^.!?]{0,40}\bgesagt\b|\b(?:verschoben|vorgezogen|verlegt)\b"
    r"|\b(?:j['’]avais|j['’]ai) dit\b|\b(?:déplacé|reporté|avancé)e?s? (?:à|au|aux)\b"
    r"|\b(?:había dicho|te dije)\b|\b(?:cambiad|movid|aplazad|adelantad|pospuest)[oa]s? (?:a|al|para)\b"
    r"|\bavevo detto\b|\b(?:spostat|rimandat|anticipat)[oaie] (?:a|al|alla|alle)\b"
    r"|\b(?:tinha dito|eu disse)\b|\b(?:adiad|antecipad)[oa] para\b|\bперен[её]с(?:ли|ла)? на\b|\bя говорил[аи]?\b"
    r"|(?:이?라고|다고) (?:했|말했|말씀드렸)|바뀌었|변경됐|변경되었|미뤄졌|앞당겨졌"
    r"|と言(?:いました|ったけど|いましたが)|に変更|に変わ(?:り|っ)|に延期|(?:我|刚才)说(?:过|的是|了)|(?:改|换|推迟|提前)(?:成|到|为)",
    re.IGNORECASE,
)
"""What is said of something that was told otherwise before."""


def anew_first(
    ranked: Iterable[int], anew: Mapping[int, Sequence[int]], lines: SessionLines, tokens: Callable[[int], int]
) -> Iterator[int]:
    """Yield lines in their order, before each sentence those that say it `anew`, with what stays with these."""
    for line in ranked:
        for newer in sorted(_all_of(line, anew), reverse=True):
            yield newer
            yield from said_after(lines, newer, tokens)
        yield line


def said_anew(messages: Sequence[Message], lines: SessionLines) -> dict[int, list[int]]:
    """Return for sentences of the user the later ones that tell of a change to what they speak of."""
    said = [line for line in range(len(lines)) if _tells(line, messages, lines)]
    texts = [lines.text(line) for line in said]
    stems = [_stems(text) for text in texts]
    holders: defaultdict[str, list[int]] = defaultdict(list)
    for at, own in enumerate(stems):
        for stem in own:
            holders[stem].append(at)
    anew: defaultdict[int, set[int]] = defaultdict(set)
    for at, text in enumerate(texts):
        rare = (holders[stem] for stem in sorted(_changed(text)) if len(holders[stem]) <= _COMMON)
        shared = Counter(other for own in rare for other in own if other < at)
        needed = _PAIRS if _UNSPACED.search(text) else 1
        for older, count in shared.items():
            if count >= needed and lines.message(said[older]) != lines.message(said[at]):
                anew[said[older]].add(said[at])
    return {line: sorted(others) for line, others in anew.items() if others}


def _tells(line: int, messages: Sequence[Message], lines: SessionLines) -> bool:
    message = messages[lines.message(line)]
    return message.origin == "request" and lines.has_words(line) and not asks(lines.text(line))


def _changed(text: str) -> set[str]:
    """Return what a sentence that tells of a change speaks of, around the words that do."""
    if turns_away(text):
        return _stems(text)
    around = (text[max(0, found.start() - _BEFORE) : found.end() + _BEHIND] for found in _MOVED.finditer(text))
    return {stem for part in around for stem in _stems(part)}


def _stems(text: str) -> set[str]:
    """Return the beginnings of the words of a sentence that say what it is about."""
    korean = {word[:_SYLLABLES] for word in _HANGUL.findall(text)}
    terms = (term for term in subject_terms(text) if term not in STOP_WORDS and not _HANGUL.match(term))
    return korean | {term[:_STEM] for term in terms if len(term) >= _STEM or not term.isascii()}


def _all_of(line: int, anew: Mapping[int, Sequence[int]]) -> set[int]:
    """Return the later sentences that say a sentence anew, and those that say these anew."""
    found = set(anew.get(line, ()))
    for newer in sorted(found):
        found |= _all_of(newer, anew)
    return found
