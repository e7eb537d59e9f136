"""`compact --check`: its answer for each file, for people and for CI."""

from __future__ import annotations

from collections.abc import Sequence

import typer
from msgspec import Struct

from compactor_cli.cli.files import write_bytes
from compactor_cli.errors import BudgetError, CompactorError, InputError, UsageError, meant
from compactor_cli.model.findings import CheckFinding
from compactor_cli.model.transcript import Source

FORMATS = ("github",)


class CheckOutput(Struct, frozen=True):
    """Where the findings of a run go."""

    annotations: str
    sarif: str

    def refuse(self, *, checks: bool, json: bool) -> None:
        """Raise UsageError for options that do not go together."""
        for option, given in (("--annotations", self.annotations), ("--sarif", self.sarif)):
            if given and not checks:
                raise UsageError(f"{option} says what --check finds: add --check")
        if self.annotations and self.annotations not in FORMATS:
            raise UsageError(
                f"--annotations {self.annotations!r}{meant(self.annotations, FORMATS)}: use {' or '.join(FORMATS)}"
            )
        if json and (self.annotations or self.sarif == "-"):
            raise UsageError("--json prints on standard output, and so do --annotations and --sarif -: choose one")

    def found_in(self, source: Source, tokens: int, *, changed: bool) -> tuple[CheckFinding, ...]:
        """Return what there is to say of one file, of which that many tokens are left."""
        if not changed:
            return ()
        what = f"{verdict(source.tokens, tokens, changed=changed)}: run compact without --check"
        return (CheckFinding("needs-compaction", source.path, 1, what),)

    def publish(self, found: Sequence[CheckFinding], inputs: Sequence[str]) -> None:
        """Print and write what CI is to show. `inputs`: the files that were checked."""
        if not self.annotations and not self.sarif:
            return
        from importlib.metadata import version

        from compactor_cli.render.annotations import github, sarif

        if self.annotations:
            typer.echo(github(found), nl=False)
        if self.sarif:
            log = sarif(found, version("compactor-cli"))
            write_bytes(self.sarif, log.encode(), inputs=inputs)


def verdict(before: int, after: int, *, changed: bool) -> str:
    """The answer for one file, in words; its tokens before and after."""
    return f"would be compacted from {before:,} to {after:,} tokens" if changed else "would stay as it is"


def failed(path: str, error: CompactorError) -> CheckFinding:
    """The finding for a file that could not be checked."""
    what = error.what if isinstance(error, InputError) else str(error)
    line = (error.line or 1) if isinstance(error, InputError) else 1
    rule = "cannot-fit" if isinstance(error, BudgetError) else "unreadable" if isinstance(error, InputError) else ""
    return CheckFinding(rule or "failed", path, line, what)
