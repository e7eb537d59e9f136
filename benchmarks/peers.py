"""`python -m benchmarks.peers PYTHON`: compare `compact` with other programs that make sessions smaller.

PYTHON is the interpreter of the environment that has them (`make bench-peers`). The programs run in turn as separate
processes, on sessions of 1,000 and 20,000 messages, and reduce them to a quarter of the tokens, counted exactly (see
peer_programs.py). Limit: `compact` with the strategy `tiered` takes no more processor seconds than langchain's
`trim_messages`. The exit code is 1 if the limit is exceeded.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

from benchmarks.compact import Run, median_processor, median_seconds, peak_memory, run_process
from benchmarks.peer_programs import PEERS
from benchmarks.sessions import write_session
from compactor_cli.tokens.vocabulary import cache_folder

_RUNS = {1_000: 5, 20_000: 2}
"""Messages of a session -> number of runs of each program."""
_YARDSTICK = "langchain trim_messages"
_STRATEGIES = ("tiered", "adaptive")


def commands(python: str, session: Path, output: Path) -> dict[str, list[str]]:
    """Return the command of each program, by name."""
    programs = str(Path(__file__).parent / "peer_programs.py")
    own_command = [sys.executable, "-m", "compactor_cli", "compact", str(session), "--target-ratio", "0.25", "--quiet"]
    ours = {f"compactor {name}": [*own_command, "--strategy", name, "-o", str(output)] for name in _STRATEGIES}
    return ours | {name: [python, programs, name, str(session), str(output)] for name in PEERS}


def main(python: str) -> int:
    os.environ["TIKTOKEN_CACHE_DIR"] = str(cache_folder("o200k_base"))
    exceeded = []
    print(f"{'messages':>8}  {'':23}  {'processor seconds':>17}  {'seconds':>7}  {'memory':>8}  {'output':>8}")
    with tempfile.TemporaryDirectory(prefix="compactor-bench-") as folder:
        session, output = Path(folder) / "session.jsonl", Path(folder) / "output.jsonl"
        for messages, times in _RUNS.items():
            write_session(session, messages)
            runs_by_name: dict[str, list[Run]] = {}
            sizes: dict[str, int] = {}
            for _ in range(times + 1):
                for name, command in commands(python, session, output).items():
                    runs_by_name.setdefault(name, []).append(run_process(command))
                    sizes[name] = output.stat().st_size
            for name, runs in runs_by_name.items():
                print(
                    f"{messages:>8,}  {name:23}  {median_processor(runs[1:]):>17.3f}  {median_seconds(runs[1:]):>7.3f}",
                    end="",
                )
                print(f"  {peak_memory(runs) / 1e6:>5,.0f} MB  {sizes[name] / session.stat().st_size:>7.0%}")
            ours, theirs = (
                median_processor(runs_by_name["compactor tiered"][1:]),
                median_processor(runs_by_name[_YARDSTICK][1:]),
            )
            if ours > theirs:
                exceeded.append(f"{messages:,} messages take {ours / theirs:.2f} times what {_YARDSTICK} takes")
    for line in exceeded:
        print(f"limit exceeded: {line}", file=sys.stderr)
    return 1 if exceeded else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
