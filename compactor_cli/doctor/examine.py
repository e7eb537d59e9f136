"""Determine what is wrong with a source, and repair it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from functools import partial
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from compactor_cli.doctor import CHECKS
from compactor_cli.doctor.base import DoctorView, Finding, Limits
from compactor_cli.formats import FORMATS, jsonedit
from compactor_cli.formats.base import Counter
from compactor_cli.formats.jsonl import HeldRecord, RecordValues
from compactor_cli.formats.loading import load
from compactor_cli.model.content import FileContent
from compactor_cli.model.group import Fault
from compactor_cli.model.message import Path
from compactor_cli.model.plan import keep_all
from compactor_cli.model.transcript import Source, Transcript
from compactor_cli.pipeline.alternation import placeholder_turn
from compactor_cli.pipeline.assemble import assemble, lay_out
from compactor_cli.pipeline.groups import form_groups
from compactor_cli.pipeline.repair import repair
from compactor_cli.pipeline.verify import format_faults

_REMEDIES = {
    "unanswered_call": "a result that says so is added",
    "orphan_result": "left out",
    "duplicate_result": "left out",
    "misplaced_result": "moved to after its call",
    "repeated_role": "a placeholder turn is inserted before it",
}
_READING_KINDS = {"damaged_line", "cut_off_line", "glued_records"}
"""Kinds of reading notes that are faults of the file."""


class FileFindings(Struct, frozen=True):
    """The findings for a file: those from reading it, and those for each conversation."""

    reading: tuple[Finding, ...]
    conversations: tuple[tuple[Finding, ...], ...]

    @property
    def findings(self) -> tuple[Finding, ...]:
        return (*self.reading, *(finding for conversation in self.conversations for finding in conversation))


def examine(source: Source, limits: Limits) -> FileFindings:
    """Return everything that is wrong with a file, in the order of its lines."""
    reading = tuple(
        Finding(note.kind, note.index, note.detail, "left out" if note.kind != "glued_records" else "given a line each")
        for note in source.notes
        if note.kind in _READING_KINDS
    )
    return FileFindings(reading, tuple(_transcript_findings(transcript, limits) for transcript in source.transcripts))


def _transcript_findings(transcript: Transcript, limits: Limits) -> tuple[Finding, ...]:
    values: Sequence[Any] = RecordValues([HeldRecord(record, transcript.source) for record in transcript.records])
    values = values if isinstance(transcript.source, FileContent) else list(values)
    rules = FORMATS[transcript.format]
    view = DoctorView(transcript, values, limits, rules.parent_path)
    findings = [finding for check in CHECKS for finding in check(view)]
    findings += [_fault_finding(view, fault) for fault in format_faults(transcript.messages, rules)]
    return tuple(sorted(findings, key=lambda finding: (finding.line, finding.kind)))


def _fault_finding(view: DoctorView, fault: Fault) -> Finding:
    records = view.transcript.messages[fault.index].records
    line = view.line(records[0]) if records else 0
    detail = f"{fault.detail} ({fault.call_id})" if fault.call_id else fault.detail
    return Finding(fault.kind, line, detail, _REMEDIES[fault.kind], fault.index)


def repair_source(source: Source, examined: FileFindings, counter: Counter) -> bytes:
    """Return the file with everything repaired that can be: records left out or changed, calls and results put in
    order."""
    transcripts = [
        _rewrite_records(transcript, findings)
        for transcript, findings in zip(source.transcripts, examined.conversations, strict=True)
    ]
    data = _join_parts(source, transcripts)
    reread = load(data, source.path, counter, format=source.format, skip_damaged=True)
    return _join_parts(reread, [_complete_calls(transcript, counter) for transcript in reread.transcripts])


def _join_parts(source: Source, parts: Sequence[bytes]) -> bytes:
    pieces = [source.joints[0]]
    for part, joint in zip(parts, source.joints[1:], strict=True):
        pieces += [part, joint]
    return b"".join(pieces)


def _rewrite_records(transcript: Transcript, findings: Sequence[Finding]) -> bytes:
    """Return the records without those to be left out, and with the changes to the others."""
    dropped = {finding.drop for finding in findings if finding.drop is not None}
    changes: dict[int, dict[Path, str]] = defaultdict(dict)
    for finding in findings:
        for (record, path), text in finding.edits.items():
            changes[record][path] = text
    _relink_records(transcript, dropped, changes)
    kept_records = [
        jsonedit.replace(transcript.raw(record), changes[record]) if changes.get(record) else transcript.raw(record)
        for record in range(len(transcript.records))
        if record not in dropped and record not in transcript.layout.pieces
    ]
    return lay_out(transcript, kept_records, changes)


def _relink_records(transcript: Transcript, dropped: set[int], changes: dict[int, dict[Path, str]]) -> None:
    """Link records that followed a left-out record to the one before it."""
    path = FORMATS[transcript.format].parent_path
    if path is None or not transcript.links:
        return
    remaining_ids = {link.id for record, link in enumerate(transcript.links) if link and record not in dropped}
    parents = {
        link.id: link.parent
        for record in dropped
        if (link := transcript.links[record]) and link.id not in remaining_ids
    }
    for record, link in enumerate(transcript.links):
        if link is None or record in dropped or link.parent not in parents:
            continue
        parent = link.parent
        while parent in parents:
            parent = parents[parent]
        changes[record].setdefault(path, jsonedit.encode(parent) if parent else "null")


def _complete_calls(transcript: Transcript, counter: Counter) -> bytes:
    """Return a conversation in which every call has its result, every result has its call, and roles alternate if
    required."""
    transcript_format = FORMATS[transcript.format]
    right, _ = repair(
        transcript,
        adjacent_results=transcript_format.adjacent_results,
        alternates=transcript_format.alternates,
        per_message=counter.per_message,
        count=counter.count,
    )
    groups = form_groups(right.messages)
    filler = partial(placeholder_turn, counter=counter) if transcript_format.alternates else None
    return assemble(
        replace(right, notes=()), groups, keep_all(groups, "kept"), (), transcript_format, make_turn=filler
    ).data
