"""Importance by weights, as defined in seed 002: role, recency, questions, tool calls, keywords, length."""

from __future__ import annotations

import re

from compactor_cli.model.message import Message
from compactor_cli.model.score import Factor, Score
from compactor_cli.model.transcript import Transcript
from compactor_cli.settings import Settings, SummarizationSettings
from compactor_cli.text.clean import both_ends

RECENCY_POINTS = 10.0
MAX_LENGTH_POINTS = 3.0
QUESTION_MARKS = frozenset("?？؟⁇⸮\u037e")
"""Question marks of several scripts; the last one is Greek."""
_END_CHARS = 2_000


class WeightedScorer:
    """Scores by role, decaying recency, and features of the text. All weights are settings."""

    name = "weighted"
    purpose = "role, recency, questions, tool calls, keywords, length, with weights of your own (seed 002)"
    asks = False

    def score(self, transcript: Transcript, settings: Settings) -> tuple[Score, ...]:
        weights = settings.summarization
        keywords = _pattern(weights.important_keywords)
        last = len(transcript.messages) - 1
        result = []
        for message in transcript.messages:
            factors = _factors(message, last - message.index, weights, keywords)
            raw = round(sum(factor.points for factor in factors), 6)
            result.append(Score(max(0.0, min(100.0, raw)), raw, factors))
        return tuple(result)


def _pattern(keywords: tuple[str, ...]) -> re.Pattern[str] | None:
    words = sorted({word.lower() for word in keywords if word.strip()}, key=lambda word: (-len(word), word))
    return re.compile("|".join(map(_word_pattern, words))) if words else None


def _word_pattern(word: str) -> str:
    """Return a pattern for a keyword as a whole word; scripts without blanks between words have no word boundaries."""
    before = r"(?<!\w)" if word[0].isascii() else ""
    after = r"(?!\w)" if word[-1].isascii() else ""
    return f"{before}{re.escape(word)}{after}"


def _factors(
    message: Message, distance: int, weights: SummarizationSettings, keywords: re.Pattern[str] | None
) -> tuple[Factor, ...]:
    text = _searched_text(message)
    by_role = {"system": weights.role_weight_system, "user": weights.role_weight_user}
    factors = [
        # a tool result has the weight of the assistant that asked for it
        Factor(f"role_{message.role}", by_role.get(message.role, weights.role_weight_assistant)),
        Factor("recency", round(RECENCY_POINTS * weights.recency_decay**distance, 6)),
    ]
    if message.role != "tool" and not QUESTION_MARKS.isdisjoint(text):
        factors.append(Factor("question", weights.question_bonus))
    if message.calls:
        factors.append(Factor("tool_call", weights.tool_call_bonus))
    words = sorted(set(keywords.findall(text.lower()))) if keywords else []
    factors += [Factor(f"keyword {word}", weights.keyword_bonus) for word in words]
    length = sum(len(part.text) for part in message.parts if part.kind in ("text", "tool_result"))
    factors.append(Factor("length", round(min(MAX_LENGTH_POINTS, weights.content_length_weight * length / 100), 6)))
    return tuple(factor for factor in factors if factor.points)


def _searched_text(message: Message) -> str:
    """Return what was said, plus both ends of tool results."""
    pieces = []
    for part in message.parts:
        if part.kind == "text":
            pieces.append(part.text)
        elif part.kind == "tool_result":
            pieces.append(both_ends(part.text, _END_CHARS, _END_CHARS))
    return "\n".join(pieces)
