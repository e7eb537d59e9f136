"""What is known about a transcript before anything is decided: its groups and faults, the messages that bypass
compression (within both caps), and the recency tiers of all others (seed 000)."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from decimal import Decimal
from functools import cache, partial
from math import ceil
from typing import TYPE_CHECKING

from compactor_cli.model.group import Group
from compactor_cli.model.message import Message
from compactor_cli.model.pairing import Pairing, pair_calls
from compactor_cli.model.report import Analysis
from compactor_cli.model.score import Rating, Residuals, Score
from compactor_cli.model.transcript import Transcript
from compactor_cli.pipeline.groups import form_groups
from compactor_cli.pipeline.one_compaction import Tools
from compactor_cli.pipeline.verify import faults
from compactor_cli.settings import Settings

if TYPE_CHECKING:
    from compactor_cli.scoring import Scorer


def analyze(
    transcript: Transcript,
    tools: Tools,
    settings: Settings,
    target: int | None = None,
    *,
    pairing: Pairing | None = None,
) -> Analysis:
    """Return the groups, scores, residuals, tiers and faults of a transcript as it is."""
    pairing = pairing or pair_calls(transcript.messages)
    groups = form_groups(transcript.messages, pairing)
    rate = cache(partial(_rate_messages, transcript, groups, tools.scorer, settings, target))
    if tools.scorer.asks:
        rate()  # the report includes the model's use, so ask it now
    input_faults = faults(
        transcript.messages,
        adjacent_results=tools.format.adjacent_results,
        alternates=tools.format.alternates,
        pairing=pairing,
    )
    return Analysis(rate, transcript, groups, pairing, input_faults)


def _rate_messages(
    transcript: Transcript, groups: Sequence[Group], scorer: Scorer, settings: Settings, target: int | None
) -> Rating:
    scoring = settings.scoring
    scores = scorer.score(transcript, settings)
    share = scoring.max_residuals if scoring.residuals else 0
    residuals = select_residuals(
        transcript.messages, scores, threshold=scoring.threshold, max_share=share, total_tokens=target
    )
    borders = settings.tiers.borders if settings.tiers.enabled else (len(transcript.messages),) * 3
    return Rating(scores, residuals, assign_tiers(transcript.messages, groups, residuals.kept, borders))


def select_residuals(
    messages: Sequence[Message],
    scores: Sequence[Score],
    *,
    threshold: float,
    max_share: float,
    total_tokens: int | None = None,
) -> Residuals:
    """Return the messages at or above the threshold: at most `ceil(max_share * n)` of them and, with a token budget,
    at most that share of it. The lowest scores are demoted first, and the older message if scores are equal."""
    limit = ceil(Decimal(str(max_share)) * len(messages))
    candidates = [m.index for m in messages if m.role != "system" and scores[m.index].value >= threshold]
    best_first = sorted(candidates, key=lambda i: (-scores[i].raw, -i))
    chosen = best_first[:limit]
    if total_tokens is not None:
        max_tokens = int(Decimal(str(max_share)) * total_tokens)
        residual_tokens = sum(messages[i].tokens for i in chosen)
        while residual_tokens > max_tokens:
            residual_tokens -= messages[chosen.pop()].tokens
    kept = frozenset(chosen)
    return Residuals(kept, frozenset(candidates) - kept, limit)


def assign_tiers(
    messages: Sequence[Message],
    groups: Sequence[Group],
    residuals: frozenset[int],
    borders: tuple[int, int, int] = (10, 25, 50),
) -> tuple[int | None, ...]:
    """Return the tier of each message; None for residuals and system messages. Borders count non-residual messages from
    the end. They move outward to group borders: a group that a border would split is entirely in the more recent
    tier."""
    tiers: list[int | None] = [None] * len(messages)
    position, ascending = 0, sorted(borders)
    for message in reversed(messages):
        if message.role == "system" or message.index in residuals:
            continue
        tiers[message.index] = bisect_right(ascending, position)
        position += 1
    for group in groups:
        group_tiers = [tier for i in group.messages if (tier := tiers[i]) is not None]
        if group_tiers and max(group_tiers) > (newest := min(group_tiers)):
            for i in group.messages:
                if tiers[i] is not None:
                    tiers[i] = newest
    return tuple(tiers)
