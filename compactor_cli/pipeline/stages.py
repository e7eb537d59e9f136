"""The stages of a run: how long each took, and word of those that begin."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from compactor_cli.model.group import Group
from compactor_cli.model.message import Message
from compactor_cli.model.planning import Topic

Topics = Callable[[Sequence[Message], Sequence[Group]], Sequence[Topic]]

STAGES = {
    "analyzing": "scoring the messages",
    "clustering": "grouping them by topic",
    "extracting": "finding what has to stay",
    "summarizing": "writing summaries",
    "persisting": "putting the transcript together",
    "complete": "compacted",
}
"""The stages of seed 003 in their order, as progress shows them; `clustering` only where topics are sought."""


class Stages:
    """Seconds of each stage, by the clock that was passed in, and word of those that begin."""

    def __init__(
        self, clock: Callable[[], float], progress: Callable[[str], None], on_stage: Callable[[str, str], None]
    ) -> None:
        self._clock, self._progress, self._on_stage = clock, progress, on_stage
        self._at = clock()
        self._begun = ""
        self.seconds: list[tuple[str, float]] = []

    def begin(self, stage: str) -> None:
        """Say that a stage of STAGES begins, unless it or a later one has begun."""
        order = list(STAGES)
        if not self._begun or order.index(stage) > order.index(self._begun):
            self._begun = stage
            self._on_stage(stage, STAGES[stage])

    def clustering(self, topics: Topics) -> Topics:
        """The same, saying when it begins and that the next stage follows."""

        def told(messages: Sequence[Message], groups: Sequence[Group]) -> Sequence[Topic]:
            self.begin("clustering")
            found = topics(messages, groups)
            self.begin("extracting")
            return found

        return told

    def done(self, stage: str) -> None:
        now = self._clock()
        self.seconds.append((stage, now - self._at))
        self._at = now
        self._progress(stage)
