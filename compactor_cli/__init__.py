"""compactor: makes transcripts of conversations with language models smaller.

A small Python API over the same pure core that the command line uses:

    import compactor_cli as compactor

    messages = compactor.compact(messages, target_tokens=20_000)  # dicts, or objects of an SDK

    source = compactor.load(data, "session.jsonl")
    result = compactor.compact(source, compactor.Settings(target_tokens=8000))
    result.data  # bytes of the smaller transcript

    # with a language model for the summaries; its key is in the environment
    model = compactor.language_model("openai/gpt-4o-mini")
    settings = compactor.Settings(target_tokens=8000, summarizer="llm")
    result = compactor.compact(source, settings, model=model, on_stage=print)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__all__ = ["ContextSettings", "ContextState", "CurrentStage", "FixedParts", "LlmSettings", "Settings", "allocate"]
__all__ += ["compact", "context_state", "decontextualize", "diff", "extract_memories", "language_model", "load"]
__all__ += ["score"]

if TYPE_CHECKING:
    from compactor_cli.api import (
        ContextSettings,
        ContextState,
        CurrentStage,
        FixedParts,
        LlmSettings,
        Settings,
        allocate,
        compact,
        context_state,
        decontextualize,
        diff,
        extract_memories,
        language_model,
        load,
        score,
    )


def __getattr__(name: str) -> Any:
    """Import the API on first use, so that the command line starts without it."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from compactor_cli import api

    return getattr(api, name)
