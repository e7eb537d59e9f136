"""`compact --engine dask`: a cluster of this machine, and one that runs, of which a worker is killed."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
from contextlib import ExitStack, contextmanager

import pytest

from compactor_cli.cli import cluster
from compactor_cli.errors import UsageError
from tests.builders import clean_environment, jsonl, plain_exchanges, program_command
from tests.cli.shared_work import WORK, chunks
from tests.cli.test_many import DONE, written

FILES = 24
OPTIONS = ("--target-ratio", "0.3", "--out-dir")


@pytest.fixture
def sessions(tmp_path):
    place = tmp_path / "in"
    place.mkdir()
    for at in range(FILES):
        (place / f"{at:02}.jsonl").write_bytes(jsonl(*plain_exchanges(20, start=at)))
    return place


@contextmanager
def started(module, *args, until, cwd):
    """A process of the cluster, when it has said that it is there; what it said of it."""
    line = [sys.executable, "-m", f"distributed.cli.{module}", *args]
    process = subprocess.Popen(
        line, cwd=cwd, env=clean_environment(), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    assert process.stderr is not None
    try:
        found = next(match for line in process.stderr if (match := re.search(until, line.decode())))
        yield process, found
    finally:
        process.kill()
        process.wait()
        process.stderr.close()


@pytest.fixture
def running(tmp_path):
    """Address of a scheduler with two workers that work in a folder of their own, and the workers."""
    place = tmp_path / "elsewhere"
    place.mkdir()
    near = ("--host", "127.0.0.1", "--dashboard-address", "127.0.0.1:0")
    with ExitStack() as stack:
        scheduler = started("dask_scheduler", *near, "--port", "0", until=r"Scheduler at: +(tcp://\S+)", cwd=place)
        address = stack.enter_context(scheduler)[1][1]
        options = (address, *near, "--no-nanny", "--nthreads", "1")
        workers = [
            stack.enter_context(started("dask_worker", *options, until=r"Registered to", cwd=place))[0] for _ in "12"
        ]
        yield address, workers


def test_a_cluster_of_this_machine_gives_the_same_bytes_and_reports(fresh, run, tmp_path, sessions):
    (sessions / "07.jsonl").write_text("{damaged\n")
    clustered = fresh("compact", "in/*.jsonl", *OPTIONS, "a", "--engine", "dask", "--jobs", "2", "--report", "a.jsonl")
    alone = run("compact", "in/*.jsonl", *OPTIONS, "b", "--report", "b.jsonl")
    assert clustered.code == alone.code == 3
    assert clustered.stderr == alone.stderr.replace(" b/", " a/")
    assert written(tmp_path / "a") == written(tmp_path / "b")
    assert [named(tmp_path / f"{name}.jsonl") for name in "ab"] == [
        [f"in/{at:02}.jsonl" for at in range(FILES) if at != 7]
    ] * 2


def named(report):
    return [json.loads(line)["input"]["path"] for line in report.read_text().splitlines()]


@pytest.mark.everything
def test_a_worker_that_is_killed_in_the_middle_costs_nothing(run, tmp_path, sessions, running):
    address, workers = running
    line = program_command("compact", "in/*.jsonl", *OPTIONS, "out", "--engine", "dask", "--scheduler", address)
    with subprocess.Popen(line, cwd=tmp_path, env=clean_environment(), stderr=subprocess.PIPE) as process:
        assert process.stderr is not None
        assert b" tokens " in process.stderr.readline()
        workers[0].send_signal(signal.SIGKILL)
        said = process.stderr.read().decode()
    assert process.returncode == 0, said
    assert f"{FILES} files" in said
    done = [json.loads(each)["name"] for each in (tmp_path / "out" / DONE).read_text().splitlines()]
    assert done == [f"{at:02}.jsonl" for at in range(FILES)], "each once, and in order"
    assert run("compact", "in/*.jsonl", *OPTIONS, "whole").code == 0
    assert written(tmp_path / "out") == written(tmp_path / "whole")
    resumed = run("compact", "in/*.jsonl", *OPTIONS, "out", "--resume")
    assert f"{FILES} files, {FILES} already done" in resumed.stderr, "what a cluster did any run knows"


@pytest.mark.everything
@pytest.mark.parametrize("failures", [1, 3])
def test_an_item_that_ends_each_worker_is_said_and_the_others_are_done(failures):
    """Each failure that a cluster allows is a worker that starts anew; three are what it allows by itself."""
    dask = pytest.importorskip("dask")
    pytest.importorskip("distributed")  # what it sets when it is imported is not to be taken back with what is set here
    items = [*range(5), "always", *range(5, 12)]
    with dask.config.set({"distributed.scheduler.allowed-failures": failures}):
        results = list(cluster.in_order(WORK, lambda threads: chunks(items, 3), 2, ""))
    assert results == ["always ended its process" if isinstance(item, str) else item * 3 for item in items]


@pytest.fixture
def deserted():
    """A client of a cluster on this machine whose workers have all ended for good."""
    dask = pytest.importorskip("dask")
    pytest.importorskip("distributed")  # what it sets when it is imported is not to be taken back with what is set here
    with dask.config.set({"distributed.deploy.lost-worker-timeout": "1s"}), ExitStack() as stack:
        client = cluster._client("", 1, stack)
        for worker in [*client.cluster.workers.values()]:
            client.cluster.sync(worker.close)
        assert client.nthreads() == {}
        yield client


@pytest.mark.everything
def test_workers_that_have_all_ended_for_good_are_started_again(deserted, monkeypatch):
    monkeypatch.setattr(cluster, "_TIMEOUT_SECONDS", 1)
    monkeypatch.setattr(cluster, "_MAX_TRIES", 60)
    assert cluster._await_result(deserted, deserted.submit(list, pure=False)) == []


@pytest.mark.everything
def test_a_cluster_that_stays_without_a_worker_is_an_error(deserted, monkeypatch):
    monkeypatch.setattr(cluster, "_TIMEOUT_SECONDS", 0.1)
    monkeypatch.setattr(cluster, "_MAX_TRIES", 1)
    monkeypatch.setattr(deserted, "cluster", None)  # as one on another machine is not this one's to start
    with pytest.raises(UsageError, match="no workers left; run again with --resume"):
        cluster._await_result(deserted, deserted.submit(list, pure=False))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--engine", "spark"), "unknown --engine 'spark'; use processes or dask"),
        (("--scheduler", "tcp://127.0.0.1:1"), "--scheduler works only with --engine dask"),
        (("--engine", "dask", "--scheduler", "tcp://127.0.0.1:1"), "no cluster with a worker answers there"),
    ],
)
def test_what_cannot_be_asked_for(run, sessions, options, words):
    done = run("compact", "in/0*.jsonl", *OPTIONS, "out", *options)
    assert (done.code, done.stdout) == (2, b"")
    assert words in done.stderr
