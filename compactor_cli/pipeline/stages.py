"""The stages of a run: how long each took, and notifications when they begin."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from compactor_cli.model.group import Group
from compactor_cli.model.message import Message
from compactor_cli.model.planning import Topic

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
