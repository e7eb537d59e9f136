"""Extract the memories of a transcript (seed 003): judged and made self-contained by a model if there is one, else
by rules."""

from __future__ import annotations

from dataclasses import replace

from compactor_cli.asking.port import LanguageModel
from compactor_cli.memory.extract import extract
from compactor_cli.model.memory import Memory
from compactor_cli.model.transcript import Transcript
from compactor_cli.scoring import Scorer
from compactor_cli.settings import Settings


class MemoryExtractor:
    """Extracts the memories of transcripts, only once for each transcript.

    `judge`: the run's classifier scorer, which caches its judgements. None: a scorer of its own is created.
    """

    def __init__(
        self, settings: Settings, *, created: float, model: LanguageModel | None, judge: Scorer | None
    ) -> None:
        self._settings, self._created, self._model, self._judge = settings, created, model, judge
        self._found: dict[tuple[tuple[str, str], ...], tuple[Memory, ...]] = {}

    def __call__(self, transcript: Transcript) -> tuple[Memory, ...]:
        """Return the memories of a transcript. Raises ModelError when the model fails and fallback is not allowed."""
        key = tuple((message.role, message.text("text")) for message in transcript.messages)
        if key not in self._found:
            self._found[key] = extract_memories(
                transcript, self._settings, created=self._created, model=self._model, judge=self._judge
            )
        return self._found[key]


def extract_memories(
    transcript: Transcript,
    settings: Settings,
    *,
    created: float,
    model: LanguageModel | None = None,
    judge: Scorer | None = None,
) -> tuple[Memory, ...]:
    """Return what `settings.memory` makes worth remembering, in the order of first mention.

    `created`: the memories' creation time. `judge`: the scorer that asks the model; by default one with the
    settings' prompt. Raises ModelError when the model fails and fallback is not allowed.
    """
    memory = settings.memory
    scores = None
    if model is not None:
        if judge is None:
            from compactor_cli.scoring.classifier import ClassifierScorer  # most runs ask no model

            judge = ClassifierScorer(model, memory.prompt)
        judged_by = replace(settings, scoring=replace(settings.scoring, threshold=memory.threshold))
        scores = judge.score(transcript, judged_by)
    return extract(transcript, threshold=memory.threshold, created=created, model=model, scores=scores)
