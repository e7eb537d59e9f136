"""The step of the GitHub Action (action.yml): its inputs are INPUT_* variables, its outputs go to GITHUB_OUTPUT.

The exit code is that of `compactor compact`, but 0 instead of 1 if the input `fail` is false.
"""

from __future__ import annotations

import glob
import json
import os
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

NO, USAGE = 1, 2


def given(name: str, default: str = "") -> str:
    return os.environ.get(f"INPUT_{name}", "").strip() or default


def files() -> list[str]:
    """Return the files that the input names, each once. Raise SystemExit when a line matches nothing."""
    found: list[str] = []
    for line in filter(None, map(str.strip, given("FILES").splitlines())):
        matches = sorted(name for name in glob.glob(line, recursive=True) if Path(name).is_file())
        if not matches:
            print(f"::error title=compactor::files: nothing matches {line}")
            raise SystemExit(USAGE)
        found += matches
    return list(dict.fromkeys(found))


def arguments(report: str) -> list[str]:
    mode = given("MODE", "check")
    if mode not in ("check", "compact"):
        print(f"::error title=compactor::mode: {mode!r} is neither check nor compact")
        raise SystemExit(USAGE)
    options = [("--target-tokens", given("TARGET_TOKENS")), ("--target-ratio", given("TARGET_RATIO"))]
    if mode == "check":
        options += [("--annotations", "github"), ("--sarif", given("SARIF"))]
    return [
        *("--check" if mode == "check" else "--in-place", "--report", report),
        *(f"{name}={value}" for name, value in options if value),
        *shlex.split(given("ARGUMENTS")),
    ]


def reports(place: Path) -> list[dict[str, Any]]:
    """Return the report of each file that was compacted or checked; none if the run failed before it wrote any."""
    return [json.loads(line) for line in place.read_text(encoding="utf-8").splitlines()] if place.exists() else []


def append(variable: str, text: str) -> None:
    place = os.environ.get(variable)
    if place:
        with Path(place).open("a", encoding="utf-8") as stream:
            stream.write(text)


def tell(done: list[dict[str, Any]]) -> None:
    """Set the outputs, and add a table to the job summary."""
    changed = [one for one in done if one["input"]["sha256"] != one["output"]["sha256"]]
    sizes = [(one["input"]["path"], one["input"]["tokens"], one["output"]["tokens"]) for one in changed]
    append("GITHUB_OUTPUT", f"changed={len(sizes)}\nsaved={sum(before - after for _, before, after in sizes)}\n")
    rows = [f"| `{path}` | {before:,} | {after:,} |\n" for path, before, after in sizes]
    head = "| transcript | tokens | compacted |\n|---|---:|---:|\n" if rows else ""
    append("GITHUB_STEP_SUMMARY", f"{len(sizes)} of {len(done)} transcripts to compact\n\n{head}{''.join(rows)}")


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.jsonl"
        command = [sys.executable, "-m", "compactor_cli", "compact", *arguments(str(report)), "--", *files()]
        code = subprocess.run(command, check=False).returncode
        tell(reports(report))
    return 0 if code == NO and given("FAIL", "true").lower() == "false" else code


if __name__ == "__main__":
    sys.exit(main())
