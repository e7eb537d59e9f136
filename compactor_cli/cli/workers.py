"""Share work among processes. Results come in the order of the work, even if a process dies in the middle of it."""

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

_TERMINAL_SIGNALS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGHUP") if hasattr(signal, name))
_CHUNKS_AHEAD = 4
"""Chunks per process that are submitted before the first result is awaited."""


def processors() -> int:
    """Return how many processes can run at once on this machine."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Work(Struct, Generic[T, R], frozen=True):
    """What each process does."""

    begin: Callable[..., None]
    """Called once in each process."""
    begin_args: tuple[Any, ...]
    """The arguments of `begin`; they can be pickled."""
    chunk: Callable[[Sequence[T]], list[R]]
    """Returns one result per item."""
    ended: Callable[[T], R]
    """Returns the result for an item whose process died; called in this process."""
    preload: tuple[str, ...] = ()
    """Modules to import before the first process begins; once for all if processes are forked."""


def start_server(preload: Sequence[str]) -> None:
    """Start the server that processes are forked from, if necessary; it imports the modules of `preload` meanwhile."""
    if _can_fork():
        multiprocessing.set_forkserver_preload(list(preload))
        _start_helpers()


def in_order(work: Work[T, R], chunks: Iterable[Sequence[T]], processes: int) -> Generator[R, None, None]:
    """Yield the results of chunks in order. If a process dies, items are repeated one by one; killers end."""
    pool = _Pool(work, processes)
    waiting: deque[tuple[Sequence[T], Future[list[R]]]] = deque()
    try:
        for chunk in chunks:
            waiting.append((chunk, pool.submit(chunk)))
            if len(waiting) > _CHUNKS_AHEAD * processes:
                yield from _next_results(pool, waiting)
        while waiting:
            yield from _next_results(pool, waiting)
        pool.renew()
    finally:
        pool.kill()


def _next_results(pool: _Pool[T, R], waiting: deque[tuple[Sequence[T], Future[list[R]]]]) -> Iterator[R]:
    """Yield the results of the first waiting chunk, or of all waiting chunks if a process has died."""
    chunk, future = waiting.popleft()
    try:
        yield from future.result()
    except BrokenProcessPool:
        yield from pool.run_alone(chunk)
        while waiting:
            chunk, future = waiting.popleft()
            yield from future.result() if not future.exception() else pool.run_alone(chunk)
        pool.renew()


class _Pool(Generic[T, R]):
    def __init__(self, work: Work[T, R], processes: int) -> None:
        self._work, self._processes = work, processes
        self._executor: ProcessPoolExecutor | None = None

    def submit(self, chunk: Sequence[T]) -> Future[list[R]]:
        """Submit a chunk. If the processes have died, its result shows that."""
        if self._executor is None:
            self._executor = self._executor_of(self._processes)
        try:
            with delay_signals():
                return self._executor.submit(self._work.chunk, chunk)
        except BrokenProcessPool as error:
            broken: Future[list[R]] = Future()
            broken.set_exception(error)
            return broken

    def run_alone(self, chunk: Sequence[T]) -> Iterator[R]:
        """Yield the results of the items of a chunk whose process died, with one process per item."""
        for item in chunk:
            with self._executor_of(1) as executor:
                try:
                    with delay_signals():
                        future = executor.submit(self._work.chunk, [item])
                    yield from future.result()
                except BrokenProcessPool:
                    yield self._work.ended(item)

    def renew(self) -> None:
        """Wait for the processes to end. The next chunk gets new ones."""
        if self._executor is not None:
            self._executor.shutdown()
            self._executor = None

    def kill(self) -> None:
        """Terminate running processes. Outputs are replaced in one step, so none is half-written."""
        if self._executor is None:
            return
        for process in multiprocessing.active_children():
            process.terminate()
        self._executor.shutdown(cancel_futures=True)

    def _executor_of(self, processes: int) -> ProcessPoolExecutor:
        # never fork from this process, which has threads
        start_server(self._work.preload)
        context = multiprocessing.get_context("forkserver" if _can_fork() else "spawn")
        return ProcessPoolExecutor(processes, context, _begin_worker, (self._work.begin, self._work.begin_args))


def collect_garbage() -> None:
    """Free what a chunk left behind in this process; the whole program runs with automatic collection off. What
    exists after the first chunk, mostly modules, is frozen and not scanned again."""
    gc.collect()
    if not gc.get_freeze_count():
        gc.freeze()


def _can_fork() -> bool:
    return "forkserver" in multiprocessing.get_all_start_methods()


@contextmanager
def delay_signals() -> Iterator[None]:
    """Delay signals that would end the run until the block is done, if this is the main thread."""
    came: list[int] = []
    handlers: dict[int, Callable[[int, FrameType | None], object]] = {}
    if threading.current_thread() is threading.main_thread():
        numbers = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]
        # those that end this process without a handler need no delay
        handlers = {number: handler for number in numbers if callable(handler := signal.getsignal(number))}
    for number in handlers:
        signal.signal(number, lambda number, frame: came.append(number))
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
        for number in came[:1]:
            signal.raise_signal(number)


def _start_helpers() -> None:
    """Start the helper processes that start others and clean up after them. Signals that a terminal sends to a whole
    run (Ctrl-C, closing) are for this process, which then ends the helpers. Otherwise they would die early and print
    errors."""
    from multiprocessing import forkserver, resource_tracker

    before = signal.pthread_sigmask(signal.SIG_BLOCK, ())
    try:
        for start in (resource_tracker.ensure_running, forkserver.ensure_running):
            signal.pthread_sigmask(signal.SIG_BLOCK, _TERMINAL_SIGNALS)  # again: the first helper unblocks them
            start()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _begin_worker(begin: Callable[..., None], begin_args: tuple[Any, ...]) -> None:
    """Begin a worker process. It ignores Ctrl-C, which is for the parent, and it ends when the parent does."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_exit_with_parent, args=(parent,), daemon=True).start()
    begin(*begin_args)


def _exit_with_parent(parent: BaseProcess) -> NoReturn:
    parent.join()
    os._exit(1)
