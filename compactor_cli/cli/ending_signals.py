"""Signals that end the process: what is half-written is removed first."""

from __future__ import annotations

import signal
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


def _end(number: int, frame: FrameType | None) -> NoReturn:
    signal.signal(number, signal.SIG_DFL)  # a second one ends the process at once
    raise TerminatedError(number)
