"""Report what a compaction did, for people and for scripts."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from msgspec import Struct

from compactor_cli.model.brief import brief
from compactor_cli.model.decisions import DROPPED, Dropped
from compactor_cli.model.group import Fault, Group
from compactor_cli.model.memory import Memory
from compactor_cli.model.message import Message
from compactor_cli.model.pairing import Pairing, Spot
from compactor_cli.model.plan import Decision, Plan
from compactor_cli.model.score import Rate, Rated, Rating, Score
from compactor_cli.model.transcript import Note, Transcript


class Fallback(Struct, frozen=True):
    """Something that was done without the model, and why."""

    what: str
    why: str
    failed: bool = True
    """False where the model was not asked, such as for want of room."""


class Usage(Struct, frozen=True):
    """What a run asked for. Tokens and cost are the provider's own numbers where it gives them, else estimates."""

    model: str
    requests: int = 0
    """Requests that were sent; one that was sent again after a failure counts once."""
    failures: int = 0
    """How many of them brought no answer."""
    cache_hits: int = 0
    cache_misses: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: float | None = 0.0
    """US dollars for the answers that came; None for a model without a known price."""


class TierLine(Struct, frozen=True):
    """One tier before and after."""

    tier: int
    messages: int
    tokens_before: int
    tokens_after: int


class Protected(Struct, frozen=True):
    """Messages that no tier has a share of, residuals aside: protected ones, and what belongs to a residual."""

    messages: int = 0
    tokens_before: int = 0
    tokens_after: int = 0


class Spent(Struct, frozen=True):
    """Tokens of the output that went to one thing, such as requests or the outputs of tools."""

    name: str
    tokens: int


class Dispositions(Struct, frozen=True):
    """How many messages of the input ended up how."""

    kept: int = 0
    shortened: int = 0
    summarized: int = 0
    dropped: int = 0


class Analysis(Rated, frozen=True):
    """Everything known of a transcript before anything is decided."""

    transcript: Transcript
    groups: tuple[Group, ...]
    pairing: Pairing
    faults: tuple[Fault, ...]
    kept: frozenset[int] = frozenset()
    """Messages that a person decided to keep."""
    dropped: tuple[Dropped, ...] = ()
    """Groups that a person decided to drop; they are not in the transcript any more."""
    whole: int = 0
    """Tokens of everything the transcript ever said, as far as earlier rounds say so."""
    unmarked: frozenset[Spot] = frozenset()
    """Parts whose text is that of their record without the mark of an earlier round."""


class TierUse(Struct, frozen=True):
    """What became of residuals, of each tier, and of what stays beside them."""

    residuals: frozenset[int] = frozenset()
    """Messages of the repaired input that bypassed compression."""
    residual_tokens: int = 0
    protected: Protected = Protected()
    tiers: tuple[TierLine, ...] = ()


class Compaction(Struct, frozen=True):
    """The result of compacting one transcript."""

    data: bytes
    before: Transcript
    repaired: Transcript
    """The input after repairs; the plan's groups are of its messages."""
    groups: tuple[Group, ...]
    messages: tuple[Message, ...]
    """Messages of the output, in order; `index` is still that of the input (-1 when new)."""
    tokens: int
    target: int | None
    changed: bool
    plan: Plan | None
    round: int
    dispositions: Dispositions
    use_of_tokens: Callable[[], tuple[Spent, ...]]
    """Works out at its first call where the tokens of the output went; `spent` tells it."""
    repairs: tuple[Note, ...]
    removed: tuple[int, ...]
    """Records of the input that are not in the output as they were."""
    first_changed_index: int | None
    prefix_tokens_kept: int
    summarizer: str
    warnings: tuple[str, ...] = ()
    stages: tuple[tuple[str, float], ...] = ()
    recalled: int = 0
    """Memories that were put into the output."""
    rate: Rate = Rating
    """Rates the messages of `repaired`."""
    use_of_tiers: Callable[[], TierUse] = TierUse
    """Works out at its first call what became of residuals and tiers; `residuals`, `protected` and `tiers` tell it."""
    memories: tuple[Memory, ...] = ()
    """What was found worth remembering before the summaries were written; empty when nobody asked."""
    outside: tuple[int, ...] = ()
    """Records outside the context that were left out because that was asked for."""
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
        """Return where the tokens of the output went: their sum, whatever the strategy."""
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
    """What is decided of one group."""

    messages: tuple[int, ...]
    """Numbers of its messages in the input, in their order."""
    opening: Message
    tokens: int
    decision: Decision


def plan_lines(part: Compaction) -> list[PlanLine]:
    """Return the plan of a compaction, in its order, with what a person took out before; empty without one."""
    if part.plan is None:
        return []
    lines = []
    for decision in part.plan.decisions:
        group = part.groups[decision.group]
        own = [part.repaired.messages[i] for i in group.messages]
        lines.append(PlanLine(tuple(message.number for message in own), own[0], group.tokens, decision))
    if not part.dropped:
        return lines
    for numbers, tokens in part.dropped:
        opening = part.before.messages[numbers[0]]
        lines.append(PlanLine(numbers, opening, tokens, Decision(-1, "gone", 0, DROPPED)))
    return sorted(lines, key=lambda line: line.messages[0])


def joined(parts: Iterable[Compaction]) -> tuple[Spent, ...]:
    """Return where the tokens of several outputs went, the sums under each name."""
    totals: dict[str, int] = {}
    for part in parts:
        for each in part.spent:
            totals[each.name] = totals.get(each.name, 0) + each.tokens
    return tuple(Spent(name, tokens) for name, tokens in totals.items())


def protected_in(parts: Iterable[Compaction]) -> Protected:
    """Return what stays beside the tiers of several outputs together."""
    every = [part.protected for part in parts]
    return Protected(
        sum(protected.messages for protected in every),
        sum(protected.tokens_before for protected in every),
        sum(protected.tokens_after for protected in every),
    )


class StoredResult(Struct, frozen=True):
    """What was put into the database, and beside the output, for one file."""

    compaction: int | None = None
    """Number of the compaction in the archive; None when it was not archived."""
    new: tuple[Memory, ...] = ()
    known: tuple[Memory, ...] = ()
    """Memories that had been there before."""
    flushed: bool = False
    """Memories were looked for."""
    manifest: str = ""
    """The file that says what was taken away; empty when there is none."""


class ModelUse(Struct, frozen=True):
    """What a piece of work asked of a model, and what was done without it."""

    usage: Usage
    fallbacks: tuple[Fallback, ...] = ()
    notes: tuple[str, ...] = ()
    """What went wrong beside the answers, such as with the cache."""
    dry: bool = False
    """Nothing was asked: the usage is an estimate of what would have been."""

    @property
    def warnings(self) -> list[str]:
        return [*self.notes, *(f"without the model: {each.what}: {each.why}" for each in self.fallbacks)]


class Probed(Struct, frozen=True):
    """Tokens of a file and of what became of it as the provider counts them; None when it does not say."""

    before: int | None
    after: int | None
