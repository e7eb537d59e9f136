"""Names in the settings -> the tools that the pipeline works with."""

from __future__ import annotations

from typing import TYPE_CHECKING

from compactor_cli.features.topics import find_topics
from compactor_cli.formats import FORMATS
from compactor_cli.model.transcript import Transcript
from compactor_cli.pipeline.stages import Topics
from compactor_cli.pipeline.tools import Tools
from compactor_cli.scoring import scorer
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
    """Return the tools for one transcript; without a profile, strategies that need one have the default.

    Raises UsageError for a name that is not known, and for a tool that needs a model when there is none.
    """
    chosen = strategy(settings.strategy_name)
    return Tools(
        format=FORMATS[transcript.format],
        counter=counter,
        scorer=scorer(settings.scorer_name, model, _judging(settings)),
        strategy=chosen,
        summarizer=summarizer(settings.summarizer, settings, model),
        topics=_topics(settings, model),
        profile=(profile or _shipped()) if chosen.learned else None,
    )


def _shipped() -> Profile:
    from compactor_cli.profiles import default_profile  # strategies that have no learned values need none of it

    return default_profile()


def _judging(settings: Settings) -> str:
    """Return the prompt by which a model judges messages: where memories are made of them, that of the memories, so
    that it judges each message once; empty for the default one."""
    return settings.memory.prompt if settings.memory.auto_flush else ""


def _topics(settings: Settings, model: LanguageModel | None) -> Topics:
    """Return topics by the model that writes the summaries, or by the words that were used."""
    if model is None or settings.summarizer != "llm":
        return find_topics
    from compactor_cli.features.topics_by_model import ModelTopics  # most runs ask no model

    return ModelTopics(model)
