"""Find which memories bear on a session: those that speak of what its user asks for (seeds 003 and 004)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from compactor_cli.memory.queries import QueryWords, SearchTerm, parse
from compactor_cli.memory.search_terms import terms
from compactor_cli.model.memory import Memory
from compactor_cli.model.transcript import Transcript
from compactor_cli.text.sentences import sentences

_SENTENCES = 8
"""Sentences of a request that are looked at."""
_TOGETHER = 2
"""Words of a sentence that a memory has in common with it at least; of names one is enough."""
_SHORT = 4
"""Letters from which on a word is about something."""


def asked_for(transcript: Transcript) -> tuple[str, ...]:
    """Return what a session is about, sentence by sentence: the newest request of the user, and the first one."""
    requests = [m.text("text") for m in transcript.messages if m.role == "user" and m.origin == "request"]
    ends = [*requests[-1:], *requests[:1]]
    return tuple(dict.fromkeys(sentence for text in ends for sentence in sentences(text)[:_SENTENCES]))


def bearing(memories: Iterable[Memory], request: str) -> list[Memory]:
    """Return those of the memories that bear on a sentence of a request and do not stand in it already, in their
    order."""
    wanted = parse(request)
    known = " ".join(request.split())
    return [memory for memory in memories if _bears(memory, wanted) and " ".join(memory.text.split()) not in known]


def _bears(memory: Memory, wanted: Sequence[SearchTerm]) -> bool:
    text = QueryWords(terms(memory.text))
    common = [word for word in wanted if word.size >= _SHORT and word.found_in(text)]
    return len(common) >= _TOGETHER or any(len(word.ways) > 1 for word in common)
