"""Work in threads that nobody has to wait for: with a deadline, and several at the same time.

The threads are daemons. Those of `concurrent.futures` are joined when the interpreter ends, so that one
server that hangs would hold a process that was interrupted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Generic, TypeVar

T = TypeVar("T")
R = TypeVar("R")


class _Outcome(Generic[R]):
    """What work returned or raised, carried from its thread to the one that waits."""

    def __init__(self, work: Callable[[], R]) -> None:
        self._error: BaseException | None = None
        try:
            self._result = work()
        except BaseException as error:  # raised again where the result is looked at
            self._error = error

    @property
    def value(self) -> R:
        if self._error is not None:
            raise self._error
        return self._result


class DeadlineError(Exception):
    """The work is not done within the time."""


def within(seconds: float, work: Callable[[], R]) -> R:
    """Return what the work returns or raises; DeadlineError after so many seconds, and the work is left to itself."""
    done: SimpleQueue[_Outcome[R]] = SimpleQueue()
    Thread(target=lambda: done.put(_Outcome(work)), daemon=True).start()
    try:
        return done.get(timeout=seconds).value
    except Empty:
        raise DeadlineError from None


def as_they_finish(items: Sequence[T], work: Callable[[T], R], *, at_once: int) -> Iterator[tuple[int, R]]:
    """Place and result of each item, whichever is done first. Left early, what has not begun is not done."""
    waiting: SimpleQueue[int] = SimpleQueue()
    done: SimpleQueue[tuple[int, _Outcome[R]]] = SimpleQueue()
    for index in range(len(items)):
        waiting.put(index)

    def serve() -> None:
        for index in _until_empty(waiting):
            done.put((index, _Outcome(partial(work, items[index]))))

    for _ in range(min(at_once, len(items))):
        Thread(target=serve, daemon=True).start()
    try:
        for _ in items:
            index, outcome = done.get()
            yield index, outcome.value
    finally:
        for _ in _until_empty(waiting):
            pass


def _until_empty(queue: SimpleQueue[int]) -> Iterator[int]:
    while True:
        try:
            yield queue.get_nowait()
        except Empty:
            return
