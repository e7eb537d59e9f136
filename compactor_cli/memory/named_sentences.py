"""The sentence of a message that an answer of a model names: the message's own words, never the model's."""

from __future__ import annotations

import re

from compactor_cli.memory.prose import speech

_WORD = re.compile(r"\w+")
_ALIKE = 0.6
"""Share of its words that a sentence must have in common with what is named; for copies that are not exact."""
_LEAST = 3
"""Words that tell one sentence from another."""


def named(statement: str, text: str) -> tuple[str, str]:
    """Return the sentences of a text that a statement copies, and what the text says before them.

    Both are empty when none is meant: what a model makes up is no sentence of the text.
    """
    wanted = _words(statement)
    sentences = [spoken.text for spoken in speech(text, len(text))]
    if not wanted or not sentences:
        return "", ""
    words = [_words(sentence) for sentence in sentences]
    inside = [index for index, own in enumerate(words) if own and (_holds(own, wanted) or _is_part(own, wanted))]
    if not inside:
        best = max(range(len(sentences)), key=lambda index: (_likeness(words[index], wanted), -index))
        inside = [best] if _likeness(words[best], wanted) >= _ALIKE and len(wanted) >= _LEAST else []
    if not inside:
        return "", ""
    first, last = inside[0], inside[0]
    while last + 1 in inside:  # a statement of several sentences
        last += 1
    return " ".join(sentences[first : last + 1]), " ".join(sentences[:first])


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())


def _holds(own: list[str], wanted: list[str]) -> bool:
    """Return whether all that is wanted stands in a sentence, word for word."""
    size = len(wanted)
    return any(own[start : start + size] == wanted for start in range(len(own) - size + 1))


def _is_part(own: list[str], wanted: list[str]) -> bool:
    """Return whether a whole sentence stands in what is wanted."""
    return len(own) >= _LEAST and _holds(wanted, own)


def _likeness(own: list[str], wanted: list[str]) -> float:
    """Return the share of words in common, of all that either has."""
    first, second = set(own), set(wanted)
    return len(first & second) / (len(first | second) or 1)
