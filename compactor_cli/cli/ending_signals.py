"""Signals that end the process: what is half-written is removed first."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import NoReturn

_ENDING = ("SIGTERM", "SIGHUP")


class TerminatedError(BaseException):
    """A signal that asks the process to end; `code` is what a shell would report of it."""

    def __init__(self, number: int) -> None:
        self.code = 128 + number
        super().__init__(signal.Signals(number).name)


def catch_ending_signals() -> None:
    """Let SIGTERM and SIGHUP unwind the run as Ctrl-C does. One that is ignored, as by nohup, stays ignored."""
    for name in _ENDING:
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, _end)


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
    numbers = [getattr(signal, name) for name in ("SIGINT", *_ENDING) if hasattr(signal, name)]
    return {number: handler for number in numbers if callable(handler := signal.getsignal(number))}


def _end(number: int, frame: FrameType | None) -> NoReturn:
    signal.signal(number, signal.SIG_DFL)  # a second one ends the process at once
    raise TerminatedError(number)
