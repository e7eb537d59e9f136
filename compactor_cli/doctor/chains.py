"""Checks of links between records: missing parents, and ids that are used twice."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from compactor_cli.doctor.base import DoctorView, Finding
from compactor_cli.formats import jsonedit
from compactor_cli.model.transcript import Link


def missing_parents(view: DoctorView) -> Iterator[Finding]:
    """Yield parents that are not in the file. They cut off everything before them, since an agent follows the links
    from the last record back."""
    if view.parent_path is None:
        return
    known_ids = {link.id for link in view.transcript.links if link}
    previous: dict[str, str] = {}
    for record, link in enumerate(view.transcript.links):
        if link is None:
            continue
        if link.parent and link.parent not in known_ids and record in view.transcript.message_records:
            before = previous.get(link.chain)
            hidden = _messages_before(view, record, link.chain)
            new = jsonedit.encode(before) if before else "null"
            fault = f"its parent {link.parent} is not in the file"
            fault += f", which hides {hidden} messages before it" if hidden else ""
            remedy = "linked to the record before it" if before else "made the first of its chain"
            edits = {(record, view.parent_path): new}
            yield Finding("broken_chain", view.line(record), fault, remedy, edits=edits)
        previous[link.chain] = link.id


def _messages_before(view: DoctorView, record: int, chain: str) -> int:
    """Return the number of messages in a chain before a record."""
    links = view.transcript.links
    earlier = (links[m.records[0]] for m in view.transcript.messages if m.records[0] < record)
    return sum(link is not None and link.chain == chain for link in earlier)


_ID_KEY = "uuid"
"""Name of the id in formats whose records may occur in a file twice."""


def duplicate_ids(view: DoctorView) -> Iterator[Finding]:
    """Yield ids shared by two records, of which a reader finds only one. A byte-for-byte duplicate is left out;
    differing records are reported."""
    by_id: dict[str, list[int]] = defaultdict(list)
    links = view.transcript.links
    known_ids = {link.id for link in links if isinstance(link, Link)}
    for record, (link, value) in enumerate(zip(links, view.values, strict=False)):
        repeated_id = value.get(_ID_KEY, "") if isinstance(value, dict) else ""  # a repeated record has no link
        name = link.id if isinstance(link, Link) else repeated_id
        if name in known_ids:
            by_id[name].append(record)
    for name, records in by_id.items():
        first = view.transcript.raw(records[0])
        for record in records[1:]:
            same = view.transcript.raw(record) == first
            fault = f"has the same id {name} as the record in line {view.line(records[0])}"
            fault += ", and is identical" if same else ", but differs from it"
            drop, remedy = (record, "left out") if same else (None, "")
            yield Finding("duplicate_id", view.line(record), fault, remedy, drop=drop)


def foreign_sessions(view: DoctorView) -> Iterator[Finding]:
    """Yield records from another session than most, written into the file by a second program."""
    sessions = {
        record: value["sessionId"]
        for record, value in enumerate(view.values)
        if isinstance(value, dict) and isinstance(value.get("sessionId"), str)
    }
    count: dict[str, int] = defaultdict(int)
    for record, session in sessions.items():
        count[session] += record in view.transcript.message_records
    if len(count) < 2:
        return
    main_session = max(count, key=lambda session: (count[session], session == view.transcript.session_id))
    for record, session in sessions.items():
        if session != main_session and record in view.transcript.message_records:
            fault, remedy = (
                f"is of the session {session}, the file of {main_session}",
                "given the file's session id",
            )
            new = jsonedit.encode(main_session)
            yield Finding("other_session", view.line(record), fault, remedy, edits={(record, ("sessionId",)): new})
