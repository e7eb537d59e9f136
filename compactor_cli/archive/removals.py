"""List what the output of a compaction does not contain unchanged, one entry per original."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any

from compactor_cli.archive.texts import MIN_REFERENCE_DIGITS, arguments_of, digest, encode, originals_of, references_in
from compactor_cli.model.archived import Loss, Removed
from compactor_cli.model.decisions import DROPPED
from compactor_cli.model.message import Message, Part, by_index
from compactor_cli.model.plan import Decision, Edit
from compactor_cli.model.report import Compaction

_COPY = "repeats a text that was shortened"
_OUTSIDE = "outside the context: the agent no longer sends it"
_RELINKED = "what it pointed to is gone, so its link or number was changed"


def removed_entries(part: Compaction, conversation: int) -> list[Removed]:
    """Return the entries for one conversation, still without references."""
    losses_of_part = _EntryCollector(part, conversation)
    losses_of_part.add_summarized()
    for message in part.before.messages:
        losses_of_part.add_message(message)
    losses_of_part.add_records()
    return losses_of_part.entries


class _EntryCollector:
    """Collects the entries of one conversation."""

    def __init__(self, part: Compaction, conversation: int) -> None:
        self.part, self.conversation = part, conversation
        self.entries: list[Removed] = []
        self._repaired = repaired_indices(part)
        self._origin = {repaired: before for before, repaired in self._repaired.items()}
        self._out = by_index(part.messages)
        plan = part.plan.decisions if part.plan else ()
        self._decisions = {index: d for d in plan for index in part.groups[d.group].messages}
        self._edits: dict[int, list[Edit]] = defaultdict(list)
        for decision in plan:
            for edit in decision.edits:
                self._edits[edit.message].append(edit)
        lost = set(part.removed)
        self._owned: dict[int, list[int]] = defaultdict(list)
        for record, owner in part.before.owners.items():
            if record in lost:
                self._owned[owner].append(record)
        self._dropped = {number for group in part.dropped for number in group.messages}
        self._notes = {note.index: f"{note.kind}: {note.detail}" for note in part.repairs}

    def add_summarized(self) -> None:
        """Add what each summary replaces, as named by its mark."""
        slots = {f"summary-{slot.groups[0]}": slot for slot in (self.part.plan.slots if self.part.plan else ())}
        for summary in self.part.messages:
            slot = slots.get(summary.id) if summary.index < 0 else None
            if slot is None:
                continue
            covers = sorted(i for group in slot.groups for i in self.part.groups[group].messages)
            messages = [self.part.repaired.messages[i] for i in covers]
            records = list(dict.fromkeys(record for message in messages for record in message.records))
            reason = self._decisions[covers[0]].reason
            origins = [self._origin[i] for i in covers if i in self._origin]
            marks = references_in(summary.text("text"))
            self._add_records("summarized", messages, origins, records, reason, marks)
            for quote in slot.quotes:
                if quote.message in self._origin:
                    quoted = self.part.repaired.messages[quote.message]
                    for part in quoted.parts:
                        self._add_texts("summarized", quoted, part, marks & references_in(quote.text), reason)

    def add_message(self, message: Message) -> None:
        """Add the entry of one input message, if the output does not contain it unchanged."""
        index = self._repaired.get(message.index)
        if index is None and message.number in self._dropped:
            self._add_gone("dropped", message, DROPPED)
            return
        if index is None:
            self._add_gone("repaired", message, self._notes.get(message.index, "removed by a repair"))
            return
        decision = self._decisions.get(index)
        if index not in self._out:
            loss: Loss = "summarized" if decision and decision.rendition == "summarized" else "dropped"
            self._add_gone(loss, message, decision.reason if decision else "")
            return
        repaired = self.part.repaired.messages[index]
        if repaired.parts != message.parts:
            reason = self._notes.get(message.index, "changed by a repair")
            self._add_records("repaired", [message], [message.index], message.records, reason)
        if decision and index in self._edits:
            self._add_shortened(message, repaired, self._edits[index], decision)

    def add_records(self) -> None:
        """Add entries for removed or changed records that have none yet."""
        named_records = {record for entry in self.entries for record in entry.records}
        owners = {record: m.index for m in self.part.before.messages for record in m.records}
        outside = set(self.part.outside)
        for record in self.part.removed:
            if record in named_records:
                continue
            if record in outside:
                self._add_records("dropped", [], [], [record], _OUTSIDE)
                continue
            copied = record in self.part.before.copies
            owner = self.part.before.owners.get(record, owners.get(record))
            origins = [] if owner is None else [owner]
            messages = [self.part.before.messages[i] for i in origins]
            loss: Loss = "shortened" if copied else "repaired"
            self._add_records(loss, messages, origins, [record], _COPY if copied else _RELINKED)

    def _add_gone(self, loss: Loss, message: Message, reason: str) -> None:
        records = sorted({*message.records, *self._owned.get(message.index, ())})
        if records:
            self._add_records(loss, [message], [message.index], records, reason)

    def _add_shortened(self, message: Message, repaired: Message, edits: Sequence[Edit], decision: Decision) -> None:
        whole = False
        for edit in edits:
            part, marks = repaired.parts[edit.part], references_in(edit.text)
            self._add_texts("shortened", repaired, part, marks, decision.reason)
            whole = whole or not _marks_name_edit(part, edit.text, marks)
        if whole:
            self._add_records("shortened", [message], [message.index], message.records, decision.reason)

    def _add_texts(self, loss: Loss, repaired: Message, part: Part, marks: frozenset[str], reason: str) -> None:
        """Add the originals in a part that marks refer to. Other marks come from earlier rounds."""
        named_texts = set()
        records = [part.place.record] if part.place else repaired.records[:1]
        for text in originals_of(part) if marks else ():
            full = digest([encode(text)])
            if full[:MIN_REFERENCE_DIGITS] in marks and full not in named_texts:
                named_texts.add(full)
                origins, role = [self._origin[repaired.index]], repaired.role
                original = {"digest": full, "kind": "text", "role": role, "tokens": part.tokens, "marked": True}
                self._add(loss, origins, records, reason, **original)

    def _add_records(
        self,
        loss: Loss,
        messages: Sequence[Message],
        origins: Sequence[int],
        records: Sequence[int],
        reason: str,
        marks: frozenset[str] = frozenset(),
    ) -> None:
        full = digest(self.part.before.raw(record) for record in records)
        roles = {message.role for message in messages}
        self._add(
            *(loss, origins, records, reason),
            digest=full,
            kind="records",
            role=roles.pop() if len(roles) == 1 else "",
            tokens=sum(message.tokens for message in messages),
            marked=full[:MIN_REFERENCE_DIGITS] in marks,
        )

    def _add(self, loss: Loss, origins: Sequence[int], records: Sequence[int], reason: str, **original: Any) -> None:
        """Add an entry. `original`: its data of the original. Its reference follows once all entries are known."""
        entry = partial(Removed, reference="", loss=loss, conversation=self.conversation, reason=reason)
        self.entries.append(entry(messages=tuple(origins), records=tuple(records), **original))


def repaired_indices(part: Compaction) -> dict[int, int]:
    """Return original message index -> index after repairs; messages that a repair removed are left out."""
    if part.repaired is part.before:
        return {message.index: message.index for message in part.before.messages}
    waiting: dict[tuple[str, tuple[int, ...]], list[int]] = defaultdict(list)
    for message in reversed(part.before.messages):
        waiting[message.id, message.records].append(message.index)
    return {
        waiting[message.id, message.records].pop(): message.index
        for message in part.repaired.messages
        if waiting.get((message.id, message.records))
    }


def _marks_name_edit(part: Part, text: str, marks: Iterable[str]) -> bool:
    """Return whether marks refer to everything that an edit removed from a part."""
    if part.images:
        return False
    if digest([encode(part.text)])[:MIN_REFERENCE_DIGITS] in marks:
        return True
    value = arguments_of(part.text) if part.kind == "tool_call" else None
    return value is not None and _marks_name_strings(value, arguments_of(text))


def _marks_name_strings(before: Any, after: Any) -> bool:
    if isinstance(before, dict) and isinstance(after, dict) and before.keys() == after.keys():
        return all(_marks_name_strings(before[key], after[key]) for key in before)
    if isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        return all(map(_marks_name_strings, before, after))
    if isinstance(before, str) and isinstance(after, str) and before != after:
        return digest([encode(before)])[:MIN_REFERENCE_DIGITS] in references_in(after)
    return bool(before == after)
