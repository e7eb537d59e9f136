"""Messages whose importance is obvious without a model (seed 003), and messages that ask for a particular score."""

from __future__ import annotations

import re

from compactor_cli.model.message import Message
from compactor_cli.model.score import Factor, Score
from compactor_cli.scoring.factors import tool_failed
from compactor_cli.text.clean import plain

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
