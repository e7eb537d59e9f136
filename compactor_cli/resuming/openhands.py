"""OpenHands: a condensation that forgets the middle of a session and replaces it by one text.

A condensation removes events from what is sent and inserts one summary; it can neither change an event nor insert
several. What is kept unchanged at both ends remains as events. Everything between becomes that summary: existing
summaries unchanged, and messages and calls as text with their roles.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

from msgspec import Struct

from compactor_cli.errors import UsageError
from compactor_cli.formats.openhands import RESULTS, branch_and_view
from compactor_cli.formats.values import word
from compactor_cli.model.message import Message, Part, Path
from compactor_cli.model.transcript import Transcript
from compactor_cli.resuming.base import Agentic, Compacted
from compactor_cli.summary_text.verbatim import turn


class ResumedOpenHands(Agentic):
    format = "openhands"
    appends = "a condensation: both ends stay, and a summary replaces the middle"

    def project(self, value: Any) -> str:
        return ""  # stated in the state file next to the events

    def append(self, compacted: Compacted) -> list[Any]:
        before, after = _events(compacted.before), _events(compacted.after)
        first, last = _changed_range(before, after)
        kept = {name for name, _ in (*after.sent[:first], *after.sent[last:])}
        text = _text(compacted.after, {record for _, record in after.sent[first:last]})
        condensation = {
            "id": compacted.id("condensation"),
            "timestamp": next(compacted.stamps()),
            "source": "environment",
            "forgotten_event_ids": [name for name, _ in before.sent if name not in kept],
            "summary": text or None,
            "summary_offset": first if text else None,
            "llm_response_id": compacted.id("response"),
            "kind": "Condensation",
        }
        return [condensation | ({"parent_id": compacted.leaf} if compacted.leaf else {})]

    def rename(self, value: Any, old: str, new: str) -> dict[Path, str]:
        return {}


class _Events(Struct, frozen=True):
    """The events of a session, and which of them are sent."""

    transcript: Transcript
    values: Sequence[Any]
    branch: Sequence[int]
    sent: Sequence[tuple[str, int]]
    """Id and record of each sent event."""


def _events(transcript: Transcript) -> _Events:
    values = [json.loads(transcript.raw(record)) for record in range(len(transcript.records))]
    if not any(word(value, "kind") for value in values):
        raise UsageError("nothing can be appended to events of OpenHands 0.x; write a new session")
    branch, view = branch_and_view(values)
    return _Events(transcript, values, branch, view.sent)


def _changed_range(before: _Events, after: _Events) -> tuple[int, int]:
    """Return the ends of the unchanged beginning and the begin of the unchanged end of what is sent."""
    old = {name: before.transcript.raw(record) for name, record in before.sent}
    same = [old.get(name) == after.transcript.raw(record) for name, record in after.sent]
    first = next((index for index, is_same in enumerate(same) if not is_same), len(same))
    last = next((len(same) - index for index, is_same in enumerate(reversed(same)) if not is_same), first)
    units = [unit for unit in _units(before) if len(unit) > 1]
    while True:
        kept = {name for name, _ in (*after.sent[:first], *after.sent[last:])}
        torn = set().union(*(unit & kept for unit in units if unit - kept))
        if not torn:
            return first, last
        index = [index for index, (name, _) in enumerate(after.sent) if name in torn]
        first = min([first, *(position for position in index if position < first)])
        last = max([last, *(position + 1 for position in index if position >= last)])


def _units(events: _Events) -> Iterator[set[str]]:
    """Yield sets of events sent together: an answer's calls and results, and calls from a signed thought on."""
    answers: dict[str, set[str]] = {}
    of_call: dict[str, str] = {}
    for record in events.branch:
        value = events.values[record]
        name, kind, call = word(value, "id"), word(value, "kind"), word(value, "tool_call_id")
        if kind == "ActionEvent":
            of_call[call] = word(value, "llm_response_id") or name
            answers.setdefault(of_call[call], set()).add(name)
        elif kind in RESULTS and call in of_call:
            answers[of_call[call]].add(name)
    yield from answers.values()
    for is_work, run in groupby(
        events.branch, lambda record: word(events.values[record], "kind") in ("ActionEvent", *RESULTS)
    ):
        members = [events.values[record] for record in run] if is_work else []
        signed = next((index for index, value in enumerate(members) if value.get("thinking_blocks")), len(members))
        yield {word(value, "id") for value in members[signed:]}


def _text(transcript: Transcript, records: set[int]) -> str:
    chosen = (message for message in transcript.messages if records.intersection(message.records))
    return "\n\n".join(line for message in chosen for line in _lines(message))


def _lines(message: Message) -> Iterator[str]:
    for part in message.parts:
        if message.origin == "summary":
            yield part.text
        elif part.text.strip() and part.kind != "thinking":
            yield turn(_label(message, part), part.text.strip())


def _label(message: Message, part: Part) -> str:
    if part.kind == "tool_call":
        return f"{message.role} calls {part.name}"
    return f"result of {part.name}" if part.kind == "tool_result" else message.role
