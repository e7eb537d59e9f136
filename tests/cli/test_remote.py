"""`compact` with addresses of stores: transcripts and data sets in and out, resuming, what is missing."""

from __future__ import annotations

import json
import subprocess
import sys
import uuid

import pytest
from typer.testing import CliRunner

from compactor_cli.cli.app import app
from tests.builders import clean_environment, jsonl, plain_exchanges

pytestmark = pytest.mark.one_test_in(2)

fsspec = pytest.importorskip("fsspec")
pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

OPTIONS = ("--target-ratio", "0.5", "--tokenizer", "chars")


@pytest.fixture
def bucket():
    """A folder of its own in a store in memory: name -> bytes can be put there."""
    store = fsspec.filesystem("memory")
    root = f"/{uuid.uuid4().hex}"
    yield f"memory:/{root}"
    if store.exists(root):
        store.rm(root, recursive=True)


def put(address, data):
    with fsspec.open(address, "wb") as stream:
        stream.write(data)


def get(address):
    with fsspec.open(address, "rb") as stream:
        return stream.read()


def compact(*arguments):
    return CliRunner().invoke(app, ["compact", *arguments, *OPTIONS])


def shard(start):
    rows = [{"id": at, "messages": list(plain_exchanges(6 + at % 3, start=at))} for at in range(start, start + 5)]
    sink = pa.BufferOutputStream()
    pq.write_table(pa.Table.from_pylist(rows), sink)
    return sink.getvalue().to_pybytes()


def test_a_transcript_is_read_from_a_store_and_written_to_one(bucket, tmp_path):
    put(f"{bucket}/a.jsonl", jsonl(*plain_exchanges(8)))
    (tmp_path / "a.jsonl").write_bytes(jsonl(*plain_exchanges(8)))
    assert compact(f"{bucket}/a.jsonl", "-o", f"{bucket}/small.jsonl.zst").exit_code == 0
    assert compact(str(tmp_path / "a.jsonl"), "-o", str(tmp_path / "small.jsonl.zst")).exit_code == 0
    assert get(f"{bucket}/small.jsonl.zst") == (tmp_path / "small.jsonl.zst").read_bytes()


def test_patterns_folders_and_resuming_work_in_a_store(bucket):
    for at in range(3):
        put(f"{bucket}/in/deep/train-0000{at}-of-00003.parquet", shard(5 * at))
    put(f"{bucket}/in/b.jsonl", jsonl(*plain_exchanges(8)))
    assert compact(f"{bucket}/in", "--out-dir", f"{bucket}/out").exit_code == 0
    assert compact(f"{bucket}/in/**/*.parquet", "--out-dir", f"{bucket}/shards").exit_code == 0
    made = get(f"{bucket}/out/deep/train-00001-of-00003.parquet")
    assert made == get(f"{bucket}/shards/deep/train-00001-of-00003.parquet")
    assert pq.read_table(pa.BufferReader(made)).num_rows == 5
    put(f"{bucket}/out/b.jsonl", b"lost")
    again = compact(f"{bucket}/in", "--out-dir", f"{bucket}/out", "--resume")
    assert again.exit_code == 0
    assert "3 already done" in again.stderr
    assert get(f"{bucket}/out/b.jsonl") != b"lost"


def test_failures_are_listed_in_the_store(bucket):
    sink = pa.BufferOutputStream()
    pq.write_table(pa.table({"messages": [json.dumps(list(plain_exchanges(8))), "[{damaged"]}), sink)
    put(f"{bucket}/a.parquet", sink.getvalue().to_pybytes())
    assert compact(f"{bucket}/a.parquet", "-o", f"{bucket}/o.parquet").exit_code == 3
    assert json.loads(get(f"{bucket}/o.parquet.failures.jsonl"))["row"] == 1


def test_processes_share_files_of_a_store(run, tmp_path):
    for at in range(4):
        (tmp_path / f"{at}.jsonl").write_bytes(jsonl(*plain_exchanges(6, start=at)))
    done = run("compact", f"file://{tmp_path}/*.jsonl", *OPTIONS, "--out-dir", f"file://{tmp_path}/out", "--jobs", "2")
    assert done.code == 0, done.stderr
    assert run("compact", "*.jsonl", *OPTIONS, "--out-dir", "here").code == 0
    for at in range(4):
        assert (tmp_path / "out" / f"{at}.jsonl").read_bytes() == (tmp_path / "here" / f"{at}.jsonl").read_bytes()


def test_what_is_not_there_or_not_known_is_told(bucket):
    assert compact(f"{bucket}/none.jsonl", "-o", f"{bucket}/o.jsonl").exit_code == 3
    assert compact(f"{bucket}/*.none", "--out-dir", f"{bucket}/o").exit_code == 3
    assert compact("nosuch://a/b.jsonl", "-o", f"{bucket}/o.jsonl").exit_code == 2
    put(f"{bucket}/a.jsonl", jsonl(*plain_exchanges(4)))
    assert compact(f"{bucket}/a.jsonl", "-o", f"{bucket}/a.jsonl").exit_code == 2


def test_without_fsspec_the_extra_is_named(tmp_path):
    code = (
        "import sys; sys.modules['fsspec'] = None\n"
        "from compactor_cli.__main__ import main\n"
        "sys.argv = ['compactor', 'compact', 's3://a/b.jsonl', '-o', 'out.jsonl']\nmain()"
    )
    given = {"cwd": tmp_path, "env": clean_environment(), "capture_output": True, "timeout": 60}
    done = subprocess.run([sys.executable, "-c", code], check=False, **given)
    assert done.returncode == 2
    assert b"pip install 'compactor-cli[remote]'" in done.stderr
