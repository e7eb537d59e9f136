"""Run a hunt of any length: `python -m tests.fuzz --count 20000 FOLDER...`."""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

from tests.fuzz.hunt import LARGEST, hunt, keep

ROOT = Path(__file__).parents[2]


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("folders", nargs="*", type=Path, help="sessions to mutate, besides the samples")
    parser.add_argument("--count", type=int, default=20_000, help="mutated files")
    parser.add_argument("--start", type=int, default=0, help="number of the first; the same number is the same file")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--findings", type=Path, default=Path("out/fuzz"), help="where files that show something go")
    given = parser.parse_args()
    places = [ROOT / "sample_transcripts", *given.folders]
    # data sets in Parquet take other options, and a changed byte makes them unreadable
    names = (p for place in places for p in place.rglob("*") if p.suffix != ".parquet")
    files = sorted(p for p in names if p.is_file() and 0 < p.stat().st_size < LARGEST)
    began, total = time.monotonic(), 0
    with tempfile.TemporaryDirectory() as folder:
        codes: dict[int, int] = {}
        for start in range(given.start, given.start + given.count, 100):
            numbers = range(start, min(start + 100, given.start + given.count))
            seen = hunt(files, Path(folder), numbers, given.seed)
            for code, times in seen.codes.items():
                codes[code] = codes.get(code, 0) + times
            total += len(seen.findings)
            keep(seen.findings, given.findings)
            for finding in seen.findings:
                print(f"case {finding.case} ({finding.done}): {finding.command}\n  {finding.what}", flush=True)
    print(f"{given.count:,} mutated files of {len(files):,}, {time.monotonic() - began:.0f} s")
    print("exit codes: " + ", ".join(f"{code}: {times:,}" for code, times in sorted(codes.items())))
    print(f"{total:,} findings" + (f", kept in {given.findings}" if total else ""))
    return 1 if total else 0


if __name__ == "__main__":
    sys.exit(main())
