"""A session in the form in which each of seven agents saves it. Six of them are converted from one sample."""

from __future__ import annotations

from functools import cache

from compactor_cli.converting import TARGETS
from compactor_cli.converting.convert import Options, convert
from tests.builders import ROOT, load
from tests.formats.roundtrip import CASES

FORMATS = ("claude-code", "codex", "gemini-cli", "qwen", "pi", "opencode", "copilot-cli")
CWD = "/work/shop"


@cache
def session(format):
    """Return the bytes of the session."""
    if format == "copilot-cli":  # `convert` does not write this format
        return (CASES / "copilot-cli" / "tide.jsonl").read_bytes()
    sample = (ROOT / "sample_transcripts" / "claude-code.jsonl").read_bytes()
    (made,) = convert(load(sample), TARGETS[format], Options(cwd=CWD))
    return made.data
