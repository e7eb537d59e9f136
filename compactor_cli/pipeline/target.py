"""What a compaction aims at."""

from __future__ import annotations

from collections.abc import Iterable

from compactor_cli.model.message import Message
from compactor_cli.model.transcript import Transcript
from compactor_cli.settings import Settings
from compactor_cli.summary_text.headers import Base, base_of, round_of


def resolve_target(transcript: Transcript, settings: Settings) -> tuple[int | None, Base]:
    """Return the token target, and the size that ratios refer to.

    A ratio is of everything the transcript ever said: what an earlier round started from, and what
    has come since. So the same ratio given again finds nothing to do.
    """
    tokens = transcript.tokens
    known = stated_base(transcript.messages)
    base = Base(tokens, tokens)
    if known is not None:
        base = Base(known.tokens + max(0, tokens - known.target), known.target)
    if settings.target_ratio is not None:
        return int(settings.target_ratio * base.tokens), base
    if settings.target_tokens is not None:
        return settings.target_tokens, base
    return None, base if known is not None else Base(tokens, 0)


def stated_base(messages: Iterable[Message]) -> Base | None:
    """Return what the newest round says that it started from; None where no summary says so."""
    summaries = [m.text("text") for m in messages if m.origin == "summary"]
    bases = [(round_of(text), base) for text in summaries if (base := base_of(text))]
    return max(bases, key=lambda numbered: numbered[0])[1] if bases else None


def is_within(transcript: Transcript, target: int | None, base: Base) -> bool:
    """Return whether there is nothing to do: within the target, or within what an earlier round aimed at."""
    return transcript.tokens <= (target if target is not None else base.target)
