"""One compaction of one transcript: the tools that it uses, its stages, its inputs, and values derived from them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from compactor_cli.features.topics import find_topics
from compactor_cli.formats.base import Format
from compactor_cli.model.decisions import Decided
from compactor_cli.model.group import Group
from compactor_cli.model.memory import Memory
from compactor_cli.model.message import Message, ends_with_result
from compactor_cli.model.pairing import Pairing
from compactor_cli.model.planning import Strategy, Summarizer, Topic
from compactor_cli.model.transcript import Transcript
from compactor_cli.settings import Settings
from compactor_cli.summary_text.headers import Base, MarkOfLoss, base_of, left_out
from compactor_cli.tokens.base import TokenCounter

if TYPE_CHECKING:
    from compactor_cli.model.profile import Profile
    from compactor_cli.scoring import Scorer


Topics = Callable[[Sequence[Message], Sequence[Group]], Sequence[Topic]]

IDLE, COMPLETE = "idle", "complete"
STAGES = {
    IDLE: "",
    "analyzing": "Reviewing conversation insights...",
    "clustering": "Grouping related topics...",
    "extracting": "Finding key learnings...",
    "summarizing": "Creating memory snapshot...",
    "persisting": "Saving to long-term memory...",
    COMPLETE: "Memory refreshed! ✨",
}
"""The stages of seed 003 in order, with its texts for people: not compacting; scoring messages; grouping them by
topic (if the strategy looks for topics); extracting self-contained memories (if requested); writing summaries;
writing the memory log (if memories are requested); done."""
DAMAGE_KINDS = ("cut_off_line", "damaged_line")


class CurrentStage:
    """The current stage of a compaction. Pass it as `on_stage`, and read it at any time."""

    def __init__(self) -> None:
        self.stage, self.message = IDLE, STAGES[IDLE]

    def __call__(self, stage: str, message: str) -> None:
        self.stage, self.message = stage, message


class Stages:
    """The seconds of each stage by the given clock, and notifications when stages begin."""

    def __init__(
        self, clock: Callable[[], float], progress: Callable[[str], None], on_stage: Callable[[str, str], object]
    ) -> None:
        self._clock, self._progress, self._on_stage = clock, progress, on_stage
        self._stage_start = clock()
        self._current = ""
        self.seconds: list[tuple[str, float]] = []

    def announce(self, stage: str) -> None:
        """Announce that a stage of STAGES begins, unless it or a later one has already begun."""
        order = list(STAGES)
        if not self._current or order.index(stage) > order.index(self._current):
            self._current = stage
            self._on_stage(stage, STAGES[stage])

    def fail(self) -> None:
        """Announce that the run ended early, so that nothing is being compacted any more."""
        self._current = ""
        self._on_stage(IDLE, STAGES[IDLE])

    def clustering(self, topics: Topics) -> Topics:
        """Return a search for topics that announces its stage when it begins."""

        def announced(messages: Sequence[Message], groups: Sequence[Group]) -> Sequence[Topic]:
            self.announce("clustering")
            return topics(messages, groups)

        return announced

    def finish(self, stage: str) -> None:
        now = self._clock()
        self.seconds.append((stage, now - self._stage_start))
        self._stage_start = now
        self._progress(stage)


class Tools(Struct, frozen=True):
    """The tools that the pipeline uses. They are passed in, so that it accesses no files, clocks or models itself."""

    format: Format
    counter: TokenCounter
    scorer: Scorer
    strategy: Strategy
    summarizer: Summarizer
    profile: Profile | None = None
    clock: Callable[[], float] = lambda: 0.0
    topics: Topics = find_topics
    explain_values: bool = True
    progress: Callable[[str], None] = lambda stage: None
    on_stage: Callable[[str, str], object] = lambda stage, meaning: None
    recall: Callable[[Transcript], Sequence[Memory]] = lambda transcript: ()
    """Finds memories that are relevant to a transcript, most relevant first; called if none are given."""
    remember: Callable[[Transcript], Sequence[Memory]] | None = None
    """Extracts what is worth remembering from a transcript, before any of it is summarized; None for nothing."""
    persist: Callable[[Sequence[Memory]], object] | None = None
    """Stores the extracted memories after everything else is done; None if the caller stores them later."""


class OneCompaction(Struct, frozen=True):
    """The inputs of one compaction of one transcript."""

    transcript: Transcript
    tools: Tools
    settings: Settings
    stages: Stages
    target: int | None
    base: Base
    pairing: Pairing
    closes_history: bool
    memories: Sequence[Memory]
    decisions: Decided

    @property
    def must_change(self) -> bool:
        """Return whether the input must not be returned unchanged, however small it is."""
        return (
            any(note.kind in DAMAGE_KINDS for note in self.transcript.notes)
            or (self.closes_history and self._is_open)
            or self.drops_outside
            or bool(self.decisions.drop)
        )

    @property
    def drops_outside(self) -> bool:
        """Return whether records outside the context are left out, if anything would remain."""
        return self.settings.drop_outside and bool(self.transcript.outside) and bool(self.transcript.messages)

    @property
    def _is_open(self) -> bool:
        """Return whether a user turn must not directly follow."""
        messages = self.transcript.messages
        return (bool(messages) and ends_with_result(messages[-1])) or bool(self.pairing.unanswered)


def resolve_target(transcript: Transcript, settings: Settings) -> tuple[int | None, Base]:
    """Return the token target, and the size that ratios refer to. A ratio refers to everything the transcript ever
    contained: the size from which an earlier round started, plus what was added since. So the same ratio has nothing to
    do when it is applied again."""
    tokens = transcript.tokens
    stated = stated_base(transcript.messages, tokens)
    base = stated or Base(tokens, tokens)
    if settings.target_ratio is not None:
        return int(settings.target_ratio * base.tokens), base
    if settings.target_tokens is not None:
        return settings.target_tokens, base
    return None, base if stated is not None else Base(tokens, 0)


def stated_base(messages: Sequence[Message], tokens: int) -> Base | None:
    """Return the largest size that these messages state of earlier compactions; None if they state none."""
    summaries = (base_of(message.text("text")) for message in messages if message.origin == "summary")
    bases = [Base(base.tokens + max(0, tokens - base.target), base.target) for base in summaries if base]
    bases += [Base(tokens + mark.tokens, tokens) for mark in filter(None, map(mark_of, messages))]
    return max(bases, key=lambda base: (base.tokens, -base.target), default=None)


def mark_of(message: Message) -> MarkOfLoss | None:
    """Return the mark of an earlier round at the beginning or end of a message."""
    first = message.parts[0] if message.parts else None
    return left_out(first.text) if first is not None and first.kind == "text" else None


def is_within_target(transcript: Transcript, target: int | None, base: Base) -> bool:
    """Return whether the transcript is within the target or, without one, within an earlier round's."""
    return transcript.tokens <= (target if target is not None else base.target)
