"""Find the memories that are relevant to a session, judging by the user's requests (seeds 003 and 004)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from compactor_cli.memory.queries import QueryWords, SearchTerm, parse
from compactor_cli.memory.search_terms import terms
from compactor_cli.model.memory import Memory
from compactor_cli.model.transcript import Transcript
from compactor_cli.text.sentences import sentences

_SENTENCES = 8
"""Maximum number of a request's sentences to consider."""
_TOGETHER = 2
"""Minimum number of words that a memory must share with a sentence; one shared name is enough."""
_SHORT = 4
"""Minimum letters of a word that can be a topic."""


def asked_for(transcript: Transcript) -> tuple[str, ...]:
    """Return what a session is about, sentence by sentence: the user's newest request, then the first one."""
    requests = [m.text("text") for m in transcript.messages if m.role == "user" and m.origin == "request"]
    ends = [*requests[-1:], *requests[:1]]
    return tuple(dict.fromkeys(sentence for text in ends for sentence in sentences(text)[:_SENTENCES]))


def bearing(memories: Iterable[Memory], request: str) -> list[Memory]:
    """Return, in order, the memories that are relevant to a sentence of a request and not already part of it."""
    wanted = parse(request)
    known = " ".join(request.split())
    return [memory for memory in memories if _bears(memory, wanted) and " ".join(memory.text.split()) not in known]


def _bears(memory: Memory, wanted: Sequence[SearchTerm]) -> bool:
    text = QueryWords(terms(memory.text))
    common = [word for word in wanted if word.size >= _SHORT and word.found_in(text)]
    return len(common) >= _TOGETHER or any(len(word.ways) > 1 for word in common)
