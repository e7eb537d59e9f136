"""Statements of the user that replace earlier ones: the last one holds, and the older is useless without it."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from itertools import chain

from msgspec import Struct

from compactor_cli.features.lines import SessionLines
from compactor_cli.features.talk_words import asks
from compactor_cli.model.message import Message
from compactor_cli.strategies.adaptive.must_keep import UserWords
from compactor_cli.strategies.shared.binding import turns_away
from compactor_cli.strategies.shared.lone_lines import said_after
from compactor_cli.text.changed_values import is_replaced, targets, values_of
from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.subjects import may_replace, subject_terms
from compactor_cli.text.terms import STOP_WORDS

_COMMON = 3
"""Maximum number of the user's sentences that share a word which says what is changed."""
_SHORT_REQUEST = 150
"""Maximum characters of a request that says one thing."""
_BEFORE, _BEHIND = 40, 40
"""Characters before and behind the words of a change in which the sentence says what is changed."""
_STEM, _SYLLABLES = 5, 2
"""Number of first characters that forms of a word have in common, and of syllables in Korean."""
_PAIRS = 3
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
"""In several languages: how the user repeats what was said, and the words behind it that say that it has changed."""
_SAID = compiled_later("|".join(said for said, _ in _SAYINGS), re.IGNORECASE)
_SAID_AND_CHANGED = compiled_later("|".join(f"{said}{differs}" for said, differs in _SAYINGS), re.IGNORECASE)
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
    sure: bool
    """Whether these words are enough. Otherwise a value of the older sentence has to differ now."""
    values: dict[str, set[str]]
    """The days, times and numbers of a sentence that repeats what was said."""
    targets: list[tuple[str, str]]
    """The values that something was moved or changed to, with their forms."""

    def changes(self, older: dict[str, set[str]]) -> bool:
        """Return whether the sentence changes one of the values of an older sentence."""
        moved = any(older.get(form) and value not in older[form] for form, value in self.targets)
        return moved or is_replaced(older, self.values)


def anew_first(
    ranked: Iterable[int], anew: Mapping[int, Sequence[int]], lines: SessionLines, tokens: Callable[[int], int]
) -> Iterator[int]:
    """Yield lines in their order. Before each sentence come those that replace it (`anew`), with the sentences that
    belong to these, each of them once."""
    walked = set[int]()
    for line in ranked:
        found = all_newer([line], anew, walked)
        walked |= found
        for newer in sorted(found - {line}, reverse=True):
            yield newer
            yield from said_after(lines, newer, tokens)
        yield line


def said_anew(messages: Sequence[Message], lines: SessionLines) -> dict[int, list[int]]:
    """Map lines of the user's sentences to the later ones that announce a change to the same thing."""
    said = [line for line in range(len(lines)) if _tells(line, messages, lines)]
    texts = [lines.text(line) for line in said]
    holders: defaultdict[str, list[int]] = defaultdict(list)
    for at, text in enumerate(texts):
        for stem in _stems(text):
            holders[stem].append(at)
    anew: defaultdict[int, set[int]] = defaultdict(set)
    for at, text in enumerate(texts):
        if (change := _change(text)) is None:
            continue
        rare = (holders[stem] for stem in sorted(change.stems) if len(holders[stem]) <= _COMMON)
        shared = Counter(other for own in rare for other in own if other < at)
        needed = _PAIRS if _UNSPACED.search(text) else 1
        for older, count in shared.items():
            apart = lines.message(said[older]) != lines.message(said[at])
            if count >= needed and apart and (change.sure or change.changes(values_of(texts[older]))):
                anew[said[older]].add(said[at])
    return {line: sorted(others) for line, others in anew.items()}


def corrected(asked: Iterable[UserWords], lines: SessionLines) -> dict[int, list[int]]:
    """Map lines of short requests to lines of later ones that may replace them."""
    told = [(said, lines.session.pieces[said.piece].text[said.start : said.end]) for said in asked]
    told = [(said, text) for said, text in told if len(text) <= _SHORT_REQUEST and not asks(text)]
    own = [[*lines.overlapping(said.piece, said.start, said.end)] for said, _ in told]
    later = may_replace([text for _, text in told])
    return {
        line: [*chain.from_iterable(own[at] for at in later[index])] for index, its in enumerate(own) for line in its
    }


def _tells(line: int, messages: Sequence[Message], lines: SessionLines) -> bool:
    message = messages[lines.message(line)]
    return message.origin == "request" and lines.has_words(line) and not asks(lines.text(line))


def _change(text: str) -> _Change | None:
    """Return what a sentence says about a change, or None if it announces none."""
    if turns_away(text):
        return _Change(_stems(text), sure=True, values={}, targets=[])
    said, moved, corrects = (list(words.finditer(text)) for words in (_SAID, _MOVED, _CORRECTS))
    told = [*said, *moved, *corrects]
    if not told:
        return None
    around = (text[max(0, found.start() - _BEFORE) : found.end() + _BEHIND] for found in told)
    return _Change(
        {stem for part in around for stem in _stems(part)},
        sure=bool(corrects) or (bool(said) and _SAID_AND_CHANGED.search(text) is not None),
        values=values_of(text) if said else {},
        targets=[target for found in moved for target in targets(text, found.end())],
    )


def _stems(text: str) -> set[str]:
    """Return the stems of the words that say what a sentence is about."""
    korean = {word[:_SYLLABLES] for word in _HANGUL.findall(text)}
    terms = (term for term in subject_terms(text) if term not in STOP_WORDS and not _HANGUL.match(term))
    return korean | {term[:_STEM] for term in terms if len(term) >= _STEM or not term.isascii()}


def all_newer(lines: Iterable[int], anew: Mapping[int, Sequence[int]], known: Set[int] = frozenset()) -> set[int]:
    """Return sentences together with the later ones that replace them, and those that replace these. Leave out
    sentences that are `known`, and those reached only through them."""
    found, ahead = set[int](), [*lines]
    while ahead:
        at = ahead.pop()
        if at not in found and at not in known:
            found.add(at)
            ahead += anew.get(at, ())
    return found
