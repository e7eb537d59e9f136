"""Every setting, frozen. Defaults come from the seeds; files, the environment and options override them.

Each field is a key of the settings files under the same name (`scoring.threshold` is `threshold` in the section
`[scoring]`). Its meaning, allowed values and command-line option are declared here and nowhere else: files,
environment variables, options, their help and docs/settings.md are derived from it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from typing import Any, TypeVar

from msgspec import Struct

from compactor_cli.settings.frozen import FrozenValues, frozen

T = TypeVar("T")


class Option(Struct, frozen=True):
    """The option that sets a key on the command line."""

    name: str
    """`--threshold`; for a switch, both forms: `--cache/--no-cache`."""
    commands: tuple[str, ...]
    """Commands that have the option. A subcommand is named with its group: `memory list`."""
    metavar: str = ""


def setting(
    default: T,
    meaning: str,
    *,
    minimum: float | None = None,
    maximum: float | None = None,
    choices: Sequence[str] = (),
    form: str = "",
    variable: str = "",
    option: Option | None = None,
) -> T:
    """Declare a setting.

    `meaning` is also the help text of its option, where `empty:` and `unset:` become `default:`. In a list, each
    number must be within the limits. `form` adds what the type does not express: time, pattern, path, tokens (4k is
    4,000), text (the option names a file with the text), or, for a list, rising. `variable` is a second environment
    variable besides the key's own."""
    limits = {"minimum": minimum, "maximum": maximum, "declared_choices": tuple(choices), "form": form}
    metadata = {"meaning": meaning, **limits, "seed_variable": variable, "option": option}  # as in `Key`
    declared: Any = field(default=default, metadata=metadata)
    return declared  # type: ignore[no-any-return]  # dataclasses takes the field for its default


_WRITE = ("compact", "assemble")
_SCORE = ("score", "budget", *_WRITE)
_ASK = ("score", *_WRITE)
_READ = (*_SCORE, "inspect", "diff", "evaluate", "learn", "browse")
_MEMORY = ("list", "search", "show", "add", "pin", "unpin", "forget", "decay", "consolidate", "export", "import")
_KEEP = ("compact", "inspect", "restore", *(f"memory {name}" for name in _MEMORY), "hook run", "mcp", "browse")
"""Groups of commands that share options: they write, score, may ask a model, read transcripts, or open the database."""


@frozen(frozen=True, kw_only=True)
class ContextSettings(FrozenValues):
    """When to compact (seeds 001, 003, 004)."""

    limit: int = setting(0, "context limit in tokens; 0: the model's own", minimum=0)
    threshold: int | None = setting(
        None, "tokens at which to compact; 0: never; unset: computed from the context limit", minimum=0
    )
    system_reserve: int = setting(2_000, "tokens reserved for the system prompt and tools", minimum=0)
    output_reserve: int = setting(4_000, "tokens reserved for the answer", minimum=0)
    safety_buffer: int = setting(5_000, "tokens reserved in case the count is off", minimum=0)
    threshold_percent: float = setting(
        0.80, "share of the tokens left after the reserves at which to compact", minimum=0, maximum=1
    )
    warning_percent: float = setting(0.80, "share of the threshold at which to warn", minimum=0, maximum=1)


@frozen(frozen=True, kw_only=True)
class ScoringSettings(FrozenValues):
    """Residuals (seed 000)."""

    scorer: str = setting(
        "",
        "how messages are scored; empty: factors, or weighted for strategy ranked",
        option=Option("--scorer", _SCORE, "NAME"),
    )
    threshold: float = setting(
        60,
        "lowest score of a residual",
        minimum=0,
        option=Option("--threshold", _SCORE, "POINTS"),
        variable="PROMPT_COMPACTION_RESIDUAL_THRESHOLD",
    )
    max_residuals: float = setting(
        0.20,
        "largest share of messages (and tokens) that may be residuals",
        minimum=0,
        maximum=1,
        option=Option("--max-residuals", _SCORE, "SHARE"),
        variable="PROMPT_COMPACTION_RESIDUAL_MAX_PERCENT",
    )
    residuals: bool = setting(True, "allow residuals at all", variable="PROMPT_COMPACTION_RESIDUALS_ENABLED")
    now: float | None = setting(
        None,
        "time from which recency is measured; unset: the newest timestamp",
        form="time",
        option=Option("--now", _SCORE, "TIME"),
    )


@frozen(frozen=True, kw_only=True)
class TierSettings(FrozenValues):
    """Recency tiers (seed 000)."""

    enabled: bool = setting(
        True,
        "cut older messages by tier; if not, all of them count as recent",
        variable="PROMPT_COMPACTION_TIERED_ENABLED",
    )
    borders: tuple[int, int, int] = setting(
        (10, 25, 50), "messages, from the newest, where tiers 1, 2 and 3 begin", minimum=0, form="rising"
    )
    keep: tuple[float, float, float, float] = setting(
        (1.0, 0.70, 0.40, 0.15), "share of each tier that is kept when there is no target", minimum=0, maximum=1
    )


@frozen(frozen=True, kw_only=True)
class BudgetSettings(FrozenValues):
    """How a token budget is divided (seed 000)."""

    enabled: bool = setting(
        True,
        "split a target 70/20/7/3 among the tiers; if not, newer tiers are served first",
        variable="PROMPT_COMPACTION_BUDGET_ENABLED",
    )
    safety_margin: int = setting(100, "tokens that budget and assemble leave unused", minimum=0)


@frozen(frozen=True, kw_only=True)
class SummarizationSettings(FrozenValues):
    """Weighted scoring and batches of summaries (seed 002)."""

    role_weight_system: float = setting(10.0, "points for a system message", minimum=0)
    role_weight_user: float = setting(5.0, "points for a user message", minimum=0)
    role_weight_assistant: float = setting(3.0, "points for an assistant message or a tool result", minimum=0)
    recency_decay: float = setting(
        0.98, "factor on the points for recency, for each message further from the end", minimum=0, maximum=1
    )
    question_bonus: float = setting(2.0, "points for a question", minimum=0)
    tool_call_bonus: float = setting(4.0, "points for calling a tool", minimum=0)
    keyword_bonus: float = setting(1.5, "points for each important keyword", minimum=0)
    important_keywords: tuple[str, ...] = setting(
        ("decided", "agreed", "must", "important", "critical", "error", "failed", "bug", "remember", "todo"),
        "words that make a message important",
    )
    content_length_weight: float = setting(1.0, "points for each 100 characters, up to 3 points", minimum=0)
    chunk_size: int = setting(20, "messages in one batch that strategy ranked summarizes", minimum=1)
    max_summaries: int = setting(
        5, "batches of strategy ranked above which the least important are summarized again", minimum=1
    )
    prompt: str = setting(
        "",
        "system prompt for summaries that a model writes, used as it is; empty: the built-in one",
        form="text",
        option=Option("--summary-prompt", _WRITE, "FILE"),
    )


@frozen(frozen=True, kw_only=True)
class LlmSettings(FrozenValues):
    """Language models: which one to ask, how, and at what cost."""

    model: str = setting(
        "",
        "model to ask, as litellm names it: openai/gpt-4o-mini; empty: that of --model",
        option=Option("--llm-model", _ASK, "NAME"),
    )
    api_base: str = setting("", "URL of the model's server; empty: that of its provider")
    fallback: bool = setting(
        True,
        "fall back to working offline when the model fails; if not, exit with code 5",
        option=Option("--fallback/--no-fallback", _ASK),
    )
    temperature: float = setting(0.0, "sampling temperature", minimum=0, maximum=0.3)
    strict_roles: bool = setting(
        False, "alternate roles and put all system messages first, for models that insist on it"
    )
    summary_tokens: int = setting(800, "most tokens of a summary that the model writes", minimum=50)
    timeout: float = setting(120.0, "seconds to wait for an answer", minimum=0.1)
    retries: int = setting(2, "times to retry a request after a rate limit or a failure", minimum=0)
    backoff: float = setting(1.0, "seconds before the first retry; each further one waits twice as long", minimum=0)
    concurrency: int = setting(
        4, "requests to send at the same time", minimum=1, maximum=64, option=Option("--concurrency", _ASK, "N")
    )
    max_cost: float | None = setting(
        None,
        "most US dollars that a run may cost; unset: no limit",
        minimum=0,
        option=Option("--max-cost", _ASK, "USD"),
    )
    cache: bool = setting(
        True, "store answers and reuse them for identical requests", option=Option("--cache/--no-cache", _ASK)
    )
    cache_mb: int = setting(
        64, "most megabytes of stored answers; the least recently used are removed first", minimum=1
    )


@frozen(frozen=True, kw_only=True)
class ArchiveSettings(FrozenValues):
    """Storing originals and rounds, so that they can be restored."""

    enabled: bool = setting(
        False,
        "store what compact removes, and the round, in the database, so that restore can bring it back",
        option=Option("--archive/--no-archive", ("compact",)),
    )
    manifest: bool = setting(
        False,
        "write a manifest of what compact removed next to its output",
        option=Option("--manifest/--no-manifest", ("compact",)),
    )
    limit_mb: int = setting(
        1024, "most megabytes of originals; the least recently used compactions are removed first", minimum=1
    )
    keep_days: int = setting(30, "days to keep a compaction's originals whatever the limit", minimum=0)


@frozen(frozen=True, kw_only=True)
class MemorySettings(FrozenValues):
    """The memory log (seed 003)."""

    auto_flush: bool = setting(
        False,
        "extract memories into the memory log before compacting",
        option=Option("--flush/--no-flush", ("compact",)),
    )
    threshold: float = setting(60, "lowest importance that is remembered", minimum=0, maximum=100)
    prompt: str = setting(
        "", "system prompt for the model that judges messages when memories are extracted; empty: the built-in one"
    )
    auto_recall: bool = setting(False, "add memories that match the session's requests to the output without --recall")
    recall_count: int = setting(5, "most memories to add to the output", minimum=1)
    recall_tokens: int = setting(600, "most tokens that they may take", minimum=50)
    half_life_days: float = setting(
        90,
        "days without use after which decay has halved a memory's importance",
        minimum=0.1,
        option=Option("--half-life", ("memory decay",), "DAYS"),
    )


@frozen(frozen=True, kw_only=True)
class HookSettings(FrozenValues):
    """What happens before and after an agent's own compaction."""

    archive: bool = setting(True, "let `hook run` archive a session before its agent compacts it")
    folder: str = setting("", "folder for a compacted copy of the session that `hook run` writes; empty: none")
    tokens: int = setting(
        1_500, "most tokens that `hook run` may put back into the context", minimum=100, maximum=10_000
    )


@frozen(frozen=True, kw_only=True)
class Settings(FrozenValues):
    """The settings of one run."""

    target_tokens: int | None = setting(
        None,
        "target in tokens, for each conversation of a file; if it cannot be met, the exit code is 4",
        minimum=1,
        form="tokens",
        option=Option("--target-tokens", ("compact", "browse"), "N"),
    )
    target_ratio: float | None = setting(
        None,
        "target as a share of the original tokens",
        minimum=0,
        maximum=1,
        option=Option("--target-ratio", ("compact", "browse"), "R"),
    )
    strategy: str = setting(
        "",
        "how to compact (listed by compactor strategies); empty: adaptive with a target, or rolling when a model "
        "summarizes; tiered without a target",
        option=Option("--strategy", (*_WRITE, "browse"), "NAME"),
    )
    summarizer: str = setting("extractive", "who writes summaries", option=Option("--summarizer", _WRITE, "NAME"))
    drop_outside: bool = setting(
        False,
        "leave out records that the agent no longer sends to its model: those before its own compaction, old "
        "branches, progress, snapshots",
        option=Option("--drop-outside/--keep-outside", ("compact",)),
    )
    summary_role: str = setting(
        "",
        "role of summaries; empty: what the format's API accepts",
        choices=("", "user", "assistant", "system"),
        option=Option("--summary-role", _WRITE, "ROLE"),
    )
    keep: tuple[str, ...] = setting(
        (), "patterns; messages that match stay whole", form="pattern", option=Option("--keep", _WRITE, "REGEX")
    )
    keep_last: int = setting(0, "newest messages to keep whole", minimum=0, option=Option("--keep-last", _WRITE, "N"))
    query: str = setting("", "words that summaries should favour", option=Option("--query", _WRITE, "TEXT"))
    recent_messages: int = setting(
        10,
        "newest messages that rolling, ranked, summarize, hybrid and truncate keep; shorter sessions stay as they are",
        minimum=1,
    )
    scoring: ScoringSettings = field(default_factory=ScoringSettings)
    context: ContextSettings = field(default_factory=ContextSettings)
    tiers: TierSettings = field(default_factory=TierSettings)
    budget: BudgetSettings = field(default_factory=BudgetSettings)
    summarization: SummarizationSettings = field(default_factory=SummarizationSettings)
    llm: LlmSettings = field(default_factory=LlmSettings)
    archive: ArchiveSettings = field(default_factory=ArchiveSettings)
    memory: MemorySettings = field(default_factory=MemorySettings)
    hook: HookSettings = field(default_factory=HookSettings)

    @property
    def strategy_name(self) -> str:
        """Return the strategy to use: the one that is set, or the default for this kind of run."""
        return self.strategy_for(aims=self.target_tokens is not None or self.target_ratio is not None)

    def strategy_for(self, *, aims: bool) -> str:
        """Return the strategy for runs with a target (`aims`) or without one."""
        # adaptive quotes lines, so it leaves a model nothing to write
        return self.strategy or (("rolling" if self.summarizer == "llm" else "adaptive") if aims else "tiered")

    @property
    def asks(self) -> bool:
        """Return whether the run asks a language model."""
        return self.summarizer == "llm" or self.scorer_name == "classifier"

    @property
    def scorer_name(self) -> str:
        """Return the scorer to use: the one that is set, or the strategy's own."""
        return self.scoring.scorer or ("weighted" if self.strategy == "ranked" else "factors")


@frozen(frozen=True, kw_only=True)
class ReadingSettings(FrozenValues):
    """How to read transcripts and count tokens."""

    model: str = setting(
        "",
        "model whose encoding and context limit to use; empty: none, with a limit of 128,000 tokens",
        option=Option("--model", ("sessions", *_READ), "NAME"),
    )
    tokenizer: str = setting(
        "",
        "how to count tokens: o200k_base, cl100k_base, an open model by name (qwen3, llama3), chars (four a token), "
        "or probe (ask the provider); empty: the encoding of the model, else o200k_base",
        option=Option("--tokenizer", ("sessions", "doctor", *_READ), "NAME"),
    )
    format: str = setting(
        "",
        "format of the transcripts (listed by compactor formats); empty: recognised by content",
        option=Option("--format", ("convert", "doctor", "textconv", *_READ), "NAME"),
    )
    profile: str = setting(
        "",
        "weights for strategy adaptive, a file that learn wrote; empty: the shipped ones",
        form="path",
        option=Option("--profile", (*_WRITE, "evaluate", "browse"), "TOML"),
    )
    skip_damaged: bool = setting(
        False,
        "skip lines that are not JSON, and report them",
        option=Option("--skip-damaged/--no-skip-damaged", ("convert", *_READ)),
    )
    database_url: str = setting(
        "",
        "database of the archive and the memory log: a path, or postgresql://USER@HOST/NAME; empty: SQLite "
        "in the user's data folder",
        option=Option("--database", _KEEP, "URL"),
    )
