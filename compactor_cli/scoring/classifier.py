"""Importance as judged by a model, in batches (seed 003), or by rules where it is obvious."""

from __future__ import annotations

import re
from collections.abc import Sequence
from copy import deepcopy
from functools import partial
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from compactor_cli.asking.answers import Question, RejectedError, ask_checked, estimate_tokens, read_json
from compactor_cli.asking.fence import fenced
from compactor_cli.asking.port import LanguageModel, ModelRequest, Turn
from compactor_cli.asking.prompt_files import read_prompt_file as read_prompt
from compactor_cli.model.message import Message
from compactor_cli.model.score import Factor, Score
from compactor_cli.model.transcript import Transcript
from compactor_cli.scoring.factors import FactorScorer, tool_failed
from compactor_cli.settings import Settings
from compactor_cli.text.clean import plain
from compactor_cli.text.shorten import shorten_prose

_prompt = partial(read_prompt, "compactor_cli.scoring")

CATEGORIES = ("observation", "learning", "preference", "fact", "correction", "none")
_MAX_BATCH_MESSAGES = 20
_MAX_BATCH_CHARS = 24_000
_MAX_MESSAGE_CHARS = 1_200
_MIN_MESSAGE_CHARS = 100
_ANSWER_TOKENS, _ENTRY_TOKENS = 200, 120
_FALLBACK_CONFIDENCE = 0.2
_MIN_SUSPICIOUS_SCORES = 6
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
_READ_SCHEMA: dict[str, Any] = deepcopy(_SCHEMA)
"""The minimal schema of an answer: without a statement, it is still a judgement."""
_READ_SCHEMA["properties"]["messages"]["items"]["required"].remove("statement")

_WORD = re.compile(r"\w+")
_MAX_NOD_CHARS = 60
_NOD_WORD_LIST = """
a accord ack ahead all alright amazing and awesome bye cheers continue cool d done excellent fine go good got great
hello hey hi i it k kk lgtm looks lot lots much nice ok okay on perfect please proceed right see so sounds super sure
thank thanks that then thx ty understood very well wonderful wow yeah yep yes you yup
danke dankeschön ja genau gut passt prima weiter bitte verstanden
merci oui parfait bien gracias sí vale perfecto obrigado obrigada sim grazie va bene
да спасибо хорошо ладно понятно はい ありがとう ありがとうございます 了解 好 好的 谢谢 可以 是的 继续 네 감사합니다
"""
_NOD_WORDS = frozenset(_NOD_WORD_LIST.split())
"""Words of agreement, thanks, greeting or encouragement. Refusals are not included, because they may correct
something."""

_NAMES_ITS_SCORE = re.compile(
    r"\b(?:importance|persist|confidence)_\w+"
    r"|\b(?:ignor|disregard|forget|overrid|overrul)\w*\b[^.\n]{0,60}\b(?:instruction|prompt|rule|guideline|above|"
    r"previous)"
    r"|\b(?:scor|rat|grad|classif|rank|judg|mark|label)\w*\b[^.\n]{0,60}\b(?:everything|all|every|each|any|other"
    r"|others|messages?|highest|maximum|lowest|important|critical|zero|100|0)\b"
    r"|\b(?:everything|all|every|each|any|other|others|messages?)\b[^.\n]{0,60}"
    r"\b(?:scor|rating|rated|graded|classif|ranked|judged|important|critical)\w*"
    r"|\b(?:new|these|following|system) (?:instruction|prompt)|\byou are now\b|\bimportance\b",
    re.IGNORECASE,
)


class _SentMessage(Struct, frozen=True):
    """A message as sent to the model."""

    index: int
    text: str
    is_alone: bool


class ClassifierScorer:
    """Scores with a model, which gives importance, category, confidence, persistence and the sentence worth
    remembering. Obvious messages are not sent. Messages that the model cannot judge get the factors of seed 000, marked
    as a fallback. Each scorer judges a message once, however many transcripts contain it. Raises ModelError when
    fallback is not allowed."""

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
        scores = [obvious_score(message, threshold) for message in messages]
        self._ask([message for message, score in zip(messages, scores, strict=True) if score is None], threshold)
        fallback: Sequence[Score] = ()
        for message in messages:
            if scores[message.index] is None:
                judged = self._judged[_key(message)]
                if judged is None:
                    fallback = fallback or FactorScorer().score(transcript, settings)
                    judged = _fallback_score(fallback[message.index], threshold)
                scores[message.index] = replace(judged, persist=judged.value >= threshold)
        return tuple(score for score in scores if score is not None)

    def _ask(self, messages: Sequence[Message], threshold: float) -> None:
        """Ask the model about the messages that it has not judged yet."""
        available_tokens = (
            self._model.context_limit - estimate_tokens(self._system + _prompt("directive")) - _ANSWER_TOKENS
        )
        # a request of one message fits the model, whatever its script
        max_chars = max(_MIN_MESSAGE_CHARS, min(_MAX_MESSAGE_CHARS, (available_tokens - _ENTRY_TOKENS) // 2 - 100))
        new_keys = {message.index: _key(message) for message in messages if _key(message) not in self._judged}
        batches = _batches([_sent_message(m, max_chars) for m in messages if m.index in new_keys], available_tokens)
        read = partial(_read_scores, threshold=threshold)
        questions = [
            Question(_request(batch, self._system), partial(read, {item.index for item in batch})) for batch in batches
        ]
        missing: dict[str, list[_SentMessage]] = {}
        for batch, answer in zip(batches, ask_checked(self._model, questions), strict=True):
            if answer.value is None:
                missing.setdefault(answer.why, []).extend(batch)
            for item in batch:
                self._judged[new_keys[item.index]] = None if answer.value is None else answer.value[item.index]
        for why, unjudged in missing.items():
            self._model.give_up(f"classification of {_message_range(unjudged)}", why)


def _key(message: Message) -> tuple[str, str]:
    """Return what determines a message's judgement."""
    return message.role, message.text("text")


def _sent_message(message: Message, max_chars: int) -> _SentMessage:
    text = plain(message.text("text")).strip()
    # cut-out text cannot influence anyone, but text may be padded to hide something, so the whole is checked
    is_alone = mentions_scores(text)
    shortened = text if len(text) <= max_chars else shorten_prose(text, len(text), max_chars, len).text
    return _SentMessage(
        message.index, fenced("message", shortened, number=message.index, **{"from": message.role}), is_alone
    )


def _batches(sent: Sequence[_SentMessage], available_tokens: int) -> list[list[_SentMessage]]:
    """Return batches of neighbouring messages as large as a request allows, some messages alone."""
    batches: list[list[_SentMessage]] = []
    tokens = characters = 0
    batch: list[_SentMessage] = []
    for item in sent:
        if item.is_alone:
            batches.append([item])
            continue
        cost = estimate_tokens(item.text) + _ENTRY_TOKENS
        tokens, characters = tokens + cost, characters + len(item.text)
        if not batch or len(batch) == _MAX_BATCH_MESSAGES or tokens > available_tokens or characters > _MAX_BATCH_CHARS:
            batch, tokens, characters = [], cost, len(item.text)
            batches.append(batch)
        batch.append(item)
    return batches


def _request(batch: Sequence[_SentMessage], system: str) -> ModelRequest:
    data = "\n".join(item.text for item in batch)
    return ModelRequest(
        purpose=f"classification of {_message_range(batch)}",
        system=system,
        turns=(Turn("user", f"{data}\n\n{_prompt('directive')}"),),
        max_tokens=_ANSWER_TOKENS + _ENTRY_TOKENS * len(batch),
        schema=_SCHEMA,
    )


def _message_range(batch: Sequence[_SentMessage]) -> str:
    first, last = batch[0].index, batch[-1].index
    return f"message {first}" if first == last else f"messages {first}-{last}"


def _read_scores(indices: set[int], text: str, *, threshold: float) -> dict[int, Score]:
    """Return index -> score. Raises RejectedError unless each message is judged exactly once and within the limits."""
    entries = read_json(text, _READ_SCHEMA)["messages"]
    answered_indices = [int(entry["index"]) for entry in entries]
    if unknown := sorted({*answered_indices} - indices):
        raise RejectedError(f"index {unknown[0]} is not the number of a message")
    if len(answered_indices) > len({*answered_indices}):
        raise RejectedError("an index occurs more than once")
    if missing := sorted(indices - {*answered_indices}):
        raise RejectedError(f"{len(missing)} messages are missing, the first of them is {missing[0]}")
    for entry in entries:
        if not 0 <= entry["importance_score"] <= 100:
            raise RejectedError("an importance_score is not between 0 and 100")
        if not 0 <= entry["confidence"] <= 1:
            raise RejectedError("a confidence is not between 0 and 1")
    points = {entry["importance_score"] for entry in entries}
    if len(entries) >= _MIN_SUSPICIOUS_SCORES and len(points) == 1 and points.pop() >= threshold:
        raise RejectedError("all messages have the same score, which is no judgement")
    return {int(entry["index"]): _score_from_entry(entry, threshold) for entry in entries}


def _score_from_entry(entry: dict[str, Any], threshold: float) -> Score:
    points, category = float(entry["importance_score"]), entry["category"]
    factors = (Factor(f"classified {category}", points),)
    statement = plain(entry.get("statement", "")).strip() if category != "none" else ""
    return Score(points, points, factors, category, float(entry["confidence"]), points >= threshold, statement)


def _fallback_score(score: Score, threshold: float) -> Score:
    """Return a score by factors, marked as a fallback. Messages worth keeping get the category observation."""
    factors = tuple(Factor(f"fallback {name}", points) for name, points in score.factors)
    persist = score.value >= threshold
    factors, category = factors or (Factor("fallback no factors", 0),), "observation" if persist else "none"
    return Score(score.value, score.raw, factors, category, _FALLBACK_CONFIDENCE, persist)


def mentions_scores(text: str) -> bool:
    """Return whether a text mentions scores or instructions, so that it must be judged alone."""
    return _NAMES_ITS_SCORE.search(text) is not None


def obvious_score(message: Message, threshold: float) -> Score | None:
    """Return the score of a message that needs no model; None for all others."""
    kind = _obvious_kind(message)
    if kind is None:
        return None
    name, points, category, confidence = kind
    return Score(points, points, (Factor(f"heuristic {name}", points),), category, confidence, points >= threshold)


def _obvious_kind(message: Message) -> tuple[str, float, str, float] | None:
    """Return the name, points, category and confidence for an obvious message; None for all others."""
    if message.role == "system":
        return "system message", 0, "none", 0.9  # it stays whatever its score
    if message.origin == "summary":
        return "earlier summary", 20, "none", 0.9  # carried over anyway
    if message.origin == "injected":
        return "injected text", 5, "none", 0.9
    text = plain(message.text("text")).strip()
    if message.results and (message.role == "tool" or not text):
        return _result_kind(message)
    if text:
        return ("acknowledgement", 5, "none", 0.9) if is_nod(text) else None
    if message.calls:
        return "tool call", 10, "none", 0.8
    if any(part.kind == "image" for part in message.parts):
        return "picture", 20, "none", 0.3
    return "nothing said", 0, "none", 1.0


def _result_kind(message: Message) -> tuple[str, float, str, float]:
    failed = tool_failed(message, "")
    if failed:
        return "tool failure", 40, "observation", 0.5
    return ("tool success", 10, "none", 0.7) if failed is False else ("tool result", 15, "none", 0.5)


def is_nod(text: str) -> bool:
    """Return whether a text consists only of agreement, thanks, greetings or signs."""
    if len(text) > _MAX_NOD_CHARS:
        return False
    return all(word in _NOD_WORDS for word in _WORD.findall(text.casefold().replace("'s", "").replace("’s", "")))
