"""Statements of the user that replace earlier ones: the last one holds, and the older is useless without it."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from itertools import chain

from msgspec import Struct

from compactor_cli.features.lines import SessionLines
from compactor_cli.features.talk_words import is_question
from compactor_cli.model.message import Message
from compactor_cli.strategies.adaptive.must_keep import PieceSpan
from compactor_cli.strategies.shared.binding import reverses_course
from compactor_cli.strategies.shared.lone_lines import short_followers
from compactor_cli.text.changed_values import is_replaced, values_at, values_by_kind
from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.subjects import later_replacements, subject_terms
from compactor_cli.text.terms import STOP_WORDS

_MAX_SENTENCES = 3
"""Maximum number of the user's sentences that share a word which says what is changed."""
_MAX_REQUEST_CHARS = 150
"""Maximum characters of a request that says one thing."""
_CHARS_BEFORE, _CHARS_AFTER = 40, 40
"""Characters before and after the words of a change in which the sentence says what is changed."""
_STEM_CHARS, _STEM_SYLLABLES = 5, 2
"""Number of first characters that forms of a word have in common, and of syllables in Korean."""
_MIN_SHARED_PAIRS = 3
"""Number of character pairs that two sentences in a script without blanks share if they are about the same thing."""
_UNSPACED = compiled_later(r"[\u3040-\u30ff\u3400-\u9fff]")
_HANGUL = compiled_later(r"[\uac00-\ud7a3]{2,}")
_SAYINGS = (
    (
        r"(?<!like )(?<!what )(?<!as )(?<!all )\bI (?:just |had |earlier )*(?:said|told you)\b"
        r"(?! (?:no|yes|hi|hello)\b)",
        r"(?! (?:about|of)\b).{0,80}?\b(?:but|now|actually|meant|instead)\b",
    ),
    (r"\b(?:hatte|habe) [^.!?]{0,40}\bgesagt\b", r".{0,80}?\b(?:aber|doch|jetzt|stattdessen|sondern)\b"),
    (r"\b(?:j['’]avais|j['’]ai) dit\b", r".{0,80}?\b(?:mais|maintenant|plutôt)\b"),
    (r"\b(?:había dicho|te dije)\b", r".{0,80}?\b(?:pero|ahora|sino)\b"),
    (r"\bavevo detto\b", r".{0,80}?\b(?:ma|ora|adesso|invece)\b"),
    (r"\b(?:tinha dito|eu disse)\b", r".{0,80}?\b(?:mas|agora)\b"),
    (r"\bя говорил[аи]?\b", r".{0,80}?\b(?:но|теперь)\b"),
    (r"(?:이?라고|다고) (?:했|말했|말씀드렸)", r".{0,80}?(?:지만|바뀌었|변경)"),
    (r"と言(?:いました|ったけど|いましたが)", r".{0,80}?(?:変更|変わ|延期)"),
    (r"(?:我|刚才)说(?:过|的是|了)", r".{0,80}?(?:但|不过|改)"),
)
"""In several languages: how the user repeats what was said, and the words after it that say that it has changed."""
_REPEATS = compiled_later("|".join(said for said, _ in _SAYINGS), re.IGNORECASE)
_REPEATS_CHANGED = compiled_later("|".join(f"{said}{differs}" for said, differs in _SAYINGS), re.IGNORECASE)
_MOVED = compiled_later(
    r"\b(?:moved|shifted|changed|switched|postponed|brought forward|rescheduled)\b[^.!?]{0,30}?\b(?:to|till|until)\b"
    r"|\b(?:verschoben|vorgezogen|verlegt)\b,?(?: auf)?|\b(?:déplacé|reporté|avancé)e?s? (?:à|au|aux)\b"
    r"|\b(?:cambiad|movid|aplazad|adelantad|pospuest)[oa]s? (?:a|al|para)\b"
    r"|\b(?:spostat|rimandat|anticipat)[oaie] (?:a|al|alla|alle)\b|\b(?:adiad|antecipad)[oa] para\b"
    r"|\bперен[её]с(?:ли|ла)? на\b|(?:改|换|推迟|提前)(?:成|到|为)",
    re.IGNORECASE,
)
"""Words before the new day, time or number of something."""
_CORRECTS = compiled_later(r"\bcorrection:", re.IGNORECASE)


class _Change(Struct, frozen=True):
    """What a sentence says about a change."""

    stems: set[str]
    """The stems of the words around the words of the change: what the sentence is about."""
    is_sure: bool
    """Whether these words are enough. Otherwise a value of the older sentence has to differ now."""
    values: dict[str, set[str]]
    """The days, times and numbers of a sentence that repeats what was said."""
    targets: list[tuple[str, str]]
    """The values that something was moved or changed to, with their forms."""

    def changes(self, older: dict[str, set[str]]) -> bool:
        """Return whether the sentence changes one of the values of an older sentence."""
        moved = any(older.get(form) and value not in older[form] for form, value in self.targets)
        return moved or is_replaced(older, self.values)


def newer_first(
    ranked: Iterable[int], newer_of: Mapping[int, Sequence[int]], lines: SessionLines, tokens: Callable[[int], int]
) -> Iterator[int]:
    """Yield lines in their order. Before each sentence come those that replace it (`newer_of`), with the sentences that
    belong to these, each of them once."""
    seen = set[int]()
    for line in ranked:
        found = with_newer([line], newer_of, seen)
        seen |= found
        for newer in sorted(found - {line}, reverse=True):
            yield newer
            yield from short_followers(lines, newer, tokens)
        yield line


def find_newer(messages: Sequence[Message], lines: SessionLines) -> dict[int, list[int]]:
    """Map lines of the user's sentences to the later ones that announce a change to the same thing."""
    statement_lines = [line for line in range(len(lines)) if _is_statement(line, messages, lines)]
    texts = [lines.text(line) for line in statement_lines]
    holders: defaultdict[str, list[int]] = defaultdict(list)
    for index, text in enumerate(texts):
        for stem in _stems(text):
            holders[stem].append(index)
    newer_of: defaultdict[int, set[int]] = defaultdict(set)
    for index, text in enumerate(texts):
        if (change := _find_change(text)) is None:
            continue
        rare = (holders[stem] for stem in sorted(change.stems) if len(holders[stem]) <= _MAX_SENTENCES)
        shared = Counter(other for stem_holders in rare for other in stem_holders if other < index)
        needed = _MIN_SHARED_PAIRS if _UNSPACED.search(text) else 1
        for older, count in shared.items():
            apart = lines.message_of(statement_lines[older]) != lines.message_of(statement_lines[index])
            if count >= needed and apart and (change.is_sure or change.changes(values_by_kind(texts[older]))):
                newer_of[statement_lines[older]].add(statement_lines[index])
    return {line: sorted(others) for line, others in newer_of.items()}


def find_corrected(spans: Iterable[PieceSpan], lines: SessionLines) -> dict[int, list[int]]:
    """Map lines of short requests to lines of later ones that may replace them."""
    requests = [(span, lines.session.pieces[span.piece].text[span.start : span.end]) for span in spans]
    requests = [(span, text) for span, text in requests if len(text) <= _MAX_REQUEST_CHARS and not is_question(text)]
    span_lines = [[*lines.lines_overlapping(span.piece, span.start, span.end)] for span, _ in requests]
    later = later_replacements([text for _, text in requests])
    return {
        line: [*chain.from_iterable(span_lines[later_index] for later_index in later[index])]
        for index, old_lines in enumerate(span_lines)
        for line in old_lines
    }


def _is_statement(line: int, messages: Sequence[Message], lines: SessionLines) -> bool:
    message = messages[lines.message_of(line)]
    return message.origin == "request" and lines.has_words(line) and not is_question(lines.text(line))


def _find_change(text: str) -> _Change | None:
    """Return what a sentence says about a change, or None if it announces none."""
    if reverses_course(text):
        return _Change(_stems(text), is_sure=True, values={}, targets=[])
    repeats, moved, corrects = (list(words.finditer(text)) for words in (_REPEATS, _MOVED, _CORRECTS))
    matches = [*repeats, *moved, *corrects]
    if not matches:
        return None
    contexts = (text[max(0, found.start() - _CHARS_BEFORE) : found.end() + _CHARS_AFTER] for found in matches)
    return _Change(
        {stem for part in contexts for stem in _stems(part)},
        is_sure=bool(corrects) or (bool(repeats) and _REPEATS_CHANGED.search(text) is not None),
        values=values_by_kind(text) if repeats else {},
        targets=[target for found in moved for target in values_at(text, found.end())],
    )


def _stems(text: str) -> set[str]:
    """Return the stems of the words that say what a sentence is about."""
    korean = {word[:_STEM_SYLLABLES] for word in _HANGUL.findall(text)}
    terms = (term for term in subject_terms(text) if term not in STOP_WORDS and not _HANGUL.match(term))
    return korean | {term[:_STEM_CHARS] for term in terms if len(term) >= _STEM_CHARS or not term.isascii()}


def with_newer(lines: Iterable[int], newer_of: Mapping[int, Sequence[int]], known: Set[int] = frozenset()) -> set[int]:
    """Return sentences together with the later ones that replace them, and those that replace these. Leave out
    sentences that are `known`, and those reached only through them."""
    found, pending = set[int](), [*lines]
    while pending:
        line = pending.pop()
        if line not in found and line not in known:
            found.add(line)
            pending += newer_of.get(line, ())
    return found
