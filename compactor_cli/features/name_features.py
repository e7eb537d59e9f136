"""The signals of a name as numbers, and the value that a profile computes from them."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, fsum, log1p
from operator import mul

from compactor_cli.features.evidence import Evidence, Mentions
from compactor_cli.model.profile import Profile
from compactor_cli.text.terms import TERM_KINDS

NAME_KINDS = tuple(kind for kind in TERM_KINDS if kind != "word")

SIGNALS: dict[str, str] = {
    "messages": "log of the messages that hold it",
    "once": "1 when a single message holds it",
    "occurrences": "log of the times that it stands anywhere",
    "agent": "1 when the agent wrote it",
    "agent_messages": "log of the agent's messages that hold it",
    "said": "log of the agent's texts that hold it",
    "called": "log of the calls that hold it",
    "asked": "log of the user's texts that hold it",
    "results": "log of the tool results that hold it",
    "first_request": "1 when the user's first request holds it",
    "last_request": "1 when the user's last request holds it",
    "introduced": "1 when the agent was the first to write it",
    "taken_up": "1 when the agent wrote it after somebody else had",
    "edited": "1 when it stands in a call that changes a file",
    "planned": "1 when it stands in a plan or todo list",
    "failed": "1 when it stands in an error line",
    "unread": "1 when it came after the agent's last message",
    "since": "log of the messages since it was last seen",
    "since_squared": "a tenth of the square of that",
    "agent_since": "log of the messages since the agent last wrote it, or of all",
    "age": "share of the session's tokens since it was last seen",
    "first_age": "share of the session's tokens since it was first seen",
    "newest": "1 when the newest message holds it",
    "recent": "1 when one of the newest five messages holds it",
    "company": "log of the names beside it where they are fewest",
    "alike": "log of the names that are the same but for digits",
    "lines": "log of the lines of the shortest text that holds it",
    "length": "log of its characters",
    "length_squared": "a tenth of the square of that",
    "form": "1 when it is a key of structured data or a tool's name",
}
"""Signal -> what it measures. A profile may have a weight for each across all kinds, and for some of them per class
of kinds."""

CLASSES = {
    "path": ("url", "path", "file"),
    "symbol": ("error", "symbol", "dotted", "camel", "flag"),
    "id": ("id", "code", "date", "email"),
    "number": ("number", "decimal"),
    "quoted": ("quoted",),
}
BY_CLASS = ("agent", "since", "company", "length")
"""Signals with an additional weight for each class of kinds."""

_SIGNAL_INDEX = {signal: place for place, signal in enumerate(SIGNALS)}
_CLASS_OF = {kind: name for name, kinds in CLASSES.items() for kind in kinds}


def weight_names() -> list[str]:
    """Return the names of all weights that a profile may have, in the order of files and matrices."""
    names = ["bias", *(f"kind.{kind}" for kind in NAME_KINDS), *SIGNALS]
    return names + [f"{signal}.{name}" for name in CLASSES for signal in BY_CLASS]


def signals_of(name: str, mentions: Mentions, evidence: Evidence) -> list[float]:
    """Return the values of SIGNALS for one name, in their order; True and False count as 1 and 0."""
    newest = evidence.messages - 1
    since = newest - mentions.last
    agent = mentions.last_agent >= 0
    long_ago, size = log1p(since), log1p(len(name))
    return [
        log1p(mentions.messages - 1),
        mentions.messages == 1,
        log1p(mentions.occurrences - 1),
        agent,
        log1p(mentions.agent),
        log1p(mentions.prose),
        log1p(mentions.calls),
        log1p(mentions.user),
        log1p(mentions.results),
        mentions.first_request,
        mentions.last_request,
        mentions.first_agent == mentions.first,
        agent and mentions.first_agent > mentions.first,
        mentions.edited,
        mentions.planned,
        mentions.failed,
        mentions.last_result > evidence.last_agent,
        long_ago,
        long_ago**2 / 10,
        log1p(newest - mentions.last_agent if agent else evidence.messages),
        evidence.ages[mentions.last],
        evidence.ages[mentions.first],
        since == 0,
        since <= 4,
        log1p(mentions.fewest_names),
        log1p(mentions.similar_names - 1),
        log1p(mentions.fewest_lines),
        size,
        size**2 / 10,
        mentions.key,
    ]


class Weigher:
    """A profile prepared for use: returns values of names, and the signals that they result from."""

    def __init__(self, profile: Profile) -> None:
        weights = profile.weights
        self._start: dict[str, float] = {}
        self._weights: dict[str, list[float]] = {}
        for kind in NAME_KINDS:
            kind_class = _CLASS_OF[kind]
            self._start[kind] = weights.get("bias", 0.0) + weights.get(f"kind.{kind}", 0.0)
            self._weights[kind] = [
                weights.get(signal, 0.0) + (weights.get(f"{signal}.{kind_class}", 0.0) if signal in BY_CLASS else 0.0)
                for signal in SIGNALS
            ]

    def value(self, name: str, kind: str, mentions: Mentions, evidence: Evidence) -> float:
        """Return the probability, from 0 to 1, that the rest of the session needs this name."""
        points = self._start[kind] + fsum(map(mul, self._weights[kind], signals_of(name, mentions, evidence)))
        return 1.0 / (1.0 + exp(-max(-30.0, min(30.0, points))))

    def reasons(self, name: str, kind: str, mentions: Mentions, evidence: Evidence, limit: int = 2) -> list[str]:
        """Return the signals that contribute most to a name's value, strongest first."""
        points = map(mul, self._weights[kind], signals_of(name, mentions, evidence))
        ranked = sorted([pair for pair in zip(points, SIGNALS, strict=True) if pair[0] > 0], reverse=True)
        return [signal for _, signal in ranked[:limit]]


def expanded(kind: str, values: Sequence[float]) -> list[float]:
    """Return one row for `weight_names`: the factors by which a profile's weights are multiplied."""
    kind_class = _CLASS_OF[kind]
    row = [1.0, *(float(kind == other) for other in NAME_KINDS), *values]
    return row + [
        values[_SIGNAL_INDEX[signal]] if name == kind_class else 0.0 for name in CLASSES for signal in BY_CLASS
    ]
