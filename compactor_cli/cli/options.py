"""Options that several commands share, declared once."""

from __future__ import annotations

from typing import Annotated

import typer

from compactor_cli.cli.numbers import share, tokens
from compactor_cli.scoring import SCORERS
from compactor_cli.summarizers import SUMMARIZERS

FileArgument = Annotated[
    str, typer.Argument(metavar="FILE", help="Transcript, or a folder of them; - is standard input.")
]
LatestOption = Annotated[
    str,
    typer.Option(
        "--latest",
        metavar="[AGENT]",
        help="Take the newest session on this machine instead of FILE, or that of an agent: claude, codex, gemini, "
        "...; see compactor sessions.",
    ),
]
SessionOption = Annotated[
    str,
    typer.Option("--session", metavar="ID", help="Take the session on this machine whose id is this or begins so."),
]
ProjectOption = Annotated[
    str,
    typer.Option(
        "--project",
        metavar="PATH",
        help="Only sessions of this folder (. for this one), or with this in its path.",
    ),
]
FormatOption = Annotated[
    str,
    typer.Option(
        "--format",
        metavar="NAME",
        help="Format of the file instead of the detected one; `compactor formats` lists them.",
    ),
]
ModelOption = Annotated[
    str, typer.Option("--model", metavar="NAME", help="Model whose encoding and context limit are used.")
]
TokenizerOption = Annotated[
    str,
    typer.Option(
        "--tokenizer",
        metavar="NAME",
        help="o200k_base (default), cl100k_base, an open model's (qwen3, llama3, ...), chars (four a token), or probe "
        "(a model's provider is asked).",
    ),
]
SkipDamagedOption = Annotated[
    bool | None,
    typer.Option("--skip-damaged/--no-skip-damaged", help="Leave out lines that are not JSON, and report them."),
]
PresetOption = Annotated[
    str,
    typer.Option(
        "--preset",
        metavar="NAME",
        help="When to compact: window (80% of what the reserves leave of the context), chat (80,000 tokens), or "
        "agent (200,000).",
    ),
]
ConfigOption = Annotated[
    str,
    typer.Option("--config", metavar="FILE", help="Settings file to read instead of the user's and the project's."),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON for scripts instead of tables.")]
QuietOption = Annotated[bool, typer.Option("--quiet", "-q", help="Nothing on standard error.")]
DebugOption = Annotated[bool, typer.Option("--debug", help="Show the traceback of a failure.")]
ScorerOption = Annotated[
    str,
    typer.Option(
        "--scorer",
        metavar="NAME",
        help=f"How messages are scored: {', '.join(SCORERS)}; default: factors, or weighted for ranked.",
    ),
]
ThresholdOption = Annotated[
    float | None,
    typer.Option("--threshold", min=0, metavar="POINTS", help="Score from which a message is a residual; default: 60."),
]
MaxResidualsOption = Annotated[
    float | None,
    typer.Option(
        "--max-residuals",
        parser=share,
        metavar="SHARE",
        help="Largest share of messages (and tokens) that are residuals: 0.2 or 20%; default: 0.20.",
    ),
]
NowOption = Annotated[
    str,
    typer.Option("--now", metavar="TIME", help="Time that recency is measured from; default: the newest timestamp."),
]
FilesArgument = Annotated[
    list[str] | None, typer.Argument(metavar="FILE...", help="Transcripts, or folders of them; - is standard input.")
]
OutOption = Annotated[
    str, typer.Option("-o", "--output", metavar="OUT", help="File to write; default: standard output.")
]
OutDirOption = Annotated[
    str, typer.Option("--out-dir", metavar="DIR", help="Folder to write to, under the names of the inputs.")
]
JobsOption = Annotated[
    int,
    typer.Option("--jobs", metavar="N", min=0, help="Processes that share several files; 0 is one a processor."),
]
EngineOption = Annotated[
    str,
    typer.Option(
        "--engine",
        metavar="NAME",
        help="What shares several files: processes (default), or dask: a cluster, of N processes here unless "
        "--scheduler names one.",
    ),
]
SchedulerOption = Annotated[
    str, typer.Option("--scheduler", metavar="ADDRESS", help="Dask scheduler of a cluster: tcp://HOST:8786.")
]
ResumeOption = Annotated[
    bool,
    typer.Option(
        "--resume", help="Skip what an earlier run with the same settings has written to --out-dir of the same inputs."
    ),
]
InPlaceOption = Annotated[bool, typer.Option("--in-place", help="Replace the files, each in one step.")]
TargetTokensOption = Annotated[
    int | None,
    typer.Option(
        "--target-tokens",
        parser=tokens,
        metavar="N",
        help="Fit into N tokens (4000 or 4k; each conversation of a file), or exit with code 4.",
    ),
]
TargetRatioOption = Annotated[
    float | None,
    typer.Option(
        "--target-ratio", parser=share, metavar="R", help="Fit into this share (0.25 or 25%) of the original tokens."
    ),
]
StrategyOption = Annotated[
    str,
    typer.Option(
        "--strategy",
        metavar="NAME",
        help="How to compact; `compactor strategies` lists the ways. Default: adaptive with a target, else tiered.",
    ),
]
ProfileOption = Annotated[
    str,
    typer.Option(
        "--profile", metavar="TOML", help="Weights that `learn` wrote, for adaptive; default: the shipped ones."
    ),
]
SummarizerOption = Annotated[
    str,
    typer.Option(
        "--summarizer", metavar="NAME", help=f"Who writes summaries: {', '.join(SUMMARIZERS)}; default: extractive."
    ),
]
SummaryPromptOption = Annotated[
    str,
    typer.Option("--summary-prompt", metavar="FILE", help="System prompt for summaries by a model, used as it is."),
]
LlmModelOption = Annotated[
    str,
    typer.Option(
        "--llm-model", metavar="NAME", help="Model that is asked, as litellm names it; default: that of --model."
    ),
]
FallbackOption = Annotated[
    bool | None,
    typer.Option("--fallback/--no-fallback", help="Whether to go on offline when the model fails, or exit with 5."),
]
CacheOption = Annotated[
    bool | None, typer.Option("--cache/--no-cache", help="Whether answers of the model are kept and used again.")
]
MaxCostOption = Annotated[
    float | None,
    typer.Option("--max-cost", min=0, metavar="USD", help="What asking the model may cost; more is not asked."),
]
ConcurrencyOption = Annotated[
    int | None,
    typer.Option("--concurrency", min=1, max=64, metavar="N", help="Requests at the same time; default: 4."),
]
DatabaseOption = Annotated[
    str,
    typer.Option(
        "--database",
        metavar="URL",
        help="Database of the archive and the memory log: a file, or postgresql://USER@HOST/NAME.",
    ),
]
ArchiveOption = Annotated[
    bool | None,
    typer.Option("--archive/--no-archive", help="Keep what is taken away, so that `restore` can bring it back."),
]
ManifestOption = Annotated[
    bool | None,
    typer.Option("--manifest/--no-manifest", help="Write OUT.manifest.json, which says what was taken away."),
]
FlushOption = Annotated[
    bool | None,
    typer.Option("--flush/--no-flush", help="Put what is worth remembering into the memory log first."),
]
RecallOption = Annotated[
    str,
    typer.Option("--recall", metavar="QUERY", help="Put the most relevant memories into the output."),
]
IfNeededOption = Annotated[
    bool, typer.Option("--if-needed", help="Only when the session is over the threshold of its model's context.")
]
KeepOption = Annotated[
    list[str] | None, typer.Option("--keep", metavar="REGEX", help="Keep messages that match; may be repeated.")
]
KeepLastOption = Annotated[
    int | None, typer.Option("--keep-last", min=0, metavar="N", help="Keep the newest N messages whole; default: 0.")
]
QueryOption = Annotated[str, typer.Option("--query", metavar="TEXT", help="Words that summaries should prefer.")]
SummaryRoleOption = Annotated[
    str, typer.Option("--summary-role", metavar="ROLE", help="Role of summaries: user, assistant or system.")
]
DryRunOption = Annotated[bool, typer.Option("--dry-run", help="Print the plan and write nothing.")]
CheckOption = Annotated[bool, typer.Option("--check", help="Write nothing; exit code 1 when a file would be changed.")]
ReportOption = Annotated[
    str, typer.Option("--report", metavar="FILE", help="Write the JSON report there, one line a file.")
]
BeforeArgument = Annotated[str, typer.Argument(metavar="BEFORE", help="The transcript as it was.")]
AfterArgument = Annotated[str, typer.Argument(metavar="AFTER", help="The transcript as it is now.")]
FailUnderOption = Annotated[
    list[str] | None,
    typer.Option(
        "--fail-under",
        metavar="NAME=PERCENT",
        help="Exit code 1 when less survives: user_requests, rules, corrections, constraints, decisions, effects, "
        "open_items, errors, files, identifiers; or when `saved` (percent of the tokens) is less.",
    ),
]
LostOption = Annotated[int, typer.Option("--lost", min=0, metavar="N", help="How much of what is gone to list.")]
TotalOption = Annotated[
    int, typer.Option("--total", parser=tokens, metavar="N", help="Tokens of the whole prompt: 8000 or 8k.")
]
PromptOption = Annotated[
    str,
    typer.Option("--prompt", metavar="YAML", help="Parts of the prompt besides the conversation: sizes or texts."),
]
ContextOption = Annotated[
    list[str] | None,
    typer.Option("--context", metavar="NAME=VALUE", help="A value for the conditions of segments; may be repeated."),
]
MessageOption = Annotated[
    int | None, typer.Option("--message", min=0, metavar="N", help="Show this message whole, with its score.")
]
FaultsOption = Annotated[
    bool, typer.Option("--faults", help="Only what is wrong with the file; exit code 1 when something is.")
]
DropOutsideOption = Annotated[
    bool | None,
    typer.Option(
        "--drop-outside/--keep-outside",
        help="Leave out records that the agent no longer sends: what stands before its own compaction, old branches, "
        "progress, snapshots.",
    ),
]
FixOption = Annotated[
    bool, typer.Option("--fix", help="Mend what can be mended; every change is listed, the original is kept.")
]
MaxImageBytesOption = Annotated[
    int,
    typer.Option(
        "--max-image-bytes",
        metavar="N",
        parser=tokens,
        help="Bytes of a picture that are too many: 5M, 500k.",
    ),
]
TopOption = Annotated[int, typer.Option("--top", min=0, metavar="N", help="Only the N highest scores; 0 for all.")]
EmitOption = Annotated[
    str,
    typer.Option(
        "--emit",
        metavar="WAY",
        help="rewritten: a smaller file; native: the file as it was, and what its agent appends when it compacts.",
    ),
]
NewSessionOption = Annotated[
    bool,
    typer.Option(
        "--new-session",
        help="Write a new session, with an id of its own, where the agent keeps its sessions (or to -o), and say how "
        "to go on with it.",
    ),
]
AnnotationsOption = Annotated[
    str,
    typer.Option("--annotations", metavar="NAME", help="Print what --check finds as annotations of CI: github."),
]
SarifOption = Annotated[
    str, typer.Option("--sarif", metavar="FILE", help="Write what --check finds as SARIF, for code scanning.")
]
HtmlOption = Annotated[
    str,
    typer.Option(
        "--html",
        metavar="FILE",
        help="Also write a page for a browser: each message with what became of it and why. It loads nothing from "
        "anywhere.",
    ),
]
ColumnOption = Annotated[
    str,
    typer.Option(
        "--column",
        metavar="NAME",
        help="Of a data set in Parquet, the column that holds the conversations; without it, it is found by what is "
        "in it.",
    ),
]
DecisionsOption = Annotated[
    str,
    typer.Option(
        "--decisions",
        metavar="FILE",
        help="Messages to keep or to drop, as `browse` saved them, and their target and strategy, unless options name "
        "others.",
    ),
]
DecisionsOutOption = Annotated[
    str,
    typer.Option("-o", "--output", metavar="FILE", help="Where decisions are saved; default: NAME.decisions.json."),
]
