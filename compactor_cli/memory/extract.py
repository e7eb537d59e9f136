"""Extract memories from a transcript, by a model's scores if available, otherwise by rules (seed 003)."""

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
from compactor_cli.memory.prose import SpokenSentence, speech
from compactor_cli.memory.rules import judge
from compactor_cli.model.memory import CATEGORIES, COMPACTION, EXTRACTED, Memory, MemorySource
from compactor_cli.model.message import Message
from compactor_cli.model.score import Score
from compactor_cli.model.transcript import Transcript
from compactor_cli.text.clean import one_line
from compactor_cli.text.secrets import looks_secret

_LONGEST = 500
"""Maximum characters of a memory."""
_LEAST = 15
_ENOUGH = 6
"""A pronoun after this many words of a sentence can refer to something in the sentence itself."""
_WITHIN = re.compile(
    r"\b(?:it|its|itself|they|them|their)\b|\bthat (?=(?:is|are|was|were|has|have|can|does|do|\w+s)\b)"
    r"|\bthis (?=(?:package|project|repo|repository|codebase|app|application|service|library|team)\b)",
    re.IGNORECASE,
)
_LEADING = re.compile(r"^(?:(?:so|and|but|also)\b[,:]? +)+(?=\S)", re.IGNORECASE)
"""Words that link a sentence to the one before it."""
_LONG_REQUEST = 2_500
"""From this many characters on, a request is mostly a pasted document."""
_WORD = re.compile(r"\w+")
_ALIKE = 0.6
"""Minimum share of words that a sentence must have in common with the model's statement, if the copy is not exact."""
_LEAST_SHARED = 3
"""Minimum number of words for telling one sentence from another."""


class _Found(Struct, frozen=True):
    """A memory, before its further sources are known."""

    text: str
    category: str
    importance: float
    confidence: float
    message: int


def extract(
    transcript: Transcript,
    *,
    threshold: float,
    created: float,
    model: LanguageModel | None = None,
    scores: Sequence[Score] | None = None,
) -> tuple[Memory, ...]:
    """Return what is worth remembering from a transcript, in the order of first mention.

    `created`: the memories' creation time. `scores`: a model's judgement of each message, with a category and the
    sentence worth remembering (scorer classifier). What reaches `threshold` is remembered, with references resolved
    by `model`. The rules of `memory.rules` apply to messages that the model could not judge or resolve, and to all
    messages if there are no scores or no model. Text that looks like a secret is never remembered. Raises ModelError
    when the model fails and fallback is not allowed.
    """
    judged = _judged(transcript.messages, scores) if scores is not None and model is not None else {}
    statements: list[_Found] = []
    if model is not None:
        worth = [i for i, score in judged.items() if score.category in CATEGORIES and score.value >= threshold]
        statements, unresolved = _resolved(transcript.messages, worth, judged, model)
        judged = {i: score for i, score in judged.items() if i not in unresolved}
    for message in transcript.messages:
        if message.index not in judged:
            statements += _by_rules(message)
    kept = [item for item in statements if item.importance >= threshold and not looks_secret(item.text)]
    return _memories(sorted(kept, key=lambda item: item.message), transcript, created)


def _judged(messages: Sequence[Message], scores: Sequence[Score]) -> dict[int, Score]:
    """Return the scores of messages that a model has judged or that need no judgement; messages it could not judge
    are left out."""
    pairs = zip(messages, scores, strict=True)
    return {m.index: score for m, score in pairs if not any(name.startswith("fallback") for name, _ in score.factors)}


def _resolved(
    messages: Sequence[Message], indices: Iterable[int], scores: dict[int, Score], model: LanguageModel
) -> tuple[list[_Found], set[int]]:
    """Return what the model finds worth remembering, as self-contained statements, and the messages that it could
    not resolve."""
    indices = [index for index in indices if _speaker(messages[index])]
    sentences = {index: _named(messages[index], scores[index].statement) for index in indices}
    unnamed = {index for index in indices if not sentences[index][0]}
    if unnamed:
        some = f"{len(unnamed)} message{'s' * (len(unnamed) > 1)}"
        model.give_up(f"memories of {some}", "the answer names no sentence that stands there")
    indices = [index for index in indices if index not in unnamed]
    statements = [
        replace(statement, text=sentences[index][0], lead=sentences[index][1])
        for index, statement in zip(indices, statements_of(messages, indices), strict=True)
    ]
    results, unresolved = [], unnamed
    for index, resolved in zip(indices, decontextualize(statements, model), strict=True):
        score = scores[index]
        if resolved.reason.startswith("not resolved"):
            unresolved.add(index)
        elif len(resolved.text) >= _LEAST:
            is_of_user = _speaker(messages[index]) == "user" and says_i(resolved.text)
            text = one_line(f"User: {resolved.text}" if is_of_user else resolved.text, _LONGEST)
            results.append(_Found(text, score.category, score.value, score.confidence or 0.0, index))
    return results, unresolved


def _named(message: Message, statement: str) -> tuple[str, str]:
    """Return the sentence of a message that is worth remembering, and the text before it. If the model named none,
    the whole message counts, provided that it is short enough."""
    text = message.text("text")
    if statement:
        sentence, before = named(statement, text)
        return one_line(sentence, _LONGEST), before
    return (one_line(text, _LONGEST), "") if len(text) <= _LONGEST else ("", "")


def _speaker(message: Message) -> Speaker | None:
    """Return who speaks in a message; None for tool output, summaries, and text inserted by a harness."""
    if message.role == "user" and message.origin == "request":
        return "user"
    return "assistant" if message.role == "assistant" and message.origin == "other" else None


def _by_rules(message: Message) -> list[_Found]:
    speaker = _speaker(message)
    text = message.text("text") if speaker else ""
    if speaker is None or (speaker == "user" and (len(text) > _LONG_REQUEST or is_briefing(text))):
        return []
    statements: list[_Found] = []
    for sentence in speech(text):
        rule = judge(sentence.text, speaker)
        statement = _alone(sentence, speaker) if rule else ""
        if rule and statement:
            if statements and statements[-1].text in statement:  # the preceding sentence, now included
                statements.pop()
            statements.append(_Found(statement, rule.category, rule.importance, rule.confidence, message.index))
    return statements


def _alone(sentence: SpokenSentence, speaker: Speaker) -> str:
    """Return a self-contained sentence, preceded by the one before it if that provides the reference; empty if none
    is possible."""
    text = _LEADING.sub("", sentence.text)
    if text != sentence.text and _dangles(text):
        text = sentence.text
    if _dangles(text):
        before = sentence.before
        if not before or before.endswith(("?", ":")) or _dangles(before) or is_passing(before, speaker):
            return ""
        text = f"{sentence.before} {text}"
    if not _LEAST <= len(text) <= _LONGEST:
        return ""
    return f"User: {text}" if speaker == "user" and says_i(text) else text


def _dangles(text: str) -> bool:
    """Return whether a sentence depends on earlier text. A pronoun after several words usually refers to one of
    these."""
    words = text.split(" ")
    head, rest = " ".join(words[:_ENOUGH]), " ".join(words[_ENOUGH:])
    return refers_back(f"{head} {_WITHIN.sub('', rest)}")


def _memories(statements: Sequence[_Found], transcript: Transcript, created: float) -> tuple[Memory, ...]:
    """Return one memory for all equal statements, with every message that contains one."""
    by_id: dict[str, Memory] = {}
    said_in: dict[str, list[int]] = {}
    for statement in statements:
        memory = Memory(
            text=statement.text,
            category=statement.category,
            importance=statement.importance,
            confidence=statement.confidence,
            tags=(COMPACTION, EXTRACTED, statement.category),
            created=created,
        )
        known = by_id.setdefault(memory.id, memory)
        if statement.importance > known.importance:
            by_id[memory.id] = replace(memory, text=known.text)
        if statement.message not in said_in.setdefault(memory.id, []):
            said_in[memory.id].append(statement.message)
    return tuple(replace(memory, sources=(_source(transcript, said_in[name]),)) for name, memory in by_id.items())


def _source(transcript: Transcript, indices: Sequence[int]) -> MemorySource:
    ids = tuple(transcript.messages[index].id for index in indices)
    return MemorySource(transcript.path, transcript.session_id, tuple(indices), ids)


def named(statement: str, text: str) -> tuple[str, str]:
    """Return the sentences of a text that a statement copies, and the text before them.

    Both are empty if no sentence matches: text that the model made up is ignored.
    """
    wanted = _words(statement)
    sentences = [spoken.text for spoken in speech(text, len(text))]
    if not wanted or not sentences:
        return "", ""
    words = [_words(sentence) for sentence in sentences]
    inside = [index for index, own in enumerate(words) if own and (_holds(own, wanted) or _is_part(own, wanted))]
    if not inside:
        best = max(range(len(sentences)), key=lambda index: (_likeness(words[index], wanted), -index))
        inside = [best] if _likeness(words[best], wanted) >= _ALIKE and len(wanted) >= _LEAST_SHARED else []
    if not inside:
        return "", ""
    first, last = inside[0], inside[0]
    while last + 1 in inside:  # a statement of several sentences
        last += 1
    return " ".join(sentences[first : last + 1]), " ".join(sentences[:first])


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())


def _holds(own: list[str], wanted: list[str]) -> bool:
    """Return whether a sentence contains all wanted words in sequence."""
    size = len(wanted)
    return any(own[start : start + size] == wanted for start in range(len(own) - size + 1))


def _is_part(own: list[str], wanted: list[str]) -> bool:
    """Return whether the wanted words contain the whole sentence."""
    return len(own) >= _LEAST_SHARED and _holds(wanted, own)


def _likeness(own: list[str], wanted: list[str]) -> float:
    """Return the number of shared words relative to all words of both."""
    first, second = set(own), set(wanted)
    return len(first & second) / (len(first | second) or 1)
