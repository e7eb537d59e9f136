"""Work that tests distribute over processes. It needs few imports, because each process begins with them."""

from __future__ import annotations

import os
import signal
from pathlib import Path

from compactor_cli.cli.workers import Work

_factor: list[int] = []


def begin(factor):
    _factor.append(factor)


def multiply_items(items):
    return [_done(item) for item in items]


def _done(item):
    if isinstance(item, str):  # a path: the process ends where it is not there, and makes it
        marker = Path(item)
        if item == "always" or not marker.exists():
            if item != "always":
                marker.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return "done the second time"
    return item * _factor[0]


def ended_item(item):
    return f"{item} ended its process"


WORK = Work(begin, (3,), multiply_items, ended_item, preload=(__name__,))


def chunks(items, size):
    return [items[at : at + size] for at in range(0, len(items), size)]


def held_signals(items):
    """Return for each item the signals that this process blocks or ignores."""
    blocked = signal.pthread_sigmask(signal.SIG_BLOCK, ())
    return [blocked | signals_of(os.getpid(), "SigIgn") for _ in items]


def signals_of(pid, name):
    """Return the signals that a process blocks (SigBlk) or ignores (SigIgn)."""
    status = Path(f"/proc/{pid}/status").read_text()
    mask = int(next(line for line in status.splitlines() if line.startswith(f"{name}:")).split()[1], 16)
    return {number for number in signal.valid_signals() if mask >> (number - 1) & 1}
