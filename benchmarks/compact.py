"""`python -m benchmarks.compact`: the whole `compact` process beside the floor (see floor.py).

Both run as processes of their own, in turn, on sessions of 40, 1,000 and 20,000 messages. The strategy is
`tiered`; what `adaptive` takes beyond that is its plan, which `benchmarks.plan` measures. Limits:

- time: at most twice the floor, by medians, for 1,000 and for 20,000 messages;
- growth: from 1,000 to 20,000 messages the cost beyond start-up may not grow faster than the file. What
  the session of 40 messages takes, start-up mostly, comes off the cost, and its size off the size.
  Cost is processor seconds, the least of the runs, so that other work on the machine counts little,
  and a tenth is allowed for the scatter that remains;
- memory: at most 120 MB plus five times the size of the file.

Exit code 1 when one is exceeded.
"""

from __future__ import annotations

import compileall
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from benchmarks.sessions import write_session

_ROOT = Path(__file__).parent.parent
_RUNS = {40: 15, 1_000: 15, 20_000: 5}
"""Messages -> how often each program runs."""
_MOST_TIMES_FLOOR = 2.0
_MB = 1_000_000


@dataclass(frozen=True, slots=True)
class Run:
    """One process: wall-clock seconds, processor seconds, and peak memory in bytes."""

    seconds: float
    processor: float
    memory: int


@dataclass(frozen=True, slots=True)
class Measured:
    """Both programs on one session."""

    messages: int
    size: int
    floor: Sequence[Run]
    compact: Sequence[Run]

    @property
    def ratio(self) -> float:
        return seconds(self.compact) / seconds(self.floor)

    @property
    def memory_limit(self) -> int:
        return 120 * _MB + 5 * self.size


def seconds(runs: Sequence[Run]) -> float:
    return median(run.seconds for run in runs)


def cost(runs: Sequence[Run]) -> float:
    return min(run.processor for run in runs)


def memory(runs: Sequence[Run]) -> int:
    return max(run.memory for run in runs)


def run(command: Sequence[str]) -> Run:
    """Run a process to its end. Raises RuntimeError when it fails."""
    started = time.perf_counter()
    process = subprocess.Popen(command, cwd=_ROOT, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    elapsed = time.perf_counter() - started
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"exit code {process.returncode}: {' '.join(command)}")
    return Run(elapsed, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024))


def measure(folder: Path) -> list[Measured]:
    """Both programs on generated sessions, after one run each that does not count, compiled as an installer does.

    Sessions and programs take turns, so that a busy spell of the machine does not meet one of them only.
    """
    compileall.compile_dir(_ROOT / "compactor_cli", quiet=1)
    sessions = {messages: folder / f"{messages}.jsonl" for messages in _RUNS}
    runs: dict[int, list[tuple[Run, Run]]] = {messages: [] for messages in _RUNS}
    for messages, session in sessions.items():
        write_session(session, messages)
    for turn in range(max(_RUNS.values()) + 1):
        for messages, session in sessions.items():
            if turn <= _RUNS[messages]:
                runs[messages].append(_pair(folder, session))
    return [
        Measured(m, sessions[m].stat().st_size, [a for a, _ in pairs[1:]], [b for _, b in pairs[1:]])
        for m, pairs in runs.items()
    ]


def _pair(folder: Path, session: Path) -> tuple[Run, Run]:
    floor = [sys.executable, "-m", "benchmarks.floor", str(session), str(folder / "floor.jsonl")]
    compact = [sys.executable, "-m", "compactor_cli", "compact", str(session), "--target-ratio", "0.25"]
    compact += ["--strategy", "tiered", "-o", str(folder / "compact.jsonl"), "--quiet"]
    return run(floor), run(compact)


def report(tiny: Measured, small: Measured, large: Measured) -> list[str]:
    """Print the figures; return the limits that are exceeded."""
    exceeded = []
    print(f"{'':17}  {'median seconds':^33}  {'peak memory':^24}")
    print(f"{'messages':>8}  {'file':>8}  {'floor':>7}  {'compact':>8}  {'ratio':>5}  {'limit':>5}", end="")
    print(f"  {'floor':>6}  {'compact':>7}  {'limit':>6}")
    for at in (tiny, small, large):
        limit = "-" if at is tiny else f"{_MOST_TIMES_FLOOR:.1f}"
        print(f"{at.messages:>8,}  {at.size / _MB:>5.2f} MB  {seconds(at.floor):>7.3f}", end="")
        print(f"  {seconds(at.compact):>8.3f}  {at.ratio:>5.2f}  {limit:>5}", end="")
        print(f"  {memory(at.floor) / _MB:>3.0f} MB  {memory(at.compact) / _MB:>4.0f} MB", end="")
        print(f"  {at.memory_limit / _MB:>3.0f} MB")
        if at is not tiny and at.ratio > _MOST_TIMES_FLOOR:
            exceeded.append(f"{at.messages:,} messages take {at.ratio:.2f} times the floor")
        if memory(at.compact) > at.memory_limit:
            exceeded.append(f"{at.messages:,} messages take {memory(at.compact) / _MB:.0f} MB of memory")
    file = large.size / small.size
    growth = cost(large.compact) / cost(small.compact)
    print(f"\nfrom {small.messages:,} to {large.messages:,} messages the file grows {file:.1f} times,", end=" ")
    print(f"the cost {growth:.1f} times (limit {file:.1f}); less what {tiny.messages} take:", end=" ")
    print(
        f"compact {_beyond(tiny, small, large, 'compact'):.1f}, floor {_beyond(tiny, small, large, 'floor'):.1f} times"
    )
    if growth > file:
        exceeded.append(f"the cost grows {growth:.1f} times, the file {file:.1f} times")
    return exceeded


def _beyond(tiny: Measured, small: Measured, large: Measured, which: str) -> float:
    """Growth of the cost beyond that of a tiny session: a small difference of two noisy figures."""
    first, second, third = (cost(getattr(at, which)) for at in (tiny, small, large))
    return (third - first) / (second - first)


def main() -> int:
    with tempfile.TemporaryDirectory(prefix="compactor-bench-") as folder:
        measured = measure(Path(folder))
    exceeded = report(*measured)
    for line in exceeded:
        print(f"limit exceeded: {line}", file=sys.stderr)
    return 1 if exceeded else 0


if __name__ == "__main__":
    sys.exit(main())
