"""The plan: what happens to every group, and why. Pure data, printed by --dry-run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

from msgspec import Struct

from compactor_cli.model.group import Group
from compactor_cli.summary_text.excerpts import Excerpt

Rendition = Literal["whole", "shortened", "summarized", "gone"]


class Edit(NamedTuple):
    """A part's text replaced by a shorter one. `tokens` counts the new text."""

    message: int
    part: int
    text: str
    tokens: int


class Decision(NamedTuple):
    """The rendition of one group. `tokens` is what it costs in the output."""

    group: int
    rendition: Rendition
    tokens: int
    reason: str
    edits: tuple[Edit, ...] = ()
    value: float | None = None
    """What is kept of it is worth this much (strategies that estimate values)."""
    signals: tuple[str, ...] = ()
    """What made its value: names and the signals that speak for them, the strongest first."""

    @staticmethod
    def whole(group: Group, reason: str) -> Decision:
        """Keep a group as it is."""
        return Decision(group.index, "whole", group.tokens, reason)

    @staticmethod
    def with_edits(group: Group, edits: Sequence[Edit], saved: int, reason: str) -> Decision:
        """Keep a group with some texts replaced, which take `saved` tokens less; as it is where there are none."""
        if not edits:
            return Decision.whole(group, reason)
        return Decision(group.index, "shortened", group.tokens - saved, reason, tuple(edits))

    @staticmethod
    def summarized(group: Group, reason: str) -> Decision:
        """Let a summary stand for a group."""
        return Decision(group.index, "summarized", 0, reason)

    @staticmethod
    def gone(group: Group, reason: str) -> Decision:
        """Keep nothing of a group."""
        return Decision(group.index, "gone", 0, reason)


class Quote(Struct, frozen=True):
    """Words that a summary repeats: the first request of a session, the last one, or any other message."""

    kind: Literal["first", "last", "only", "turn"]
    message: int | None
    """None: an earlier summary carried them."""
    text: str
    label: str = ""
    """What stands before a `turn`: its number and speaker."""
    number: int | None = None
    """The message's number in the input; None as for `message`."""
    since: str = ""
    """What is said of what followed the last request, where the strategy has made room for that."""


class SummaryPart(Struct, frozen=True):
    """A piece of a summary with a title of its own: a topic, or a batch."""

    title: str
    groups: tuple[int, ...]
    weight: float
    """Its share of the room, beside the weights of the other parts."""
    named: bool = True
    """Its title stands there even when nothing is said of it: it says what was there."""
    batches: int = 1
    """Batches that were joined in it: each is summarized, and their summaries again."""


class SummarySlot(Struct, frozen=True):
    """A summary to be written: it stands where the first of its groups stood."""

    tier: int
    groups: tuple[int, ...]
    budget: int
    """Tokens that the summary message may have, overhead included."""
    excerpts: tuple[Excerpt, ...] | None = None
    """Lines that the strategy chose to quote; None leaves the choice to the summarizer."""
    based: bool = True
    """It may say what the transcript was compacted from."""
    form: str = "tiers"
    """Its headings: one of the forms of the summarizers."""
    quotes: tuple[Quote, ...] = ()
    parts: tuple[SummaryPart, ...] = ()
    """Pieces that are summarized one by one; together they have the groups of the slot."""
    lines: tuple[Excerpt, ...] = ()
    """Lines that are quoted besides what the summarizer writes, as far as they have room beside it."""
    own: int = 0
    """Tokens that they leave to what the summarizer writes under its headings."""
    note: str = ""
    """A line below the heading."""
    heading: Literal["mark", "short", "named", "full"] = "full"
    """Of one that quotes lines, how much its heading says: which messages it stands for, as a mark or in words; with a
    reference to them; with what the transcript was compacted from, which a mark says where `based` is set."""
    state: str = ""
    """The block that tells the state of the work, below everything else."""
    passes_on: bool = True
    """What it does not need is for the next older summary."""


class Plan(Struct, frozen=True):
    """One decision a group, in order, and the summaries that replace some of them."""

    strategy: str
    target: int | None
    decisions: tuple[Decision, ...]
    slots: tuple[SummarySlot, ...] = ()
    apart: frozenset[int] = frozenset()
    """Messages that stay for what they are, beside the shares of the tiers: protected ones, and the exchanges of
    residuals."""
    cut: frozenset[int] = frozenset()
    """Messages that do not stay whole; the residuals among them are demoted."""
    notes: tuple[str, ...] = ()
    """What the strategy had to do otherwise than asked; the report has it among the warnings."""


def keep_all(groups: Sequence[Group], reason: str) -> Plan:
    """Return the plan that keeps every group as it is."""
    return Plan("none", None, tuple(Decision.whole(group, reason) for group in groups))
