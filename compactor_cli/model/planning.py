"""The inputs of a strategy, and the requests to a summarizer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol

from msgspec import Struct

from compactor_cli.model.budget import Budget
from compactor_cli.model.group import Group
from compactor_cli.model.message import Message
from compactor_cli.model.pairing import Pairing
from compactor_cli.model.plan import Plan, SummaryPart, SummarySlot
from compactor_cli.model.score import Rated
from compactor_cli.settings import Settings
from compactor_cli.summary_text.state_line import StateLine

if TYPE_CHECKING:
    from compactor_cli.model.profile import Profile

FIRST_REQUEST = "first request of the user"
LAST_REQUEST = "last request of the user"
IN_FLIGHT = "work in flight"
NEWEST = "newest message"
EARLIER_HISTORY = "stands for earlier history"
CLOSING = "closes the history"
LAST_MESSAGES = "one of the last"
DECIDED = "kept by a decision"
"""Reasons for protecting a group, so that strategies can tell them apart."""
NEWEST_EXCHANGE = "newest"
RECENT = "recent"
"""Reasons for keeping a group only because it is recent."""
NEWEST_REASONS = (NEWEST_EXCHANGE, RECENT, NEWEST, IN_FLIGHT, CLOSING, LAST_MESSAGES)
"""Prefixes of all reasons for keeping a group because it is at the end."""
MAX_OVERRUN = 1.25
"""How far a text may exceed the requested length (seed 001: 800 tokens requested, 1,000 allowed)."""
PROSE_SHARE = 0.6
"""Share of the tokens under a summary's headings for what the model writes; computed facts get the rest."""


class Topic(Struct, frozen=True):
    """Groups about the same subject; they need not be adjacent."""

    title: str
    groups: tuple[int, ...]
    importance: float
    """0 to 1, relative to the most important topic."""


class PlanInput(Rated, frozen=True):
    """The messages of a transcript with everything known about them."""

    messages: Sequence[Message]
    groups: Sequence[Group]
    pairing: Pairing
    protected: dict[int, str]
    """Group index -> reason for protecting the group."""
    target: int | None
    """Token limit of the output; None: each tier is cut to its share."""
    allocate: Callable[[int, int], Budget]
    """Divides the target. Takes the tokens of protected groups and of residuals."""
    settings: Settings
    count: Callable[[str], int]
    profile: Profile | None = None
    """Weights for strategies that estimate values."""
    topics: Callable[[Sequence[Message], Sequence[Group]], Sequence[Topic]] = lambda messages, groups: ()
    """Sorts groups by topic, for strategies that use topics; returns none when there is nothing to sort."""
    folder: str = ""
    """The folder that the session works in, as in `Transcript.folder`."""
    original_tokens: int = 0
    """Tokens of the transcript before its first compaction, as far as earlier rounds recorded them."""
    repeat: bool = True
    """Whether a summary may replace the first and last request by repeating them in full."""
    explain_values: bool = True
    """Whether the user is shown why decisions have their value, as in a dry run."""

    def is_summary(self, group: Group) -> bool:
        """Return whether a group contains a summary from an earlier round."""
        return any(self.messages[i].origin == "summary" for i in group.messages)


class Strategy(Protocol):
    """Decides the rendition of every group. Raises BudgetError when no valid plan fits."""

    name: str
    purpose: str
    suits: str
    """What kinds of session or use it suits."""
    learned: bool
    """Whether it estimates values, and therefore needs a profile."""
    closes: bool
    """Whether its result must not end with a tool result (seed 004)."""
    tiers: bool
    """Whether it keeps residuals whole and gives each recency tier a share of the budget."""
    writes: bool
    """Whether its summaries contain free text, which a language model may write."""

    def plan(self, inputs: PlanInput) -> Plan: ...


class Draft(Struct, frozen=True):
    """What a language model wrote for a summary, as far as it was accepted."""

    model: str
    sections: tuple[tuple[str, str], ...] = ()
    """(heading, text under it) pairs."""
    parts: tuple[str, ...] = ()
    """The text of each part; empty for a part that is summarized offline."""


NO_DRAFT = Draft("")


class SummaryRequest(Struct, frozen=True):
    """One summary to write. `header` is its fixed beginning, `budget` the token limit of the whole text."""

    slot: SummarySlot
    header: str
    messages: Sequence[Message]
    """The messages to summarize, in order, including earlier summaries."""
    keywords: frozenset[str]
    """Identifiers and words that matter to the messages that are kept."""
    budget: int
    round: int = 1
    parts: tuple[tuple[SummaryPart, Sequence[Message]], ...] = ()
    """The parts of the slot, each with its messages."""
    shorter_header: str = ""
    """A shorter heading for when the full one does not fit; empty if there is none."""
    state: tuple[StateLine, ...] = ()
    """State of the work at the end of the transcript, most important first. Includes only lines based on messages up
    to the last one summarized here."""
    resolved: frozenset[int] = frozenset()
    """Indices of messages with a failure that a later call resolved."""
    task: str = ""
    """The first request of the session."""
    is_answered: bool = False
    """Whether the agent continued after these messages."""
    follows_request: bool = False
    """Whether a user request precedes these messages."""
    draft: Draft | None = None
    """The draft that `prepare` obtained for this request."""


class Summarizer(Protocol):
    """Writes summaries. An empty text means that no summary fits the budget."""

    name: str

    def prepare(self, requests: Sequence[SummaryRequest], count: Callable[[str], int]) -> tuple[SummaryRequest, ...]:
        """Return the same requests completed with whatever is slow to obtain, fetched for all of them at once."""

    def summarize(self, request: SummaryRequest, count: Callable[[str], int]) -> str: ...


def tokens_to_request(available_tokens: int) -> int:
    """Return how many tokens to request when `available_tokens` are available under a summary's headings."""
    return int(PROSE_SHARE * available_tokens / MAX_OVERRUN)


def text_tokens(limit: int) -> int:
    """Return how many tokens under a summary's headings allow a request for `limit`; inverse of `tokens_to_request`."""
    return int(limit * MAX_OVERRUN / PROSE_SHARE) + 1
