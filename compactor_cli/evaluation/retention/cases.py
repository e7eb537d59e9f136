"""Turn sessions into cases: a front, and the weighted needs of what came after it."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from compactor_cli.evaluation.retention.future_references import Need, Story
from compactor_cli.evaluation.retention.prefixes import cut_position, front_transcript
from compactor_cli.model.message import system_tokens
from compactor_cli.model.transcript import Transcript

MIN_TOKENS = 1_000
MIN_NEEDS = 3
_MIN_SESSIONS = 5
"""From this number of sessions on, they determine what is rare; with fewer, the messages of the front do."""
_MIN_WEIGHT = 0.1


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
