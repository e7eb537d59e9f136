"""`compact` for data sets in Parquet: files, shards, failures, resuming, runs that are killed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.builders import ROOT, clean_environment, jsonl, plain_exchanges, program_command

pytestmark = pytest.mark.one_test_in(3)

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

REAL = ROOT.parent / "shared" / "transcripts" / "hf-datasets"
OPTIONS = ("--target-ratio", "0.5", "--tokenizer", "chars")
FAILURES = ".failures.jsonl"


def rows_of(count, start=0):
    return [{"id": at, "messages": list(plain_exchanges(6 + at % 4, start=at))} for at in range(start, start + count)]


def write(path, rows, **options):
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.Table.from_pylist(rows), path, **options)


@pytest.fixture
def shards(tmp_path):
    """Four shards of 12 rows in row groups of 4."""
    for at in range(4):
        place = tmp_path / "data" / f"train-0000{at}-of-00004.parquet"
        write(place, rows_of(12, 12 * at), row_group_size=4, compression="ZSTD")
    return tmp_path / "data"


def python(code, folder):
    given = {"cwd": folder, "env": clean_environment(), "capture_output": True, "timeout": 60}
    return subprocess.run([sys.executable, "-c", code], check=False, **given)


def written(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir() if not path.name.startswith(".")}


def test_rows_become_what_they_become_in_json_lines(run, tmp_path, shards):
    source = shards / "train-00000-of-00004.parquet"
    (tmp_path / "rows.jsonl").write_bytes(jsonl(*rows_of(12)))
    assert run("compact", str(source), *OPTIONS, "-o", "out.parquet").code == 0
    assert run("compact", "rows.jsonl", *OPTIONS, "-o", "out.jsonl").code == 0
    lines = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    assert pq.read_table(tmp_path / "out.parquet").to_pylist() == lines
    assert lines != rows_of(12)


def test_schema_row_groups_and_compression_stay(run, tmp_path, shards):
    source = shards / "train-00000-of-00004.parquet"
    run("compact", str(source), *OPTIONS, "-o", "out.parquet")
    before, after = pq.ParquetFile(source), pq.ParquetFile(tmp_path / "out.parquet")
    assert after.schema_arrow.equals(before.schema_arrow, check_metadata=True)
    groups = [[file.metadata.row_group(at).num_rows for at in range(3)] for file in (before, after)]
    assert groups == [[4, 4, 4], [4, 4, 4]]
    assert after.metadata.row_group(0).column(0).compression == "ZSTD"


def test_a_file_in_which_nothing_changes_stays_as_it_is_to_the_byte(run, tmp_path):
    write(tmp_path / "in.parquet", rows_of(3))
    done = run("compact", "in.parquet", "--target-tokens", "100000", "--tokenizer", "chars", "-o", "out.parquet")
    assert (done.code, "unchanged" in done.stderr) == (0, True)
    assert (tmp_path / "out.parquet").read_bytes() == (tmp_path / "in.parquet").read_bytes()


def test_shards_keep_their_names_among_processes_and_are_resumed(run, tmp_path, shards):
    one = run("compact", "data/*.parquet", *OPTIONS, "--out-dir", "one")
    two = run("compact", "data/*.parquet", *OPTIONS, "--out-dir", "two", "--jobs", "2")
    assert (one.code, two.code) == (0, 0)
    assert written(tmp_path / "one") == written(tmp_path / "two")
    assert sorted(written(tmp_path / "one")) == sorted(path.name for path in shards.iterdir())
    assert "4 files, 48 rows" in one.stderr
    (tmp_path / "two" / "train-00002-of-00004.parquet").unlink()
    again = run("compact", "data/*.parquet", *OPTIONS, "--out-dir", "two", "--jobs", "2", "--resume")
    assert "3 already done" in again.stderr
    assert written(tmp_path / "one") == written(tmp_path / "two")


@pytest.mark.everything
def test_other_settings_or_another_column_do_the_shards_again(run, shards):
    run("compact", "data/*.parquet", *OPTIONS, "--out-dir", "out")
    for options in ((*OPTIONS, "--column", "messages"), ("--target-ratio", "0.4", "--tokenizer", "chars")):
        again = run("compact", "data/*.parquet", *options, "--out-dir", "out", "--resume")
        assert "already done" not in again.stderr


@pytest.mark.everything
@pytest.mark.skipif(os.name == "nt", reason="signals of another kind")
def test_a_run_that_is_killed_and_resumed_gives_the_same_bytes(run, tmp_path, shards):
    run("compact", "data/*.parquet", *OPTIONS, "--out-dir", "whole")
    arguments = program_command("compact", "data/*.parquet", *OPTIONS, "--out-dir", "out")
    process = subprocess.Popen(arguments, cwd=tmp_path, env=clean_environment(), stderr=subprocess.PIPE)
    assert process.stderr is not None
    process.stderr.readline()  # the first shard is written
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert 1 <= len(written(tmp_path / "out")) < 4
    assert run("compact", "data/*.parquet", *OPTIONS, "--out-dir", "out", "--resume").code == 0
    assert written(tmp_path / "out") == written(tmp_path / "whole")


def test_rows_that_fail_stay_and_are_listed(run, tmp_path):
    good = json.dumps(list(plain_exchanges(8)))
    rows = [{"messages": good}, {"messages": "[{damaged"}, {"messages": good}]
    write(tmp_path / "in" / "a.parquet", rows)
    write(tmp_path / "in" / "b.parquet", rows_of(3))
    done = run("compact", "in/*.parquet", *OPTIONS, "--out-dir", "out")
    assert done.code == 3
    assert "2 files, 6 rows, 1 row failed" in done.stderr
    assert f"1 of 3 rows could not be compacted and were left unchanged: see out/a.parquet{FAILURES}" in done.stderr
    out = pq.read_table(tmp_path / "out" / "a.parquet").to_pylist()
    assert out[1] == rows[1]
    assert out[0] != rows[0]
    (told,) = (json.loads(line) for line in (tmp_path / "out" / f"a.parquet{FAILURES}").read_text().splitlines())
    assert (told["path"], told["row"], told["column"]) == ("in/a.parquet", 1, "messages")
    assert told["error"]
    again = run("compact", "in/*.parquet", *OPTIONS, "--out-dir", "out", "--resume")
    assert (again.code, "2 already done, 6 rows, 1 row failed" in again.stderr) == (3, True)
    write(tmp_path / "in" / "a.parquet", rows[:1])
    assert run("compact", "in/*.parquet", *OPTIONS, "--out-dir", "out").code == 0
    assert not (tmp_path / "out" / f"a.parquet{FAILURES}").exists()


def test_a_file_that_is_damaged_or_has_no_conversations_is_told(run, tmp_path):
    (tmp_path / "cut.parquet").write_bytes(b"PAR1 and no more")
    assert run("compact", "cut.parquet", *OPTIONS, "-o", "out.parquet").code == 3
    write(tmp_path / "other.parquet", [{"text": "a"}])
    done = run("compact", "other.parquet", *OPTIONS, "-o", "out.parquet")
    assert (done.code, "no column holds conversations" in done.stderr) == (2, True)
    assert not (tmp_path / "out.parquet").exists()


@pytest.mark.parametrize(
    "options",
    [["--in-place"], ["--html", "p.html", "-o", "o.parquet"], ["--check"], ["-o", "-"], ["-o", "o.jsonl"], []],
)
def test_what_is_not_for_data_sets_is_refused(run, tmp_path, options):
    write(tmp_path / "in.parquet", rows_of(2))
    before = (tmp_path / "in.parquet").read_bytes()
    assert run("compact", "in.parquet", *OPTIONS, *options).code == 2
    assert (tmp_path / "in.parquet").read_bytes() == before


def test_a_dry_run_writes_nothing(run, tmp_path):
    write(tmp_path / "in.parquet", rows_of(2))
    done = run("compact", "in.parquet", *OPTIONS, "--dry-run")
    assert (done.code, "tokens (-" in done.stderr) == (0, True)
    assert [path.name for path in tmp_path.iterdir()] == ["in.parquet"]


def test_without_pyarrow_the_extra_is_named(tmp_path):
    write(tmp_path / "in.parquet", rows_of(2))
    code = (
        "import sys; sys.modules['pyarrow'] = None\n"
        "from compactor_cli.__main__ import main\n"
        "sys.argv = ['compactor', 'compact', 'in.parquet', '--target-ratio', '0.5', '-o', 'out.parquet']\nmain()"
    )
    done = python(code, tmp_path)
    assert done.returncode == 2
    assert b"pip install 'compactor-cli[parquet]'" in done.stderr


def test_json_lines_do_not_load_pyarrow(tmp_path):
    (tmp_path / "in.jsonl").write_bytes(jsonl(*plain_exchanges(4)))
    code = (
        "import sys\n"
        "from compactor_cli.cli.app import main\n"
        "sys.argv = ['compactor', 'compact', 'in.jsonl', '--target-ratio', '0.5', '-o', 'out.jsonl']\n"
        "try:\n    main()\nfinally:\n    print('pyarrow' in sys.modules, flush=True)"
    )
    done = python(code, tmp_path)
    assert done.stdout.split() == [b"False"]


GOLDEN = {
    "conversations-sharegpt": (40, 266, 132, 17_209, 8_117),
    "messages-json-string": (3, 79, 43, 19_874, 9_850),
    "messages-list": (3, 79, 43, 19_874, 9_850),
    "trajectory-list": (3, 79, 45, 19_579, 9_707),
}
"""Rows, messages before and after, tokens before and after."""


@pytest.mark.skipif(not REAL.is_dir(), reason="the folder of real transcripts is not here")
def test_real_data_sets(run, tmp_path):
    assert run("compact", str(REAL / "*.parquet"), *OPTIONS, "--out-dir", "out").code == 0
    listed = [json.loads(line) for line in Path(tmp_path, "out", ".compactor-done.jsonl").read_text().splitlines()]
    found = {}
    for one in listed:
        before, after = one["before"], one["after"]
        sizes = (before["messages"], after["messages"], before["tokens"], after["tokens"])
        found[one["name"].removesuffix(".parquet")] = (one["rows"], *sizes)
    assert found == GOLDEN
    for name in GOLDEN:
        old, new = (pq.read_table(folder / f"{name}.parquet") for folder in (REAL, tmp_path / "out"))
        assert new.schema.equals(old.schema, check_metadata=True)
        changed = [column for column in old.column_names if not new.column(column).equals(old.column(column))]
        assert changed in (["messages"], ["trajectory"], ["conversations"])
