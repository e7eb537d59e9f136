"""The value of every name and word of a session for the rest of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from math import log

from compactor_cli.features.evidence import Evidence
from compactor_cli.features.name_features import Weigher
from compactor_cli.features.session_text import SessionText
from compactor_cli.features.talk_words import count_unspaced
from compactor_cli.model.profile import Profile

_MAX_WORD_VALUE = 0.05
"""Value of the rarest word in a session that is all talk; a name has a value of 0 to 1."""
_WORK_NAME_SHARE = 0.15
"""Minimum share of names among the spoken terms at which a session is work rather than talk."""
_CHARS_PER_WORD = 2
"""Approximate characters per word in scripts without spaces."""
_RARITY_EXPONENT = 8
"""Exponent of the logarithmic rarity: how much more a rare word is worth than a common one."""


class _CachedValues(dict[int, float]):
    """Term -> value, computed on access; 0 for a term that occurs only in system messages."""

    def __init__(self, find: Callable[[int], float]) -> None:
        self._find = find

    def __missing__(self, term: int) -> float:
        self[term] = value = self._find(term)
        return value


class TermScores:
    """Values of terms by id. The value of a name is the probability that the rest of the session needs it (0 to 1)."""

    def __init__(self, session: SessionText, evidence: Evidence, profile: Profile) -> None:
        self._session = session
        self._evidence = evidence
        self._weigher = Weigher(profile)
        texts = max(2, sum(piece.is_speech for piece in session.pieces))
        word = _MAX_WORD_VALUE * talk_share(session)
        values = _CachedValues(partial(_value, session, evidence, self._weigher))
        for id_, texts_with in session.texts_with_word.items():
            values[id_] = word * (log(texts / texts_with) / log(texts)) ** _RARITY_EXPONENT
        for text in session.query_words:
            term = session.find_id(text)
            if term is not None:
                values[term] = 1.0
        self._explanations: dict[int, str] = {}
        self.of: Callable[[int], float] = values.__getitem__
        """The value of a term. It is an attribute, because it is read so often that a method would take most of the
        time."""

    def explain(self, terms: Iterable[int], limit: int = 3) -> tuple[str, ...]:
        """Return the most valuable names among some terms, each with the signals that contribute to its value."""
        names = set(terms).intersection(self._evidence.mentions)
        best = sorted([(-self.of(term), term) for term in names])[:limit]
        return tuple([self._explain_term(term) for _, term in best])

    def _explain_term(self, term: int) -> str:
        explanation = self._explanations.get(term)
        if explanation is None:
            name, kind, mentions = self._session.names[term], self._session.kinds[term], self._evidence.mentions[term]
            signals = self._weigher.reasons(name, kind, mentions, self._evidence)
            explanation = self._explanations[term] = f"{name} ({', '.join(signals)})"
        return explanation


def _value(session: SessionText, evidence: Evidence, weigher: Weigher, term: int) -> float:
    """Return the value of a name. It is computed only for names in promising lines, which are few."""
    mentions = evidence.mentions.get(term)
    return weigher.value(session.names[term], session.kinds[term], mentions, evidence) if mentions else 0.0


def talk_share(session: SessionText) -> float:
    """Return how much of a session is talk (0 to 1). If tools or code are involved, names show what matters."""
    total = sum(piece.tokens for piece in session.pieces) or 1
    spoken = sum(piece.tokens for piece in session.pieces if piece.is_speech) / total
    names = sum(len(piece.names) for piece in session.pieces if piece.is_speech)
    unspaced = sum(count_unspaced(piece.text) for piece in session.pieces if piece.is_speech)
    share = names / (names + sum(session.texts_with_word.values()) + unspaced / _CHARS_PER_WORD or 1)
    return float(spoken**3 * max(0.0, 1 - share / _WORK_NAME_SHARE) ** 2)
