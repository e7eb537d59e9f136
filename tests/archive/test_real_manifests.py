"""Manifests of real sessions by every strategy: every mark leads to its original, and nothing is without an entry.

The folder is not part of this project; the tests skip where it is absent.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from compactor_cli import api
from compactor_cli.archive.manifest import cut_chunks
from compactor_cli.errors import InputError
from compactor_cli.settings import Settings
from compactor_cli.strategies import STRATEGIES
from tests.archive.checks import check_manifest
from tests.drawing import draw_items

FOLDER = Path(__file__).resolve().parents[3] / "shared" / "transcripts"
FILES = sorted(p for p in FOLDER.rglob("*") if p.is_file()) if FOLDER.is_dir() else []
LARGE = 300_000
"""Bytes; larger files are compacted by two strategies."""
SAMPLES = sorted((Path(__file__).resolve().parents[2] / "sample_transcripts").glob("*.jsonl"))


@pytest.mark.drawn(12)
@pytest.mark.parametrize("path", [*SAMPLES, *FILES[::6]], ids=lambda path: f"{path.parent.name}/{path.name}")
def test_every_mark_leads_to_its_original_and_nothing_is_without_an_entry(path: Path) -> None:
    data = path.read_bytes()
    try:
        source = api.load(data, str(path), tokenizer="chars", skip_damaged=True)
    except InputError:
        pytest.skip("a format of another tool")
    assert b"".join(cut_chunks(source)) == data
    names = sorted(STRATEGIES) if len(data) < LARGE else ("adaptive", "rolling")
    for strategy, ratio in draw_items([(name, ratio) for name in names for ratio in (0.5, 0.15)], 1, path.name):
        check_manifest(source, Settings(strategy=strategy, target_ratio=ratio))
