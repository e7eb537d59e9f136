"""Claude Code: which records of a session are in the model's context, and which the agent no longer sends.

The agent follows the parents from the last turn back to the last compact boundary or to the first record. Parallel
calls and their results are off this path; the agent finds them separately. A boundary may name a segment of earlier
messages that it preserved.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct, field

from compactor_cli.formats.claude_attachments import is_sent
from compactor_cli.formats.trees import path_from_root
from compactor_cli.formats.values import inner, listed, word
from compactor_cli.model.transcript import Link

Parents = Mapping[int, tuple[str, str, int | None]]
"""Record -> (its id, its parent's id, the parent's record)."""

_DISPLAY = frozenset(("progress", "file-history-snapshot", "queue-operation"))
"""Kinds of records that are never sent."""
_NOTES = frozenset(("turn_duration", "stop_hook_summary", "api_error", "api_metrics"))
"""Subtypes of system records that are never sent."""
_KNOWN = _DISPLAY | {"user", "assistant", "system", "attachment"}
"""Kinds of records that the agent does not need once they are outside the context. Titles and unknown kinds stay."""


class ClaudeContext(Struct):
    """The role of each record in a session."""

    start: int = 0
    """The last boundary of the main chain, or the first record."""
    preserved: set[int] = field(default_factory=set)
    """Records before the boundary that the boundary preserved."""
    kept_ends: set[int] = field(default_factory=set)
    """The preserved records that the boundary names, by which the agent finds the others."""
    branches: dict[int, str] = field(default_factory=dict)
    """Records of old branches -> the name of their branch."""
    outside: set[int] = field(default_factory=set)
    """Records that the agent no longer sends and does not need to load the session."""
    repeated: dict[int, int] = field(default_factory=dict)
    """Duplicate record, as some resumed sessions contain -> the one that counts."""
    skips_sidechains: bool = True
    """Whether sidechains are separate conversations. False in a file that is itself a sidechain."""

    def is_in_context(self, record: int, value: Any) -> bool:
        """Return whether a record is in the context, assuming that its kind is sent."""
        if record in self.repeated or (self.skips_sidechains and value.get("isSidechain")):
            return False
        return record in self.preserved or (record >= self.start and record not in self.branches)


def is_turn(value: Any) -> bool:
    """Return whether a record holds a turn of the conversation."""
    if word(value, "type") not in ("user", "assistant"):
        return False
    return isinstance(value.get("message"), dict) and "content" in value["message"]


def is_notice(value: Any) -> bool:
    """Return whether an answer's record only reports an API failure; the agent never sends such a record."""
    return value.get("isApiErrorMessage") is True and word(value, "type") == "assistant"


def find_context(values: Sequence[Any]) -> ClaudeContext:
    """Return which records of a session the model is sent."""
    context = ClaudeContext()
    context.skips_sidechains = not all(value.get("isSidechain") for value in values if is_turn(value))
    context.repeated = _repeated_records(values)
    parents = _parents(values, context)
    leaf = max((record for record in parents if is_turn(values[record])), default=None)
    branch = [] if leaf is None else path_from_root(parents, leaf)
    context.start = _last_boundary(values, branch)
    _find_preserved(values, parents, context)
    _find_branches(values, parents, branch, context)
    context.outside = {record for record, value in enumerate(values) if _is_outside(value, record, context)}
    return context


def links_of(values: Sequence[Any], context: ClaudeContext) -> list[Link | None]:
    """Return the id and parent of each record. Sidechains and old branches are separate chains."""
    return [
        None if record in context.repeated else _link(value, context.branches.get(record, ""))
        for record, value in enumerate(values)
    ]


def _link(value: Any, branch: str) -> Link | None:
    if not isinstance(value, dict) or not value.get("uuid"):
        return None
    chain = str(value.get("agentId") or "sidechain") if value.get("isSidechain") else branch
    return Link(str(value["uuid"]), str(value.get("parentUuid") or ""), chain)


def _last_boundary(values: Sequence[Any], branch: Sequence[int]) -> int:
    """Return the last boundary on the path to the last turn. If there is none on it, the last boundary of the file
    counts, unless the user went back to an earlier point."""
    boundaries = [
        record
        for record, value in enumerate(values)
        if word(value, "subtype") == "compact_boundary" and not value.get("isSidechain")
    ]
    if not boundaries:
        return 0
    if reached := set(boundaries) & set(branch):
        return max(reached)
    last = boundaries[-1]
    summary = any(record > last and values[record].get("isCompactSummary") for record in branch)
    went_back = len(branch) > 1 and branch[0] < last and _begins(values[branch[0]]) and not summary
    return 0 if went_back else last


def _begins(value: Any) -> bool:
    """Return whether a record states that it has no parent. A record that states nothing may follow the one before
    it."""
    return value.get("parentUuid", "") is None


def _repeated_records(values: Sequence[Any]) -> dict[int, int]:
    """Return duplicate -> the record that counts, for turns and attachments with equal id and content. The agent takes
    the parent from the last of them, and orders records by their parents: so the first duplicate after that parent
    counts. A record that also occurs in a sidechain is not a duplicate."""
    records_by_id: dict[tuple[str, bool], list[int]] = {}
    counting: dict[tuple[str, bool], int] = {}
    for record, value in enumerate(values):
        if not word(value, "uuid"):
            continue
        name = (value["uuid"], bool(value.get("isSidechain")))
        counting.setdefault(name, record)
        if value.get("type") in ("user", "assistant", "attachment"):
            same = records_by_id.setdefault(name, [])
            if not same or _words(values[same[0]]) == _words(value):
                same.append(record)
    for name, same in records_by_id.items():
        parent = values[same[-1]].get("parentUuid")
        start = counting.get((parent, name[1]), -1) if isinstance(parent, str) else -1
        of_parent = (record for record in same if record > start and values[record].get("parentUuid") == parent)
        counting[name] = next(of_parent, same[-1])
    return {r: counting[name] for name, same in records_by_id.items() for r in same if r != counting[name]}


def _words(value: Any) -> tuple[Any, Any]:
    """Return what a record says. Its counts of tokens may differ, as a compaction writes them to the newest alone."""
    message = value.get("message")
    return message.get("content") if isinstance(message, dict) else message, value.get("attachment")


def _parents(values: Sequence[Any], context: ClaudeContext) -> Parents:
    """Return the records of the main chain with their parents."""
    main = {
        record: str(value["uuid"])
        for record, value in enumerate(values)
        if isinstance(value, dict)
        and value.get("uuid")
        and record not in context.repeated
        and not (context.skips_sidechains and value.get("isSidechain"))
    }
    by_id = {name: record for record, name in main.items()}
    parents = {record: str(values[record].get("parentUuid") or "") for record in main}
    return {record: (name, parents[record], by_id.get(parents[record])) for record, name in main.items()}


def _find_preserved(values: Sequence[Any], parents: Parents, context: ClaudeContext) -> None:
    """Find the segment that the boundary names, provided that its last record leads to its first."""
    metadata = inner(values[context.start], "compactMetadata")
    earlier = {name: record for record, (name, _, _) in parents.items() if record < context.start}
    names, segment = listed(inner(metadata, "preservedMessages").get("uuids")), metadata.get("preservedSegment")
    context.kept_ends |= {earlier[name] for name in names if isinstance(name, str) and name in earlier}
    context.preserved |= context.kept_ends
    head, tail = earlier.get(word(segment, "headUuid")), earlier.get(word(segment, "tailUuid"))
    if head is None or tail is None:
        return
    path = path_from_root(parents, tail)
    if head in path:
        context.kept_ends |= {head, tail}
        preserved = set(path[path.index(head) :])
        context.preserved |= preserved | _parallel_pieces(values, preserved, range(head, context.start))


def _find_branches(values: Sequence[Any], parents: Parents, branch: Sequence[int], context: ClaudeContext) -> None:
    """Find turns after the boundary that the agent does not reach, and the records attached to them."""
    later = range(context.start, len(values))
    if len(branch) < 2:
        return  # records without links form no tree: their order counts
    names = {parents[record][0] for record in branch}
    reached = {record for record in later if record in parents and parents[record][0] in names}
    reached |= _parallel_pieces(values, reached, later)
    has_whole_path = not parents[branch[0]][1]  # otherwise hidden records may be anywhere
    for record in later:
        if record not in parents or record in reached:
            continue
        record_id, _, parent = parents[record]
        if parent in context.branches:
            context.branches[record] = context.branches[parent]
        elif is_turn(values[record]):
            # a missing parent hides what precedes it: damage to repair, not an abandoned branch
            own_way = path_from_root(parents, record)
            begins = has_whole_path and _begins(values[own_way[0]])
            if begins or any(step in reached or step < context.start for step in own_way):
                context.branches[record] = f"branch {record_id}"


def _parallel_pieces(values: Sequence[Any], reached: set[int], candidates: Sequence[int]) -> set[int]:
    """Return, in file order, further pieces of the same messages, results of their calls, and the agent's notes on
    these."""
    ids = {_message_id(values[record]) for record in reached} - {""}
    turns = [record for record in candidates if is_turn(values[record])]
    pieces = {record for record in turns if record in reached or _message_id(values[record]) in ids}
    calls = {word(block, "id") for record in pieces for block in _blocks(values[record], "tool_use")} - {""}
    piece_ids = {str(values[record].get("uuid")) for record in pieces}
    for record in turns:
        value = values[record]
        answers = any(word(block, "tool_use_id") in calls for block in _blocks(value, "tool_result"))
        if answers or (value.get("isMeta") and str(value.get("parentUuid")) in piece_ids):
            pieces.add(record)
            piece_ids.add(str(value.get("uuid")))
    return pieces - reached


def _message_id(value: Any) -> str:
    return word(value["message"], "id") if is_turn(value) and value["type"] == "assistant" else ""


def _blocks(value: Any, kind: str) -> list[Any]:
    return [block for block in listed(value["message"]["content"]) if word(block, "type") == kind]


def _is_outside(value: Any, record: int, context: ClaudeContext) -> bool:
    kind = word(value, "type")
    if kind not in _KNOWN or record == context.start or record in context.preserved:
        return kind in _DISPLAY
    if kind in _DISPLAY or not context.is_in_context(record, value):
        return True
    if kind == "system":
        return word(value, "subtype") in _NOTES
    return kind == "attachment" and not is_sent(value)
