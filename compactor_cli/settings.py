"""Every setting, frozen. Defaults are those of the seeds; files, the environment and flags fill in the rest.

Each field is a key of the settings files under the same name (`scoring.threshold` is `threshold` in the
section `[scoring]`); its meaning and what is allowed stand beside it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

T = TypeVar("T")


def setting(
    default: T,
    meaning: str,
    *,
    minimum: float | None = None,
    maximum: float | None = None,
    choices: Sequence[str] = (),
) -> T:
    """A field with what is allowed for it; numbers of a list are each within the limits."""
    limits = {"meaning": meaning, "minimum": minimum, "maximum": maximum, "choices": tuple(choices)}
    declared: Any = field(default=default, metadata=limits)
    return declared  # type: ignore[no-any-return]  # dataclasses takes the field for its default


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextSettings:
    """When to compact (seeds 001, 003, 004)."""

    limit: int = setting(0, "context limit in tokens; 0: that of the model", minimum=0)
    threshold: int | None = setting(
        None, "tokens at which to compact; 0: never; unset: computed from the context limit", minimum=0
    )
    system_reserve: int = setting(2_000, "tokens reserved for the system prompt and tools", minimum=0)
    output_reserve: int = setting(4_000, "tokens reserved for the answer", minimum=0)
    safety_buffer: int = setting(5_000, "tokens reserved for errors in counting", minimum=0)
    threshold_percent: float = setting(
        0.80, "share of what the reserves leave at which to compact", minimum=0, maximum=1
    )
    warning_percent: float = setting(0.80, "share of the threshold at which to warn", minimum=0, maximum=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoringSettings:
    """Residuals (seed 000)."""

    scorer: str = setting("", "how messages are scored; empty: weighted for strategy ranked, else factors")
    threshold: float = setting(60, "score from which a message is a residual", minimum=0)
    max_residuals: float = setting(
        0.20, "largest share of messages (and tokens) that are residuals", minimum=0, maximum=1
    )
    residuals: bool = setting(True, "whether there are residuals at all")
    now: float | None = setting(None, "time that recency is measured from, seconds since 1970; unset: newest timestamp")


@dataclass(frozen=True, slots=True, kw_only=True)
class TierSettings:
    """Recency tiers (seed 000)."""

    enabled: bool = setting(True, "whether older messages are cut by tier; without, all of them count as recent")
    borders: tuple[int, int, int] = setting(
        (10, 25, 50), "messages, from the newest, where tiers 1, 2 and 3 begin", minimum=0
    )
    keep: tuple[float, float, float, float] = setting(
        (1.0, 0.70, 0.40, 0.15), "share of each tier that is kept when there is no target", minimum=0, maximum=1
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetSettings:
    """Sharing out a token budget (seed 000)."""

    enabled: bool = setting(True, "whether a target is shared out 70/20/7/3; without, newer tiers are served first")
    safety_margin: int = setting(100, "tokens that budget and assemble leave free", minimum=0)


@dataclass(frozen=True, slots=True, kw_only=True)
class SummarizationSettings:
    """Weighted scoring and batches of summaries (seed 002)."""

    role_weight_system: float = setting(10.0, "points of a system message", minimum=0)
    role_weight_user: float = setting(5.0, "points of a message of the user", minimum=0)
    role_weight_assistant: float = setting(3.0, "points of an assistant message, and of a tool result", minimum=0)
    recency_decay: float = setting(0.98, "what recency is worth, for each message from the end", minimum=0, maximum=1)
    question_bonus: float = setting(2.0, "points for a question", minimum=0)
    tool_call_bonus: float = setting(4.0, "points for calling a tool", minimum=0)
    keyword_bonus: float = setting(1.5, "points for each important keyword", minimum=0)
    important_keywords: tuple[str, ...] = setting(
        ("decided", "agreed", "must", "important", "critical", "error", "failed", "bug", "remember", "todo"),
        "words that make a message important",
    )
    content_length_weight: float = setting(1.0, "points for each 100 characters, up to 3 points", minimum=0)
    chunk_size: int = setting(20, "messages that ranked summarizes together", minimum=1)
    max_summaries: int = setting(5, "batches of ranked above which the least important are summarized again", minimum=1)
    prompt: str = setting("", "system prompt for summaries by a model, used as it is; empty: the default one")


@dataclass(frozen=True, slots=True, kw_only=True)
class LlmSettings:
    """Language models: which one is asked, how, and at what cost."""

    model: str = setting("", "model that is asked, as litellm names it: openai/gpt-4o-mini; empty: `model`")
    api_base: str = setting("", "address of the model's server; empty: that of its provider")
    fallback: bool = setting(True, "whether the offline way is taken when the model fails; without, exit code 5")
    temperature: float = setting(0.0, "temperature of the answers", minimum=0, maximum=0.3)
    strict_roles: bool = setting(
        False, "whether roles alternate and all that is system comes first, for models that insist on it"
    )
    summary_tokens: int = setting(800, "tokens that a summary by the model may have", minimum=50)
    timeout: float = setting(120.0, "seconds that an answer may take", minimum=0.1)
    retries: int = setting(2, "times that a request is sent again after a rate limit or a failure", minimum=0)
    backoff: float = setting(1.0, "seconds before the first of them; each further one waits twice as long", minimum=0)
    concurrency: int = setting(4, "requests that are sent at the same time", minimum=1, maximum=64)
    max_cost: float | None = setting(None, "US dollars that a run may cost; unset: no limit", minimum=0)
    cache: bool = setting(True, "whether answers are kept, and used again for the same request")
    cache_mb: int = setting(64, "megabytes that kept answers may take; the least recently used go first", minimum=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchiveSettings:
    """Originals and rounds, kept so that they can be had back."""

    enabled: bool = setting(False, "whether compact keeps what it takes away, and the round, in the database")
    manifest: bool = setting(False, "whether compact writes a manifest of what it took away beside its output")
    limit_mb: int = setting(
        1024, "megabytes that originals may take; the least recently used compactions go first", minimum=1
    )
    keep_days: int = setting(30, "days for which a compaction's originals stay whatever the limit", minimum=0)


@dataclass(frozen=True, slots=True, kw_only=True)
class MemorySettings:
    """The memory log (seed 003)."""

    auto_flush: bool = setting(False, "whether compact extracts memories into the memory log before it compacts")
    threshold: float = setting(60, "importance from which something is remembered", minimum=0, maximum=100)
    prompt: str = setting(
        "", "system prompt by which a model judges messages where memories are made of them; empty: the default one"
    )
    auto_recall: bool = setting(
        False, "whether memories that bear on what a session asks for come into the output without --recall"
    )
    recall_count: int = setting(5, "memories that are put into the output at most", minimum=1)
    recall_tokens: int = setting(600, "tokens that they may take", minimum=50)
    half_life_days: float = setting(90, "days without use in which decay halves importance", minimum=0.1)


@dataclass(frozen=True, slots=True, kw_only=True)
class HookSettings:
    """What is done before and after an agent's own compaction."""

    archive: bool = setting(True, "whether `hook run` keeps a session before its agent compacts it")
    folder: str = setting("", "folder to which `hook run` compacts the session beside, as a file; empty: it does not")
    tokens: int = setting(
        1_500, "tokens that what `hook run` puts back into the context may take", minimum=100, maximum=10_000
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Settings of one run."""

    strategy: str = setting(
        "", "how to compact; empty: tiered without a target, else adaptive, or rolling when a model summarizes"
    )
    summarizer: str = setting("extractive", "who writes summaries")
    drop_outside: bool = setting(False, "whether records that are not in the context any more are left out of outputs")
    summary_role: str = setting(
        "", "role of summaries; empty: what the format's API accepts", choices=("", "user", "assistant", "system")
    )
    target_tokens: int | None = setting(None, "tokens to fit into", minimum=1)
    target_ratio: float | None = setting(None, "share of the original tokens to fit into", minimum=0, maximum=1)
    keep: tuple[str, ...] = setting((), "patterns of messages to keep")
    keep_last: int = setting(0, "newest messages to keep whole", minimum=0)
    query: str = setting("", "words that summaries should prefer")
    recent_messages: int = setting(
        10,
        "newest messages that rolling, ranked, summarize, hybrid and truncate keep; shorter sessions are left",
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
        """The strategy that is used: the one that is set, or the best one for the kind of run."""
        return self.strategy_for(aims=self.target_tokens is not None or self.target_ratio is not None)

    def strategy_for(self, *, aims: bool) -> str:
        """The same for runs with a target (`aims`), or without one."""
        # adaptive quotes lines: it leaves a model nothing to write
        return self.strategy or (("rolling" if self.summarizer == "llm" else "adaptive") if aims else "tiered")

    @property
    def asks(self) -> bool:
        """Whether a language model is asked."""
        return self.summarizer == "llm" or self.scorer_name == "classifier"

    @property
    def scorer_name(self) -> str:
        """The scorer that is used: the one that is set, or the strategy's own."""
        return self.scoring.scorer or ("weighted" if self.strategy == "ranked" else "factors")


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """How transcripts are read and counted."""

    model: str = setting("", "model whose encoding and context limit are used; empty: none, with 128,000 tokens")
    tokenizer: str = setting("", "what counts tokens; empty: the encoding of the model, else o200k_base")
    format: str = setting("", "format of transcripts; empty: the one that is recognised")
    profile: str = setting("", "file of weights for strategy adaptive; empty: the one that is shipped")
    skip_damaged: bool = setting(False, "whether lines that are not JSON are left out, and reported")
    database_url: str = setting(
        "",
        "database of the archive and the memory log: a path, or postgresql://USER@HOST/NAME; empty: SQLite "
        "in the user's data folder",
    )
