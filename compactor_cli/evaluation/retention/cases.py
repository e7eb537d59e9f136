"""Cut sessions, make the part before a cut a transcript of its own, and turn it into a case: a front, and the weighted
needs of what came after it."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import accumulate
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from compactor_cli.evaluation.retention.future_references import Need, Story
from compactor_cli.formats import FORMATS
from compactor_cli.model.message import Message, system_tokens
from compactor_cli.model.plan import keep_all
from compactor_cli.model.transcript import Transcript
from compactor_cli.pipeline.assemble import assemble
from compactor_cli.pipeline.groups import form_groups

MIN_TOKENS = 1_000
MIN_NEEDS = 3
_MIN_SESSIONS = 5
"""From this number of sessions on, they determine what is rare; with fewer, the messages of the front do."""
_MIN_WEIGHT = 0.1


def cut_position(messages: Sequence[Message], share: float) -> int | None:
    """Return the number of messages in a front that has `share` of the tokens, not counting system messages. The cut is
    moved forward to the next legal position: between two groups, so never between a call and its results, and between
    two records. None if no such position has content on both sides."""
    sizes = [0 if message.role == "system" else message.tokens for message in messages]
    min_tokens = share * sum(sizes)
    legal = _legal_cuts(messages)
    for cut, before in enumerate(accumulate(sizes), start=1):
        if before >= min_tokens and cut in legal:
            return cut if 0 < before < sum(sizes) else None
    return None


def _legal_cuts(messages: Sequence[Message]) -> set[int]:
    reach = list(range(len(messages)))  # the last message that must be on the same side
    for group in form_groups(messages):
        reach[min(group.messages)] = max(group.messages)
    last_records = list(accumulate((max(m.records, default=-1) for m in messages), max))
    first_records = list(accumulate((min(m.records, default=1 << 62) for m in reversed(messages)), min))[::-1]
    furthest = list(accumulate(reach, max))
    return {
        cut for cut in range(1, len(messages)) if furthest[cut - 1] < cut and last_records[cut - 1] < first_records[cut]
    }


def front_transcript(transcript: Transcript, cut: int) -> Transcript:
    """Return the first `cut` messages with their records, as if the session had been saved at that moment."""
    messages = transcript.messages[:cut]
    end = 1 + max((record for message in messages for record in message.records), default=-1)
    later = min((record for message in transcript.messages[cut:] for record in message.records), default=end)
    # display copies of the front's messages may follow it
    copies = (record + 1 for record, owner in transcript.owners.items() if owner < cut and record < later)
    end = max([end, *copies])
    lines = transcript.records[end - 1].line if end else 0
    return replace(
        transcript,
        records=transcript.records[:end],
        messages=messages,
        # an early copy of later content has an owner that is gone, so it is left out
        owners={record: owner for record, owner in transcript.owners.items() if record < end},
        copies=frozenset(record for record in transcript.copies if record < end),
        links=transcript.links[:end],
        message_records=frozenset(record for record in transcript.message_records if record < end),
        notes=tuple(note for note in transcript.notes if note.index <= lines),
    )


def front_target(front: Transcript, ratio: float) -> int:
    """Return the target for compacting a front: the tokens of its system messages plus `ratio` of the rest."""
    system = system_tokens(front.messages)
    return system + round(ratio * (front.tokens - system))


def front_bytes(front: Transcript) -> bytes:
    """Return a front as a file in its format, with every record unchanged."""
    groups = form_groups(front.messages)
    return assemble(front, groups, keep_all(groups, "before the cut"), (), FORMATS[front.format]).data


class EvaluatedSession(NamedTuple):
    """A conversation, and its name in reports."""

    name: str
    transcript: Transcript


class Case(Struct, frozen=True):
    """A session cut at one position."""

    session: str
    cut: float
    front: Transcript
    needs: tuple[Need, ...]


class Skipped(NamedTuple):
    """A cut of a session that gives no case. `cut` is None for a file that could not be read."""

    name: str
    cut: float | None
    reason: str


class Prepared(Struct, frozen=True):
    """Cases in the order of sessions and cuts, and the cuts that give none."""

    cases: tuple[Case, ...]
    skipped: tuple[Skipped, ...]


def prepare(
    sessions: Sequence[EvaluatedSession],
    cuts: Sequence[float],
    *,
    refused: Sequence[Skipped] = (),
    progress: Callable[[str], None] = lambda name: None,
) -> Prepared:
    """Cut every session and find what its rest needed. `progress` is called once per session. `refused`: files that
    could not be read; they precede the cuts skipped here."""
    has_enough = len(sessions) >= _MIN_SESSIONS
    holders: Counter[str] = Counter()
    cases: list[Case] = []
    skipped = list(refused)
    for session in sessions:
        story = Story(session.transcript.messages)
        if has_enough:
            holders.update(story.identifiers())
        lengths: set[int] = set()
        for cut in cuts:
            outcome = _make_case(session, story, cut)
            if isinstance(outcome, Case) and len(outcome.front.messages) in lengths:
                outcome = "the same place as an earlier cut"
            if isinstance(outcome, Case):
                lengths.add(len(outcome.front.messages))
                cases.append(outcome)
            else:
                skipped.append(Skipped(session.name, cut, outcome))
        progress(session.name)
    return Prepared(tuple(_weighed(case, holders, len(sessions)) for case in cases), tuple(skipped))


def _make_case(session: EvaluatedSession, story: Story, share: float) -> Case | str:
    """Return the case, or the reason why there is none."""
    cut = cut_position(session.transcript.messages, share)
    if cut is None:
        return "no legal place to cut"
    front = front_transcript(session.transcript, cut)
    tokens = front.tokens - system_tokens(front.messages)
    if tokens < MIN_TOKENS:
        return f"{tokens:,} tokens to compact, fewer than {MIN_TOKENS:,}"
    needs = story.needs(cut)
    if len(needs) < MIN_NEEDS:
        return f"{len(needs)} needed identifiers, fewer than {MIN_NEEDS}"
    return Case(session.name, share, front, tuple(needs))


def _weighed(case: Case, holders: Mapping[str, int], sessions: int) -> Case:
    """Give more weight to needs that occur in few sessions or, if there are few, in few messages of the front."""
    has_enough = sessions >= _MIN_SESSIONS
    total = sessions if has_enough else len(case.front.messages)

    def weight(need: Need) -> float:
        holding = holders.get(need.name, 0) if has_enough else need.messages
        return max(_MIN_WEIGHT, math.log((1 + total) / (1 + holding)))

    return replace(case, needs=tuple(replace(need, weight=weight(need)) for need in case.needs))
