"""Work shared among processes: order, processes that end, and whoever stops reading."""

from __future__ import annotations

import gc
import multiprocessing
import signal
import subprocess
import sys
import weakref
from itertools import islice
from multiprocessing import forkserver, resource_tracker
from pathlib import Path

import pytest

from compactor_cli.cli import many
from compactor_cli.cli.compact_job import CompactOptions
from compactor_cli.cli.workers import Work, collect_garbage, delay_signals, in_order, start_server
from tests.cli import shared_work
from tests.cli.shared_work import WORK, begin, chunks, ended_item, held_signals, signals_of

pytestmark = pytest.mark.one_test_in(2)

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("processes", [1, 2, 3])
def test_results_come_in_the_order_of_the_work(processes):
    items = list(range(50))
    assert list(in_order(WORK, chunks(items, 4), processes)) == [item * 3 for item in items]
    assert list(in_order(WORK, [], processes)) == []


def test_what_a_process_was_doing_when_it_was_killed_is_done_again(tmp_path):
    items = [*range(9), str(tmp_path / "marker"), *range(9, 40)]
    expected = ["done the second time" if isinstance(item, str) else item * 3 for item in items]
    assert list(in_order(WORK, chunks(items, 4), 2)) == expected


def test_an_item_that_ends_each_process_is_said_and_the_others_are_done():
    items = [*range(9), "always", *range(9, 30), "always", 30]
    expected = ["always ended its process" if isinstance(item, str) else item * 3 for item in items]
    assert list(in_order(WORK, chunks(items, 4), 2)) == expected


def test_no_process_goes_on_when_nobody_reads_the_rest():
    results = in_order(WORK, chunks(list(range(100)), 2), 2)
    assert list(islice(results, 5)) == [0, 3, 6, 9, 12]
    assert multiprocessing.active_children()
    results.close()
    assert not multiprocessing.active_children()


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="what a process blocks is read from /proc")
def test_what_a_terminal_sends_to_all_is_for_the_process_that_hands_out_the_work():
    """Helpers that die of Ctrl-C, or of a terminal that closes, tell of it on the terminal. What other tests began
    would stay unchanged, so a new process begins them."""
    script = "from tests.cli import test_workers; test_workers.check_what_is_blocked()"
    done = subprocess.run([sys.executable, "-c", script], check=False, cwd=ROOT, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def check_what_is_blocked():
    """A worker tells of itself: while it begins a thread, its file in /proc says that it blocks everything."""
    results = in_order(
        Work(begin, (3,), held_signals, ended_item, preload=(shared_work.__name__,)), chunks(list(range(20)), 2), 2
    )
    try:
        for kept in results:
            assert {signal.SIGINT, signal.SIGHUP} <= kept
            assert signal.SIGTERM not in kept
        helpers = [vars(forkserver._forkserver)["_forkserver_pid"], vars(resource_tracker._resource_tracker)["_pid"]]
        for pid in helpers:
            assert {signal.SIGINT, signal.SIGHUP} <= signals_of(pid, "SigBlk") | signals_of(pid, "SigIgn")
    finally:
        results.close()
    assert not {signal.SIGINT, signal.SIGHUP} & set(signal.pthread_sigmask(signal.SIG_BLOCK, ()))


def test_a_signal_waits_until_what_is_begun_is_done():
    came: list[object] = []
    before = signal.signal(signal.SIGTERM, lambda number, frame: came.append(number))
    try:
        with delay_signals():
            signal.raise_signal(signal.SIGTERM)
            assert came == []
        assert came == [signal.SIGTERM]
        with pytest.raises(KeyboardInterrupt), delay_signals():
            signal.raise_signal(signal.SIGINT)
            came.append("done")
        assert came == [signal.SIGTERM, "done"]
    finally:
        signal.signal(signal.SIGTERM, before)


def test_no_more_is_handed_out_than_is_worth_keeping():
    asked = []

    def counted():
        for at in range(100):
            asked.append(at)
            yield [at]

    results = in_order(WORK, counted(), 2)
    assert next(results) == 0
    assert len(asked) < 12
    results.close()


@pytest.mark.skipif("forkserver" not in multiprocessing.get_all_start_methods(), reason="no process is forked here")
def test_processes_come_from_what_was_got_ready_before():
    script = "from tests.cli import test_workers; test_workers.check_what_is_ready()"
    done = subprocess.run([sys.executable, "-c", script], check=False, cwd=ROOT, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def check_what_is_ready():
    server = vars(forkserver._forkserver)
    assert server["_forkserver_pid"] is None
    start_server(WORK.preload)
    pid = server["_forkserver_pid"]
    assert pid is not None
    assert list(in_order(WORK, chunks([1, 2], 1), 2)) == [3, 6]
    assert server["_forkserver_pid"] == pid


@pytest.mark.skipif("forkserver" not in multiprocessing.get_all_start_methods(), reason="no process is forked here")
@pytest.mark.parametrize(("files", "starts"), [(["README.md"], False), (["README.md", "*.md"], True), (["*.md"], True)])
def test_for_a_single_file_no_process_is_started(files, starts):
    script = f"from tests.cli import test_workers; test_workers.check_what_is_started({files!r}, {starts})"
    done = subprocess.run([sys.executable, "-c", script], check=False, cwd=ROOT, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def check_what_is_started(files, starts):
    many.get_ready(CompactOptions(files=files, jobs=2))
    assert (vars(forkserver._forkserver)["_forkserver_pid"] is not None) is starts


class _Ring:
    """It holds itself, so that only the collector frees it."""

    def __init__(self):
        self.ring = self


def test_garbage_is_freed_and_what_stays_is_not_looked_through_again():
    gc.unfreeze()
    try:
        freed = [weakref.ref(_Ring()), weakref.ref(_Ring())]
        collect_garbage()
        kept = gc.get_freeze_count()
        assert kept > 1_000
        freed.append(weakref.ref(_Ring()))
        collect_garbage()
        assert [ring() for ring in freed] == [None] * 3
        assert gc.get_freeze_count() <= kept
    finally:
        gc.unfreeze()
