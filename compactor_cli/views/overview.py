"""Compute what a session consists of: roles, tools, tiers, earlier rounds, heaviest messages."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from msgspec import Struct

from compactor_cli.model.budget import TIERS
from compactor_cli.model.message import Message
from compactor_cli.model.report import Analysis
from compactor_cli.summary_text.headers import covered, is_summary, round_of
from compactor_cli.text.outcomes import stated_failure

_MAX_HEAVIEST = 8


class Share(Struct, frozen=True):
    """Messages (or calls) and tokens under one heading."""

    name: str
    count: int
    tokens: int
    failed: int = 0


class EarlierRound(Struct, frozen=True):
    """A summary left by an earlier compaction."""

    round: int
    index: int
    covers: int
    tokens: int


_UNTIERED = "no tier: always kept"


class Overview(Struct, frozen=True):
    roles: tuple[Share, ...]
    tools: tuple[Share, ...]
    tiers: tuple[Share, ...]
    rounds: tuple[EarlierRound, ...]
    heaviest: tuple[Message, ...]


def overview(analysis: Analysis) -> Overview:
    """Return where the tokens of a transcript are."""
    messages = analysis.transcript.messages
    tiers = [[0, 0] for _ in range(TIERS + 1)]
    for message, tier in zip(messages, analysis.tiers, strict=True):
        tier_counts = tiers[TIERS if tier is None else tier]
        tier_counts[0] += 1
        tier_counts[1] += message.tokens
    rounds = tuple(
        EarlierRound(round_of(text), m.index, len(covered(text)), m.tokens)
        for m in messages
        if m.origin == "summary" and is_summary(text := m.text("text"))
    )
    top = sorted(messages, key=lambda m: (-m.tokens, m.index))[:_MAX_HEAVIEST]
    return Overview(
        by_role(messages),
        by_tool(messages),
        tuple(
            Share(f"tier {tier}" if tier < TIERS else _UNTIERED, count, tokens)
            for tier, (count, tokens) in enumerate(tiers)
            if tier < TIERS or count
        ),
        rounds,
        tuple(top),
    )


def role_of(message: Message) -> str:
    """Return the role of a message, with its origin if someone else wrote it."""
    return f"{message.role} ({message.origin})" if message.origin in ("injected", "summary") else message.role


def by_role(messages: Sequence[Message]) -> tuple[Share, ...]:
    """Return messages and tokens by role, ordered by first appearance."""
    roles: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for message in messages:
        roles[role_of(message)][0] += 1
        roles[role_of(message)][1] += message.tokens
    return tuple(Share(name, count, tokens) for name, (count, tokens) in roles.items())


def by_tool(messages: Sequence[Message]) -> tuple[Share, ...]:
    """Return calls and tokens by tool, results included, largest first."""
    names: dict[str, str] = {}
    shares: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0])
    for message in messages:
        for part in message.parts:
            if part.kind == "tool_call":
                names[part.call_id] = part.name
                shares[part.name][0] += 1
                shares[part.name][1] += part.tokens
            elif part.kind == "tool_result":
                share = shares[names.get(part.call_id) or part.name or "(unknown)"]
                share[1] += part.tokens
                share[2] += part.failed is True or (part.failed is None and stated_failure(part.text) is True)
    ranked = sorted(shares.items(), key=lambda item: -item[1][1])
    return tuple(Share(name, calls, tokens, failed) for name, (calls, tokens, failed) in ranked)
