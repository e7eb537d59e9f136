"""The main job on real sessions: every file of the transcripts folder, with every strategy and a few targets. Without
--everything, each file runs with one drawn strategy and target.

The folder is not part of this project. Without it, the tests are skipped.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from compactor_cli import api
from compactor_cli.errors import BudgetError, InputError
from compactor_cli.settings import Settings
from compactor_cli.strategies import STRATEGIES
from tests.builders import load_or_skip, run_process
from tests.drawing import draw_items
from tests.properties.checks import check_compaction

FOLDER = Path(__file__).resolve().parents[2] / "shared" / "transcripts"
FILES = sorted(p for p in FOLDER.rglob("*") if p.is_file()) if FOLDER.is_dir() else []
RATIOS = {"adaptive": (0.5, 0.25, 0.1), "tiered": (0.25,)}
"""Strategy -> ratios for every file. The other strategies share most of their steps, so they run fewer."""
SMALL_FILE, LARGE_FILE = 60_000, 500_000
OF_LARGE_FILES = ("rolling", "ranked")
# every file is read except these: they describe sessions, are parts of one, or hold something else
NOT_SESSIONS = (
    *("README.md", "_meta.jsonl", "summary.json", "signals.json", "state.json", "base_state.json", ".meta.json"),
    *(".parquet", ".db", "1784094124598_rruoq.json", "anthropic_managed_custom_tools.jsonl"),
)
PARTS_OF_SESSIONS = ("opencode/storage", "/events/event-")
SEVERAL_FORMATS = ("agents/codex/schema_drift.jsonl",)

pytestmark = pytest.mark.skipif(not FILES, reason="the folder of real transcripts is not here")


def _name(path: Path) -> str:
    return str(path.relative_to(FOLDER))


def _may_be_refused(path: Path) -> bool:
    name = _name(path)
    return name.endswith((*NOT_SESSIONS, *SEVERAL_FORMATS)) or any(part in name for part in PARTS_OF_SESSIONS)


def _broken_line(data: bytes) -> int | None:
    """Return the first line that is not valid JSON. Masking of addresses broke an escape in some files."""
    for number, line in enumerate(data.split(b"\n"), start=1):
        try:
            json.loads(line or b"0")
        except json.JSONDecodeError as error:
            if error.msg != "Extra data":
                return number
    return None


SMALL = [p for p in FILES if not _may_be_refused(p) and p.stat().st_size < SMALL_FILE][::5]


def _ratios(strategy: str, path: Path) -> tuple[float, ...]:
    """Return a few ratios for small files, and one for larger ones. For the largest files, only two strategies run."""
    size = path.stat().st_size
    if strategy in RATIOS:
        return RATIOS[strategy]
    if size < SMALL_FILE:
        return (0.5, 0.1)
    return (0.25,) if size < LARGE_FILE or strategy in OF_LARGE_FILES else ()


@pytest.mark.drawn(20)
@pytest.mark.parametrize("path", [path for path in FILES if not _may_be_refused(path)], ids=_name)
def test_every_file_is_compacted_within_its_target_or_has_a_true_floor(path: Path) -> None:
    check_file(path)


@pytest.mark.drawn(12)
@pytest.mark.parametrize("path", [path for path in FILES if _may_be_refused(path)], ids=_name)
def test_what_describes_sessions_or_is_a_part_of_one_is_refused_or_compacted_as_well(path: Path) -> None:
    check_file(path)


def check_file(path: Path) -> None:
    data = path.read_bytes()
    try:
        source = api.load(data, str(path), tokenizer="chars")
    except InputError as error:
        assert error.exit_code == 3
        assert str(error).startswith(f"{path}:")
        if not _may_be_refused(path):
            assert error.line is not None
            assert error.line == _broken_line(data), f"cannot be read: {error}"
        return
    pairs = [(name, ratio) for name in STRATEGIES for ratio in _ratios(name, path)]
    for strategy, ratio in draw_items(pairs, 1, _name(path)):
        check_compaction(source, Settings(strategy=strategy, target_ratio=ratio), "chars")


@pytest.mark.drawn(60)
@pytest.mark.parametrize("strategy", sorted(STRATEGIES))
@pytest.mark.parametrize("path", SMALL, ids=_name)
def test_small_files_fit_by_the_default_counter_and_are_cut_by_tier_without_a_target(path: Path, strategy: str) -> None:
    source = load_or_skip(path)
    check_compaction(source, Settings(strategy=strategy, target_ratio=0.4), "")
    assert not isinstance(check_compaction(source, Settings(strategy=strategy), ""), BudgetError)


def test_damaged_lines_can_be_left_out() -> None:
    damaged = [p for p in FILES if p.suffix == ".jsonl" and not _may_be_refused(p) and _broken_line(p.read_bytes())]
    assert damaged
    for path in damaged:
        source = api.load(path.read_bytes(), str(path), tokenizer="chars", skip_damaged=True)
        assert {note.kind for note in source.notes} & {"damaged_line", "cut_off_line"}
        check_compaction(source, Settings(target_ratio=0.5), "chars")


HANDFUL = ("claude-code/", "codex/", "tau-bench/", "toolbench/", "qmsum/")


def _smallest(folder: str) -> Path:
    return min((p for p in FILES if _name(p).startswith(folder)), key=lambda p: (p.stat().st_size, p))


@pytest.mark.drawn(3)
@pytest.mark.parametrize("folder", HANDFUL)
def test_the_process_writes_what_its_report_says(folder: str, tmp_path: Path) -> None:
    path, out = _smallest(folder), tmp_path / "out.jsonl"
    done = run_process("compact", str(path), "--target-ratio", "0.5", "-o", str(out), "--json")
    if done.code == 4:
        assert "smallest valid output" in done.stderr
        assert not out.exists()
        return
    assert done.code == 0, done.stderr
    report = json.loads(done.stdout)
    assert report["input"]["sha256"] == hashlib.sha256(path.read_bytes()).hexdigest()
    assert report["output"]["sha256"] == hashlib.sha256(out.read_bytes()).hexdigest()
    assert report["fits"] is True
    tokens = api.load(out.read_bytes(), format=report["input"]["format"]).tokens
    assert report["output"]["tokens"] == tokens <= report["target_tokens"]
    diff = run_process("diff", str(path), str(out), "--json")
    assert diff.code == 0, diff.stderr
    counts = json.loads(diff.stdout)["messages"]
    assert {name: counts[name] for name in report["dispositions"]} == report["dispositions"]


def test_a_file_that_only_describes_a_session_ends_the_process_with_3_and_its_name() -> None:
    path = next(path for path in FILES if path.name == "signals.json")
    done = run_process("compact", str(path), "--target-ratio", "0.5")
    assert done.code == 3
    assert done.stdout == b""
    assert path.name in done.stderr
