"""Findings of `--check` for CI: GitHub annotations and SARIF 2.1.0."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import quote

from compactor_cli.model.outcome import RULES, CheckFinding
from compactor_cli.text.clean import visible

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_PAGE = "docs/ci.md"


def github(findings: Sequence[CheckFinding]) -> str:
    """Return one workflow command per line, which GitHub shows at the file. Its runner decodes only `%25`, `%0D`,
    `%0A`, `%3A` and `%2C`, so control characters are escaped as everywhere else."""
    return "".join(
        f"::{_level(finding)} file={_escape_property(finding.path)},line={finding.line},"
        f"title={_escape_property(f'compactor: {finding.rule}')}::{_escape_data(finding.message)}\n"
        for finding in findings
    )


def sarif(findings: Sequence[CheckFinding], version: str) -> str:
    rules = [
        {"id": rule, "shortDescription": {"text": meaning}, "help": {"text": f"See {_PAGE} of compactor."}}
        for rule, meaning in RULES.items()
    ]
    driver = {"name": "compactor", "version": version, "rules": rules}
    run = {"tool": {"driver": driver}, "results": [_result(finding) for finding in findings]}
    return json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2) + "\n"


def _result(finding: CheckFinding) -> dict[str, object]:
    location = {"artifactLocation": {"uri": _uri(finding.path)}, "region": {"startLine": finding.line}}
    return {
        "ruleId": finding.rule,
        "ruleIndex": list(RULES).index(finding.rule),
        "level": _level(finding),
        "message": {"text": finding.message},
        "locations": [{"physicalLocation": location}],
    }


def _level(finding: CheckFinding) -> str:
    return "error" if finding.is_error else "warning"


def _uri(path: str) -> str:
    """Return a path relative to the checked folder, or a URI; bytes that are not UTF-8 are allowed."""
    return Path(path).as_uri() if Path(path).is_absolute() else quote(os.fsencode(Path(path).as_posix()))


def _escape_data(text: str) -> str:
    return visible(text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A"), joiners=True)


def _escape_property(text: str) -> str:
    return _escape_data(text).replace(":", "%3A").replace(",", "%2C")
