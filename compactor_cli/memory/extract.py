"""Memories out of a transcript: by a model's scores where there are some, else by rules (seed 003)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from compactor_cli.asking.port import LanguageModel
from compactor_cli.memory.decontextualize import decontextualize, statements_of
from compactor_cli.memory.ephemeral import Speaker, is_passing, says_i
from compactor_cli.memory.harness import is_briefing
from compactor_cli.memory.loose_references import refers_back
from compactor_cli.memory.named_sentences import named
from compactor_cli.memory.prose import SpokenSentence, speech
from compactor_cli.memory.rules import judge
from compactor_cli.model.memory import CATEGORIES, COMPACTION, EXTRACTED, Memory, MemorySource
from compactor_cli.model.message import Message
from compactor_cli.model.score import Score
from compactor_cli.model.transcript import Transcript
from compactor_cli.text.clean import one_line
from compactor_cli.text.secrets import looks_secret

_LONGEST = 500
"""Characters of a memory."""
_LEAST = 15
_ENOUGH = 6
"""Words of a sentence among which there is something that a pronoun behind them can stand for."""
_WITHIN = re.compile(
    r"\b(?:it|its|itself|they|them|their)\b|\bthat (?=(?:is|are|was|were|has|have|can|does|do|\w+s)\b)"
    r"|\bthis (?=(?:package|project|repo|repository|codebase|app|application|service|library|team)\b)",
    re.IGNORECASE,
)
_LEADING = re.compile(r"^(?:(?:so|and|but|also)\b[,:]? +)+(?=\S)", re.IGNORECASE)
"""What ties a sentence to the one before it."""
_LONG_REQUEST = 2_500
"""Characters from which on a request is mostly a document that was pasted."""


class _Found(Struct, frozen=True):
    """A memory before it is known where else it was said."""

    text: str
    category: str
    importance: float
    confidence: float
    message: int


def extract(
    transcript: Transcript,
    *,
    threshold: float,
    at: float,
    model: LanguageModel | None = None,
    scores: Sequence[Score] | None = None,
) -> tuple[Memory, ...]:
    """Return what is worth remembering of a transcript, in the order in which it was said first; created at `at`.

    `scores`: the judgement of a model on each message, with categories and the sentence that is worth it (scorer
    classifier). What it finds worth `threshold` is remembered, with references resolved by `model`. Messages that it
    could not judge or resolve, and all of them without scores and a model, go by the rules of `memory.rules`. Nothing
    that looks like a secret is remembered.

    Raises ModelError when the model fails and must not.
    """
    judged = _judged(transcript.messages, scores) if scores is not None and model is not None else {}
    found: list[_Found] = []
    if model is not None:
        worth = [i for i, score in judged.items() if score.category in CATEGORIES and score.value >= threshold]
        found, unresolved = _resolved(transcript.messages, worth, judged, model)
        judged = {i: score for i, score in judged.items() if i not in unresolved}
    for message in transcript.messages:
        if message.index not in judged:
            found += _by_rules(message)
    kept = [one for one in found if one.importance >= threshold and not looks_secret(one.text)]
    return _memories(sorted(kept, key=lambda one: one.message), transcript, at)


def _judged(messages: Sequence[Message], scores: Sequence[Score]) -> dict[int, Score]:
    """Messages that a model has judged, or that need no judgement; those it could not judge are left out."""
    pairs = zip(messages, scores, strict=True)
    return {m.index: score for m, score in pairs if not any(name.startswith("fallback") for name, _ in score.factors)}


def _resolved(
    messages: Sequence[Message], indices: Iterable[int], scores: dict[int, Score], model: LanguageModel
) -> tuple[list[_Found], set[int]]:
    """Return what a model finds worth remembering, each statement standing alone; and messages that it could not
    resolve."""
    indices = [at for at in indices if _speaker(messages[at])]
    sentences = {at: _named(messages[at], scores[at].statement) for at in indices}
    unnamed = {at for at in indices if not sentences[at][0]}
    if unnamed:
        some = f"{len(unnamed)} message{'s' * (len(unnamed) > 1)}"
        model.give_up(f"memories of {some}", "the answer names no sentence that stands there")
    indices = [at for at in indices if at not in unnamed]
    statements = [
        replace(statement, text=sentences[at][0], lead=sentences[at][1])
        for at, statement in zip(indices, statements_of(messages, indices), strict=True)
    ]
    found, unresolved = [], unnamed
    for at, one in zip(indices, decontextualize(statements, model), strict=True):
        score = scores[at]
        if one.reason.startswith("not resolved"):
            unresolved.add(at)
        elif len(one.text) >= _LEAST:
            said = f"User: {one.text}" if _speaker(messages[at]) == "user" and says_i(one.text) else one.text
            found.append(_Found(one_line(said, _LONGEST), score.category, score.value, score.confidence or 0.0, at))
    return found, unresolved


def _named(message: Message, statement: str) -> tuple[str, str]:
    """The sentence of a message that is worth remembering, and what the message says before it. Where none is named,
    a message that is as short as a memory is meant as a whole."""
    text = message.text("text")
    if statement:
        sentence, before = named(statement, text)
        return one_line(sentence, _LONGEST), before
    return (one_line(text, _LONGEST), "") if len(text) <= _LONGEST else ("", "")


def _speaker(message: Message) -> Speaker | None:
    """Return who says something in a message; None for tool output, summaries, and what a harness put there."""
    if message.role == "user" and message.origin == "request":
        return "user"
    return "assistant" if message.role == "assistant" and message.origin == "other" else None


def _by_rules(message: Message) -> list[_Found]:
    speaker = _speaker(message)
    text = message.text("text") if speaker else ""
    if speaker is None or (speaker == "user" and (len(text) > _LONG_REQUEST or is_briefing(text))):
        return []
    found: list[_Found] = []
    for said in speech(text):
        rule = judge(said.text, speaker)
        statement = _alone(said, speaker) if rule else ""
        if rule and statement:
            if found and found[-1].text in statement:  # the sentence before it, taken along
                found.pop()
            found.append(_Found(statement, rule.category, rule.importance, rule.confidence, message.index))
    return found


def _alone(said: SpokenSentence, speaker: Speaker) -> str:
    """A sentence that stands alone, with the one before it where that says what it refers to; else nothing."""
    text = _LEADING.sub("", said.text)
    if text != said.text and _dangles(text):
        text = said.text
    if _dangles(text):
        before = said.before
        if not before or before.endswith(("?", ":")) or _dangles(before) or is_passing(before, speaker):
            return ""
        text = f"{said.before} {text}"
    if not _LEAST <= len(text) <= _LONGEST:
        return ""
    return f"User: {text}" if speaker == "user" and says_i(text) else text


def _dangles(text: str) -> bool:
    """Return whether a sentence needs what was said before it: a pronoun behind some words mostly stands for one of
    them."""
    words = text.split(" ")
    head, rest = " ".join(words[:_ENOUGH]), " ".join(words[_ENOUGH:])
    return refers_back(f"{head} {_WITHIN.sub('', rest)}")


def _memories(found: Sequence[_Found], transcript: Transcript, at: float) -> tuple[Memory, ...]:
    """One memory for all that says the same, with every message that says it."""
    by_id: dict[str, Memory] = {}
    said_in: dict[str, list[int]] = {}
    for one in found:
        memory = Memory(
            text=one.text,
            category=one.category,
            importance=one.importance,
            confidence=one.confidence,
            tags=(COMPACTION, EXTRACTED, one.category),
            created=at,
        )
        known = by_id.setdefault(memory.id, memory)
        if one.importance > known.importance:
            by_id[memory.id] = replace(memory, text=known.text)
        if one.message not in said_in.setdefault(memory.id, []):
            said_in[memory.id].append(one.message)
    return tuple(replace(memory, sources=(_source(transcript, said_in[name]),)) for name, memory in by_id.items())


def _source(transcript: Transcript, indices: Sequence[int]) -> MemorySource:
    ids = tuple(transcript.messages[at].id for at in indices)
    return MemorySource(transcript.path, transcript.session_id, tuple(indices), ids)
