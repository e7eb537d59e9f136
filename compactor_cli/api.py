"""The Python API: the commands as functions over values, without files or output."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, overload

from msgspec import Struct
from msgspec.structs import replace

from compactor_cli.asking.port import LanguageModel
from compactor_cli.configuration.layers import checked_settings
from compactor_cli.errors import InputError
from compactor_cli.formats.loading import load as _load
from compactor_cli.memory.decontextualize import Resolved, statements_of
from compactor_cli.memory.decontextualize import decontextualize as _decontextualize
from compactor_cli.memory.extract import MemoryExtractor
from compactor_cli.memory.extract import extract_memories as _extract_memories
from compactor_cli.model.budget import FixedParts
from compactor_cli.model.content import Content, read_all
from compactor_cli.model.memory import Memory
from compactor_cli.model.profile import Profile
from compactor_cli.model.report import Analysis, Compaction
from compactor_cli.model.transcript import Source
from compactor_cli.objects import as_list, from_lines, to_lines
from compactor_cli.pipeline.analysis import analyze
from compactor_cli.pipeline.one_compaction import CurrentStage
from compactor_cli.pipeline.run import compact_source
from compactor_cli.pipeline.share_budget import allocate
from compactor_cli.pipeline.threshold import ContextState
from compactor_cli.pipeline.threshold import context_state as _context_state
from compactor_cli.settings import ContextSettings, LlmSettings, Settings
from compactor_cli.tokens import make_counter
from compactor_cli.views.compare import Fate
from compactor_cli.views.compare_sources import compare_sources
from compactor_cli.views.survival.result import Survival
from compactor_cli.wiring import tools_for

if TYPE_CHECKING:
    from compactor_cli.llm.asker import Asker

__all__ = ["CompactResult", "ContextSettings", "ContextState", "CurrentStage", "FixedParts", "LlmSettings"]
__all__ += ["Settings", "allocate", "compact", "context_state", "decontextualize", "diff", "extract_memories"]
__all__ += ["language_model", "load", "score"]


class CompactResult(Struct, frozen=True):
    """A compacted file, and what was done to each conversation in it."""

    data: Content
    parts: tuple[Compaction, ...]


def load(
    data: bytes | Content, path: str = "-", *, format: str = "", tokenizer: str = "", skip_damaged: bool = False
) -> Source:
    """Read a transcript from bytes. `path` is only a name for errors, which are InputError."""
    if isinstance(data, str):
        raise InputError("a text; give its bytes, such as text.encode() or Path(...).read_bytes()", path=path)
    content = bytes(data) if isinstance(data, (bytearray, memoryview)) else data
    return _load(content, path, make_counter(tokenizer).counter, format=format, skip_damaged=skip_damaged)


def score(
    source: Source, settings: Settings | None = None, *, tokenizer: str = "", model: LanguageModel | None = None
) -> tuple[Analysis, ...]:
    """Return scores, residuals, tiers and faults of each conversation. `model` is for scorer classifier."""
    settings = checked_settings(settings or Settings())
    counter = make_counter(tokenizer).counter
    return tuple(analyze(t, tools_for(t, counter, settings, model=model), settings) for t in source.transcripts)


@overload
def compact(
    source: Source,
    settings: Settings | None = None,
    *,
    target_tokens: int | None = None,
    target_ratio: float | None = None,
    format: str = "",
    tokenizer: str = "",
    profile: Profile | None = None,
    closed: bool = False,
    model: LanguageModel | None = None,
    on_stage: Callable[[str, str], object] | None = None,
    recalled: Sequence[Memory] = (),
    flush: Callable[[Sequence[Memory]], object] | None = None,
    at: float = 0.0,
) -> CompactResult: ...


@overload
def compact(
    source: Iterable[Any],
    settings: Settings | None = None,
    *,
    target_tokens: int | None = None,
    target_ratio: float | None = None,
    format: str = "",
    tokenizer: str = "",
    profile: Profile | None = None,
    closed: bool = False,
    model: LanguageModel | None = None,
    on_stage: Callable[[str, str], object] | None = None,
    recalled: Sequence[Memory] = (),
    flush: Callable[[Sequence[Memory]], object] | None = None,
    at: float = 0.0,
) -> list[Any]: ...


def compact(  # noqa: PLR0913  # options of a command, each by its name
    source: Source | Iterable[Any],
    settings: Settings | None = None,
    *,
    target_tokens: int | None = None,
    target_ratio: float | None = None,
    format: str = "",
    tokenizer: str = "",
    profile: Profile | None = None,
    closed: bool = False,
    model: LanguageModel | None = None,
    on_stage: Callable[[str, str], object] | None = None,
    recalled: Sequence[Memory] = (),
    flush: Callable[[Sequence[Memory]], object] | None = None,
    at: float = 0.0,
) -> CompactResult | list[Any]:
    """Compact messages, or each conversation of a loaded file.

    For a list of messages, a list is returned. Unchanged messages are the same objects; new or shortened ones are
    dicts, or LangChain messages if the input had these. `format` names the format of a list if it is ambiguous.
    `target_tokens` and `target_ratio` override those of `settings`.

    `profile` is for strategies that use learned weights. `closed`: a user turn will follow, so calls in flight are
    answered, and a tool result at the end gets an assistant turn. `model` is asked if the settings require it (see
    `language_model`). `on_stage` is called with the name and description of each stage as it begins (see
    `CurrentStage`).

    `recalled`: memories to insert into the output within the target, most relevant first. `flush` is called last, with
    the memories of each compacted conversation, to store them (seed 003). They are extracted before the summaries are
    written, and their creation time is `at` (seconds since 1970).

    Raises BudgetError when a target cannot be met, InputError for anything but a list of messages, SettingsError for
    invalid values, and ModelError when the model fails and the settings do not allow fallback."""
    settings = settings or Settings()
    if target_tokens is not None or target_ratio is not None:
        settings = dataclasses.replace(settings, target_tokens=target_tokens, target_ratio=target_ratio)
    settings = checked_settings(settings)
    if flush is not None:
        settings = dataclasses.replace(settings, memory=dataclasses.replace(settings.memory, auto_flush=True))
    if isinstance(source, Source):
        messages, before, file = [], [], source
    else:
        messages = as_list(source)
        before = to_lines(messages)
        if not before:
            return []
        file = load(b"\n".join(before), "messages", format=format, tokenizer=tokenizer)
    counter = make_counter(tokenizer).counter
    tools = [tools_for(t, counter, settings, profile, model) for t in file.transcripts]
    if flush is not None:
        judges = [own.scorer if settings.scorer_name == "classifier" else None for own in tools]
        finders = [MemoryExtractor(settings, created=at, model=model, judge=judge) for judge in judges]
        tools = [replace(own, remember=finder, persist=flush) for own, finder in zip(tools, finders, strict=True)]
    if on_stage is not None:
        tools = [replace(own, on_stage=on_stage) for own in tools]
    data, parts = compact_source(file, tools, settings, closed=closed, recalled=recalled)
    if file is source:
        return CompactResult(data, tuple(parts))
    return from_lines(read_all(data).splitlines(), messages, before)


def context_state(
    messages: Iterable[Any],
    settings: Settings | None = None,
    *,
    model: str = "",
    tokens: int | None = None,
    format: str = "",
    tokenizer: str = "",
) -> ContextState:
    """Return how full the context is, and whether it is time to compact (`needs_compaction`, seeds 001 and 004).

    `model`: determines the context limit and the encoding; `settings.context` has the threshold. `tokens`: the
    provider's last count, if known; otherwise the messages are counted. Raises InputError for anything but a list of
    messages."""
    from compactor_cli.tokens.models import model_facts

    settings = checked_settings(settings or Settings())
    lines = to_lines(as_list(messages))
    if tokens is None:
        counter = make_counter(tokenizer, model).counter
        tokens = _load(b"\n".join(lines), "messages", counter, format=format).tokens if lines else 0
    limit = model_facts(model).context_limit
    return _context_state(tokens, len(lines), limit, settings.recent_messages, settings.context)


def language_model(
    name: str, settings: Settings | None = None, *, tokenizer: str = "", say: Callable[[str], None] | None = None
) -> Asker:
    """Return a model, named as in litellm, for one run; `say` is called with messages for people. The API key comes
    from the environment.

    Its `usage` and `fallbacks` show what was requested, and what was done without the model.
    """
    from compactor_cli.llm.asker import make_asker

    count = make_counter(tokenizer).counter.count
    return make_asker(name, checked_settings(settings or Settings()).llm, count=count, say=say or (lambda text: None))


def decontextualize(
    source: Source, model: LanguageModel, indices: Sequence[int], *, conversation: int = 0
) -> tuple[Resolved, ...]:
    """Return some messages of a conversation as self-contained statements: the model resolves pronouns and
    references from what was said before (seed 003). Statements that are already self-contained are not sent, and
    answers that lose or add facts are rejected. Raises ModelError when the model fails and fallback is not allowed."""
    return _decontextualize(statements_of(source.transcripts[conversation].messages, indices), model)


def extract_memories(
    source: Source, settings: Settings | None = None, *, model: LanguageModel | None = None, at: float
) -> tuple[Memory, ...]:
    """Return what is worth remembering from each conversation (seed 003), from `settings.memory.threshold` on, in
    the order of mention. `at`: the time of extraction, in seconds since 1970. With `model`, the model judges
    messages and resolves references. Without, rules find statements of which they are moderately sure. Raises
    ModelError when the model fails and fallback is not allowed."""
    settings = checked_settings(settings or Settings())
    return tuple(m for t in source.transcripts for m in _extract_memories(t, settings, created=at, model=model))


def diff(before: Source, after: Source) -> tuple[Fate, tuple[Survival, ...]]:
    """Return what happened to the messages, and what survived."""
    return compare_sources(before, after)
