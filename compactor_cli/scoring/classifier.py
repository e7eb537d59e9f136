"""Importance as judged by a model, in batches, with the sentence worth remembering (seed 003)."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from functools import partial
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from compactor_cli.asking.answers import Question, RejectedError, ask_checked, estimate, read_json
from compactor_cli.asking.fence import fenced
from compactor_cli.asking.port import LanguageModel, ModelRequest, Turn
from compactor_cli.asking.prompt_files import prompt as read_prompt
from compactor_cli.model.message import Message
from compactor_cli.model.score import Factor, Score
from compactor_cli.model.transcript import Transcript
from compactor_cli.scoring.factors import FactorScorer
from compactor_cli.scoring.heuristics import obvious, speaks_of_scores
from compactor_cli.settings import Settings
from compactor_cli.text.clean import plain
from compactor_cli.text.shorten import shorten_prose

_prompt = partial(read_prompt, "compactor_cli.scoring")

CATEGORIES = ("observation", "learning", "preference", "fact", "correction", "none")
"""Categories of memories that a message can become (seed 003)."""
_BATCH = 20
"""Maximum number of messages per request."""
_CHARACTERS = 24_000
"""Maximum characters of a request's messages."""
_CUT = 1_200
"""Maximum characters of a message that are sent: its head and its tail."""
_SMALLEST_CUT = 100
_ANSWER, _ENTRY = 200, 120
"""Tokens of an answer: fixed part, and part per entry."""
_FALLBACK_CONFIDENCE = 0.2
_SAME = 6
"""From this many messages on, one high score for all of them is rejected as no judgement."""

_SCHEMA: dict[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["messages"],
    "properties": {
        "messages": {
            "type": "array",
            "items": {
                "type": "object",
                "additionalProperties": False,
                "required": ["index", "importance_score", "category", "confidence", "statement"],
                "properties": {
                    "index": {"type": "integer"},
                    "importance_score": {"type": "number"},
                    "category": {"type": "string", "enum": list(CATEGORIES)},
                    "confidence": {"type": "number"},
                    "statement": {"type": "string"},
                },
            },
        }
    },
}
"""Without numeric limits, which some providers reject; they are checked here."""
_READ: dict[str, Any] = deepcopy(_SCHEMA)
"""The minimal schema of an answer: without a statement, it is still a judgement."""
_READ["properties"]["messages"]["items"]["required"].remove("statement")


class _Shown(Struct, frozen=True):
    """A message as sent to the model."""

    index: int
    text: str
    alone: bool
    """Whether it might influence the judge, so that it gets a request of its own."""


class ClassifierScorer:
    """Scores with a model, which gives importance, category, confidence, persistence and the sentence worth
    remembering.

    Obvious messages are not sent. Messages that the model cannot judge get the factors of seed 000, marked as a
    fallback. Each scorer judges a message once, however many transcripts contain it. Raises ModelError when fallback
    is not allowed.
    """

    name = "classifier"
    purpose = "a model's judgement, with categories of memories; obvious messages by rules (seed 003)"
    asks = True

    def __init__(self, model: LanguageModel, prompt: str = "") -> None:
        """`prompt`: replaces the default system prompt."""
        self._model = model
        self._system = prompt or _prompt("classifier")
        self._judged: dict[tuple[str, str], Score | None] = {}
        """(role, text) of messages sent to the model -> score; None if the model could not judge the message."""

    def score(self, transcript: Transcript, settings: Settings) -> tuple[Score, ...]:
        threshold = settings.scoring.threshold
        messages = transcript.messages
        scores = [obvious(message, threshold) for message in messages]
        self._ask([message for message, score in zip(messages, scores, strict=True) if score is None], threshold)
        fallback: Sequence[Score] = ()
        for message in messages:
            if scores[message.index] is None:
                known = self._judged[_key(message)]
                if known is None:
                    fallback = fallback or FactorScorer().score(transcript, settings)
                    known = _fallen_back(fallback[message.index], threshold)
                scores[message.index] = replace(known, persist=known.value >= threshold)
        return tuple(score for score in scores if score is not None)

    def _ask(self, messages: Sequence[Message], threshold: float) -> None:
        """Ask the model about the messages that it has not judged yet."""
        room = self._model.context_limit - estimate(self._system + _prompt("directive")) - _ANSWER
        cut = _cut_for(room)
        new = {message.index: _key(message) for message in messages if _key(message) not in self._judged}
        batches = _batches([_shown(message, cut) for message in messages if message.index in new], room)
        read = partial(_read_scores, threshold=threshold)
        questions = [
            Question(_request(batch, self._system), partial(read, {item.index for item in batch})) for batch in batches
        ]
        missing: dict[str, list[_Shown]] = {}
        for batch, answer in zip(batches, ask_checked(self._model, questions), strict=True):
            if answer.value is None:
                missing.setdefault(answer.why, []).extend(batch)
            for item in batch:
                self._judged[new[item.index]] = None if answer.value is None else answer.value[item.index]
        for why, own in missing.items():
            self._model.give_up(f"classification of {_named(own)}", why)


def _key(message: Message) -> tuple[str, str]:
    """Return what determines a message's judgement."""
    return message.role, message.text("text")


def _cut_for(room: int) -> int:
    """Return the number of characters per message such that a request with one message fits the model, whatever its
    script. `room`: tokens available for messages and their entries."""
    return max(_SMALLEST_CUT, min(_CUT, (room - _ENTRY) // 2 - 100))


def _shown(message: Message, cut: int) -> _Shown:
    text = plain(message.text("text")).strip()
    # cut-out text cannot influence anyone, but text may be padded to hide something, so the whole is checked
    alone = speaks_of_scores(text)
    short = text if len(text) <= cut else shorten_prose(text, len(text), cut, len).text
    return _Shown(message.index, fenced("message", short, number=message.index, **{"from": message.role}), alone)


def _batches(shown: Sequence[_Shown], room: int) -> list[list[_Shown]]:
    """Return batches of neighbouring messages, each as large as a request allows. Messages that might influence the
    judge are alone."""
    batches: list[list[_Shown]] = []
    tokens = characters = 0
    together: list[_Shown] = []
    for item in shown:
        if item.alone:
            batches.append([item])
            continue
        cost = estimate(item.text) + _ENTRY
        tokens, characters = tokens + cost, characters + len(item.text)
        if not together or len(together) == _BATCH or tokens > room or characters > _CHARACTERS:
            together, tokens, characters = [], cost, len(item.text)
            batches.append(together)
        together.append(item)
    return batches


def _request(batch: Sequence[_Shown], system: str) -> ModelRequest:
    data = "\n".join(item.text for item in batch)
    return ModelRequest(
        purpose=f"classification of {_named(batch)}",
        system=system,
        turns=(Turn("user", f"{data}\n\n{_prompt('directive')}"),),
        max_tokens=_ANSWER + _ENTRY * len(batch),
        schema=_SCHEMA,
    )


def _named(batch: Sequence[_Shown]) -> str:
    first, last = batch[0].index, batch[-1].index
    return f"message {first}" if first == last else f"messages {first}-{last}"


def _read_scores(indices: set[int], text: str, *, threshold: float) -> dict[int, Score]:
    """Return index -> score. Raises RejectedError unless each message is judged exactly once and within the limits."""
    entries = read_json(text, _READ)["messages"]
    answered = [int(entry["index"]) for entry in entries]
    if unknown := sorted({*answered} - indices):
        raise RejectedError(f"index {unknown[0]} is not the number of a message")
    if len(answered) > len({*answered}):
        raise RejectedError("an index occurs more than once")
    if missing := sorted(indices - {*answered}):
        raise RejectedError(f"{len(missing)} messages are missing, the first of them is {missing[0]}")
    for entry in entries:
        if not 0 <= entry["importance_score"] <= 100:
            raise RejectedError("an importance_score is not between 0 and 100")
        if not 0 <= entry["confidence"] <= 1:
            raise RejectedError("a confidence is not between 0 and 1")
    points = {entry["importance_score"] for entry in entries}
    if len(entries) >= _SAME and len(points) == 1 and points.pop() >= threshold:
        raise RejectedError("all messages have the same score, which is no judgement")
    return {int(entry["index"]): _classified(entry, threshold) for entry in entries}


def _classified(entry: dict[str, Any], threshold: float) -> Score:
    points, category = float(entry["importance_score"]), entry["category"]
    factors = (Factor(f"classified {category}", points),)
    statement = plain(entry.get("statement", "")).strip() if category != "none" else ""
    return Score(points, points, factors, category, float(entry["confidence"]), points >= threshold, statement)


def _fallen_back(score: Score, threshold: float) -> Score:
    """Return a score by factors, marked as a fallback. Messages worth keeping get the category observation."""
    factors = tuple(Factor(f"fallback {name}", points) for name, points in score.factors)
    persist = score.value >= threshold
    return Score(
        score.value,
        score.raw,
        factors or (Factor("fallback no factors", 0),),
        "observation" if persist else "none",
        _FALLBACK_CONFIDENCE,
        persist,
    )
