"""Memories of a transcript, by the model where there is one (seed 003): judged, made to stand alone, or by rules."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from compactor_cli.memory.extract import extract
from compactor_cli.model.asking import LanguageModel
from compactor_cli.model.memories import Memory
from compactor_cli.model.score import Score
from compactor_cli.model.transcript import Transcript
from compactor_cli.settings import Settings


def extract_memories(
    transcript: Transcript,
    settings: Settings,
    *,
    at: float,
    model: LanguageModel | None = None,
    scores: Sequence[Score] | None = None,
) -> tuple[Memory, ...]:
    """What is worth remembering by `settings.memory`, in the order in which it was said; created at `at`.

    `scores`: what scorer classifier has found already, so that the model is not asked again; they do not count
    when the settings have a prompt of their own for memories. Raises ModelError when the model fails and must not.
    """
    memory = settings.memory
    if model is not None and (scores is None or memory.prompt):
        from compactor_cli.scoring.classifier import ClassifierScorer  # most runs ask no model

        judged_by = replace(settings, scoring=replace(settings.scoring, threshold=memory.threshold))
        scores = ClassifierScorer(model, memory.prompt).score(transcript, judged_by)
    return extract(transcript, threshold=memory.threshold, at=at, model=model, scores=scores)
