"""Memories of a transcript, by the model where there is one (seed 003): judged, made to stand alone, or by rules."""

from __future__ import annotations

from dataclasses import replace

from compactor_cli.asking.port import LanguageModel
from compactor_cli.memory.extract import extract
from compactor_cli.model.memory import Memory
from compactor_cli.model.transcript import Transcript
from compactor_cli.scoring.base import Scorer
from compactor_cli.settings import Settings


class Remembering:
    """Finds what is worth remembering of transcripts, once for each, however often it is asked.

    `judge`: the scorer classifier of the run, which knows what it has judged; one of its own where it is None.
    """

    def __init__(
        self, settings: Settings, *, created: float, model: LanguageModel | None, judge: Scorer | None
    ) -> None:
        self._settings, self._created, self._model, self._judge = settings, created, model, judge
        self._found: dict[tuple[tuple[str, str], ...], tuple[Memory, ...]] = {}

    def __call__(self, transcript: Transcript) -> tuple[Memory, ...]:
        """Return the memories of a transcript. Raises ModelError when the model fails and must not."""
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
    """Return what is worth remembering by `settings.memory`, in the order in which it was said; created at `created`.

    `judge`: the scorer that asks the model; by default one with the prompt of the settings. Raises ModelError when the
    model fails and must not.
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
