"""`python -m benchmarks.many [FILES]`: compact many small sessions with one process and with two.

Limits: two processes are at least 1.7 times as fast as one, and write the same bytes. The exit code is 1 if not. The
last lines of the output extrapolate the rate to a million such sessions.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.sessions import write_session

_MIN_SPEEDUP = 1.7
_MESSAGES = (8, 12, 16, 24, 40)
"""Numbers of messages of the sessions, which take turns."""


def run_seconds(folder: Path, jobs: int) -> float:
    """Return the wall-clock seconds of one run over all files."""
    command = [sys.executable, "-m", "compactor_cli", "compact", "in/*.jsonl", "--target-ratio", "0.25", "--quiet"]
    started = time.perf_counter()
    subprocess.run([*command, "--out-dir", f"out{jobs}", "--jobs", str(jobs)], check=True, cwd=folder)
    return time.perf_counter() - started


def main() -> int:
    files = int(sys.argv[1]) if len(sys.argv) > 1 else 20_000
    with tempfile.TemporaryDirectory(prefix="compactor-bench-") as name:
        folder = Path(name)
        (folder / "in").mkdir()
        for messages in _MESSAGES:
            write_session(folder / f"{messages}.jsonl", messages)
        sessions = [(folder / f"{messages}.jsonl").read_bytes() for messages in _MESSAGES]
        size = 0
        for index in range(files):
            data = sessions[index % len(sessions)]
            (folder / "in" / f"{index:06}.jsonl").write_bytes(data)
            size += len(data)
        one_job, two_jobs = run_seconds(folder, 1), run_seconds(folder, 2)
        names = sorted(path.name for path in (folder / "out1").glob("[0-9]*.jsonl"))
        same = len(names) == files and all(
            (folder / "out1" / file_name).read_bytes() == (folder / "out2" / file_name).read_bytes()
            for file_name in names
        )
    print(f"{files:,} sessions of {_MESSAGES[0]} to {_MESSAGES[-1]} messages, {size / 1e6:,.0f} MB")
    print(f"one process:   {one_job:,.1f} s, {files / one_job:,.0f} sessions/s, {size / one_job / 1e6:,.1f} MB/s")
    print(
        f"two processes: {two_jobs:,.1f} s, {one_job / two_jobs:.2f} times as fast (at least {_MIN_SPEEDUP}), "
        f"same bytes: {same}"
    )
    hours = 1_000_000 / (files / one_job) / 3600
    print(
        f"\na million such sessions: 1,000,000 / {files / one_job:,.0f} a second / 3,600 = {hours:.2f} hours of "
        f"one core;"
    )
    minutes = hours * 60 * two_jobs / one_job * 2 / 64
    print(f"on 64 cores, at the gain of two, {minutes:.1f} minutes: {minutes * 64 / 60:.2f} hours of a core in all")
    return 0 if same and one_job / two_jobs >= _MIN_SPEEDUP else 1


if __name__ == "__main__":
    sys.exit(main())
