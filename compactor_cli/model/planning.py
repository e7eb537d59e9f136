"""What a strategy is given, and what a summarizer is asked for."""

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
"""Why groups are protected, where strategies tell one reason from another."""
NEWEST_EXCHANGE = "newest"
RECENT = "recent"
"""Why groups stay that nothing but their age speaks for."""
NEWEST_REASONS = (NEWEST_EXCHANGE, RECENT, NEWEST, IN_FLIGHT, CLOSING, LAST_MESSAGES)
"""How all reasons begin for which a group stays because it stands at the end."""
BUFFER = 1.25
"""What a text may have above the length that is asked for (seed 001: 800 tokens asked, 1,000 allowed)."""
SHARE = 0.6
"""Of the room under the headings of a summary, for what the model writes; the rest is for what is computed."""


class Topic(Struct, frozen=True):
    """Groups that are about the same, which need not stand together."""

    title: str
    groups: tuple[int, ...]
    importance: float
    """0 to 1, beside the most important topic."""


class PlanInput(Rated, frozen=True):
    """A transcript's messages with everything that is known of them."""

    messages: Sequence[Message]
    groups: Sequence[Group]
    pairing: Pairing
    protected: dict[int, str]
    """Group -> why it is kept."""
    target: int | None
    """Tokens that the output may have; None: each tier is cut to its share."""
    allocate: Callable[[int, int], Budget]
    """Shares out the target, given the tokens of what is protected and of the residuals."""
    settings: Settings
    count: Callable[[str], int]
    profile: Profile | None = None
    """Weights for strategies that estimate values."""
    topics: Callable[[Sequence[Message], Sequence[Group]], Sequence[Topic]] = lambda messages, groups: ()
    """Sorts groups by topic, for strategies that do; none when there is nothing to sort."""
    folder: str = ""
    """Where the session works, as `Transcript.folder`."""
    whole: int = 0
    """Tokens of everything the transcript ever said, as far as earlier rounds say so."""
    repeat: bool = True
    """Summaries may stand for the first and last request by repeating them in full."""
    explains: bool = True
    """What made the value of the decisions is shown."""

    def is_summary(self, group: Group) -> bool:
        """Return whether an earlier round wrote it."""
        return any(self.messages[i].origin == "summary" for i in group.messages)


class Strategy(Protocol):
    """Decides the rendition of every group. Raises BudgetError when nothing valid fits."""

    name: str
    purpose: str
    suits: str
    """What it is for."""
    learned: bool
    """It estimates values, so it needs a profile."""
    closes: bool
    """Its result must not end with a tool result (seed 004)."""
    tiers: bool
    """It keeps residuals whole and gives each tier of age a share of the room."""
    writes: bool
    """Its summaries have a text of their own, which a language model may write."""

    def plan(self, inputs: PlanInput) -> Plan: ...


class Draft(Struct, frozen=True):
    """What a language model wrote for a summary, and what has been accepted of it."""

    model: str
    sections: tuple[tuple[str, str], ...] = ()
    """Heading -> the text under it."""
    parts: tuple[str, ...] = ()
    """The text of each part; empty for one that is summarized offline."""


NO_DRAFT = Draft("")


class SummaryRequest(Struct, frozen=True):
    """One summary to write: `header` is its fixed beginning, `budget` the tokens of the whole text."""

    slot: SummarySlot
    header: str
    messages: Sequence[Message]
    """The messages it replaces, in order; earlier summaries are among them."""
    keywords: frozenset[str]
    """Identifiers and words that matter to what is kept."""
    budget: int
    round: int = 1
    parts: tuple[tuple[SummaryPart, Sequence[Message]], ...] = ()
    """The parts of the slot with their messages."""
    shorter_header: str = ""
    """A heading that says less, for when the other one has no room; empty: there is none."""
    state: tuple[StateLine, ...] = ()
    """What is known of the state at the end of the transcript, as far as it stands on messages up to the last of
    these; in the order of worth."""
    overcome: frozenset[int] = frozenset()
    """Messages of the transcript, by index, with failures that a later call made up for."""
    task: str = ""
    """The request that the session began with."""
    answered: bool = False
    """The agent went on after these messages."""
    asked_before: bool = False
    """A request of the user stands before the messages."""
    draft: Draft | None = None
    """What `prepare` got for it."""


class Summarizer(Protocol):
    """Writes summaries. An empty text means that none fits the budget."""

    name: str

    def prepare(self, requests: Sequence[SummaryRequest], count: Callable[[str], int]) -> tuple[SummaryRequest, ...]:
        """Return the same requests, with what takes time to get for all of them at once."""

    def summarize(self, request: SummaryRequest, count: Callable[[str], int]) -> str: ...


def tokens_to_request(room: int) -> int:
    """Return the tokens to ask for, given those under the headings of a summary."""
    return int(SHARE * room / BUFFER)


def text_tokens(limit: int) -> int:
    """Return the tokens under the headings of a summary for which `limit` are asked; inverse of the above."""
    return int(limit * BUFFER / SHARE) + 1
