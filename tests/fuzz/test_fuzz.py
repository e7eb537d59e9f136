"""A short hunt on every run; `make fuzz` is the long one. What a hunt finds becomes a case of its own."""

from __future__ import annotations

from random import Random

import pytest

from tests.builders import ROOT, assistant, jsonl, user
from tests.drawing import example_count
from tests.fuzz.hunt import hunt
from tests.fuzz.mutations import MUTATIONS, mutate

SAMPLES = sorted((ROOT / "sample_transcripts").glob("*.jsonl"))
SHORT = example_count(60, 5)
"""Mutated files: some seconds."""


def test_mutated_sessions_end_in_0_3_or_4_and_outputs_are_read_again(tmp_path):
    seen = hunt(SAMPLES, tmp_path, range(SHORT), seed=7)
    assert [f"case {finding.case} ({finding.done}): {finding.what}" for finding in seen.findings] == []
    assert set(seen.codes) <= {0, 3, 4}
    assert min(seen.codes[0], seen.codes[3]) > SHORT // 10, "most mutations are worth something when some are read"


def test_a_crash_is_a_finding_with_its_file(tmp_path, monkeypatch):
    def broken(*rest, **more):
        raise KeyError("call_id")

    monkeypatch.setattr("compactor_cli.cli.compact_file.compact_always", broken)
    seen = hunt(SAMPLES, tmp_path, range(6), seed=7)
    assert {finding.command.split()[0] for finding in seen.findings} == {"compact"}
    assert seen.codes[70] == len(seen.findings) > 0
    assert all(finding.data for finding in seen.findings)


def test_an_output_that_cannot_be_read_is_a_finding(tmp_path, monkeypatch):
    def writes_nonsense(place, data, *rest, **more):
        if str(place).endswith("after.jsonl"):
            (tmp_path / "after.jsonl").write_bytes(b"nonsense\n")

    monkeypatch.setattr("compactor_cli.cli.session.write_bytes", writes_nonsense)
    seen = hunt(SAMPLES, tmp_path, range(6), seed=7)
    assert any("cannot be read again" in finding.what for finding in seen.findings)


@pytest.mark.parametrize("name", MUTATIONS)
def test_every_mutation_changes_something_and_the_same_number_is_the_same_file(name):
    lines = jsonl(*(record for at in range(20) for record in (user(f"ask {at}"), assistant(f"do {at}")))).splitlines()
    changed = [MUTATIONS[name](Random(seed), list(lines), lines) for seed in range(20)]
    assert any(each != lines for each in changed)
    data = b"\n".join(lines)
    assert mutate(Random(3), data, data) == mutate(Random(3), data, data)
