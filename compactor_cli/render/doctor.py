"""Findings of `doctor` as a table and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.table import Table

from compactor_cli.doctor.base import Finding
from compactor_cli.render.console import make_table
from compactor_cli.text.clean import plain


def finding_json(finding: Finding) -> dict[str, Any]:
    return {"kind": finding.kind, "line": finding.line, "detail": finding.detail, "remedy": finding.remedy or None}


def findings_table(console: Console, findings: Sequence[Finding], *, fixed: bool) -> Table:
    """Return a table of the findings, and of what is or was done about them."""
    table = make_table(console, "Findings", ">line!", "kind!")
    table.add_column("what", ratio=3, overflow="fold")
    table.add_column("done about it" if fixed else "what --fix does", ratio=2, overflow="fold")
    for finding in findings:
        line = str(finding.line) if finding.line else ""
        table.add_row(line, finding.kind, plain(finding.detail), finding.remedy or "nothing: fix by hand")
    return table
