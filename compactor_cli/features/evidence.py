"""What a session shows about each of its names: who wrote it, where, how often, and how recently."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct

from compactor_cli.features.session_text import SessionPiece, SessionText
from compactor_cli.features.work.ledger import call_actions
from compactor_cli.model.message import Message, Part
from compactor_cli.text.outcomes import result_errors
from compactor_cli.text.patterns import compiled_later

_RECORD_NUMBER = compiled_later(r"\d{3}")
"""Occurs in the key of a record, such as a booking, but not in the keys of a schema."""
_KEY = compiled_later(r"[\"']([A-Za-z_][\w-]{0,60})[\"']\s*:")
_TO_ZERO = bytes.maketrans(b"123456789", b"000000000")
_PLAN_TOOL = compiled_later(r"todo|plan|task_?list|checklist", re.IGNORECASE)


class Mentions(Struct):
    """Where one name occurs. Values are message numbers and counts; a number is -1 if there is no such message."""

    first: int
    last: int = 0
    messages: int = 0
    occurrences: int = 1
    prose: int = 0
    calls: int = 0
    agent: int = 0
    first_agent: int = -1
    last_agent: int = -1
    user: int = 0
    results: int = 0
    last_result: int = -1
    fewest_names: int = 1 << 30
    """Lowest number of names in a part that contains it."""
    similar_names: int = 1
    """Number of names that differ only in digits, including itself."""
    fewest_lines: int = 1 << 30
    """Lowest number of lines of a part that contains it."""
    first_request: bool = False
    last_request: bool = False
    edited: bool = False
    planned: bool = False
    failed: bool = False
    key: bool = False
    """Whether it is a key of structured data or the name of a tool: part of the form, not of the content."""


class Evidence(Struct, frozen=True):
    """Everything that one pass over a session shows."""

    mentions: Mapping[int, Mentions]
    """Name (term id) -> where it occurs; words are not included."""
    messages: int
    ages: Sequence[float]
    """For each message, the share of the session's tokens that come after it."""
    last_agent: int
    """The agent's last message; -1 if the agent said nothing."""


def gather_evidence(messages: Sequence[Message], session: SessionText) -> Evidence:
    """Return the evidence in a session, which is read in one pass. System messages are skipped."""
    requests = [index for index, message in enumerate(messages) if message.origin == "request"]
    outer_requests = (requests[0], requests[-1]) if requests else (-1, -1)
    mentions: dict[int, Mentions] = {}
    keys: set[str] = set()
    for piece in session.pieces:
        message = messages[piece.message]
        if message.role == "system":
            continue
        part = message.parts[piece.part]
        if part.kind == "tool_call":
            keys.add(part.name)
        if part.kind != "text" and ("':" in piece.text or '":' in piece.text):
            keys.update(_KEY.findall(piece.text))
        part_mentions = _record_names(mentions, piece)
        if part.kind != "tool_call" and not piece.is_speech:
            _record_result_names(part_mentions, piece.message)
            _mark_failed_names(mentions, session, piece, part.failed)
        elif message.role == "assistant":
            edits = part.kind == "tool_call" and any(action != "read" for _, action in call_actions(part))
            _record_agent_names(part_mentions, piece.message, part, edits=edits)
        else:
            _record_user_names(part_mentions, piece.message == outer_requests[0], piece.message == outer_requests[1])
    for key in keys.union(map(str.lower, keys)):  # what stands in quotes is a name in lower case
        key_id = session.find_id(key)
        if key_id is not None and key_id in mentions and not _RECORD_NUMBER.search(key):
            mentions[key_id].key = True
    last_agent = max((index for index, m in enumerate(messages) if m.role == "assistant"), default=-1)
    _count_similar(mentions, session)
    for term, count in session.occurrences().items():
        if term in mentions:
            mentions[term].occurrences = count
    return Evidence(mentions, len(messages), _ages(messages), last_agent)


def _count_similar(mentions: Mapping[int, Mentions], session: SessionText) -> None:
    """Count the names that differ only in digits, as in rows of a table or of a log."""
    # no name contains a line break; processing all names at once as bytes takes a tenth of the time
    names = "\n".join(map(session.names.__getitem__, mentions)).encode("utf-8", "surrogatepass")
    shapes = names.translate(_TO_ZERO).split(b"\n")
    counts = Counter(shapes)
    for mention, shape in zip(mentions.values(), shapes, strict=bool(mentions)):
        mention.similar_names = counts[shape]


def _ages(messages: Sequence[Message]) -> list[float]:
    """Return, for each message, the share of tokens after its middle."""
    sizes = [0 if message.role == "system" else message.tokens for message in messages]
    total = sum(sizes) or 1
    ages, tokens_after = [], 0.0
    for size in reversed(sizes):
        ages.append((tokens_after + size / 2) / total)
        tokens_after += size
    return ages[::-1]


def _record_names(mentions: dict[int, Mentions], piece: SessionPiece) -> list[Mentions]:
    """Record the names of one part, with everything that does not depend on the speaker."""
    message, name_count, line_count = piece.message, len(piece.names), piece.text.count("\n") + 1
    recorded = []
    for name in piece.names:
        mention = mentions.get(name)
        if mention is None:
            mention = mentions[name] = Mentions(message, message, 1, fewest_names=name_count, fewest_lines=line_count)
        else:
            if mention.last != message:
                mention.last = message
                mention.messages += 1
            if name_count < mention.fewest_names or line_count < mention.fewest_lines:  # true for only a few names
                mention.fewest_names = min(mention.fewest_names, name_count)
                mention.fewest_lines = min(mention.fewest_lines, line_count)
        recorded.append(mention)
    return recorded


def _record_agent_names(names: Iterable[Mentions], message: int, part: Part, *, edits: bool) -> None:
    planned = part.kind == "tool_call" and _PLAN_TOOL.search(part.name) is not None
    called = part.kind == "tool_call"
    for mention in names:
        if mention.last_agent != message:
            mention.agent += 1
            mention.last_agent = message
            if mention.first_agent < 0:
                mention.first_agent = message
        if called:
            mention.calls += 1
            if edits:
                mention.edited = True
            if planned:
                mention.planned = True
        else:
            mention.prose += 1


def _record_result_names(names: Iterable[Mentions], message: int) -> None:
    for mention in names:
        mention.results += 1
        mention.last_result = message


def _record_user_names(names: Iterable[Mentions], first_request: bool, last_request: bool) -> None:
    for mention in names:
        mention.user += 1
        mention.first_request |= first_request
        mention.last_request |= last_request


def _mark_failed_names(
    mentions: Mapping[int, Mentions], session: SessionText, piece: SessionPiece, failed: bool | None
) -> None:
    """Mark the names in the error lines of a result."""
    for line in result_errors(piece.text, failed):
        for term in session.terms_in(line, speech=piece.is_speech):
            if term in mentions:
                mentions[term].failed = True
