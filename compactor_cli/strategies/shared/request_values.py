"""What sentences of the user are worth beside each other: by their words, by a learned score, and by what of a long
request the agent took up next: what it was asked to do stands there again, in whatever language."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import takewhile
from math import fsum, log
from typing import TYPE_CHECKING

from compactor_cli.model.message import Message
from compactor_cli.text.identifiers import unescape
from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.sentences import ASKS
from compactor_cli.text.subjects import subject_terms
from compactor_cli.text.terms import WIDE

if TYPE_CHECKING:
    from compactor_cli.features.talk import Statement

_NAMED = compiled_later(r"\d|[^\W_][._/@][^\W_]|[`\"“”«»「」'][^\s`\"“”'][^`\"“”]*[`\"“”»」']")

Rate = Callable[[Sequence[tuple[int, str]]], Sequence[float]]
"""How likely sentences of the user, each with the number of its message, are to be needed later: 0 to 1."""
TakenUp = Callable[[int, Sequence[str]], Sequence[float]]
"""How much of each sentence of a request, given by the number of its message, the agent took up, beside the one of
which it took up most: 0 to 1. Empty where it took up nothing."""

_READ = 6_000
"""Characters of what the agent said and did next that are read."""
_UNSAID = 10.0
"""Worth of words that every sentence is taken to have besides its own: one or two words that both say tell little."""
_LEAST = 0.1
"""Share of the words of the best sentence below which nothing is taken for taken up."""
_MOST = 0.6
"""Share beside that of the best one up to which a sentence is not: common words are in most of them."""


def rate_by(messages: Sequence[Message], weights: Mapping[str, float]) -> Rate:
    """Return what rates sentences by the learned score of what people say, with what the agent says in between, and by
    the words alone: half each. Sentences of earlier rounds have negative numbers."""

    def rate(sentences: Sequence[tuple[int, str]]) -> list[float]:
        # read here, as most sessions have room for all that was said and ask for no values
        from compactor_cli.features.talk import statement_values

        talk = _talk(messages, sentences)
        values = statement_values(talk, weights, (index for index, turn in enumerate(talk) if turn.speaker == "user"))
        return [(value + plain) / 2 for value, plain in zip(values, plain_values(sentences), strict=True)]

    return rate


def rate_needed(messages: Sequence[Message], weights: Mapping[str, float]) -> Rate:
    """Return what rates sentences of a chat by the learned score of what is needed to go on with it."""

    def rate(sentences: Sequence[tuple[int, str]]) -> list[float]:
        from compactor_cli.features.talk import needed_values

        talk = _talk(messages, sentences)
        values = zip(talk, needed_values(talk, weights), strict=True)
        return [value for turn, value in values if turn.speaker == "user"]

    return rate


def _talk(messages: Sequence[Message], sentences: Sequence[tuple[int, str]]) -> list[Statement]:
    """Return sentences of the user, in order, with what the agent says in between."""
    from compactor_cli.features.talk import Statement

    answers = [Statement(m.index, m.role, m.text("text")) for m in messages if m.role == "assistant"]
    said = [Statement(message, "user", text) for message, text in sentences]
    return sorted([*said, *(each for each in answers if each.text.strip())], key=lambda each: each.message)


def plain_values(sentences: Sequence[tuple[int, str]]) -> list[float]:
    """Return the values of sentences by their words alone: rare ones, names and numbers speak for them, nods do not."""
    terms = [subject_terms(text) for _, text in sentences]
    spread = Counter(term for own_terms in terms for term in own_terms)
    scale = log(1 + len(sentences)) or 1.0
    values = []
    for (_, text), own_terms in zip(sentences, terms, strict=True):
        rare = sum(log((1 + len(sentences)) / spread[term]) for term in sorted(own_terms)) / scale
        # pairs of wide characters are more than words, and their sum is soon at the usual limit
        said = min(1.0, rare / 8) + (max(0.0, rare / 8 - 1) / 2 if not text.isascii() and WIDE.search(text) else 0.0)
        value = said * 0.7 + (0.3 if _NAMED.search(text) else 0.1)
        values.append(value * (0.7 if ASKS.search(text) else 1.0))
    return values


def taken_up_in(messages: Sequence[Message], query: str = "") -> TakenUp:
    """Look for the words of sentences in the messages of the agent behind their request, up to the next one, and in a
    query."""
    asked = subject_terms(query.lower())

    def taken_up(message: int, sentences: Sequence[str]) -> Sequence[float]:
        said = asked | (_said_behind(messages, message) if message >= 0 else set())
        return _shares(sentences, said) if said else ()

    return taken_up


def _said_behind(messages: Sequence[Message], request: int) -> set[str]:
    said: list[str] = []
    left = _READ
    for message in takewhile(lambda m: m.origin != "request", (messages[i] for i in range(request + 1, len(messages)))):
        parts = message.parts if message.role == "assistant" else ()
        for part in parts:
            if part.kind in ("text", "tool_call"):
                said.append(unescape(part.text[:left]))
                left -= len(said[-1])
        if left <= 0:
            break
    return subject_terms("\n".join(said))


def _shares(sentences: Sequence[str], said: set[str]) -> Sequence[float]:
    """Return the shares of the words of sentences that were said, the rarer ones counting more."""
    terms = [subject_terms(sentence) for sentence in sentences]
    spread = Counter(term for own in terms for term in own)
    worth = {term: log((1 + len(sentences)) / count) for term, count in spread.items()}
    shares = [
        fsum(worth[term] for term in own if term in said) / (_UNSAID + fsum(worth[term] for term in own))
        for own in terms
    ]
    best = max(shares, default=0.0)
    return [max(0.0, (share / best - _MOST) / (1 - _MOST)) for share in shares] if best >= _LEAST else ()
