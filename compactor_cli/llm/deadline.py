"""Run work with a deadline, several at a time, in daemon threads, which a hanging server cannot keep from ending."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from functools import partial
from queue import Empty, SimpleQueue
from threading import Thread
from typing import TypeVar

T = TypeVar("T")
R = TypeVar("R")


def _do(work: Callable[[], R]) -> Future[R]:
    """Return the result or exception of work, to be passed from its thread to the waiting one."""
    future: Future[R] = Future()
    try:
        future.set_result(work())
    except BaseException as error:  # raised again when the result is read
        future.set_exception(error)
    return future


class DeadlineError(Exception):
    """The work was not finished in time."""


def run_within(seconds: float, work: Callable[[], R]) -> R:
    """Return or raise what the work does. Raises DeadlineError after this many seconds and abandons the work."""
    outcomes: SimpleQueue[Future[R]] = SimpleQueue()
    Thread(target=lambda: outcomes.put(_do(work)), daemon=True).start()
    try:
        return outcomes.get(timeout=seconds).result()
    except Empty:
        raise DeadlineError from None


def run_concurrently(items: Sequence[T], work: Callable[[T], R], *, at_once: int) -> Iterator[tuple[int, R]]:
    """Yield position and result of each item as it finishes; pending items are skipped if the caller stops."""
    waiting: SimpleQueue[int] = SimpleQueue()
    outcomes: SimpleQueue[tuple[int, Future[R]]] = SimpleQueue()
    for index in range(len(items)):
        waiting.put(index)

    def serve() -> None:
        for index in _until_empty(waiting):
            outcomes.put((index, _do(partial(work, items[index]))))

    for _ in range(min(at_once, len(items))):
        Thread(target=serve, daemon=True).start()
    try:
        for _ in items:
            index, outcome = outcomes.get()
            yield index, outcome.result()
    finally:
        for _ in _until_empty(waiting):
            pass


def _until_empty(queue: SimpleQueue[int]) -> Iterator[int]:
    while True:
        try:
            yield queue.get_nowait()
        except Empty:
            return
