"""The Python API: the commands as functions over values. No files, no output."""

from __future__ import annotations

from dataclasses import dataclass

from compactor_cli.formats.loading import load as _load
from compactor_cli.model.profile import Profile
from compactor_cli.model.report import Analysis, Compaction
from compactor_cli.model.transcript import Source
from compactor_cli.pipeline.budget import allocate
from compactor_cli.pipeline.compare import Fate, Survival
from compactor_cli.pipeline.compare_sources import compare_sources
from compactor_cli.pipeline.run import analyze, compact_source
from compactor_cli.settings import Settings
from compactor_cli.tokens import make_counter
from compactor_cli.wiring import tools_for

__all__ = ["CompactResult", "Settings", "allocate", "compact", "diff", "load", "score"]


@dataclass(frozen=True, slots=True)
class CompactResult:
    """A compacted file and what was done to each conversation in it."""

    data: bytes
    parts: tuple[Compaction, ...]


def load(data: bytes, path: str = "-", *, format: str = "", tokenizer: str = "", skip_damaged: bool = False) -> Source:
    """Read a transcript from bytes. `path` only names it in errors, which are InputError."""
    return _load(data, path, make_counter(tokenizer).counter, format=format, skip_damaged=skip_damaged)


def score(source: Source, settings: Settings | None = None, *, tokenizer: str = "") -> tuple[Analysis, ...]:
    """Scores, residuals, tiers and faults of each conversation."""
    settings = settings or Settings()
    counter = make_counter(tokenizer).counter
    return tuple(analyze(t, tools_for(t, counter, settings), settings) for t in source.transcripts)


def compact(
    source: Source,
    settings: Settings | None = None,
    *,
    tokenizer: str = "",
    profile: Profile | None = None,
    closed: bool = False,
) -> CompactResult:
    """Compact each conversation; `profile` is for strategies that learned. `closed`: a turn of the user is to
    follow, so calls in flight are answered and a tool result at the end gets an assistant turn. Raises
    BudgetError when a target cannot be met."""
    settings = settings or Settings()
    counter = make_counter(tokenizer).counter
    data, parts = compact_source(
        source, [tools_for(t, counter, settings, profile) for t in source.transcripts], settings, closed=closed
    )
    return CompactResult(data, tuple(parts))


def diff(before: Source, after: Source) -> tuple[Fate, tuple[Survival, ...]]:
    """What became of the messages, and what survived."""
    return compare_sources(before, after)
