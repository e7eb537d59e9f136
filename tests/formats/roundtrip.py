"""What the tests of the formats share: figures of a file, and checks for any of its compactions."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from pathlib import Path

from compactor_cli.errors import BudgetError
from compactor_cli.settings import Settings
from tests.builders import compact, find_faults, load, run_process
from tests.drawing import draw_items
from tests.properties.checks import check_compaction

CASES = Path(__file__).parent / "cases"
REAL = Path(__file__).resolve().parents[3] / "shared" / "transcripts"
"""Real sessions, which are not part of this project. Tests that use them are skipped if they are absent."""
STRATEGIES = ("adaptive", "tiered", "rolling", "truncate")
RATIOS = (0.25, 0.1)


def figures(source):
    """Count the messages by role and origin, the parts by kind, and the failed results of all conversations in a
    file."""
    messages = [m for t in source.transcripts for m in t.messages]
    parts = [p for m in messages for p in m.parts]
    return {
        "conversations": len(source.transcripts),
        "roles": dict(Counter(m.role for m in messages)),
        "requests": sum(m.origin == "request" for m in messages),
        "parts": dict(Counter(p.kind for p in parts)),
        "failed": sum(p.failed is True for p in parts),
    }


def loaded(path, **options):
    """Read a file as the tool does. The format is detected from the content unless `format` is given."""
    return load(path.read_bytes(), **options)


def assert_untouched(data):
    """Assert that a file that fits is written byte for byte."""
    assert compact(data, target_tokens=10**9).data == data


def compactions(data, ratios=RATIOS, **options):
    """The outputs of all strategies that meet their target, or of one that is drawn, each checked as tests/properties
    do: read again as the same format, same messages as reported, no new faults, kept records byte for byte, stable."""
    source = load(data, **options)
    had = len(find_faults(source))
    for strategy in draw_items(STRATEGIES, 1, hashlib.sha256(data).hexdigest()):
        for ratio in ratios:
            result = check_compaction(source, Settings(strategy=strategy, target_ratio=ratio), "chars")
            if isinstance(result, BudgetError):
                continue
            again = load(result.data)
            assert again.format == source.format
            assert len(find_faults(again)) <= had
            yield result.data


def tried():
    """Return the number of compactions that `compactions` tries."""
    return len(draw_items(STRATEGIES, 1, "")) * len(RATIOS)


def assert_restored(path, folder):
    """Assert that the archive gives back the bytes of the input."""
    out, back, database = folder / "out", folder / "back", f"sqlite:///{folder / 'a.db'}"
    done = run_process("compact", path, "--target-ratio", ".25", "--archive", "--database", database, "-o", out)
    assert done.code in (0, 4), done.stderr
    if done.code == 0:
        restored = run_process("restore", out, "--database", database, "-o", back)
        assert restored.code == 0, restored.stderr
        assert back.read_bytes() == path.read_bytes()


def texts_of(data):
    """Return all strings of a JSON document or of a file's lines, joined, to see what is still there."""
    return json.dumps(json.loads(data), ensure_ascii=False)
