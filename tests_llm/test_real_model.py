"""Summaries by a real model: everything around the model works, whatever it says.

Each case is the beginning of a sample, compacted once. The tests examine the result, or run the command again.
"""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import pytest

from tests.builders import ROOT
from tests.drawing import is_drawing
from tests_llm.conftest import Server, compactor

QUICK = [
    ("openai-chat", 22, "handoff", 0.75, "src/datelines/ranges.py"),
    ("codex", 20, "tiered", 0.5, "python -m logsift merge samples/*.log"),
    ("memory-entries", 12, "ranked", 0.75, ""),
]
"""Cases that run without --everything: the model reads only about a hundred tokens per second. Columns as in CASES."""
CASES = [
    *QUICK,
    ("openai-chat", 18, "handoff", 0.75, "src/datelines/ranges.py"),
    ("openai-chat", 17, "hybrid", 0.25, "python -m pytest -q tests/test_ranges.py"),
    ("claude-code", 20, "ranked", 0.5, "stocktake/store.py"),
    ("ai-sdk", 8, "tiered", 0.5, "src/store.js"),
    ("anthropic-messages", 8, "tiered", 0.5, "tests/test_queue.py"),
    ("conversations", 1, "rolling", 0.75, "LN-58213"),
    ("memory-entries", 36, "ranked", 0.5, ""),
]
"""Sample, number of its first records, strategy, ratio, and a text from the summarized calls ("" if there are none)."""


@dataclass(frozen=True)
class Run:
    """One compaction: its folder with the files that it wrote, and the command."""

    server: Server
    folder: Path
    arguments: tuple
    code: int
    fact: str

    @property
    def output(self):
        return (self.folder / "out.jsonl").read_bytes()

    @property
    def report(self):
        return json.loads((self.folder / "report.json").read_bytes())

    def again(self, folder, *more):
        """Run the same command with the same cache in another folder."""
        shutil.copy(self.folder / "in.jsonl", folder)
        done = compactor(self.server, folder, *self.arguments, *more, cache=self.folder / "cache")
        return Run(self.server, folder, self.arguments, done.code, self.fact)


@pytest.fixture(
    scope="module", params=QUICK if is_drawing() else CASES, ids=lambda case: f"{case[0]}-{case[1]}-{case[2]}"
)
def run(request, server, tmp_path_factory):
    name, records, strategy, ratio, fact = request.param
    folder = tmp_path_factory.mktemp(f"{name}-{strategy}")
    with (ROOT / "sample_transcripts" / f"{name}.jsonl").open("rb") as sample:
        (folder / "in.jsonl").write_bytes(b"".join(islice(sample, records)))
    options = ("--summarizer", "llm", "--strategy", strategy, "--target-ratio", ratio)
    arguments = ("compact", "in.jsonl", *options, "-o", "out.jsonl", "--report", "report.json")
    done = compactor(server, folder, *arguments, cache=folder / "cache")
    assert done.code == 0, done.stderr
    return Run(server, folder, arguments, done.code, fact)


def test_the_output_is_valid_and_within_its_budget(run):
    inspected = compactor(run.server, run.folder, "inspect", "out.jsonl", "--faults", cache=run.folder / "cache")
    assert inspected.code == 0, inspected.text
    report = run.report
    assert report["fits"]
    assert report["output"]["tokens"] <= report["target_tokens"] < report["input"]["tokens"]


def test_every_summary_is_the_models_or_replaced_for_a_reason(run):
    report = run.report
    model = report["model"]
    assert (model["name"], model["asked"], model["failures"]) == ("openai/smollm2", True, 0)
    assert model["requests"] == report["cache"]["misses"] > 0
    assert report["summarizer"] == "llm" or model["fallbacks"]
    for fallback in model["fallbacks"]:
        assert fallback["what"]
        assert fallback["why"]
        assert any(fallback["what"] in warning and fallback["why"] in warning for warning in report["warnings"])


def test_what_calls_did_is_named_whoever_wrote_the_summary(run):
    assert run.fact.encode() in run.output


def test_the_same_again_is_the_same_and_asks_nothing(run, tmp_path):
    before = run.server.work
    again = run.again(tmp_path)
    assert again.code == 0
    assert again.output == run.output
    assert again.report["model"]["requests"] == 0
    assert again.report["cache"] == {"hits": run.report["cache"]["misses"], "misses": 0}
    assert run.server.work == before


def test_without_fallback_a_replaced_summary_is_a_failure(run, tmp_path):
    again = run.again(tmp_path, "--no-fallback")
    assert again.code == (5 if any(each["failed"] for each in run.report["model"]["fallbacks"]) else 0)
    assert (tmp_path / "out.jsonl").exists() == (again.code == 0)
