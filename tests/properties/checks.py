"""Check what must hold for every compaction, on the bytes that it would write.

The property tests and the tests over real transcripts run the same checks. They do not trust the report: they read the
output again, count its tokens again, and judge it by a second, simpler implementation of each API's rules.
"""

from __future__ import annotations

import dataclasses
import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from msgspec.structs import replace

from compactor_cli import api
from compactor_cli.errors import BudgetError
from compactor_cli.formats import FORMATS, jsonedit
from compactor_cli.formats.base import Format
from compactor_cli.model.content import Content
from compactor_cli.model.group import Group
from compactor_cli.model.message import Message, Part, is_closing
from compactor_cli.model.planning import DECIDED
from compactor_cli.model.report import Compaction
from compactor_cli.model.talking import substantial_requests
from compactor_cli.model.transcript import Source, Transcript
from compactor_cli.pipeline.analysis import analyze
from compactor_cli.pipeline.one_compaction import Tools
from compactor_cli.pipeline.protect import protect
from compactor_cli.pipeline.verify import faults
from compactor_cli.scoring import make_scorer
from compactor_cli.settings import Settings
from compactor_cli.strategies import STRATEGIES, strategy
from compactor_cli.summaries.registry import summarizer
from compactor_cli.summary_text.headers import covered, is_summary, left_out, round_of
from compactor_cli.summary_text.verbatim import carried
from compactor_cli.text.gap_marks import split_at_gaps
from compactor_cli.tokens import make_counter
from tests.properties.refusals import refusals
from tests.properties.time_order import check_time_order
from tests.summaries.texts import is_in, source_of, spans

TIME_ORDERED = frozenset(STRATEGIES)
"""Strategies that keep no message after a summary of later messages."""
MAY_BE_CUT = ("work in flight", "newest message", "stands for earlier history")
"""Reasons to keep a message that do not keep it whole. Only the words of the user and the system are cut last."""


def read(data: Content, source: Source, tokenizer: str) -> Source:
    """Read the output again, in the format of its input."""
    return api.load(data, "output", format=source.format, tokenizer=tokenizer)


def outcome(source: Source, settings: Settings, tokenizer: str) -> api.CompactResult | BudgetError:
    """Return the result, or the error if the target cannot be met."""
    try:
        return api.compact(source, settings, tokenizer=tokenizer)
    except BudgetError as error:
        return error


def check_compaction(source: Source, settings: Settings, tokenizer: str) -> api.CompactResult | BudgetError:
    """Compact, and check everything that must hold for any output. If the target is too small, check the floor."""
    result = outcome(source, settings, tokenizer)
    if isinstance(result, BudgetError):
        check_floor(source, settings, tokenizer, result)
        return result
    assert api.compact(source, settings, tokenizer=tokenizer).data == result.data, "a second run gives other bytes"
    again = read(result.data, source, tokenizer)
    assert len(source.transcripts) == len(again.transcripts) == len(result.parts)
    for before, after, part in zip(source.transcripts, again.transcripts, result.parts, strict=True):
        check_size(part, after)
        check_report_is_what_was_written(part, after)
        check_faults(before, after)
        check_records(before, after, part)
        check_order(part)
        if part.plan is not None:
            check_plan(part)
            check_summaries(part)
            check_protected(part, settings)
            check_residuals(part, settings, tokenizer)
    check_stable(result, again, settings, tokenizer)
    check_fates(source, again, result)
    return result


def check_size(part: Compaction, after: Transcript) -> None:
    tokens = sum(message.tokens for message in after.messages)
    assert tokens == part.tokens, f"the report says {part.tokens}, counting again gives {tokens}"
    assert part.target is None or tokens <= part.target, f"{tokens} tokens in a target of {part.target}"


def check_report_is_what_was_written(part: Compaction, after: Transcript) -> None:
    """Assert that the messages that were counted and verified are those that a reader of the file finds."""
    assert [_content(m) for m in part.messages] == [_content(m) for m in after.messages]


def _content(message: Message) -> tuple[Any, ...]:
    # a legacy function call has no id; readers number such calls
    ids = [p.call_id if not p.call_id.startswith("function_call:") else "" for p in message.parts]
    parts = tuple(
        (p.kind, p.name if p.kind == "tool_call" else "", i, p.text) for p, i in zip(message.parts, ids, strict=True)
    )
    # a user turn with results is read as a tool turn; without them it is the user's
    role = "user" if message.role == "tool" and not message.results else message.role
    return role, parts


def check_faults(before: Transcript, after: Transcript) -> None:
    own = FORMATS[before.format]
    find = partial(faults, adjacent_results=own.adjacent_results, alternates=own.alternates)
    had = Counter((f.kind, f.call_id) for f in find(before.messages))
    has = Counter((f.kind, f.call_id) for f in find(after.messages))
    assert not has - had, f"new faults: {has - had}"
    if not refusals(before):
        assert not refusals(after), f"the API would refuse the output: {refusals(after)}"


def check_order(part: Compaction) -> None:
    """Assert that messages keep the order of the input, and that a summary comes before everything that followed the
    first message that it replaces."""
    if part.plan is not None and part.plan.strategy in TIME_ORDERED:
        check_time_order(part.messages, places_of(part))
    indices = [message.index for message in part.messages if message.index >= 0]
    assert indices == sorted(indices)
    for at, message in enumerate(part.messages):
        own = covered(message.text("text")) if message.index < 0 and message.origin == "summary" else ()
        own = tuple(sorted(i for number in own for i in indices_of(part, number)))
        if own:
            later = [m.index for m in part.messages[at + 1 :] if m.index >= 0]
            assert all(index > own[0] for index in later)


def places_of(part: Compaction) -> dict[int, int]:
    """Return a map: number in the input -> last message of the repaired transcript with that number that is not kept.
    A message that a repair added may be kept although the one with the same number is summarized."""
    kept = {message.index for message in part.messages}
    return {message.number: message.index for message in part.repaired.messages if message.index not in kept}


def indices_of(part: Compaction, number: int) -> list[int]:
    """Return the messages of the repaired transcript with a number: one message, and results that a repair added."""
    return [message.index for message in part.repaired.messages if message.number == number]


def check_records(before: Transcript, after: Transcript, part: Compaction) -> None:
    """Assert that kept messages have their original bytes, and that new records are few and accounted for."""
    raw_before = Counter(before.raw(r) for r in range(len(before.records)))
    raw_after = Counter(after.raw(r) for r in range(len(after.records)))
    if not part.changed:
        return
    known_as = FORMATS[before.format]
    linked = known_as.parent_path is not None
    new = list((raw_after - raw_before).elements())
    if linked or known_as.number_path is not None or known_as.tip_path is not None:
        known = {_without_position(raw) for raw in raw_before}
        new = [raw for raw in new if _without_position(raw) not in known]
    uncounted = {_without_token_count(raw, known_as) for raw in raw_before} if known_as.usage_words else set()
    recounted = [raw for raw in new if _without_token_count(raw, known_as) in uncounted]
    assert len(recounted) <= 1, "only the newest count changes"
    new = [raw for raw in new if raw not in recounted]
    if linked:
        check_links(before, after)
    edited = {p.place.record for m in part.messages for p in m.parts if p.edited and p.place}
    added = sum(1 for m in part.messages if not m.records)
    assert len(new) <= len(edited) + added, f"{len(new)} new records for {len(edited)} edits and {added} additions"
    for record in edited:
        check_edit(before.raw(record), raw_after)


def _without_token_count(raw: bytes, format: Format) -> str:
    """Return a record without its place in the file, and without the provider's token count if agents rely on that."""
    if any(word in raw for word in format.usage_words):
        raw = jsonedit.replace(raw, dict.fromkeys(format.counts(json.loads(raw)), "0"))
    return _without_position(raw)


def _without_position(raw: bytes) -> str:
    """Return a record without the members that depend on its place in the file."""
    return re.sub(
        r'"children":\s*\[[^\]]*\]|"(?:parent|parentUuid|leafUuid|parent_message_uuid|parentId|parentID|'
        r'parent_id|step_id)":\s*(?:"[^"]*"|null|\d+)',
        "",
        raw.decode(),
    )


def check_edit(raw: bytes, written: Iterable[bytes]) -> None:
    """Assert that a record with a shortened body keeps its keys and their order."""
    keys = _keys(json.loads(raw))
    assert any(_keys(json.loads(other)) == keys for other in written)


def _keys(value: Any) -> Any:
    return list(value) if isinstance(value, dict) else type(value).__name__


def check_links(before: Transcript, after: Transcript) -> None:
    """Assert that ids are still unique, and that each parent is in the file unless it was missing before."""
    own = {link.id for link in before.links if link}
    had_dangling = {link.id for link in before.links if link and link.parent and link.parent not in own}
    ids = [link.id for link in after.links if link]
    assert len(ids) == len(set(ids)) or len(own) < sum(1 for link in before.links if link), "ids are not unique"
    known = set(ids)
    for link in after.links:
        if link and link.parent and link.id not in had_dangling:
            assert link.parent in known, f"{link.id} lost its parent {link.parent}"


def check_plan(part: Compaction) -> None:
    assert part.plan is not None
    assert [d.group for d in part.plan.decisions] == list(range(len(part.groups))), "one decision a group, in order"
    assert all(d.reason.strip() for d in part.plan.decisions)
    members = [i for group in part.groups for i in group.messages]
    assert sorted(members) == list(range(len(part.repaired.messages)))
    gone = {
        i for d in part.plan.decisions if d.rendition in ("gone", "summarized") for i in part.groups[d.group].messages
    }
    assert gone.isdisjoint(m.index for m in part.messages)
    dispositions = part.dispositions
    total = dispositions.kept + dispositions.shortened + dispositions.summarized + dispositions.dropped
    assert total == len(part.before.messages)


def check_summaries(part: Compaction) -> None:
    """Assert that each summary names the messages that it stands for, is smaller than these, and invents nothing."""
    own = [m for m in part.messages if m.index < 0 and m.origin == "summary"]
    stood_for: list[int] = []
    source = source_of(part.repaired.messages) if own else ""
    for message in own:
        text = message.text("text")
        invented = [span for span in spans(text) if not is_in(span, source)]
        assert not invented, f"not in the source: {invented[0]!r}"
        check_heading(text, part.round)
        assert covered(text)
        named = tuple(i for number in covered(text) for i in indices_of(part, number))
        if "except kept ones" in text:
            named = tuple(i for i in named if i not in {m.index for m in part.messages})
        # the state may describe kept messages too
        told = message.tokens - len(text[len(text.partition("\nState after the ")[0]) :]) // 4
        # quotes from an earlier summary have a longer label, because their numbers refer to another transcript
        told -= sum(map(len, re.findall(r"^earlier (?=#)", text, re.MULTILINE))) // 4
        assert told < sum(part.repaired.messages[i].tokens for i in named)
        stood_for += named
    assert len(stood_for) == len(set(stood_for)) or any("except kept ones" in m.text("text") for m in own)
    assert part.plan is not None
    summarized = {i for d in part.plan.decisions if d.rendition == "summarized" for i in part.groups[d.group].messages}
    assert summarized <= set(stood_for)


HEADING = re.compile(
    r"## Session Summary \(Compaction Round \d+\)\nStands for messages \d|## Session Summary of #\d"
    r"|\[#\d[\d-]*(?: \(round \d+\))?(?: of a transcript compacted from [\d,]+ to at most [\d,]+ tokens)?\]\n"
)


def check_heading(text: str, round: int) -> None:
    """Assert that a summary says what it stands for, and the round if its heading is in words."""
    assert is_summary(text)
    assert HEADING.match(text), text.splitlines()[0]
    named = text.startswith("## ") or " of a transcript compacted from " in text.partition("\n")[0]
    assert round_of(text) == (round if named else 1), f"{text.splitlines()[0]!r} in round {round}"


def check_protected(part: Compaction, settings: Settings) -> None:
    """Assert that system messages, the first and the last request, and matches of --keep and --keep-last are kept, at
    least in part, and whole if they fit."""
    patterns = [re.compile(pattern) for pattern in settings.keep]
    reasons = protect(part.repaired.messages, part.groups, keep=patterns, keep_last=settings.keep_last)
    out = {m.index: m for m in part.messages}
    messages = part.repaired.messages
    requests = [m.index for m in substantial_requests(messages)]
    summaries = [m for m in messages if m.origin == "summary"]
    before = [
        m for m in summaries if "\nearlier user: " in m.text("text") and m.index < min(requests, default=m.index + 1)
    ]
    task = [m.index for m in (*(m for m in summaries if carried(m.text("text")).first), *before)][:1]
    must = {*(task or requests[:1]), *requests[-1:], *(m.index for m in messages if m.role == "system")}
    must |= {m.index for m in messages if any(p.search(x.text) for p in patterns for x in m.parts)}
    last = len(messages) - is_closing(messages, len(messages) - 1)
    must |= set(range(last)[last - settings.keep_last :])
    must |= {i for group in part.groups if group.index in reasons for i in group.messages}
    repeated = _repeated_requests(part)
    group_of = {i: group.index for group in part.groups for i in group.messages}
    groups = [group for group in part.groups if group.index in reasons]
    large = _large_requests(part, groups, reasons, settings)
    first = {i for g in groups if g.index in large and reasons[g.index].startswith("first") for i in g.messages}
    for index in sorted(must):
        if index not in out and index in repeated:
            continue
        if index in first - set(out) and _strategy(part, settings) in TIME_ORDERED:
            continue  # if the user's words do not fit, the newest are kept
        if (
            index not in out
            and _strategy(part, settings) == "adaptive"
            and reasons[group_of[index]].startswith("first")
        ):
            if messages[index].origin in ("request", "summary"):  # not what a harness put next to the request
                check_quoted(part, messages[index])
            large = large | {group_of[index]}
            continue
        assert index in out or _is_needless(part, index, out), f"message {index} is protected and gone"
        if index not in out:
            continue
        for old, new in _pairs(messages[index], out[index]):
            assert new.text == old.text or new.edited, f"message {index} was changed silently"
            assert _without_mark(old, new).tokens <= old.tokens
    if part.target is None or sum(group.tokens for group in groups) <= part.target:
        system = {m.index for m in messages if m.role == "system"}
        decided = sum(group.tokens for group in groups if reasons[group.index] == DECIDED)
        # next to older messages, system messages take at most half of the room
        crowded = part.target is not None and sum(messages[i].tokens for i in system) > (part.target - decided) // 2
        whole = [
            i
            for group in groups
            if reasons[group.index] not in MAY_BE_CUT and group.index not in large
            for i in group.messages
            if not _is_needless(part, i, out) and not (crowded and i in system)
        ]
        left = (part.target or 0) - sum(messages[i].tokens for i in system)
        no_room = {
            i
            for i in whole
            if part.target is not None and _pictures(messages[i]) > (0.7 if i in requests[-1:] else 0.3) * left
        }
        kept = [_is_whole(messages[i], out[i], i in no_room) if i in out else repeated[i] for i in whole]
        assert all(kept), "cut although there is room for it"


def _pictures(message: Message) -> int:
    return sum(piece.tokens for piece in message.parts if piece.kind == "image")


def _is_whole(before: Message, after: Message, no_room: bool = False) -> bool:
    """Return whether a message is kept whole. The mark of an earlier round is ignored, and another mark may replace it.
    `no_room`: pictures are ignored too, because they take more than their share of the room."""
    pairs = [pair for pair in _pairs(before, after) if not (no_room and pair[0].kind == "image")]
    return all(replace(old, edited=False) == _without_mark(old, new) for old, new in pairs)


def _pairs(before: Message, after: Message) -> Iterable[tuple[Part, Part]]:
    return zip(before.parts, after.parts, strict=True)


def _without_mark(old: Part, new: Part) -> Part:
    """Return the part as it was if only a mark distinguishes the new one; else the new part. Neither is marked as
    edited."""
    mark = left_out(new.text) if new.edited else None
    same = mark is not None and mark.text == old.text
    return replace(old if same else new, edited=False)


def check_quoted(part: Compaction, message: Message) -> None:
    """Assert that a summary quotes all lines of a request that is not kept in its place, if the user's words fit. In
    sessions without tools nothing is checked, because messages are kept by value, whoever wrote them."""
    if not any(piece.kind in ("tool_call", "tool_result") for m in part.repaired.messages for piece in m.parts):
        return
    own = "\n".join(m.text("text") for m in part.messages if m.index < 0 and m.origin == "summary")
    quoted = " ".join(own.replace("‹", "<").split())  # summaries write `<` so, to make a harness's tags harmless
    text = message.text("text")
    if message.origin == "summary":  # of an earlier summary: its quotes of the user, between gaps
        text = "\n".join(_quoted(text)).replace("…", "\n")
    lines = [" ".join(line.split()) for line in text.splitlines() if line.strip()]
    # the marks of an earlier round are not quoted
    lines = [piece.strip() for line in lines for _, piece in split_at_gaps(line) if piece.strip()]
    found = sum(line in quoted for line in lines)
    asked = sum(m.tokens for m in part.repaired.messages if m.origin in ("request", "summary"))
    others = sum(m.tokens for m in part.repaired.messages if m.role == "system" or m.pinned)
    # the plan's target, as turns inserted between turns of one role are budgeted separately
    aimed = part.plan.target if part.plan is not None else None
    if aimed is not None and asked <= 0.35 * (aimed - others):
        assert found == len(lines), f"{len(lines) - found} of {len(lines)} lines of request {message.index} are gone"


def _quoted(summary: str) -> list[str]:
    """Return the lines of the user that a summary quotes."""
    return re.findall(r"^(?:earlier )?(?:#\d+ )?user: (.*)", summary, re.MULTILINE)


def _repeated_requests(part: Compaction) -> dict[int, bool]:
    """Return the requests, and earlier summaries that carry one, that a summary of the output repeats, each with
    whether it repeats them in full."""
    own = [m.text("text") for m in part.messages if m.index < 0 and m.origin == "summary"]
    before = [carried(summary) for summary in own]
    turns = [text for repeated in before for _, text in repeated.turns]
    words = {text for text in (*turns, *(text for r in before for text in (r.first, r.last))) if text}
    found = {}
    for message in part.repaired.messages:
        text = message.text("text")
        first = carried(text).first if message.origin == "summary" else text
        asked = [first] if first or message.origin != "summary" else _quoted(text)
        if (asked and words.issuperset(asked)) or (
            message.origin != "summary"
            and all(part.text in words for part in message.parts if part.text.strip() and part.kind != "thinking")
        ):
            found[message.index] = True
        elif any(_is_cut(word, one) for one in asked for word in words):
            found[message.index] = False
    return found


def _is_cut(short: str, text: str) -> bool:
    """Return whether `short` is `text` with something left out."""
    lines = [line for line in short.splitlines() if not line.startswith("[")]
    pieces = [piece.strip() for line in lines for piece in line.split("…") if piece.strip()]
    return len(short) < len(text) and "…" in short and bool(pieces) and all(piece in text for piece in pieces)


def _is_needless(part: Compaction, index: int, out: Mapping[int, Message]) -> bool:
    """Return whether a message is the closing assistant turn and no longer needed, as no tool result comes last."""
    return is_closing(part.repaired.messages, index) and index not in out and not part.messages[-1].results


def _strategy(part: Compaction, settings: Settings) -> str:
    """Return the strategy that planned. With a small budget it may differ from the requested one."""
    return part.plan.strategy if part.plan is not None else settings.strategy_name


def _large_requests(
    part: Compaction, groups: Sequence[Group], reasons: Mapping[int, str], settings: Settings
) -> set[int]:
    """Return the first and last requests that may be cut: by `adaptive`, those that would take more than 40% of the
    room; by other strategies, all if the user's words together take more than their share."""
    strategy = _strategy(part, settings)
    if strategy in ("tiered", "truncate") or (part.target is None and strategy == "adaptive"):
        return set()
    requests = [group for group in groups if "request of the user" in reasons[group.index]]
    # without a target, the user's words have a share of what a summary replaces
    most = part.target or sum(m.tokens for m in part.repaired.messages)
    room = most - sum(group.tokens for group in groups if group not in requests)
    if strategy == "adaptive":
        return {group.index for group in requests if group.tokens > 0.4 * room}
    asked = sum(m.tokens for m in part.repaired.messages if m.origin in ("request", "summary"))
    return {group.index for group in requests} if asked > 0.35 * room else set()


def check_residuals(part: Compaction, settings: Settings, tokenizer: str) -> None:
    """Assert that a residual that the plan did not demote is kept, and whole unless it is protected too."""
    analysis = analyze(part.repaired, tools(part.before, settings, tokenizer), settings, part.target)
    out = {m.index: m for m in part.messages}
    assert part.plan is not None
    patterns = [re.compile(pattern) for pattern in settings.keep]
    protected = protect(part.repaired.messages, part.groups, keep=patterns, keep_last=settings.keep_last)
    group_of = {i: group.index for group in part.groups for i in group.messages}
    for index in analysis.residuals.kept - part.plan.not_whole:
        assert index in out, f"residual {index} is gone"
        if group_of[index] not in protected:
            assert _is_whole(part.repaired.messages[index], out[index]), f"residual {index} was changed"


def tools(transcript: Transcript, settings: Settings, tokenizer: str) -> Tools:
    return Tools(
        format=FORMATS[transcript.format],
        counter=make_counter(tokenizer).counter,
        scorer=make_scorer(settings.scorer_name),
        strategy=strategy(settings.strategy_name),
        summarizer=summarizer(settings.summarizer),
    )


def check_stable(result: api.CompactResult, again: Source, settings: Settings, tokenizer: str) -> None:
    """Assert that compacting the output again changes nothing, with the same target or, if there was none, without."""
    targets = {part.target for part in result.parts}
    if None not in targets:
        top = max(part.tokens for part in result.parts)
        for tokens in {max(1, *(t for t in targets if t is not None)), max(1, top)}:
            same = dataclasses.replace(settings, target_ratio=None, target_tokens=tokens)
            assert api.compact(again, same, tokenizer=tokenizer).data == result.data, "the same target changes it again"
    else:
        assert api.compact(again, settings, tokenizer=tokenizer).data == result.data, "a second compaction changes it"


def check_fates(source: Source, again: Source, result: api.CompactResult) -> None:
    """Assert that `diff` of input and output agrees with the report."""
    if any(p.text == "[image left out]" for t in source.transcripts for m in t.messages for p in m.parts):
        return  # two pictures that were left out in two rounds cannot be told apart
    fate, survival = api.diff(source, again)
    reported: Counter[str] = Counter()
    for part in result.parts:
        d = part.dispositions
        reported.update(kept=d.kept, shortened=d.shortened, summarized=d.summarized, dropped=d.dropped)
    found = Counter(
        kept=len(fate.kept), shortened=len(fate.shortened), summarized=len(fate.summarized), dropped=len(fate.dropped)
    )
    assert dict(found) == dict(reported), f"diff {dict(found)}, report {dict(reported)}"
    for line in survival:
        assert 0 <= line.kept <= line.total
        assert len(line.lost) == line.total - line.kept


def check_floor(source: Source, settings: Settings, tokenizer: str, error: BudgetError) -> None:
    """Assert that the floor of a BudgetError can be reached, and one token less cannot. With several conversations, the
    error has the largest floor, and all of them reach the size that it says is enough."""
    assert error.floor > error.target
    assert sum(tokens for _, tokens in error.items) == error.floor
    floors = []
    for transcript in source.transcripts:
        alone = replace(source, transcripts=(transcript,), joints=(b"", b""))
        own = outcome(alone, settings, tokenizer)
        if not isinstance(own, BudgetError):
            continue
        floors.append(own.floor)
        at_floor = dataclasses.replace(settings, target_ratio=None, target_tokens=own.floor)
        reached = outcome(alone, at_floor, tokenizer)
        assert not isinstance(reached, BudgetError), f"the floor {own.floor} cannot be reached: {reached}"
        assert reached.parts[0].tokens <= own.floor
        if own.floor > 1:
            below = outcome(alone, dataclasses.replace(at_floor, target_tokens=own.floor - 1), tokenizer)
            assert isinstance(below, BudgetError), f"{own.floor - 1} fits, although the floor is said to be {own.floor}"
            assert below.floor == own.floor
    assert max(floors) == error.floor
    enough = dataclasses.replace(settings, target_ratio=None, target_tokens=error.enough)
    assert not isinstance(outcome(source, enough, tokenizer), BudgetError)
