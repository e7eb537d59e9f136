"""Find the memories that are relevant to a session, judging by the user's requests (seeds 003 and 004)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from compactor_cli.memory.queries import QueryWords, SearchTerm, parse_query
from compactor_cli.memory.search_terms import term_text
from compactor_cli.model.memory import Memory
from compactor_cli.model.transcript import Transcript
from compactor_cli.text.sentences import split_sentences

_MAX_SENTENCES = 8
_MIN_SHARED_TERMS = 2
"""Minimum number of words that a memory must share with a sentence; one shared name is enough."""
_FEW_TERMS = 4
"""Minimum letters of a word that can be a topic."""


def request_sentences(transcript: Transcript) -> tuple[str, ...]:
    """Return what a session is about, sentence by sentence: the user's newest request, then the first one."""
    requests = [m.text("text") for m in transcript.messages if m.role == "user" and m.origin == "request"]
    outer_requests = [*requests[-1:], *requests[:1]]
    return tuple(
        dict.fromkeys(sentence for text in outer_requests for sentence in split_sentences(text)[:_MAX_SENTENCES])
    )


def relevant_memories(memories: Iterable[Memory], request: str) -> list[Memory]:
    """Return, in order, the memories that are relevant to a sentence of a request and not already part of it."""
    request_terms = parse_query(request)
    request_text = " ".join(request.split())
    return [
        memory
        for memory in memories
        if _is_relevant(memory, request_terms) and " ".join(memory.text.split()) not in request_text
    ]


def _is_relevant(memory: Memory, request_terms: Sequence[SearchTerm]) -> bool:
    text = QueryWords(term_text(memory.text))
    common = [word for word in request_terms if word.size >= _FEW_TERMS and word.is_in(text)]
    return len(common) >= _MIN_SHARED_TERMS or any(len(word.spellings) > 1 for word in common)
