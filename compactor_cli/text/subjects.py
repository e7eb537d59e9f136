"""Find sentences on the same subject by the words that they share, in any language."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence, Set
from itertools import chain, combinations
from math import log

from compactor_cli.text.changed_values import values_by_kind
from compactor_cli.text.marks import find_words
from compactor_cli.text.terms import STOP_WORDS, WIDE

# compiled on use: large character classes take milliseconds, and in most sessions all requests fit
_WORD = r"[^\W_]+(?:[./:@_-]+[^\W_]+)*"
_MIN_SHARED_RARE = 0.5
"""Minimum share of rare words that two sentences on the same subject have in common, of the one with fewer."""
_MAX_RARE_SENTENCES = 4
"""Maximum sentences with a rare word. A word in more of them says nothing about the subject."""
_NAME_AFTER_WORD = r"(?<=[^\W_] )([^\W\d_]+) ([A-ZÀ-ÖØ-Þ][^\W\d_]{2,})(?![^\W_])"
"""A name within a sentence, and the word before it."""
_MAX_COMPARED_NAMES = 40
"""Maximum earlier names after the same word that each name is compared with."""
_TOPIC = (
    r"\W*(?!(?:私|僕|俺|彼|我|これ|それ|あれ|ここ|저|나|우리|그|이것|이건|여기))"
    r"((?:[\u3040-\u30ff\u3400-\u9fff]{2,8}?[はが])|[\uac00-\ud7a3]{1,7}[은는이가](?= ))"
    r".{1,20}?(?:です|だ|である|になりました|입니다|이에요|예요)[。.!！]?\s*$"
)
"""The topic of a short sentence that says who or what something is, in Japanese and Korean; pronouns do not count."""
_MAX_VALUE_SENTENCE_CHARS = 200
"""Maximum characters of a sentence that gives a value for something. Longer ones are narrated or pasted."""
_ROOT_CHARS = 4
"""Characters that forms of one verb share at their beginning, such as `leave` and `leaving`."""
_SENTENCE_ENDS = r"\n|(?<=[.!?])\s|(?<=[。！？।॥۔؟።])"
"""The ends of lines and sentences."""
_MIN_WORD_CHARS, _STEM_CHARS = 4, 5
"""Minimum characters of a word in Latin letters that says what a text is about, and characters that forms of one word
share at their beginning, such as `cancel` and `cancellation`."""


def subject_terms(text: str) -> set[str]:
    """Return the words that two sentences on one subject may share. For scripts without blanks, return pairs of
    characters."""
    if text.isascii():
        return {word for word in re.findall(_WORD, text.lower()) if len(word) > 2}
    words = find_words(re.compile(f"{WIDE.pattern}|{_WORD}"), text.lower())
    wide = [bool(WIDE.match(word)) for word in words]
    pairs = {a + b for a, b, x, y in zip(words, words[1:], wide, wide[1:], strict=False) if x and y}
    return pairs | {word for word, is_wide in zip(words, wide, strict=True) if not is_wide and len(word) > 2}


def later_on_subject(sentences: Sequence[str]) -> list[tuple[int, ...]]:
    """Return for each sentence the later ones that share enough rare words with it to be on the same subject."""
    terms = [subject_terms(text) for text in sentences]
    holders: dict[str, list[int]] = {}
    for index, own_terms in enumerate(terms):
        for term in sorted(own_terms):
            holders.setdefault(term, []).append(index)
    rare_holders = {term: indices for term, indices in holders.items() if len(indices) <= _MAX_RARE_SENTENCES}
    rare = [own_terms & rare_holders.keys() for own_terms in terms]
    later: list[tuple[int, ...]] = []
    for index, own_terms in enumerate(rare):
        shared = Counter(other for term in sorted(own_terms) for other in rare_holders[term] if other > index)
        later.append(
            tuple(
                sorted(
                    other
                    for other, n in shared.items()
                    if n >= 2 and n >= _MIN_SHARED_RARE * min(len(own_terms), len(rare[other]))
                )
            )
        )
    return later


def later_replacements(sentences: Sequence[str]) -> list[tuple[int, ...]]:
    """Return for each sentence the later ones that may replace it: those on its subject, and those that give another
    name or value in place of its own."""
    later = [{*others} for others in later_on_subject(sentences)]
    for earlier, other in (*changed_name_pairs(sentences), *changed_value_pairs(sentences)):
        later[earlier].add(other)
    return [tuple(sorted(others)) for others in later]


def changed_value_pairs(sentences: Sequence[str]) -> list[tuple[int, int]]:
    """Return pairs of sentences of which the later gives another day, time, date, amount or number, and shares a rare
    word with the earlier: "the early train, the 6:40", "make it the 8:15 train". Pairs that begin with the same topic
    are included too."""
    holders: dict[str, list[int]] = {}
    values: dict[int, dict[str, set[str]]] = {}
    for index, sentence in enumerate(sentences):
        if topic := re.match(_TOPIC, sentence):
            holders.setdefault(f" {topic[1]}", []).append(index)
        if len(sentence) <= _MAX_VALUE_SENTENCE_CHARS and (sentence_values := values_by_kind(sentence)):
            values[index] = sentence_values
            for word in sorted(_content_words(sentence)):
                if not any(map(str.isdigit, word)):
                    holders.setdefault(word, []).append(index)
    rare = (rare_item for rare_item in holders.items() if len(rare_item[1]) <= _MAX_RARE_SENTENCES)
    pairs = {
        (earlier, later, word[0] == " ") for word, rare_item in rare for earlier, later in combinations(rare_item, 2)
    }
    return sorted(
        {(earlier, later) for earlier, later, topic in pairs if topic or _differ(values[earlier], values[later])}
    )


def _differ(earlier: Mapping[str, Set[str]], later: Mapping[str, Set[str]]) -> bool:
    """Return whether the two give different values of the same form."""
    return any(earlier[kind].isdisjoint(later[kind]) for kind in earlier.keys() & later.keys())


def changed_name_pairs(sentences: Sequence[str]) -> list[tuple[int, int]]:
    """Return pairs of sentences of which the later has another name after the same word, and which share one more word:
    "leave on a Tuesday", "leaving on a Thursday is better"."""
    by_word: dict[str, list[tuple[int, str]]] = {}
    for index, sentence in enumerate(sentences):
        for before, name in re.findall(_NAME_AFTER_WORD, sentence):
            by_word.setdefault(before.lower(), []).append((index, name))
    other_words = {
        index: {word[:_ROOT_CHARS] for word in _content_words(sentences[index]) - {name.lower()}}
        for mentions in by_word.values()
        for index, name in mentions
    }
    return sorted(
        {
            (earlier, later)
            for mentions in by_word.values()
            for position, (later, name) in enumerate(mentions)
            for earlier, earlier_name in mentions[max(0, position - _MAX_COMPARED_NAMES) : position]
            if earlier < later
            and name not in sentences[earlier]
            and earlier_name not in sentences[later]
            and not other_words[earlier].isdisjoint(other_words[later])
        }
    )


def _content_words(sentence: str) -> set[str]:
    words = find_words(re.compile(_WORD), sentence.lower())
    return {word for word in words if len(word) >= _MIN_WORD_CHARS and word not in STOP_WORDS}


class SubjectWords:
    """Weigh the words that a conversation is about in a text: those in few of its sentences count most."""

    def __init__(self, stem_weights: Mapping[str, float], text: str) -> None:
        """Take the `stems` of the conversation with their weights, and the text whose sentences are weighed."""
        lines = [stems(line) for line in re.split(_SENTENCE_ENDS, text) if line.strip()]
        lines_with_stem = Counter(chain.from_iterable(lines))
        all_lines = log(len(lines)) if len(lines) > 1 else 1.0
        self._rarity = {stem: log(len(lines) / lines_with_stem[stem]) / all_lines for stem in sorted(lines_with_stem)}
        self._weights = {
            stem: stem_weights[stem] * rarity for stem, rarity in self._rarity.items() if stem in stem_weights
        }
        self._sentence_weights: dict[str, float] = {}

    def sentence_weight(self, sentence: str) -> float:
        """Return the sum of the weights of the words in a sentence. Each word weighs at most as much as in
        `stem_weights`."""
        if sentence not in self._sentence_weights:
            self._sentence_weights[sentence] = sum(self._weights.get(stem, 0.0) for stem in sorted(stems(sentence)))
        return self._sentence_weights[sentence]

    def section_share(self, section: str, added_weight: float) -> float:
        """Return the share of a section's weight that belongs to words that the conversation is about. `added_weight`:
        weight of other words that is added to the section."""
        section_stems = sorted(stems(section))
        weight = sum(self._rarity.get(stem, 0.0) for stem in section_stems)
        return sum(self._weights.get(stem, 0.0) for stem in section_stems) / (weight + added_weight)


def stems(text: str) -> set[str]:
    """Return the beginnings of the words that say what a text is about. The parts of a name in snake case are separate
    words."""
    return {
        term[:_STEM_CHARS]
        for term in subject_terms(text.replace("_", " "))
        if (len(term) >= _MIN_WORD_CHARS or not term.isascii()) and term not in STOP_WORDS
    }
