"""`compact --check`: its result for each file, for people and for CI."""

from __future__ import annotations

from collections.abc import Sequence

import typer

from compactor_cli.cli.compact_job import CompactOptions
from compactor_cli.cli.files import write_bytes
from compactor_cli.errors import BudgetError, CompactorError, InputError
from compactor_cli.model.outcome import CheckFinding
from compactor_cli.model.transcript import Source


def verdict(before: int, after: int, *, changed: bool) -> str:
    """Return a phrase with the result for one file, from its tokens before and after."""
    return f"would be compacted from {before:,} to {after:,} tokens" if changed else "would stay unchanged"


def compaction_finding(source: Source, after: int) -> CheckFinding:
    """Return the finding for a file that would change; `after` is the number of tokens it would have."""
    message = f"{verdict(source.tokens, after, changed=True)}; run compact without --check"
    return CheckFinding("needs-compaction", source.path, 1, message)


def failure_finding(path: str, error: CompactorError) -> CheckFinding:
    """Return the finding for a file that could not be checked."""
    message = error.what if isinstance(error, InputError) else str(error)
    line = (error.line or 1) if isinstance(error, InputError) else 1
    rule = "cannot-fit" if isinstance(error, BudgetError) else "unreadable" if isinstance(error, InputError) else ""
    return CheckFinding(rule or "failed", path, line, message)


def publish_findings(args: CompactOptions, findings: Sequence[CheckFinding], inputs: Sequence[str]) -> None:
    """Print the annotations and write the SARIF file for CI, if requested. `inputs`: the files that were checked."""
    if not args.annotations and not args.sarif:
        return
    from importlib.metadata import version

    from compactor_cli.render.annotations import github, sarif

    if args.annotations:
        typer.echo(github(findings), nl=False)
    if args.sarif:
        write_bytes(args.sarif, sarif(findings, version("compactor-cli")).encode(), inputs=inputs)
