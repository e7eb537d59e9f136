"""Work shared among processes: results in the order of the work, also when a process ends in the middle of it."""

from __future__ import annotations

import gc
import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing.process import BaseProcess
from types import FrameType
from typing import Any, Generic, NoReturn, TypeVar

from msgspec import Struct

T = TypeVar("T")
R = TypeVar("R")

_OF_TERMINALS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGHUP") if hasattr(signal, name))
"""What a terminal sends to all processes of a run."""
_AHEAD = 4
"""Chunks a process that are handed out before the first of them is asked for: so many results wait at most."""


def processors() -> int:
    """Return how many processes can run at once here."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Work(Struct, Generic[T, R], frozen=True):
    """What each process does."""

    begin: Callable[..., None]
    """Called once in each process."""
    begin_args: tuple[Any, ...]
    """The arguments of `begin`, which can be pickled."""
    chunk: Callable[[Sequence[T]], list[R]]
    """A result for each item."""
    ended: Callable[[T], R]
    """The result for an item whose process ended: it is called in this process."""
    preload: tuple[str, ...] = ()
    """Modules that are imported before the first process begins, once for all where processes are forked."""


def get_ready(preload: Sequence[str]) -> None:
    """Start what the processes of a run come from, unless it is started. It imports the modules of `preload`
    meanwhile, beside whatever this process does next."""
    if _forks():
        multiprocessing.set_forkserver_preload(list(preload))
        _start_helpers()


def in_order(work: Work[T, R], chunks: Iterable[Sequence[T]], processes: int) -> Generator[R, None, None]:
    """Yield the results of chunks in their order. Where a process ends without an answer (killed, out of memory), what
    was under way is done again item by item, each alone in a process; an item that ends that one too has the result
    `ended`. Whoever stops reading ends the processes."""
    pool = _Pool(work, processes)
    waiting: deque[tuple[Sequence[T], Future[list[R]]]] = deque()
    try:
        for chunk in chunks:
            waiting.append((chunk, pool.submit(chunk)))
            if len(waiting) > _AHEAD * processes:
                yield from _first(pool, waiting)
        while waiting:
            yield from _first(pool, waiting)
        pool.renew()
    finally:
        pool.kill()


def _first(pool: _Pool[T, R], waiting: deque[tuple[Sequence[T], Future[list[R]]]]) -> Iterator[R]:
    """Yield the results of the first chunk that waits; of all of them when a process has ended."""
    chunk, future = waiting.popleft()
    try:
        yield from future.result()
    except BrokenProcessPool:
        yield from pool.alone(chunk)
        while waiting:
            chunk, future = waiting.popleft()
            yield from future.result() if not future.exception() else pool.alone(chunk)
        pool.renew()


class _Pool(Generic[T, R]):
    def __init__(self, work: Work[T, R], processes: int) -> None:
        self._work, self._processes = work, processes
        self._executor: ProcessPoolExecutor | None = None

    def submit(self, chunk: Sequence[T]) -> Future[list[R]]:
        """Hand out a chunk. When the processes have ended, that shows in its result."""
        if self._executor is None:
            self._executor = self._executor_of(self._processes)
        try:
            with undisturbed():
                return self._executor.submit(self._work.chunk, chunk)
        except BrokenProcessPool as error:
            broken: Future[list[R]] = Future()
            broken.set_exception(error)
            return broken

    def alone(self, chunk: Sequence[T]) -> Iterator[R]:
        """Yield the results of items whose process has ended, by one process for each."""
        for item in chunk:
            with self._executor_of(1) as executor:
                try:
                    with undisturbed():
                        made = executor.submit(self._work.chunk, [item])
                    yield from made.result()
                except BrokenProcessPool:
                    yield self._work.ended(item)

    def renew(self) -> None:
        """Wait for the processes to end; what is handed out next has new ones."""
        if self._executor is not None:
            self._executor.shutdown()
            self._executor = None

    def kill(self) -> None:
        """End what still runs: its outputs are replaced in one step, so that nothing is half-written."""
        if self._executor is None:
            return
        for process in multiprocessing.active_children():
            process.terminate()
        self._executor.shutdown(cancel_futures=True)

    def _executor_of(self, processes: int) -> ProcessPoolExecutor:
        # never forked off this process, which has threads
        get_ready(self._work.preload)
        context = multiprocessing.get_context("forkserver" if _forks() else "spawn")
        return ProcessPoolExecutor(processes, context, _begin, (self._work.begin, self._work.begin_args))


def collect_garbage() -> None:
    """Free what a chunk left behind in this process, where the collector is switched off, as it is for the whole
    program. What is there after the first chunk, modules mostly, is not looked through again."""
    gc.collect()
    if not gc.get_freeze_count():
        gc.freeze()


def _forks() -> bool:
    return "forkserver" in multiprocessing.get_all_start_methods()


@contextmanager
def undisturbed() -> Iterator[None]:
    """Let signals that end the run, and would interrupt this thread, wait until what is begun here is done."""
    came: list[int] = []
    handlers = _handlers() if threading.current_thread() is threading.main_thread() else {}
    for number in handlers:
        signal.signal(number, lambda number, frame: came.append(number))
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
        for number in came[:1]:
            signal.raise_signal(number)


def _handlers() -> dict[int, Callable[[int, FrameType | None], object]]:
    """Return what is done in this process when a signal asks it to end; those that it does not handle are left out."""
    numbers = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]
    return {number: handler for number in numbers if callable(handler := signal.getsignal(number))}


def _start_helpers() -> None:
    """Start the processes that start others and tidy up behind them. What a terminal sends to all of a run (Ctrl-C, or
    that it closes) is for this process, which ends them: they would die of it on the way, and tell of it."""
    from multiprocessing import forkserver, resource_tracker

    before = signal.pthread_sigmask(signal.SIG_BLOCK, ())
    try:
        for start in (resource_tracker.ensure_running, forkserver.ensure_running):
            signal.pthread_sigmask(signal.SIG_BLOCK, _OF_TERMINALS)  # the first of them lets signals through again
            start()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _begin(begin: Callable[..., None], begin_args: tuple[Any, ...]) -> None:
    """Begin a process: Ctrl-C is for the one that handed out the work, and this one does not outlive it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_end_after, args=(parent,), daemon=True).start()
    begin(*begin_args)


def _end_after(parent: BaseProcess) -> NoReturn:
    parent.join()
    os._exit(1)
