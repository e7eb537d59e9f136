"""Select the pipeline's tools by the names in the settings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from compactor_cli.features.topics import find_topics
from compactor_cli.formats import FORMATS
from compactor_cli.model.transcript import Transcript
from compactor_cli.pipeline.one_compaction import Tools, Topics
from compactor_cli.scoring import make_scorer
from compactor_cli.settings import Settings
from compactor_cli.strategies import strategy
from compactor_cli.summaries.registry import summarizer
from compactor_cli.tokens.base import TokenCounter

if TYPE_CHECKING:
    from compactor_cli.asking.port import LanguageModel
    from compactor_cli.model.profile import Profile


def tools_for(
    transcript: Transcript,
    counter: TokenCounter,
    settings: Settings,
    profile: Profile | None = None,
    model: LanguageModel | None = None,
) -> Tools:
    """Return the tools for one transcript. Without a profile, strategies that need one get the default.

    Raises UsageError for an unknown name, and for a tool that needs a model when there is none.
    """
    chosen = strategy(settings.strategy_name)
    return Tools(
        format=FORMATS[transcript.format],
        counter=counter,
        scorer=make_scorer(settings.scorer_name, model, settings.memory.prompt if settings.memory.auto_flush else ""),
        strategy=chosen,
        summarizer=summarizer(settings.summarizer, settings, model),
        topics=_topic_finder(settings, model),
        profile=(profile or _shipped_profile()) if chosen.learned else None,
    )


def _shipped_profile() -> Profile:
    from compactor_cli.profiles import default_profile  # not needed for strategies without learned values

    return default_profile()


def _topic_finder(settings: Settings, model: LanguageModel | None) -> Topics:
    """Return a function that finds topics: with the model that writes the summaries, or else by the words used."""
    if model is None or settings.summarizer != "llm":
        return find_topics
    from compactor_cli.features.topics_by_model import ModelTopics  # most runs ask no model

    return ModelTopics(model)
