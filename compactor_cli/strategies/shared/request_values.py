"""What sentences of the user are worth beside each other, by their words or by a learned score."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from math import log

from compactor_cli.features.talk import Statement, statement_values
from compactor_cli.model.message import Message
from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.sentences import ASKS
from compactor_cli.text.subjects import subject_terms
from compactor_cli.text.terms import WIDE

_NAMED = compiled_later(r"\d|[^\W_][._/@][^\W_]|[`\"“”«»「」'][^\s`\"“”'][^`\"“”]*[`\"“”»」']")

Rate = Callable[[Sequence[tuple[int, str]]], Sequence[float]]
"""How likely sentences of the user, each with the number of its message, are to be needed later: 0 to 1."""


def rate_by(messages: Sequence[Message], weights: Mapping[str, float]) -> Rate:
    """Return what rates sentences by the learned score of what people say, with what the agent says in between, and by
    the words alone: half each. Sentences of earlier rounds have negative numbers."""

    def rate(sentences: Sequence[tuple[int, str]]) -> list[float]:
        # read here, as most sessions have room for all that was said and ask for no values
        answers = [Statement(m.index, m.role, m.text("text")) for m in messages if m.role == "assistant"]
        answers = [statement for statement in answers if statement.text.strip()]
        said = [Statement(message, "user", text) for message, text in sentences]
        talk = sorted([*said, *answers], key=lambda statement: statement.message)
        values = statement_values(talk, weights, (index for index, turn in enumerate(talk) if turn.speaker == "user"))
        return [(value + plain) / 2 for value, plain in zip(values, plain_values(sentences), strict=True)]

    return rate


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
