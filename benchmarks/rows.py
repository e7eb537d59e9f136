"""`python -m benchmarks.rows`: compare a data set of 10,000 rows as Parquet with the same rows as JSON lines.

Both are compacted in turn by separate processes. The rate is in rows per processor second, of the best run. Limit: the
rate of Parquet is at least 0.8 of that of JSON lines. The exit code is 1 if it is lower.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROWS, RUNS = 10_000, 2
_MIN_SPEED = 0.8
_WORDS = ["the", "parser", "fails", "where", "a", "header", "has", "no", "colon", "so", "readers", "skip", "it"]


def rows() -> Iterator[dict[str, Any]]:
    """Yield conversations of 9 to 17 messages with calls and their results."""
    for number in range(ROWS):
        messages: list[dict[str, Any]] = [{"role": "system", "content": "You mend programs."}]
        for turn in range(2 + number % 3):
            words = " ".join(_WORDS[(number + turn + position) % len(_WORDS)] for position in range(12))
            call = {"id": f"c{turn}", "type": "function", "function": {"name": "grep", "arguments": '{"in": "src"}'}}
            messages += [
                {"role": "user", "content": f"Look at case {number}.{turn}: {words}"},
                {"role": "assistant", "tool_calls": [call]},
                {"role": "tool", "tool_call_id": f"c{turn}", "content": f"src/case{turn}.py:{number}: {words}\n" * 3},
                {"role": "assistant", "content": f"Case {number}.{turn} is due to line {number}: {words}."},
            ]
        yield {"id": number, "messages": messages}


def write(folder: Path) -> list[Path]:
    """Write the data set in both formats, and return the paths: JSON lines, then Parquet."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    all_rows = list(rows())
    parquet, lines = folder / "rows.parquet", folder / "rows.jsonl"
    pq.write_table(pa.Table.from_pylist(all_rows), parquet, row_group_size=1_000)
    lines.write_text("".join(json.dumps(row) + "\n" for row in all_rows))
    return [lines, parquet]


def seconds(source: Path) -> tuple[float, int]:
    """Return the processor seconds of one run, and the peak memory in MB of all runs so far."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    out = source.with_name(f"out{source.suffix}")
    command = [sys.executable, "-m", "compactor_cli", "compact", str(source), "--target-ratio", "0.5", "-o", str(out)]
    subprocess.run([*command, "--quiet"], check=True, env=os.environ, cwd=Path(__file__).parent.parent)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, after.ru_maxrss // 1_000


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        lines, parquet = write(Path(folder))
        # Parquet first, because the peak memory covers all runs so far
        measured = [(seconds(parquet), seconds(lines)) for _ in range(RUNS)]
    of_parquet = min(parquet_seconds[0] for parquet_seconds, _ in measured)
    of_lines = min(lines_seconds[0] for _, lines_seconds in measured)
    ratio = of_lines / of_parquet
    print(f"Parquet:    {of_parquet:.1f} s, {ROWS / of_parquet:,.0f} rows/s, peak {measured[0][0][1]:,} MB")
    print(f"JSON lines: {of_lines:.1f} s, {ROWS / of_lines:,.0f} rows/s, peak {measured[0][1][1]:,} MB")
    print(f"rate of Parquet to that of JSON lines: {ratio:.2f} (at least {_MIN_SPEED})")
    return 0 if ratio >= _MIN_SPEED else 1


if __name__ == "__main__":
    sys.exit(main())
