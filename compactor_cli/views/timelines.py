"""Timelines: a session message by message, made from an analysis, a compaction or a comparison."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set

from compactor_cli.features.work.ledger import call_actions
from compactor_cli.model.decisions import DROPPED
from compactor_cli.model.message import Message, Part, by_index
from compactor_cli.model.report import Analysis, Compaction
from compactor_cli.model.timeline import Entry, MessageFate
from compactor_cli.model.transcript import Source
from compactor_cli.pipeline.earlier_marks import is_changed_beyond_mark
from compactor_cli.views.compare_sources import ConversationPair, pair_conversations
from compactor_cli.views.overview import Share

_About = Mapping[str, tuple[str, tuple[str, ...]]]


def of_analyses(analyses: Sequence[Analysis]) -> tuple[Entry, ...]:
    """Return what is known about each message before any decision."""
    out = []
    for conversation, analysis in enumerate(analyses):
        messages = analysis.transcript.messages
        about = _call_subjects(messages)
        for index, message in enumerate(messages):
            tools, files = _tools_and_files(message, about)
            residual, tier = index in analysis.residuals.kept, analysis.tiers[index]
            why = _reason(message, residual, tier, demoted=index in analysis.residuals.demoted)
            score = analysis.scores[index]
            out.append(Entry(conversation, "", message, None, why, residual, tier, score, tools, files))
    return tuple(out)


def of_compactions(parts: Sequence[Compaction]) -> tuple[Entry, ...]:
    """Return what a compaction did with each message. Added messages are at their position in the output."""
    return tuple(entry for conversation, part in enumerate(parts) for entry in _of_compaction(conversation, part))


def of_sources(first: Source, second: Source) -> tuple[Entry, ...]:
    """Return what each message of a file became in another file, whatever program made that."""
    pairs = enumerate(pair_conversations(first, second))
    return tuple(entry for conversation, pair in pairs for entry in _of_pairing(conversation, pair))


def by_file(messages: Sequence[Message]) -> tuple[Share, ...]:
    """Return calls and tokens by file, results included, largest first; several files of a call share its tokens."""
    about = _call_subjects(messages)
    shares: dict[str, list[int]] = {}
    for message in messages:
        for path, tokens in _tools_and_files(message, about)[1]:
            share = shares.setdefault(path, [0, 0])
            share[1] += tokens
        for part in message.calls:
            for path in about[part.call_id][1]:
                shares.setdefault(path, [0, 0])[0] += 1
    ranked = sorted(shares.items(), key=lambda item: (-item[1][1], item[0]))
    return tuple(Share(path, calls, tokens) for path, (calls, tokens) in ranked)


def _of_compaction(conversation: int, part: Compaction) -> Iterable[Entry]:
    messages, about = part.repaired.messages, _call_subjects(part.before.messages)
    decided = {i: d for d in (part.plan.decisions if part.plan else ()) for i in part.groups[d.group].messages}
    out = by_index(part.messages)
    added = _added((message.index, message) for message in part.messages)
    numbers = {m.number for m in messages if m.records}
    lost = [m for m in reversed(part.before.messages) if m.number not in numbers]
    dropped = {number for group in part.dropped for number in group.messages}
    yield from (_new_entry(conversation, message) for message in added.get(-1, ()))
    for index, message in enumerate(messages):
        while lost and lost[-1].number < message.number:
            yield _removed_entry(conversation, lost.pop(), about, dropped)
        after, decision = out.get(index), decided.get(index)
        tools, files = _tools_and_files(message, about)
        fate: MessageFate
        if after is None:
            fate = "summarized" if decision and decision.rendition == "summarized" else "dropped"
        elif not message.records:  # added by a repair
            fate = "added"
        else:
            fate = "shortened" if is_changed_beyond_mark(message, after) else "kept"
        reason = decision.reason if decision else ("nothing had to be compacted" if not part.plan else "")
        tier = part.message_tiers[index] if part.message_tiers else None
        score = part.scores[index] if part.scores else None
        if message.records or after is not None:
            before = message if message.records else None
            yield Entry(conversation, fate, before, after, reason, index in part.residuals, tier, score, tools, files)
        yield from (_new_entry(conversation, message) for message in added.get(index, ()))
    while lost:
        yield _removed_entry(conversation, lost.pop(), about, dropped)


def _removed_entry(conversation: int, message: Message, about: _About, dropped: Set[int]) -> Entry:
    """Return the entry of a message that was removed before any other decision."""
    tools, files = _tools_and_files(message, about)
    reason = DROPPED if message.number in dropped else "removed by a repair of the input"
    return Entry(conversation, "dropped", message, None, reason, tools=tools, files=files)


def _added(messages: Iterable[tuple[int, Message]]) -> dict[int, list[Message]]:
    """Return index of the preceding message -> new messages after it; -1 for the start."""
    out: dict[int, list[Message]] = {}
    last = -1
    for index, message in messages:
        if index < 0:
            out.setdefault(last, []).append(message)
        else:
            last = index
    return out


def _of_pairing(conversation: int, pair: ConversationPair) -> Iterable[Entry]:
    matched, about = pair.matched, _call_subjects(pair.before)
    back = {after: before for before, after in matched.pairs.items()}
    added = _added((back.get(index, -1), message) for index, message in enumerate(pair.after))
    kinds: tuple[MessageFate, ...] = ("dropped", "summarized", "shortened", "kept")
    fates = {i: kind for kind in kinds for i in getattr(matched.fate, kind)}
    yield from (_new_entry(conversation, message) for message in added.get(-1, ()))
    summary_index = {number: index for index, numbers in matched.stands_for.items() for number in numbers}
    for index, message in enumerate(pair.before):
        after = pair.after[matched.pairs[index]] if index in matched.pairs else None
        fate: MessageFate = fates[index] if message.records else "added"
        if message.records or after is not None:
            tools, files = _tools_and_files(message, about)
            reason = _compared_entry(fate, message, after, summary_index.get(message.number))
            before = message if message.records else None
            yield Entry(conversation, fate, before, after, reason, tools=tools, files=files)
        yield from (_new_entry(conversation, message) for message in added.get(index, ()))
    for message in pair.extra:
        yield Entry(conversation, "dropped", message, None, "removed by a repair of the input")


def _compared_entry(fate: MessageFate, before: Message, after: Message | None, summary: int | None) -> str:
    """Return what a comparison alone can say about a message, since the output does not contain the plan."""
    if fate == "shortened" and after is not None:
        return f"in the output, cut from {before.tokens:,} to {after.tokens:,} tokens"
    if fate == "summarized" and summary is not None:
        return f"replaced by the summary in message {summary} of the output"
    return {"kept": "unchanged in the output", "dropped": "nothing in the output replaces it"}.get(fate, "")


def _new_entry(conversation: int, message: Message) -> Entry:
    why = "a summary of the messages it replaces" if message.origin == "summary" else "not in the input"
    return Entry(conversation, "added", None, message, why)


def _reason(message: Message, residual: bool, tier: int | None, *, demoted: bool) -> str:
    if residual:
        return "residual: it scores at or above the threshold"
    if tier is None:
        return "kept whole: a system message" if message.role == "system" else "kept whole"
    return f"tier {tier}, by its age" + ("; it scores as a residual, but there are too many" if demoted else "")


def _call_subjects(messages: Sequence[Message]) -> _About:
    """Return what each call is about. If a format uses an id twice, the last call counts."""
    return {
        part.call_id: (part.name, tuple(dict.fromkeys(path for path, _ in call_actions(part))))
        for message in messages
        for part in message.calls
    }


def _tools_and_files(message: Message, about: _About) -> tuple[tuple[str, ...], tuple[tuple[str, int], ...]]:
    """Return the tools and files of a message, the files with their shares of its tokens."""
    tools: dict[str, None] = {}
    files: dict[str, int] = {}
    for part in message.parts:
        if part.kind not in ("tool_call", "tool_result"):
            continue
        tool, paths = about.get(part.call_id, (part.name or "(unknown)", ()))
        tools[part.name if part.kind == "tool_call" else tool] = None
        for index, path in enumerate(paths):
            files[path] = files.get(path, 0) + _share(part, index, len(paths))
    return tuple(tools), tuple(files.items())


def _share(part: Part, index: int, count: int) -> int:
    """Return an equal share of the part's tokens; the first ones get the remainder."""
    return part.tokens // count + (index < part.tokens % count)
