"""One session as each of six agents would have it saved, made from a sample."""

from __future__ import annotations

from functools import cache

from compactor_cli.converting import TARGETS
from compactor_cli.converting.convert import Options, convert
from tests.builders import ROOT, load

FORMATS = ("claude-code", "codex", "gemini-cli", "qwen", "pi", "opencode")
CWD = "/work/shop"


@cache
def session(format):
    """The bytes of the session."""
    sample = (ROOT / "sample_transcripts" / "claude-code.jsonl").read_bytes()
    (made,) = convert(load(sample), TARGETS[format], Options(cwd=CWD))
    return made.data
