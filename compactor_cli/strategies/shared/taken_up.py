"""Which sentences of a long request the agent took up in what it said and did next: what it was asked to do stands
there again, in whatever language, and most of what was pasted around it does not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import takewhile
from math import fsum, log

from compactor_cli.model.message import Message
from compactor_cli.text.identifiers import unescape
from compactor_cli.text.subjects import subject_terms

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
