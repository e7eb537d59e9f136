"""Importance by factors, as defined in seed 000; docs/algorithm.md covers what the seed leaves open."""

from __future__ import annotations

import re

from compactor_cli.model.message import Message, Part
from compactor_cli.model.score import Factor, Score
from compactor_cli.model.transcript import Transcript
from compactor_cli.settings import Settings
from compactor_cli.text.clean import both_ends
from compactor_cli.text.identifiers import chunks, identifier, quoted, unescape
from compactor_cli.text.outcomes import stated_failure
from compactor_cli.text.patterns import compiled_later

_HEAD, _TAIL = 3_000, 1_000
"""Characters at the ends of a tool output whose identifiers count. An output that names thousands of things would
otherwise be referenced by chance."""
_NOWHERE = -1
_SHORTEST_ID = 4
DECISION = compiled_later(r"\b(decided|concluded|agreed|will do|won't do|determined|resolved)\b", re.IGNORECASE)
_DECISION_WORDS = ("decided", "concluded", "agreed", "will do", "won't do", "determined", "resolved")
_ENDS = 2_000
"""Characters at either end of a tool result that are searched for error words."""

_DECISION_LANGUAGE = Factor("decision_language", 50)
_TOOL_ERROR = Factor("tool_error", 40)
_TOOL_SUCCESS = Factor("tool_success", 30)
_HIGH = Factor("explicit_high_importance", 40)
_MEDIUM = Factor("explicit_medium_importance", 20)
_REFERENCED = Factor("referenced", 20)
_VERY_RECENT = Factor("very_recent", 15)
_RECENT = Factor("recent", 5)
_TASK = Factor("task_related", 20)
_BEHIND = (_VERY_RECENT, _RECENT, _TASK)
"""Factors listed after `referenced`."""
_OFTEN = 2
"""Number of later messages that must refer to a message for it to count as referenced."""


class _Origins(dict[bytes, int]):
    """Chunk -> index of the message in which its identifier first appeared, or _NOWHERE if it contains none.

    As a dict, it needs no function call for known chunks. A single dict holds all names, since a long session has
    hundreds of thousands of them.
    """

    def __init__(self) -> None:
        self.message = 0
        """Index of the message whose chunks are being looked up."""

    def __missing__(self, chunk: bytes) -> int:
        text = chunk.decode("ascii")
        name = identifier(text)
        if not name:
            origin = _NOWHERE
        elif name == text:
            origin = self.message
        else:
            origin = self[name.encode("ascii")]
        self[chunk] = origin
        return origin

    def of_name(self, name: str) -> int:
        """Return the message in which a name first appeared. The name need not be an identifier; it may be a quoted
        string."""
        key = name.encode("utf-8", "surrogatepass")
        if identifier(name) != name:
            key = b"\xff" + key  # no other key contains this byte, so the name differs from an equal chunk
        return self.setdefault(key, self.message)


class References:
    """Counts, for each message, the later messages that name its id or reuse an identifier that first appeared in it.

    Works in one pass with an index of first appearances; linear in the length of the transcript.
    """

    def __init__(self, messages: int) -> None:
        self._origins = _Origins()
        self._counts = [0] * (messages + 1)  # the last entry belongs to _NOWHERE, not to a message

    def note(self, message: Message) -> None:
        """Count everything that the next message refers to."""
        origins, counts = self._origins, self._counts
        index = origins.message = message.index
        sources: set[int] = set()
        for part in message.parts:
            sources.update(map(origins.__getitem__, chunks(_read(part))))
        for part in message.parts:
            if part.kind == "text":
                sources.update(map(origins.of_name, quoted(part.text)))
        sources.discard(index)
        for source in sources:
            counts[source] += 1
        if len(message.id) >= _SHORTEST_ID:
            origins.of_name(message.id)

    @property
    def counts(self) -> list[int]:
        """Return the counts of all messages, based on the messages noted so far."""
        return self._counts[:-1]


def _read(part: Part) -> str:
    """Return the text of a part in which identifiers count."""
    if part.kind == "tool_result":
        return both_ends(part.text, _HEAD, _TAIL)
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
        own: list[tuple[Factor, ...]] = []
        for message in messages:  # both read the message's texts, which may have to come from a file
            references.note(message)
            own.append(_own_factors(message, newest))
        counts = references.counts
        scores: dict[tuple[tuple[Factor, ...], bool], Score] = {}
        out = []
        for message, factors in zip(messages, own, strict=True):
            key = factors, counts[message.index] >= _OFTEN
            score = scores.get(key)
            if score is None:
                score = scores[key] = _score(*key)
            out.append(score)
        return tuple(out)


def _score(own: tuple[Factor, ...], referenced: bool) -> Score:
    """Return the score of a message from its own factors and whether later messages refer to it."""
    before = tuple(factor for factor in own if factor not in _BEHIND)
    factors = (*before, _REFERENCED, *own[len(before) :]) if referenced else own
    raw = sum(factor.points for factor in factors)
    return Score(max(0.0, min(100.0, raw)), raw, factors)


def _own_factors(message: Message, newest: float | None) -> tuple[Factor, ...]:
    """Return the factors of a message that do not depend on later messages."""
    factors = []
    quiet = message.role == "system" or message.origin == "injected"
    prose = "" if quiet else message.text("text").lower()
    if prose and any(map(prose.__contains__, _DECISION_WORDS)) and DECISION.search(prose):
        factors.append(_DECISION_LANGUAGE)
    failed = tool_failed(message, prose)
    if failed:
        factors.append(_TOOL_ERROR)
    elif failed is False:
        factors.append(_TOOL_SUCCESS)
    if message.marks and message.marks.importance == "high":
        factors.append(_HIGH)
    elif message.marks and message.marks.importance == "medium":
        factors.append(_MEDIUM)
    if newest is not None and message.timestamp is not None:
        age = newest - message.timestamp
        if age < 300:
            factors.append(_VERY_RECENT)
        elif age < 3600:
            factors.append(_RECENT)
    if (message.marks and message.marks.type == "task") or "task" in prose or "objective" in prose:
        factors.append(_TASK)
    return tuple(factors)


def tool_failed(message: Message, prose: str) -> bool | None:
    """Return True if a tool failed, False if one is stated to have succeeded, and None if neither is known.

    What the format states comes first, then a stated exit code, then the words of seed 000.
    """
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
    return True if _error_words(both_ends(text, _ENDS, _ENDS).lower()) else None


def _error_words(low: str) -> bool:
    return "error" in low and ("tool" in low or "failed" in low)
