"""Manifests of real sessions by every strategy: every mark leads to its original, and nothing is without an entry.

The folder is not part of this project; the tests skip where it is absent.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from compactor_cli import api
from compactor_cli.archive.manifest import manifest_of
from compactor_cli.archive.manifest_json import manifest_text, read_manifest
from compactor_cli.archive.originals import find, original
from compactor_cli.archive.pieces import cut
from compactor_cli.errors import BudgetError, InputError
from compactor_cli.model.transcript import Source
from compactor_cli.settings import Settings
from compactor_cli.strategies import STRATEGIES

FOLDER = Path(__file__).resolve().parents[3] / "shared" / "transcripts"
FILES = sorted(p for p in FOLDER.rglob("*") if p.is_file()) if FOLDER.is_dir() else []
LARGE = 300_000
"""Bytes; larger files are compacted by two strategies."""
SAMPLES = sorted((Path(__file__).resolve().parents[2] / "sample_transcripts").glob("*.jsonl"))
MARK = re.compile(rb"ctx_([0-9a-f]{8})")


@pytest.mark.parametrize("path", [*SAMPLES, *FILES[::3]], ids=lambda path: f"{path.parent.name}/{path.name}")
def test_every_mark_leads_to_its_original_and_nothing_is_without_an_entry(path: Path) -> None:
    data = path.read_bytes()
    try:
        source = api.load(data, str(path), tokenizer="chars", skip_damaged=True)
    except InputError:
        pytest.skip("a format of another tool")
    assert b"".join(cut(source)) == data
    for name in sorted(STRATEGIES) if len(data) < LARGE else ("adaptive", "rolling"):
        for ratio in (0.5, 0.15):
            _check(source, Settings(strategy=name, target_ratio=ratio))


def _check(source: Source, settings: Settings) -> None:
    try:
        done = api.compact(source, settings, tokenizer="chars")
    except BudgetError:
        return
    made = manifest_of(source, done.data, done.parts, "out", "chars")
    read = read_manifest(manifest_text(made), "manifest")
    assert (read.input, read.output, read.removed) == (made.input, made.output, made.removed)
    again = api.load(source.data, source.path, format=made.format, tokenizer="chars", skip_damaged=True)
    for entry in made.removed:
        assert original(again, entry)
    for number, part in enumerate(done.parts):
        listed = {record for entry in made.removed if entry.conversation == number for record in entry.records}
        assert set(part.removed) <= listed
    earlier = set(MARK.findall(source.data))
    for digits in set(MARK.findall(done.data)) - earlier:
        assert find(made.removed, digits.decode()).marked
