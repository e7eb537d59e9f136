"""`python -m benchmarks.record NAME [ARGUMENTS...]`: run a benchmark and store its output.

The output goes to `benchmarks/results/NAME.txt`, after the command, the date, the machine and the versions.
`docs/performance.md` is generated from these files.
"""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from datetime import datetime, timezone
from importlib.metadata import version
from pathlib import Path

RESULTS = Path(__file__).parent / "results"
_PACKAGES = ("compactor-cli", "splintr-rs", "tiktoken")


def machine() -> str:
    """Return the name of the processor, the number of its cores, the memory, and the operating system."""
    info = Path("/proc/cpuinfo")
    names = [line.partition(":")[2].strip() for line in info.read_text().splitlines() if line.startswith("model name")]
    name = names[0] if names else platform.processor() or platform.machine()
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9
    return f"{name}, {os.cpu_count()} cores, {memory:.0f} GB, {platform.system()}"


def main() -> int:
    name, *arguments = sys.argv[1:]
    finished = subprocess.run(
        [sys.executable, "-m", f"benchmarks.{name}", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
        text=True,
    )
    versions = ", ".join(f"{package} {version(package)}" for package in _PACKAGES)
    head = [
        f"$ python -m benchmarks.{' '.join([name, *arguments])}",
        f"{datetime.now(timezone.utc):%Y-%m-%d}; {machine()}",
        f"Python {platform.python_version()}, {versions}",
    ]
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / f"{name}.txt").write_text("\n".join([*head, "", finished.stdout.rstrip(), ""]))
    print(finished.stdout, end="")
    return finished.returncode


if __name__ == "__main__":
    sys.exit(main())
