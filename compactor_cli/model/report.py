"""What a compaction did, as reported to people and scripts."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from msgspec import Struct

from compactor_cli.model.decisions import DROPPED, Dropped
from compactor_cli.model.group import Fault, Group
from compactor_cli.model.memory import Memory
from compactor_cli.model.message import Message
from compactor_cli.model.pairing import Pairing, PartIndex
from compactor_cli.model.plan import Decision, Plan
from compactor_cli.model.score import Rate, Rated, Rating, Score
from compactor_cli.model.transcript import Note, Transcript, brief


class Fallback(Struct, frozen=True):
    """Something that was done without the model, and the reason."""

    what: str
    why: str
    failed: bool = True
    """False if the model was not asked, for example because there were too few tokens left."""


class Usage(Struct, frozen=True):
    """What a run requested from a model. Tokens and cost come from the provider if it reports them; otherwise they
    are estimates."""

    model: str
    requests: int = 0
    """Requests sent; retries of a failed request are not counted."""
    failures: int = 0
    """How many of them got no answer."""
    cache_hits: int = 0
    cache_misses: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: float | None = 0.0
    """US dollars for the answers received; None for a model whose price is unknown."""


class TierLine(Struct, frozen=True):
    """Messages and tokens of one tier before and after."""

    tier: int
    messages: int
    tokens_before: int
    tokens_after: int


class Protected(Struct, frozen=True):
    """Messages outside the tiers that are not residuals: protected messages, and those that belong to a residual's
    group."""

    messages: int = 0
    tokens_before: int = 0
    tokens_after: int = 0


class Spent(Struct, frozen=True):
    """Tokens of the output spent on one purpose, such as requests or tool outputs."""

    name: str
    tokens: int


class Dispositions(Struct, frozen=True):
    """How many input messages had each outcome."""

    kept: int = 0
    shortened: int = 0
    summarized: int = 0
    dropped: int = 0


class Analysis(Rated, frozen=True):
    """Everything known about a transcript before any decision is made."""

    transcript: Transcript
    groups: tuple[Group, ...]
    pairing: Pairing
    faults: tuple[Fault, ...]
    kept: frozenset[int] = frozenset()
    """Messages that a person decided to keep."""
    dropped: tuple[Dropped, ...] = ()
    """Groups that a person decided to drop; they are no longer in the transcript."""
    original_tokens: int = 0
    """Tokens of the transcript before its first compaction, as far as earlier rounds recorded them."""
    unmarked_parts: frozenset[PartIndex] = frozenset()
    """Parts whose text equals their record's text minus the mark of an earlier round."""


class TierUse(Struct, frozen=True):
    """What happened to residuals, to each tier, and to messages kept apart from both."""

    residuals: frozenset[int] = frozenset()
    """Messages of the repaired input that bypassed compression."""
    residual_tokens: int = 0
    protected: Protected = Protected()
    tiers: tuple[TierLine, ...] = ()


class Compaction(Struct, frozen=True, kw_only=True):
    """The result of compacting one transcript."""

    data: bytes
    before: Transcript
    repaired: Transcript
    """The input after repairs; the plan's groups refer to its messages."""
    groups: tuple[Group, ...] = ()
    messages: tuple[Message, ...]
    """Messages of the output, in order. `index` is still that of the input (-1 for new messages)."""
    tokens: int
    target: int | None
    changed: bool
    plan: Plan | None = None
    round: int
    dispositions: Dispositions
    use_of_tokens: Callable[[], tuple[Spent, ...]]
    """Computes, on the first call, what the tokens of the output were spent on. Read it through `spent`."""
    repairs: tuple[Note, ...] = ()
    removed: tuple[int, ...] = ()
    """Records of the input that the output does not contain unchanged."""
    first_changed_index: int | None = None
    prefix_tokens_kept: int
    summarizer: str = ""
    warnings: tuple[str, ...] = ()
    stages: tuple[tuple[str, float], ...] = ()
    recalled: int = 0
    """Number of memories inserted into the output."""
    rate: Rate = Rating
    """Rates the messages of `repaired`."""
    use_of_tiers: Callable[[], TierUse] = TierUse
    """Computes, on the first call, what happened to residuals and tiers. Read it through `residuals`, `protected`
    and `tiers`."""
    memories: tuple[Memory, ...] = ()
    """Memories extracted before the summaries were written; empty when extraction was not requested."""
    outside: tuple[int, ...] = ()
    """Records outside the context that were left out on request."""
    kept: frozenset[int] = frozenset()
    """Messages of `repaired` that a person decided to keep."""
    dropped: tuple[Dropped, ...] = ()
    """Groups that a person decided to drop; they are not in `repaired`."""

    def __repr__(self) -> str:
        return brief(self, "data", "repaired", "groups", "messages", "rate", "use_of_tokens", "use_of_tiers", "kept")

    @property
    def scores(self) -> tuple[Score, ...]:
        """Return the scores of the messages of `repaired`; empty when nothing was decided."""
        return self.rate().scores

    @property
    def message_tiers(self) -> tuple[int | None, ...]:
        """Return the tier of each message of `repaired`, as in Analysis; empty when nothing was decided."""
        return self.rate().tiers

    @property
    def spent(self) -> tuple[Spent, ...]:
        """Return what the tokens of the output were spent on. The sum is the size of the output under every
        strategy."""
        return self.use_of_tokens()

    @property
    def residuals(self) -> frozenset[int]:
        """Return the messages of `repaired` that bypassed compression."""
        return self.use_of_tiers().residuals

    @property
    def residual_tokens(self) -> int:
        return self.use_of_tiers().residual_tokens

    @property
    def protected(self) -> Protected:
        return self.use_of_tiers().protected

    @property
    def tiers(self) -> tuple[TierLine, ...]:
        return self.use_of_tiers().tiers


class PlanLine(NamedTuple):
    """The decision about one group."""

    messages: tuple[int, ...]
    """Numbers of the group's messages in the input, in order."""
    opening: Message
    tokens: int
    decision: Decision


def plan_lines(part: Compaction) -> list[PlanLine]:
    """Return the plan of a compaction in message order, including groups that a person dropped; empty if there is no
    plan."""
    if part.plan is None:
        return []
    lines = []
    for decision in part.plan.decisions:
        group = part.groups[decision.group]
        members = [part.repaired.messages[i] for i in group.messages]
        lines.append(PlanLine(tuple(message.number for message in members), members[0], group.tokens, decision))
    if not part.dropped:
        return lines
    for numbers, tokens in part.dropped:
        opening = part.before.messages[numbers[0]]
        lines.append(PlanLine(numbers, opening, tokens, Decision(-1, "gone", 0, DROPPED)))
    return sorted(lines, key=lambda line: line.messages[0])


def total_spent(parts: Iterable[Compaction]) -> tuple[Spent, ...]:
    """Return what the tokens of several outputs were spent on, summed by name."""
    totals: dict[str, int] = {}
    for part in parts:
        for each in part.spent:
            totals[each.name] = totals.get(each.name, 0) + each.tokens
    return tuple(Spent(name, tokens) for name, tokens in totals.items())


def protected_in(parts: Iterable[Compaction]) -> Protected:
    """Return the sum of `protected` over several outputs."""
    protected_parts = [part.protected for part in parts]
    names = ("messages", "tokens_before", "tokens_after")
    return Protected(*(sum(getattr(protected, name) for protected in protected_parts) for name in names))


class StoredResult(Struct, frozen=True):
    """What was stored in the database and next to the output for one file."""

    compaction: int | None = None
    """Id of the compaction in the archive; None when it was not archived."""
    new: tuple[Memory, ...] = ()
    known: tuple[Memory, ...] = ()
    """Memories that were already in the database."""
    flushed: bool = False
    """Whether memories were looked for."""
    manifest: str = ""
    """Path of the manifest, which lists what was removed; empty when there is none."""


class ModelUse(Struct, frozen=True):
    """What a piece of work requested from a model, and what was done without it."""

    usage: Usage
    fallbacks: tuple[Fallback, ...] = ()
    notes: tuple[str, ...] = ()
    """Other problems, such as with the cache."""
    dry: bool = False
    """Whether nothing was sent and the usage is an estimate of what would have been."""

    @property
    def warnings(self) -> list[str]:
        return [*self.notes, *(f"without the model: {each.what}: {each.why}" for each in self.fallbacks)]


class Probed(Struct, frozen=True):
    """Token counts of a file and of its compacted version according to the provider; None when it gives none."""

    before: int | None
    after: int | None
