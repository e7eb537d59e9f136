"""Turn sessions into examples: the signals of each name before a cut, and whether the rest needed it."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from msgspec import Struct

from compactor_cli.evaluation.retention.cases import cut_position
from compactor_cli.features.evidence import Evidence, gather_evidence
from compactor_cli.features.name_features import expanded, signals_of
from compactor_cli.features.session_text import SessionText, read_session
from compactor_cli.model.message import Message, Part

CUTS = (0.35, 0.5, 0.65, 0.8)
_MIN_TOKENS = 1_000
_MIN_NEEDED = 3
_MIN_OPENING_CHARS = 40


class Lesson(NamedTuple):
    """A session to learn from."""

    name: str
    """A unique name that is the same on every machine: the source, and the file's path within it."""
    source: str
    opening: str
    """The user's first request; empty if it is too short to distinguish sessions."""


class TrainingCase(Struct, frozen=True):
    """One cut of one session: the signals of each name, with a label."""

    session: str
    rows: array[float]
    """The values for `weight_names`, name after name, as 8-byte floats."""
    needed: bytes

    @property
    def needs(self) -> int:
        return sum(self.needed)


def opening_of(messages: Sequence[Message]) -> str:
    """Return the first request, which identifies sessions on the same task; empty if it is too short."""
    text = next((message.text() for message in messages if message.origin == "request"), "")
    return text if len(text) >= _MIN_OPENING_CHARS else ""


def cases_of(session: str, messages: Sequence[Message]) -> Iterator[TrainingCase]:
    """Yield the cases of a session; a short one has none. No position is used for two cuts."""
    used_cuts = set()
    for share in CUTS:
        cut = cut_position(messages, share)
        if cut is None or cut in used_cuts:
            continue
        used_cuts.add(cut)
        if sum(message.tokens for message in messages[:cut] if message.role != "system") < _MIN_TOKENS:
            continue
        case = _make_case(session, messages[:cut], messages[cut:])
        if case.needs >= _MIN_NEEDED:
            yield case


def _make_case(name: str, front: Sequence[Message], later_messages: Sequence[Message]) -> TrainingCase:
    session = read_session(front)
    evidence = gather_evidence(front, session)
    needed = needed_names(session, evidence, later_messages)
    always = {t for piece in session.pieces if front[piece.message].role == "system" for t in piece.names}
    rows = array("d")
    labels = bytearray()
    for term, mentions in evidence.mentions.items():
        if term not in always:
            rows.extend(expanded(session.kinds[term], signals_of(session.names[term], mentions, evidence)))
            labels.append(term in needed)
    return TrainingCase(name, rows, bytes(labels))


def needed_names(session: SessionText, evidence: Evidence, later_messages: Sequence[Message]) -> set[int]:
    """Return the names before the cut that the agent writes after it before anybody else repeats them. `session` and
    `evidence` describe what is before the cut. Keys of structured data and tool names do not count, since they come
    with the tools."""
    needed: set[int] = set()
    supplied: set[str] = set()
    later = read_session(later_messages)
    excluded = _identifiers(session, evidence) | _identifiers(later, gather_evidence(later_messages, later))
    for piece in later.pieces:
        names = [later.names[term] for term in piece.names]
        message = later_messages[piece.message]
        if _by_agent(message, message.parts[piece.part]):
            for name in names:
                term = session.find_id(name)
                if term is not None and term >= 0 and name not in supplied and name not in excluded:
                    needed.add(term)
        else:
            supplied.update(names)
    return needed


def _by_agent(message: Message, part: Part) -> bool:
    """Return whether the agent wrote a part; summaries and results do not count."""
    return message.role == "assistant" and message.origin != "summary" and part.kind != "tool_result"


def _identifiers(session: SessionText, evidence: Evidence) -> set[str]:
    return {session.names[term] for term, mentions in evidence.mentions.items() if mentions.key}
