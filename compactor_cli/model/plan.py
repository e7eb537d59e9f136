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
    """Estimated value of what is kept (only for strategies that estimate values)."""
    signals: tuple[str, ...] = ()
    """What the value is based on: names, and the signals in their favour, strongest first."""

    @staticmethod
    def whole(group: Group, reason: str) -> Decision:
        """Keep a group as it is."""
        return Decision(group.index, "whole", group.tokens, reason)

    @staticmethod
    def with_edits(group: Group, edits: Sequence[Edit], saved: int, reason: str) -> Decision:
        """Keep a group with some texts replaced, which saves `saved` tokens. Without edits the group stays whole."""
        if not edits:
            return Decision.whole(group, reason)
        return Decision(group.index, "shortened", group.tokens - saved, reason, tuple(edits))

    @staticmethod
    def summarized(group: Group, reason: str) -> Decision:
        """Replace a group by a summary."""
        return Decision(group.index, "summarized", 0, reason)

    @staticmethod
    def gone(group: Group, reason: str) -> Decision:
        """Drop a group."""
        return Decision(group.index, "gone", 0, reason)


class Quote(Struct, frozen=True):
    """Words that a summary repeats: a session's first or last request, or any other message."""

    kind: Literal["first", "last", "only", "turn"]
    message: int | None
    """Index of the message; None if an earlier summary carried the quote."""
    text: str
    label: str = ""
    """What precedes a `turn`: its number and speaker."""
    number: int | None = None
    """The message's number in the input; None as for `message`."""
    since: str = ""
    """Text about what happened after the last request, if the strategy reserved tokens for it."""


class SummaryPart(Struct, frozen=True):
    """A section of a summary with its own title: a topic or a batch."""

    title: str
    groups: tuple[int, ...]
    weight: float
    """Relative weight: the section's share of the budget compared with the other sections."""
    named: bool = True
    """Whether the title appears even when the section is empty, to show what was there."""
    batches: int = 1
    """Number of batches merged into this section. Each batch is summarized, then the summaries are summarized again."""


class SummarySlot(Struct, frozen=True):
    """A summary to be written. It takes the place of the first of its groups."""

    tier: int
    groups: tuple[int, ...]
    budget: int
    """Maximum tokens of the summary message, overhead included."""
    excerpts: tuple[Excerpt, ...] | None = None
    """Lines that the strategy chose to quote; None: the summarizer chooses."""
    names_source: bool = True
    """Whether the summary may state what the transcript was compacted from."""
    outline: str = "tiers"
    """Which layout of headings to use; one of the summarizers' forms."""
    quotes: tuple[Quote, ...] = ()
    parts: tuple[SummaryPart, ...] = ()
    """Sections that are summarized separately; together they cover the groups of the slot."""
    lines: tuple[Excerpt, ...] = ()
    """Lines quoted in addition to what the summarizer writes, as far as they fit next to it."""
    reserved_tokens: int = 0
    """Tokens that these lines leave for what the summarizer writes under its headings."""
    note: str = ""
    """A line below the heading."""
    heading: Literal["mark", "short", "named", "full"] = "full"
    """How much the heading of a quoting summary says. `mark`: the covered messages, as a mark. `short`: the same in
    words. `named`: also a reference to them. `full`: also what the transcript was compacted from, which a mark
    states only if `names_source` is set."""
    state: str = ""
    """The block that describes the state of the work, placed below everything else."""
    passes_on: bool = True
    """Whether tokens that this summary does not use go to the next older summary."""


class Plan(Struct, frozen=True):
    """One decision for each group, in order, and the summaries that replace some groups."""

    strategy: str
    target: int | None
    decisions: tuple[Decision, ...]
    slots: tuple[SummarySlot, ...] = ()
    outside_tiers: frozenset[int] = frozenset()
    """Messages that stay for other reasons than the shares of the tiers: protected messages, and the exchanges of
    residuals."""
    not_whole: frozenset[int] = frozenset()
    """Messages that do not stay whole. Residuals among them count as demoted."""
    notes: tuple[str, ...] = ()
    """Where the strategy had to deviate from what was asked; the report lists these notes as warnings."""


def keep_all(groups: Sequence[Group], reason: str) -> Plan:
    """Return a plan that keeps every group whole."""
    return Plan("none", None, tuple(Decision.whole(group, reason) for group in groups))
