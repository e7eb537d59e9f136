"""Importance by factors, as defined in seed 000; docs/algorithm.md covers what the seed leaves open."""

from __future__ import annotations

import re

from compactor_cli.model.message import Message, Part
from compactor_cli.model.score import Factor, Score
from compactor_cli.model.transcript import Transcript
from compactor_cli.settings import Settings
from compactor_cli.text.clean import both_ends
from compactor_cli.text.identifiers import chunks, identifier, quoted_strings, unescape
from compactor_cli.text.outcomes import stated_failure
from compactor_cli.text.patterns import compiled_later

_HEAD_CHARS, _TAIL_CHARS = 3_000, 1_000
"""Characters at the ends of a tool output whose identifiers count. An output that names thousands of things would
otherwise be referenced by chance."""
_NO_ORIGIN = -1
_MIN_ID_CHARS = 4
DECISION = compiled_later(r"\b(decided|concluded|agreed|will do|won't do|determined|resolved)\b", re.IGNORECASE)
_DECISION_WORDS = ("decided", "concluded", "agreed", "will do", "won't do", "determined", "resolved")
_END_CHARS = 2_000

_DECISION_LANGUAGE = Factor("decision_language", 50)
_TOOL_ERROR = Factor("tool_error", 40)
_TOOL_SUCCESS = Factor("tool_success", 30)
_HIGH_IMPORTANCE = Factor("explicit_high_importance", 40)
_MEDIUM_IMPORTANCE = Factor("explicit_medium_importance", 20)
_REFERENCED = Factor("referenced", 20)
_VERY_RECENT = Factor("very_recent", 15)
_RECENT = Factor("recent", 5)
_TASK_RELATED = Factor("task_related", 20)
_FACTORS_AFTER_REFERENCED = (_VERY_RECENT, _RECENT, _TASK_RELATED)
_MIN_REFERENCES = 2


class _Origins(dict[bytes, int]):
    """Chunk -> index of the message in which its identifier first appeared, or _NO_ORIGIN if it contains none. As a
    dict, it needs no function call for known chunks. A single dict holds all names, since a long session has hundreds
    of thousands of them."""

    def __init__(self) -> None:
        self.message = 0
        """Index of the message whose chunks are being looked up."""

    def __missing__(self, chunk: bytes) -> int:
        text = chunk.decode("ascii")
        name = identifier(text)
        if not name:
            origin = _NO_ORIGIN
        elif name == text:
            origin = self.message
        else:
            origin = self[name.encode("ascii")]
        self[chunk] = origin
        return origin

    def origin_of_name(self, name: str) -> int:
        """Return the message in which a name, which may be any quoted string, first appeared."""
        key = name.encode("utf-8", "surrogatepass")
        if identifier(name) != name:
            key = b"\xff" + key  # no other key contains this byte, so the name differs from an equal chunk
        return self.setdefault(key, self.message)


class References:
    """Counts, for each message, the later messages that name its id or reuse an identifier that first appeared in it.
    Works in one pass with an index of first appearances; linear in the length of the transcript."""

    def __init__(self, messages: int) -> None:
        self._origins = _Origins()
        self._counts = [0] * (messages + 1)  # the last entry belongs to _NO_ORIGIN, not to a message

    def record_message(self, message: Message) -> None:
        """Count everything that the next message refers to."""
        origins, counts = self._origins, self._counts
        index = origins.message = message.index
        sources: set[int] = set()
        for part in message.parts:
            sources.update(map(origins.__getitem__, chunks(_searched_text(part))))
        for part in message.parts:
            if part.kind == "text":
                sources.update(map(origins.origin_of_name, quoted_strings(part.text)))
        sources.discard(index)
        for source in sources:
            counts[source] += 1
        if len(message.id) >= _MIN_ID_CHARS:
            origins.origin_of_name(message.id)

    @property
    def counts(self) -> list[int]:
        """Return the counts of all messages, based on the messages noted so far."""
        return self._counts[:-1]


def _searched_text(part: Part) -> str:
    """Return the text of a part in which identifiers count."""
    if part.kind == "tool_result":
        return both_ends(part.text, _HEAD_CHARS, _TAIL_CHARS)
    return unescape(part.text) if part.kind == "tool_call" else part.text


class FactorScorer:
    """Scores decisions, tool errors and successes, stated importance, references, recency, and tasks."""

    name = "factors"
    purpose = "decisions, tool errors and successes, stated importance, references, recency, tasks (seed 000)"
    asks = False

    def score(self, transcript: Transcript, settings: Settings) -> tuple[Score, ...]:
        messages, now = transcript.messages, settings.scoring.now
        newest = (
            now if now is not None else max((m.timestamp for m in messages if m.timestamp is not None), default=None)
        )
        references = References(len(messages))
        own_factors: list[tuple[Factor, ...]] = []
        for message in messages:  # both read the message's texts, which may have to come from a file
            references.record_message(message)
            own_factors.append(_own_factors(message, newest))
        counts = references.counts
        scores: dict[tuple[tuple[Factor, ...], bool], Score] = {}
        result = []
        for message, factors in zip(messages, own_factors, strict=True):
            key = factors, counts[message.index] >= _MIN_REFERENCES
            score = scores.get(key)
            if score is None:
                score = scores[key] = _score(*key)
            result.append(score)
        return tuple(result)


def _score(own_factors: tuple[Factor, ...], is_referenced: bool) -> Score:
    """Return the score of a message from its own factors and whether later messages refer to it."""
    leading = tuple(factor for factor in own_factors if factor not in _FACTORS_AFTER_REFERENCED)
    factors = (*leading, _REFERENCED, *own_factors[len(leading) :]) if is_referenced else own_factors
    raw = sum(factor.points for factor in factors)
    return Score(max(0.0, min(100.0, raw)), raw, factors)


def _own_factors(message: Message, newest: float | None) -> tuple[Factor, ...]:
    """Return the factors of a message that do not depend on later messages."""
    factors = []
    is_silent = message.role == "system" or message.origin == "injected"
    prose = "" if is_silent else message.text("text").lower()
    if prose and any(map(prose.__contains__, _DECISION_WORDS)) and DECISION.search(prose):
        factors.append(_DECISION_LANGUAGE)
    failed = tool_failed(message, prose)
    if failed:
        factors.append(_TOOL_ERROR)
    elif failed is False:
        factors.append(_TOOL_SUCCESS)
    if message.marks and message.marks.importance == "high":
        factors.append(_HIGH_IMPORTANCE)
    elif message.marks and message.marks.importance == "medium":
        factors.append(_MEDIUM_IMPORTANCE)
    if newest is not None and message.timestamp is not None:
        age = newest - message.timestamp
        if age < 300:
            factors.append(_VERY_RECENT)
        elif age < 3600:
            factors.append(_RECENT)
    if (message.marks and message.marks.type == "task") or "task" in prose or "objective" in prose:
        factors.append(_TASK_RELATED)
    return tuple(factors)


def tool_failed(message: Message, prose: str) -> bool | None:
    """Return True if a tool failed, False if one is stated to have succeeded, and None if neither is known. What the
    format states comes first, then a stated exit code, then the words of seed 000."""
    marks = message.marks
    if marks is not None:
        if marks.tool_error or marks.tool_success is False or _error_words(prose):
            return True
        return False if marks.tool_success else None
    results = message.results
    if not results:
        return None
    verdicts = [_verdict(part.text, part.failed) for part in results]
    if True in verdicts:
        return True
    return False if False in verdicts else None


def _verdict(text: str, failed: bool | None) -> bool | None:
    if failed is not None:
        return failed
    stated = stated_failure(text)
    if stated is not None:
        return stated
    return True if _error_words(both_ends(text, _END_CHARS, _END_CHARS).lower()) else None


def _error_words(lowered: str) -> bool:
    return "error" in lowered and ("tool" in lowered or "failed" in lowered)
