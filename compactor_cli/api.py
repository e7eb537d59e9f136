"""The Python API: the commands as functions over values. No files, no output."""

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
from compactor_cli.memory.extraction import Remembering
from compactor_cli.memory.extraction import extract_memories as _extract_memories
from compactor_cli.model.budget import FixedParts
from compactor_cli.model.content import Content, in_memory
from compactor_cli.model.memory import Memory
from compactor_cli.model.profile import Profile
from compactor_cli.model.report import Analysis, Compaction
from compactor_cli.model.transcript import Source
from compactor_cli.objects import from_lines, listed, to_lines
from compactor_cli.pipeline.run import analyze, compact_source
from compactor_cli.pipeline.share_budget import allocate
from compactor_cli.pipeline.stages import CurrentStage
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

__all__ = [
    "CompactResult",
    "ContextSettings",
    "ContextState",
    "CurrentStage",
    "FixedParts",
    "LlmSettings",
    "Settings",
    "allocate",
    "compact",
    "context_state",
    "decontextualize",
    "diff",
    "extract_memories",
    "language_model",
    "load",
    "score",
]


class CompactResult(Struct, frozen=True):
    """A compacted file and what was done to each conversation in it."""

    data: Content
    parts: tuple[Compaction, ...]


def load(
    data: bytes | Content, path: str = "-", *, format: str = "", tokenizer: str = "", skip_damaged: bool = False
) -> Source:
    """Read a transcript from bytes. `path` only names it in errors, which are InputError."""
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
    """Compact messages, or each conversation of a file that was loaded.

    Of a list of messages a list comes back: what did not change are the very same objects, what is new or was
    shortened are dicts (messages of LangChain where those were given). `format` names the format of a list where it
    could be several. `target_tokens` and `target_ratio` stand before those of `settings`.

    `profile` is for strategies that learned. `closed`: a turn of the user is to
    follow, so calls in flight are answered and a tool result at the end gets an assistant turn. `model` is asked
    where the settings say so (see `language_model`). `on_stage` is called with the name and the meaning of each
    stage that begins (see `CurrentStage`). `recalled`: memories to put into the output within the target, the most
    relevant first. `flush` is given the memories of each conversation that is compacted (seed 003): they are found
    before its summaries are written, created at `at` (seconds since 1970), and `flush` is called last, to store them.
    Raises BudgetError when a target cannot be met, InputError for what is no list of messages, SettingsError for values
    that are not allowed, and ModelError when the model fails and the settings allow no fallback."""
    settings = _aimed(settings or Settings(), target_tokens, target_ratio)
    run = _CompactCall(tokenizer, profile, closed, model, on_stage, recalled, flush, at)
    if isinstance(source, Source):
        return run.compact(source, settings)
    messages = listed(source)
    before = to_lines(messages)
    if not before:
        return []
    loaded = load(b"\n".join(before), "messages", format=format, tokenizer=tokenizer)
    done = run.compact(loaded, settings)
    return from_lines(in_memory(done.data).splitlines(), messages, before)


def _aimed(settings: Settings, tokens: int | None, ratio: float | None) -> Settings:
    if tokens is not None or ratio is not None:
        settings = dataclasses.replace(settings, target_tokens=tokens, target_ratio=ratio)
    return checked_settings(settings)


class _CompactCall(Struct, frozen=True):
    """What `compact` is given besides the file and the settings."""

    tokenizer: str
    profile: Profile | None
    closed: bool
    model: LanguageModel | None
    on_stage: Callable[[str, str], object] | None
    recalled: Sequence[Memory]
    flush: Callable[[Sequence[Memory]], object] | None
    created: float

    def compact(self, source: Source, settings: Settings) -> CompactResult:
        """Return what is made of each conversation of a file."""
        counter = make_counter(self.tokenizer).counter
        if self.flush is not None:
            settings = dataclasses.replace(settings, memory=dataclasses.replace(settings.memory, auto_flush=True))
        tools = [tools_for(t, counter, settings, self.profile, self.model) for t in source.transcripts]
        if self.flush is not None:
            judges = settings.scorer_name == "classifier"
            tools = [
                replace(
                    own,
                    remember=Remembering(
                        settings, created=self.created, model=self.model, judge=own.scorer if judges else None
                    ),
                    persist=self.flush,
                )
                for own in tools
            ]
        if self.on_stage is not None:
            tools = [replace(own, on_stage=self.on_stage) for own in tools]
        data, parts = compact_source(source, tools, settings, closed=self.closed, recalled=self.recalled)
        return CompactResult(data, tuple(parts))


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

    `model`: the one whose context limit and encoding are used; `settings.context` has the threshold. `tokens`: what the
    provider counted last, where that is known; else the messages are counted. Raises InputError for what is no list of
    messages."""
    from compactor_cli.tokens.models import model_facts

    settings = checked_settings(settings or Settings())
    lines = to_lines(listed(messages))
    if tokens is None:
        counter = make_counter(tokenizer, model).counter
        tokens = _load(b"\n".join(lines), "messages", counter, format=format).tokens if lines else 0
    limit = model_facts(model).context_limit
    return _context_state(tokens, len(lines), limit, settings.recent_messages, settings.context)


def language_model(
    name: str, settings: Settings | None = None, *, tokenizer: str = "", say: Callable[[str], None] | None = None
) -> Asker:
    """Return a model as litellm names it, for one run; `say` gets words for people. Its key comes from the environment.

    `usage` and `fallbacks` of what is returned say what was asked, and what was done without it.
    """
    from compactor_cli.llm.asker import make_asker

    count = make_counter(tokenizer).counter.count
    return make_asker(name, checked_settings(settings or Settings()).llm, count=count, say=say or (lambda text: None))


def decontextualize(
    source: Source, model: LanguageModel, indices: Sequence[int], *, conversation: int = 0
) -> tuple[Resolved, ...]:
    """Return what some messages of a conversation say, as statements that stand alone: pronouns and references are
    resolved by the model with what was said before (seed 003). What stands alone already is not asked about, and
    what comes back with facts lost or added is not taken. Raises ModelError when the model fails and must not."""
    return _decontextualize(statements_of(source.transcripts[conversation].messages, indices), model)


def extract_memories(
    source: Source, settings: Settings | None = None, *, model: LanguageModel | None = None, at: float
) -> tuple[Memory, ...]:
    """Return what is worth remembering of each conversation (seed 003), from `settings.memory.threshold` on, in the
    order in which it was said. `at`: the time of extraction, seconds since 1970. With `model`, messages are judged and
    references resolved by it; without, rules find what they are moderately sure of. Raises ModelError when the model
    fails and must not."""
    settings = checked_settings(settings or Settings())
    return tuple(m for t in source.transcripts for m in _extract_memories(t, settings, created=at, model=model))


def diff(before: Source, after: Source) -> tuple[Fate, tuple[Survival, ...]]:
    """Return what became of the messages, and what survived."""
    return compare_sources(before, after)
