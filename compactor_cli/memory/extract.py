"""Extract memories from a transcript, by a model's scores if available, otherwise by rules (seed 003)."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from compactor_cli.asking.port import LanguageModel
from compactor_cli.memory.decontextualize import decontextualize, refers_back, statements_of
from compactor_cli.memory.ephemeral import Speaker, is_briefing, is_ephemeral, is_first_person
from compactor_cli.memory.rules import find_rule
from compactor_cli.model.memory import CATEGORIES, COMPACTION, EXTRACTED, Memory, MemorySource
from compactor_cli.model.message import Message
from compactor_cli.model.score import Score
from compactor_cli.model.transcript import Transcript
from compactor_cli.scoring import Scorer
from compactor_cli.settings import Settings
from compactor_cli.text.clean import one_line, plain
from compactor_cli.text.secrets import may_be_secret
from compactor_cli.text.sentences import ITEM_MARK, split_sentences

_MAX_LINE_CHARS = 3_000
"""Maximum characters of a paragraph; longer ones were not typed by hand."""
_MIN_WRAPPED_CHARS = 60
"""Minimum characters of a line that may be wrapped, so that its sentence continues on the next line."""
_FENCE = re.compile(r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)", re.DOTALL)
_TAG = re.compile(r"<([a-zA-Z][\w-]*)(?:\s[^<>]*)?>.*?</\1>", re.DOTALL)
_PASTED = re.compile(
    r"(?: {4}|\t)\s*(?![-*+•]|\d+[.)])\S"  # indented as code
    r"|\s*(?:[|>$%]|>>>|\+\+\+|---|@@|diff --git|index [0-9a-f]{7}|[+-](?=[^\s\d])|[⎿│└├❯●✓✗✘]|</?[a-zA-Z!])"
    r"|\s*(?:Traceback\b|File \"|at [\w.$<>]+ ?\(|goroutine \d|\w*(?:Error|Exception): |E   |panic:|#\d+ 0x)"
    r"|\s*\[?(?:\d{4}-\d\d-\d\d[T ]|\d\d:\d\d:\d\d|(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun|Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep"
    r"|Oct|Nov|Dec)[a-z]* +\d{1,2}[ ,])|\s*\[?(?:DEBUG|INFO|WARN|WARNING|ERROR|FATAL|TRACE)\b[\]: |]"
    r"|\s*[\w.-]+@[\w.-]+[: ~/]|\s*[{}\[\]\"].*[{}\[\]\",:]\s*$|.*[;{}]\s*$|\s*(?:\w+[/\\])+\w*[.:]?\w*\s*$|\s*\d+[→"
    r"|:\t]|\s*(?:import|from|def|class|func|function|const|let|var|return|public|private|#include)\b.*[(){}=;:]"
)
"""Lines of code, logs, stack traces, diffs, tables, quotes, prompts and tool output."""
_SHORT_END = re.compile(r"(?<=[a-z)`]{2}[.!?]) +(?=[A-Z])")
"""Sentence ends within short lines, which `split_sentences` does not split."""
_MARKS = re.compile(r"\*\*|^#+ +|^\[[ x]\] +")
_WORD = re.compile(r"\w")


class SpokenSentence(Struct, frozen=True):
    """A sentence, and the one before it in the same paragraph (empty for the first)."""

    text: str
    before: str = ""


def spoken_sentences(text: str, max_chars: int = _MAX_LINE_CHARS) -> Iterator[SpokenSentence]:
    """Yield the sentences of paragraphs that contain a word and have at most `max_chars` characters."""
    unquoted = (
        _TAG.sub("\n", _FENCE.sub("\n", plain(text))) if "`" in text or "<" in text or "~" in text else plain(text)
    )
    for paragraph in _paragraphs(unquoted):
        if len(paragraph) > max_chars or _WORD.search(paragraph) is None:
            continue
        before = ""
        for sentence in (piece for whole in split_sentences(paragraph) for piece in _SHORT_END.split(whole)):
            spoken = _MARKS.sub("", sentence).strip()
            yield SpokenSentence(spoken, before)
            before = spoken


def _paragraphs(text: str) -> Iterator[str]:
    """Yield lines that are not pasted, with wrapped lines joined."""
    open_line = ""
    for line in text.splitlines():
        pasted = _PASTED.match(line) is not None
        goes_on = len(open_line) >= _MIN_WRAPPED_CHARS and open_line[-1] not in ".!?:" and not ITEM_MARK.match(line)
        if open_line and not pasted and goes_on and line.strip()[:1].islower():
            open_line = f"{open_line} {line.strip()}"
            continue
        if open_line:
            yield open_line
        open_line = "" if pasted else line.rstrip()
    if open_line:
        yield open_line


_MAX_CHARS = 500
_MIN_CHARS = 15
_LEAD_WORDS = 6
"""A pronoun after this many words of a sentence can refer to something in the sentence itself."""
_INNER_REFERENCE = re.compile(
    r"\b(?:it|its|itself|they|them|their)\b|\bthat (?=(?:is|are|was|were|has|have|can|does|do|\w+s)\b)"
    r"|\bthis (?=(?:package|project|repo|repository|codebase|app|application|service|library|team)\b)",
    re.IGNORECASE,
)
_LEADING = re.compile(r"^(?:(?:so|and|but|also)\b[,:]? +)+(?=\S)", re.IGNORECASE)
"""Words that link a sentence to the one before it."""
_MAX_REQUEST_CHARS = 2_500
"""From this many characters on, a request is mostly a pasted document."""
_WORDS = re.compile(r"\w+")
_MIN_LIKENESS = 0.6
"""Minimum share of words that a sentence must have in common with the model's statement, if the copy is not exact."""
_MIN_SHARED_WORDS = 3
"""Minimum number of words for telling one sentence from another."""


class _Candidate(Struct, frozen=True):
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
    judged = _known_scores(transcript.messages, scores) if scores is not None and model is not None else {}
    statements: list[_Candidate] = []
    if model is not None:
        memorable = [i for i, score in judged.items() if score.category in CATEGORIES and score.value >= threshold]
        statements, unresolved = _model_statements(transcript.messages, memorable, judged, model)
        judged = {i: score for i, score in judged.items() if i not in unresolved}
    for message in transcript.messages:
        if message.index not in judged:
            statements += _by_rules(message)
    kept_statements = [item for item in statements if item.importance >= threshold and not may_be_secret(item.text)]
    return _memories(sorted(kept_statements, key=lambda item: item.message), transcript, created)


def _known_scores(messages: Sequence[Message], scores: Sequence[Score]) -> dict[int, Score]:
    """Return the scores of messages that a model judged or need not judge."""
    pairs = zip(messages, scores, strict=True)
    return {m.index: score for m, score in pairs if not any(name.startswith("fallback") for name, _ in score.factors)}


def _model_statements(
    messages: Sequence[Message], indices: Iterable[int], scores: dict[int, Score], model: LanguageModel
) -> tuple[list[_Candidate], set[int]]:
    """Return what the model finds worth remembering, self-contained, and the messages it could not resolve."""
    indices = [index for index in indices if _speaker(messages[index])]
    sentences = {index: _memorable_sentence(messages[index], scores[index].statement) for index in indices}
    unnamed = {index for index in indices if not sentences[index][0]}
    if unnamed:
        message_phrase = f"{len(unnamed)} message{'s' * (len(unnamed) > 1)}"
        model.give_up(f"memories of {message_phrase}", "the answer names no sentence that stands there")
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
        elif len(resolved.text) >= _MIN_CHARS:
            is_of_user = _speaker(messages[index]) == "user" and is_first_person(resolved.text)
            text = one_line(f"User: {resolved.text}" if is_of_user else resolved.text, _MAX_CHARS)
            results.append(_Candidate(text, score.category, score.value, score.confidence or 0.0, index))
    return results, unresolved


def _memorable_sentence(message: Message, statement: str) -> tuple[str, str]:
    """Return the sentence worth remembering and the text before it; without one, a whole short message."""
    text = message.text("text")
    if statement:
        sentence, before = copied_sentences(statement, text)
        return one_line(sentence, _MAX_CHARS), before
    return (one_line(text, _MAX_CHARS), "") if len(text) <= _MAX_CHARS else ("", "")


def _speaker(message: Message) -> Speaker | None:
    """Return who speaks in a message; None for tool output, summaries, and text inserted by a harness."""
    if message.role == "user" and message.origin == "request":
        return "user"
    return "assistant" if message.role == "assistant" and message.origin == "other" else None


def _by_rules(message: Message) -> list[_Candidate]:
    speaker = _speaker(message)
    text = message.text("text") if speaker else ""
    if speaker is None or (speaker == "user" and (len(text) > _MAX_REQUEST_CHARS or is_briefing(text))):
        return []
    statements: list[_Candidate] = []
    for sentence in spoken_sentences(text):
        rule = find_rule(sentence.text, speaker)
        statement = _self_contained(sentence, speaker) if rule else ""
        if rule and statement:
            if statements and statements[-1].text in statement:  # the preceding sentence, now included
                statements.pop()
            statements.append(_Candidate(statement, rule.category, rule.importance, rule.confidence, message.index))
    return statements


def _self_contained(sentence: SpokenSentence, speaker: Speaker) -> str:
    """Return a self-contained sentence, if need be with the one before it; empty if that is impossible."""
    text = _LEADING.sub("", sentence.text)
    if text != sentence.text and _depends_on_context(text):
        text = sentence.text
    if _depends_on_context(text):
        before = sentence.before
        if not before or before.endswith(("?", ":")) or _depends_on_context(before) or is_ephemeral(before, speaker):
            return ""
        text = f"{sentence.before} {text}"
    if not _MIN_CHARS <= len(text) <= _MAX_CHARS:
        return ""
    return f"User: {text}" if speaker == "user" and is_first_person(text) else text


def _depends_on_context(text: str) -> bool:
    """Return whether a sentence depends on earlier text; a late pronoun usually refers to the sentence itself."""
    words = text.split(" ")
    first_words, later_words = " ".join(words[:_LEAD_WORDS]), " ".join(words[_LEAD_WORDS:])
    return refers_back(f"{first_words} {_INNER_REFERENCE.sub('', later_words)}")


def _memories(statements: Sequence[_Candidate], transcript: Transcript, created: float) -> tuple[Memory, ...]:
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
        existing = by_id.setdefault(memory.id, memory)
        if statement.importance > existing.importance:
            by_id[memory.id] = replace(memory, text=existing.text)
        if statement.message not in said_in.setdefault(memory.id, []):
            said_in[memory.id].append(statement.message)
    return tuple(replace(memory, sources=(_source(transcript, said_in[name]),)) for name, memory in by_id.items())


def _source(transcript: Transcript, indices: Sequence[int]) -> MemorySource:
    ids = tuple(transcript.messages[index].id for index in indices)
    return MemorySource(transcript.path, transcript.session_id, tuple(indices), ids)


def copied_sentences(statement: str, text: str) -> tuple[str, str]:
    """Return the sentences of a text that a statement copies, and the text before them; both empty if none matches."""
    statement_words = _word_list(statement)
    sentences = [spoken.text for spoken in spoken_sentences(text, len(text))]
    if not statement_words or not sentences:
        return "", ""
    words = [_word_list(sentence) for sentence in sentences]
    inside = [
        index
        for index, sentence_words in enumerate(words)
        if sentence_words
        and (
            _contains_sequence(sentence_words, statement_words)
            or (len(sentence_words) >= _MIN_SHARED_WORDS and _contains_sequence(statement_words, sentence_words))
        )
    ]
    if not inside:
        best = max(range(len(sentences)), key=lambda index: (_likeness(words[index], statement_words), -index))
        is_alike = _likeness(words[best], statement_words) >= _MIN_LIKENESS
        inside = [best] if is_alike and len(statement_words) >= _MIN_SHARED_WORDS else []
    if not inside:
        return "", ""
    first, last = inside[0], inside[0]
    while last + 1 in inside:  # a statement of several sentences
        last += 1
    return " ".join(sentences[first : last + 1]), " ".join(sentences[:first])


def _word_list(text: str) -> list[str]:
    return _WORDS.findall(text.casefold())


def _contains_sequence(sentence_words: list[str], wanted_words: list[str]) -> bool:
    size = len(wanted_words)
    return any(sentence_words[start : start + size] == wanted_words for start in range(len(sentence_words) - size + 1))


def _likeness(sentence_words: list[str], wanted_words: list[str]) -> float:
    first, second = set(sentence_words), set(wanted_words)
    return len(first & second) / (len(first | second) or 1)


class MemoryExtractor:
    """Extracts the memories of transcripts, only once for each transcript.

    `judge`: the run's classifier scorer, which caches its judgements. None: a scorer of its own is created.
    """

    def __init__(
        self, settings: Settings, *, created: float, model: LanguageModel | None, judge: Scorer | None
    ) -> None:
        self._settings, self._created, self._model, self._judge = settings, created, model, judge
        self._found: dict[tuple[tuple[str, str], ...], tuple[Memory, ...]] = {}

    def __call__(self, transcript: Transcript) -> tuple[Memory, ...]:
        key = tuple((message.role, message.text("text")) for message in transcript.messages)
        if key not in self._found:
            self._found[key] = extract_memories(
                transcript, self._settings, created=self._created, model=self._model, judge=self._judge
            )
        return self._found[key]


def extract_memories(
    transcript: Transcript,
    settings: Settings,
    *,
    created: float,
    model: LanguageModel | None = None,
    judge: Scorer | None = None,
) -> tuple[Memory, ...]:
    """Return what `settings.memory` makes worth remembering, in order. `judge`: asks the model; by default one with the
    settings' prompt. Raises ModelError when the model fails and fallback is not allowed."""
    memory = settings.memory
    scores = None
    if model is not None:
        if judge is None:
            from compactor_cli.scoring.classifier import ClassifierScorer  # most runs ask no model

            judge = ClassifierScorer(model, memory.prompt)
        scoring = dataclasses.replace(settings.scoring, threshold=memory.threshold)
        judged_by = dataclasses.replace(settings, scoring=scoring)
        scores = judge.score(transcript, judged_by)
    return extract(transcript, threshold=memory.threshold, created=created, model=model, scores=scores)
