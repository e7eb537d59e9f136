"""Find what the rest of a session needed from its front, without labels or a model, only from what was written, and
which of it remains in a compacted front."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import Literal, NamedTuple

from msgspec import Struct

from compactor_cli.evaluation.retention.measured_names import identifiers, keys
from compactor_cli.evaluation.retention.search_index import Haystack, Occurrence
from compactor_cli.model.message import Message, Part

NEIGHBOUR_REACH = 6
MAX_PLACES = 24

Voice = Literal["system", "agent", "given"]
_OLD_SHARE = 0.5


class Need(Struct, frozen=True):
    """An identifier of the front that the agent wrote later without being told it again."""

    name: str
    age: float
    """Where the front last mentioned it, by tokens: 0 at the start, 1 right before the cut."""
    messages: int
    among: tuple[frozenset[str], ...]
    weight: float = 0.0


class _Segment(NamedTuple):
    """A part of a message, and who said it."""

    message: int
    voice: Voice
    text: str


class _Front(NamedTuple):
    """The extent of a front."""

    segments: int
    ages: Sequence[float]


def part_text(part: Part) -> str:
    """Return what a model reads of a part; for a call, this includes the tool's name."""
    return f"{part.name} {part.text}" if part.kind == "tool_call" else part.text


class Story:
    """A session prepared for finding what was needed at several cuts."""

    def __init__(self, messages: Sequence[Message]) -> None:
        self._messages = messages
        self._segments = [
            _Segment(index, _speaker_of(message, part), part.text)
            for index, message in enumerate(messages)
            for part in message.parts
        ]
        self._haystack = Haystack(part_text(part) for message in messages for part in message.parts)
        self._schema = _schema_words(messages)
        self._written: dict[int, list[str]] = {}
        self._hits: dict[str, list[Occurrence]] = {}

    def identifiers(self) -> set[str]:
        """Return all identifiers in the session, for determining what is rare."""
        return {name for segment in self._segments for name in identifiers(segment.text)}

    def needs(self, cut: int) -> list[Need]:
        """Return the identifiers that the messages from `cut` on needed from earlier ones, without pieces of other
        identifiers. An identifier is not needed if it is in a system message or belongs to a tool's schema (names,
        keys, ids of calls). Nor is it needed if a user or a tool repeated it before the agent first wrote it."""
        front = self._front(cut)
        seen_names: set[str] = set()
        needed: list[Need] = []
        for index in range(front.segments, len(self._segments)):
            for name in self._names(index) if self._segments[index].voice == "agent" else ():
                if name in seen_names:
                    continue
                seen_names.add(name)
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
        shown = spread_evenly(places, MAX_PLACES)
        sets = (self._haystack.neighbours(hit, NEIGHBOUR_REACH, front.segments) for hit in shown)
        return Need(name, front.ages[max(said_by)], len(said_by), tuple(dict.fromkeys(sets)))

    def _front(self, cut: int) -> _Front:
        sizes = [0 if message.role == "system" else message.tokens for message in self._messages[:cut]]
        whole = sum(sizes) or 1
        segments = sum(len(message.parts) for message in self._messages[:cut])
        return _Front(segments, [length_so_far / whole for length_so_far in accumulate(sizes)])


def spread_evenly(places: Sequence[Occurrence], max_places: int) -> Sequence[Occurrence]:
    """Return at most `max_places` of the places, evenly spread, including the first and the last."""
    if len(places) <= max_places:
        return places
    step = (len(places) - 1) / (max_places - 1)
    return [places[round(index * step)] for index in range(max_places)]


def _speaker_of(message: Message, part: Part) -> Voice:
    """Return who says a part. Results are given to the agent even if a format stores them in its message."""
    if message.role == "system":
        return "system"
    is_own = message.role == "assistant" and message.origin != "summary" and part.kind != "tool_result"
    return "agent" if is_own else "given"


def _schema_words(messages: Sequence[Message]) -> frozenset[str]:
    """Return words of the tools' definitions, which every request repeats anyway."""
    words: set[str] = set()
    for message in messages:
        for part in message.parts:
            if part.kind in ("tool_call", "tool_result"):
                words |= {part.name, part.call_id} | keys(part.text)
    return frozenset(words)


def _without_pieces(needs: Sequence[Need]) -> list[Need]:
    """Return the needs without those contained in others: `app.py` next to `src/app.py` would count one need twice."""
    whole = "\n".join(need.name for need in needs)
    return [need for need in needs if whole.find(need.name, whole.find(need.name) + 1) < 0]


class NeedSurvival(Struct, frozen=True):
    """Shares of the total weight of needs, from 0 to 1."""

    recall: float
    linked: float
    """Share that is still present near at least half of its neighbouring words in one place. A bare list of names
    has none."""
    old_half: float | None


def need_survival(needs: Sequence[Need], front: Sequence[Message], output: Sequence[Message]) -> NeedSurvival:
    """Return how much of a front's needs an output keeps. System messages of the front do not count."""
    system_texts = {message.text() for message in front if message.role == "system"}
    output_messages = [m for m in output if m.role != "system" or m.text() not in system_texts]
    haystack = Haystack(part_text(part) for message in output_messages for part in message.parts)
    kept_weight = linked = old = old_kept = 0.0
    for need in needs:
        is_old = need.age <= _OLD_SHARE
        old += need.weight * is_old
        hits = haystack.find(need.name)
        if not hits:
            continue
        kept_weight += need.weight
        old_kept += need.weight * is_old
        # twice the reach, because shortened text in between may have moved the neighbours
        neighbour_sets = (haystack.neighbours(hit, 2 * NEIGHBOUR_REACH) for hit in spread_evenly(hits, MAX_PLACES))
        linked += need.weight * any(_is_linked(need, words) for words in neighbour_sets)
    whole = sum(need.weight for need in needs)
    return NeedSurvival(kept_weight / whole, linked / whole, old_kept / old if old else None)


def _is_linked(need: Need, words: frozenset[str]) -> bool:
    """Return whether half of the neighbours from one occurrence are present."""
    places = [among for among in need.among if among]
    return not places or any(2 * len(among & words) >= len(among) for among in places)
