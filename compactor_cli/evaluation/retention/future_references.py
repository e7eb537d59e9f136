"""Find what the rest of a session needed from its front: no labels, no model, only what was really written."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import Literal, NamedTuple

from msgspec import Struct

from compactor_cli.evaluation.retention.measured_names import identifiers, keys
from compactor_cli.evaluation.retention.search_index import Haystack, Occurrence
from compactor_cli.model.message import Message, Part

REACH = 6
"""Words on either side that an identifier stands among."""
MOST_PLACES = 24
"""Places of an identifier whose neighbours are looked at, spread over a text."""

Voice = Literal["system", "agent", "given"]


class Need(Struct, frozen=True):
    """An identifier of the front that the agent wrote later without being told it again."""

    name: str
    age: float
    """Where the front said it last: 0 at its start, 1 right before the cut, by tokens."""
    messages: int
    """Messages of the front that say it."""
    among: tuple[frozenset[str], ...]
    """The words that it stood among, a set a place."""
    weight: float = 0.0


class _Segment(NamedTuple):
    """A part of a message, and whose words it holds."""

    message: int
    voice: Voice
    text: str


class _Front(NamedTuple):
    """How far a front goes."""

    segments: int
    ages: Sequence[float]
    """Of each message, as of needs."""


def spoken(part: Part) -> str:
    """Return what a model reads of a part: a call with its tool."""
    return f"{part.name} {part.text}" if part.kind == "tool_call" else part.text


class Story:
    """A session made ready for asking what was needed at several cuts."""

    def __init__(self, messages: Sequence[Message]) -> None:
        self._messages = messages
        self._segments = [
            _Segment(index, _voice(message, part), part.text)
            for index, message in enumerate(messages)
            for part in message.parts
        ]
        self._haystack = Haystack(spoken(part) for message in messages for part in message.parts)
        self._schema = _schema(messages)
        self._written: dict[int, list[str]] = {}
        self._hits: dict[str, list[Occurrence]] = {}

    def identifiers(self) -> set[str]:
        """Return everything in the session that is an identifier, for telling what is rare."""
        return {name for segment in self._segments for name in identifiers(segment.text)}

    def needs(self, cut: int) -> list[Need]:
        """Return identifiers that the messages from `cut` on needed from those before; a piece of another is left out.

        Not needed is what stands in a system message, what belongs to the schema of a tool (names, keys,
        ids of calls), and what a user or a tool said again before the agent first wrote it.
        """
        front = self._front(cut)
        seen: set[str] = set()
        needed: list[Need] = []
        for index in range(front.segments, len(self._segments)):
            for name in self._names(index) if self._segments[index].voice == "agent" else ():
                if name in seen:
                    continue
                seen.add(name)
                need = self._need(name, index, front)
                if need is not None:
                    needed.append(need)
        return _without_pieces(needed)

    def _names(self, segment: int) -> list[str]:
        if segment not in self._written:
            names = identifiers(self._segments[segment].text)
            self._written[segment] = [name for name in names if name not in self._schema]
        return self._written[segment]

    def _need(self, name: str, first_use: int, front: _Front) -> Need | None:
        if name not in self._hits:
            self._hits[name] = self._haystack.find(name)
        places: list[Occurrence] = []
        for hit in self._hits[name]:
            voice = self._segments[hit.piece].voice
            if hit.piece < front.segments:
                if voice == "system":
                    return None
                places.append(hit)
            elif voice != "agent" and hit.piece < first_use:
                return None
        if not places:
            return None
        said_by = {self._segments[hit.piece].message for hit in places}
        sets = (self._haystack.neighbours(hit, REACH, front.segments) for hit in spread(places, MOST_PLACES))
        return Need(name, front.ages[max(said_by)], len(said_by), tuple(dict.fromkeys(sets)))

    def _front(self, cut: int) -> _Front:
        sizes = [0 if message.role == "system" else message.tokens for message in self._messages[:cut]]
        whole = sum(sizes) or 1
        segments = sum(len(message.parts) for message in self._messages[:cut])
        return _Front(segments, [done / whole for done in accumulate(sizes)])


def spread(places: Sequence[Occurrence], most: int) -> Sequence[Occurrence]:
    """At most `most` of the places, evenly spread, with the first and the last."""
    if len(places) <= most:
        return places
    step = (len(places) - 1) / (most - 1)
    return [places[round(index * step)] for index in range(most)]


def _voice(message: Message, part: Part) -> Voice:
    """Return who says it. Results are given to the agent even where a format keeps them in its message."""
    if message.role == "system":
        return "system"
    own = message.role == "assistant" and message.origin != "summary" and part.kind != "tool_result"
    return "agent" if own else "given"


def _schema(messages: Sequence[Message]) -> frozenset[str]:
    """Return words that stand in the definitions of the tools, which every request repeats anyway."""
    words: set[str] = set()
    for message in messages:
        for part in message.parts:
            if part.kind in ("tool_call", "tool_result"):
                words |= {part.name, part.call_id} | keys(part.text)
    return frozenset(words)


def _without_pieces(needs: Sequence[Need]) -> list[Need]:
    """`app.py` beside `src/app.py` would count one need twice."""
    whole = "\n".join(need.name for need in needs)
    return [need for need in needs if whole.find(need.name, whole.find(need.name) + 1) < 0]
