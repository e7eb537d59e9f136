"""`compact --check`: its answer for each file, for people and for CI."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import typer

from compactor_cli.cli.files import write_bytes
from compactor_cli.cli.session import Session
from compactor_cli.errors import BudgetError, CompactorError, InputError, UsageError
from compactor_cli.model.findings import Finding
from compactor_cli.model.report import Compaction
from compactor_cli.model.transcript import Source

FORMATS = ("github",)


@dataclass(slots=True)
class Check:
    """The findings of a run and where they go. Made for every run; only one with --check has any."""

    annotations: str
    sarif: str
    found: list[Finding] = field(default_factory=list)

    def refuse(self, *, checks: bool, json: bool) -> None:
        """Raise UsageError for options that do not go together."""
        for option, given in (("--annotations", self.annotations), ("--sarif", self.sarif)):
            if given and not checks:
                raise UsageError(f"{option} says what --check finds: add --check")
        if self.annotations and self.annotations not in FORMATS:
            raise UsageError(f"--annotations {self.annotations!r}: use {' or '.join(FORMATS)}")
        if json and (self.annotations or self.sarif == "-"):
            raise UsageError("--json prints on standard output, and so do --annotations and --sarif -: choose one")

    def judge(self, session: Session, source: Source, parts: Sequence[Compaction], *, changed: bool) -> None:
        """Say the answer for one file, and note it when it is no."""
        before, after = source.tokens, sum(part.tokens for part in parts)
        verdict = f"would be compacted from {before:,} to {after:,} tokens" if changed else "would stay as it is"
        session.say(f"{source.path}: {verdict}")
        if changed:
            self.found.append(Finding("needs-compaction", source.path, 1, f"{verdict}: run compact without --check"))

    def note(self, path: str, error: CompactorError) -> None:
        """Note a file that could not be checked."""
        what = error.what if isinstance(error, InputError) else str(error)
        line = (error.line or 1) if isinstance(error, InputError) else 1
        rule = "cannot-fit" if isinstance(error, BudgetError) else "unreadable" if isinstance(error, InputError) else ""
        self.found.append(Finding(rule or "failed", path, line, what))

    def publish(self, inputs: Sequence[str]) -> None:
        """Print and write what CI is to show. `inputs`: the files that were checked."""
        if not self.annotations and not self.sarif:
            return
        from importlib.metadata import version

        from compactor_cli.render.annotations import github, sarif

        if self.annotations:
            typer.echo(github(self.found), nl=False)
        if self.sarif:
            log = sarif(self.found, version("compactor-cli"))
            write_bytes(self.sarif, log.encode(), inputs=inputs)
