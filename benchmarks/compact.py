"""`python -m benchmarks.compact`: compare the whole `compact` process with the floor (see floor.py).

Both run in turn as separate processes, on sessions of 40, 1,000, 20,000 and 200,000 messages. `compact` runs with the
strategies `tiered`, `adaptive` and `rolling`, on the largest session without `rolling`. A ratio compares processor
seconds with those of the floor in the same turn, because a shared machine may be half as fast a minute later. The
median of all turns counts. Limits:

- time: LIMITS below;
- start: `--help` and `--version` at most 1.5 times a script that imports typer and rich;
- growth: from 20,000 to 200,000 messages, the cost without start-up may not grow faster than the file. The cost and the
  size of the session of 40 messages, which is mostly start-up, are subtracted. Runs of the same turn are compared, the
  median counts, and a tenth is allowed for the remaining scatter. Below 20,000 messages most of the cost is start-up,
  and the difference would be scatter;
- memory: at most 120 MB plus five times the size of the file.

The exit code is 1 if a limit is exceeded.
"""

from __future__ import annotations

import compileall
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from benchmarks.sessions import write_session

_ROOT = Path(__file__).parent.parent
_RUNS = {40: 9, 1_000: 9, 20_000: 7, 200_000: 3}
"""Messages of a session -> number of runs of each program."""
STRATEGIES = ("tiered", "adaptive", "rolling")
_LARGEST_STRATEGIES = ("tiered", "adaptive")
"""Strategies that run on the largest session."""
LIMITS = {
    (40, "tiered"): 0.8,
    (40, "adaptive"): 0.8,
    (1_000, "tiered"): 0.9,
    (1_000, "adaptive"): 1.6,
    (20_000, "tiered"): 1.3,
    (20_000, "adaptive"): 1.7,
}
"""(messages, strategy) -> maximum ratio to the floor."""
_START_RUNS = 9
_MAX_START_RATIO = 1.5
_MB = 1_000_000


@dataclass(frozen=True, slots=True)
class Run:
    """One process: wall-clock seconds, processor seconds, and peak memory in bytes."""

    seconds: float
    processor: float
    memory: int


@dataclass(frozen=True, slots=True)
class SessionRuns:
    """The runs of all programs on one session."""

    messages: int
    size: int
    floor: Sequence[Run]
    compact: Mapping[str, Sequence[Run]]
    """By strategy."""

    @property
    def memory_limit(self) -> int:
        return 120 * _MB + 5 * self.size


def median_seconds(runs: Sequence[Run]) -> float:
    return median(run.seconds for run in runs)


def median_processor(runs: Sequence[Run]) -> float:
    return median(run.processor for run in runs)


def paired_ratio(runs: Sequence[Run], floor: Sequence[Run]) -> float:
    """Return the median, over all turns, of the ratio of processor seconds to those of the floor."""
    return median(run.processor / floor_run.processor for run, floor_run in zip(runs, floor, strict=True))


def peak_memory(runs: Sequence[Run]) -> int:
    return max(run.memory for run in runs)


def run_process(command: Sequence[str]) -> Run:
    """Run a process to its end, and return what it took. Raise RuntimeError when it fails."""
    started = time.perf_counter()
    process = subprocess.Popen(command, cwd=_ROOT, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    elapsed = time.perf_counter() - started
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"exit code {process.returncode}: {' '.join(command)}")
    return Run(elapsed, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024))


def measure_programs(folder: Path) -> list[SessionRuns]:
    """Measure the programs on generated sessions, with modules compiled as an installer compiles them.

    Each program first runs once without being counted, except on the largest session. Sessions and programs take turns,
    so that a busy phase of the machine does not affect only one of them.
    """
    compileall.compile_dir(_ROOT / "compactor_cli", quiet=1)
    sessions = {messages: folder / f"{messages}.jsonl" for messages in _RUNS}
    runs: dict[int, dict[str, list[Run]]] = {messages: {} for messages in _RUNS}
    for messages, session in sessions.items():
        write_session(session, messages)
    for turn in range(max(_RUNS.values()) + 1):
        for messages, session in sessions.items():
            if not turn <= _RUNS[messages] or (turn == 0 and messages == max(_RUNS)):
                continue
            for name, command in _commands(folder, session, messages).items():
                finished = run_process(command)
                if turn:
                    runs[messages].setdefault(name, []).append(finished)
    return [
        SessionRuns(
            m,
            sessions[m].stat().st_size,
            program_runs["floor"],
            {s: program_runs[s] for s in program_runs if s != "floor"},
        )
        for m, program_runs in runs.items()
    ]


def _commands(folder: Path, session: Path, messages: int) -> dict[str, list[str]]:
    """Return the commands of the floor and of `compact` with each strategy, by name."""
    compact = [sys.executable, "-m", "compactor_cli", "compact", str(session), "--target-ratio", "0.25"]
    compact += ["-o", str(folder / "compact.jsonl"), "--quiet"]
    floor = [sys.executable, "-m", "benchmarks.floor", str(session), str(folder / "floor.jsonl")]
    of_strategies = STRATEGIES if messages < max(_RUNS) else _LARGEST_STRATEGIES
    return {"floor": floor, **{name: [*compact, "--strategy", name] for name in of_strategies}}


def report_figures(measured: Sequence[SessionRuns]) -> list[str]:
    """Print the figures, and return a line for each exceeded limit."""
    exceeded = []
    print(
        f"{'':27}  {'processor seconds':^18}  {'seconds':>7}  {'ratio':>5}  {'limit':>5}  {'memory':>7}  {'limit':>8}"
    )
    for session_runs in measured:
        print(
            f"{session_runs.messages:>8,}  {session_runs.size / _MB:>6.2f} MB  floor     "
            f"{median_processor(session_runs.floor):>8.3f}",
            end="",
        )
        print(
            f"          {median_seconds(session_runs.floor):>7.3f}  {'':5}  {'':5}  "
            f"{peak_memory(session_runs.floor) / _MB:>4,.0f} MB"
        )
        for name, runs in session_runs.compact.items():
            ratio, limit = paired_ratio(runs, session_runs.floor), LIMITS.get((session_runs.messages, name))
            print(
                f"{'':19}  {name:<8}  {median_processor(runs):>8.3f}          {median_seconds(runs):>7.3f}  "
                f"{ratio:>5.2f}",
                end="",
            )
            print(
                f"  {limit or '-':>5}  {peak_memory(runs) / _MB:>4,.0f} MB  {session_runs.memory_limit / _MB:>5,.0f} MB"
            )
            if limit and ratio > limit:
                exceeded.append(f"{session_runs.messages:,} messages with {name} take {ratio:.2f} times the floor")
            if peak_memory(runs) > session_runs.memory_limit:
                exceeded.append(
                    f"{session_runs.messages:,} messages with {name} take {peak_memory(runs) / _MB:.0f} MB of memory"
                )
    print()
    for name in measured[-1].compact:
        exceeded += _growth(name, measured[0], *measured[-2:])
    return exceeded


def _growth(name: str, tiny: SessionRuns, small: SessionRuns, large: SessionRuns) -> list[str]:
    """Print how the cost of a strategy without start-up grows. Return a line if the limit is exceeded."""
    file = (large.size - tiny.size) / (small.size - tiny.size)
    turns = zip(*(session_runs.compact[name] for session_runs in (tiny, small, large)), strict=False)
    growth = median((c.processor - a.processor) / (b.processor - a.processor) for a, b, c in turns)
    print(f"{name}, from {small.messages:,} to {large.messages:,} messages: ", end="")
    print(f"the file grows {file:.1f} times, the cost beyond start-up {growth:.1f} times")
    return [f"the cost of {name} grows {growth:.1f} times, the file {file:.1f} times"] if growth > 1.1 * file else []


def report_start() -> list[str]:
    """Print how long the start takes compared with importing typer and rich. Return a line for each exceeded limit."""
    programs = {
        "import typer, rich": ["-c", "import typer, rich"],
        "--version": ["-m", "compactor_cli", "--version"],
        "--help": ["-m", "compactor_cli", "--help"],
    }
    runs: dict[str, list[Run]] = {name: [] for name in programs}
    for _ in range(_START_RUNS + 1):
        for name, arguments in programs.items():
            runs[name].append(run_process([sys.executable, *arguments]))
    floor, *ours = ((name, median_processor(program_runs[1:])) for name, program_runs in runs.items())
    print(f"\n{floor[0]}: {floor[1]:.3f} processor seconds")
    exceeded = []
    for name, seconds_taken in ours:
        ratio = seconds_taken / floor[1]
        print(f"{name}: {seconds_taken:.3f}, {ratio:.2f} times (limit {_MAX_START_RATIO})")
        if ratio > _MAX_START_RATIO:
            exceeded.append(f"{name} takes {ratio:.2f} times what typer and rich take")
    return exceeded


def main() -> int:
    with tempfile.TemporaryDirectory(prefix="compactor-bench-") as folder:
        measured = measure_programs(Path(folder))
    exceeded = report_figures(measured) + report_start()
    for line in exceeded:
        print(f"limit exceeded: {line}", file=sys.stderr)
    return 1 if exceeded else 0


if __name__ == "__main__":
    sys.exit(main())
