"""Options that several commands share, declared once."""

from __future__ import annotations

from typing import Annotated

import typer

FileArgument = Annotated[str, typer.Argument(metavar="FILE", help="Transcript to read; - is standard input.")]
FormatOption = Annotated[
    str,
    typer.Option(
        "--format",
        metavar="NAME",
        help="Format of the file instead of the detected one: openai-chat, conversations, anthropic, claude-code, "
        "codex, memory, ai-sdk.",
    ),
]
ModelOption = Annotated[
    str, typer.Option("--model", metavar="NAME", help="Model whose encoding and context limit are used.")
]
TokenizerOption = Annotated[
    str,
    typer.Option("--tokenizer", metavar="NAME", help="o200k_base (default), cl100k_base, or chars (four a token)."),
]
SkipDamagedOption = Annotated[
    bool, typer.Option("--skip-damaged", help="Leave out lines that are not JSON, and report them.")
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON for scripts instead of tables.")]
QuietOption = Annotated[bool, typer.Option("--quiet", "-q", help="Nothing on standard error.")]
DebugOption = Annotated[bool, typer.Option("--debug", help="Show the traceback of a failure.")]
ScorerOption = Annotated[str, typer.Option("--scorer", metavar="NAME", help="How messages are scored: factors.")]
ThresholdOption = Annotated[
    float, typer.Option("--threshold", min=0, metavar="POINTS", help="Score from which a message is a residual.")
]
MaxResidualsOption = Annotated[
    float,
    typer.Option("--max-residuals", min=0, max=1, metavar="SHARE", help="Largest share of messages (and tokens)."),
]
NowOption = Annotated[
    str,
    typer.Option("--now", metavar="TIME", help="Time that recency is measured from; default: the newest timestamp."),
]
