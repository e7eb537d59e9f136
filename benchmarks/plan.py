"""`python -m benchmarks.plan`: compare how long `adaptive` plans with the time to encode the same session.

Sessions of 1,000, 5,000 and 20,000 messages are generated and read. Then, in turn, every text is encoded once and plans
are made. Times are processor seconds, the minimum over all runs. Limits: planning 20,000 messages takes less than twice
as long as encoding them, and the planning time grows no faster than the session. The exit code is 1 if a limit is
exceeded.
"""

from __future__ import annotations

import gc
import sys
import tempfile
import time
from pathlib import Path

from msgspec.structs import replace

from benchmarks.sessions import write_session
from compactor_cli import api
from compactor_cli.model.transcript import Transcript
from compactor_cli.pipeline.run import compact
from compactor_cli.settings import Settings
from compactor_cli.tokens import make_counter
from compactor_cli.wiring import tools_for

_MESSAGES = (1_000, 5_000, 20_000)
_RATIOS = (0.05, 0.1, 0.25, 0.5)
_RUNS = 4
_MAX_RATIO = 2.0


def main() -> int:
    gc.disable()  # as the command line does
    exceeded = []
    print(
        f"{'messages':>8}  {'tokens':>9}  {'encode':>7}  "
        + "  ".join(f"plan {r:>4.0%}" for r in _RATIOS)
        + "  most/encode"
    )
    plans: dict[int, float] = {}
    sizes: dict[int, int] = {}
    with tempfile.TemporaryDirectory() as folder:
        for messages in _MESSAGES:
            path = Path(folder) / f"{messages}.jsonl"
            write_session(path, messages)
            (transcript,) = api.load(path.read_bytes(), path.name).transcripts
            encode, plan = _min_seconds(transcript)
            plans[messages], sizes[messages] = max(plan), transcript.tokens
            ratio = max(plan) / encode
            plan_columns = "  ".join(f"{seconds:>9.3f}" for seconds in plan)
            print(f"{messages:>8,}  {transcript.tokens:>9,}  {encode:>7.3f}  {plan_columns}  {ratio:>11.2f}")
            if messages == _MESSAGES[-1] and ratio >= _MAX_RATIO:
                exceeded.append(
                    f"{messages:,} messages plan in {ratio:.2f} times what encoding takes (limit {_MAX_RATIO})"
                )
    growth = plans[_MESSAGES[-1]] / plans[_MESSAGES[0]]
    size = sizes[_MESSAGES[-1]] / sizes[_MESSAGES[0]]
    print(
        f"\nfrom {_MESSAGES[0]:,} to {_MESSAGES[-1]:,} messages the tokens grow {size:.1f} times, planning {growth:.1f}"
    )
    if growth > size:
        exceeded.append(f"planning grows {growth:.1f} times, the session {size:.1f} times")
    for line in exceeded:
        print(f"exceeded: {line}", file=sys.stderr)
    return int(bool(exceeded))


def _min_seconds(transcript: Transcript) -> tuple[float, list[float]]:
    """Return the seconds to encode, and to plan at each ratio: the minimum of several turns."""
    encode, plan = [], [[] for _ in _RATIOS]  # type: list[float], list[list[float]]
    for _ in range(_RUNS):
        encode.append(_encode(transcript))
        for index, ratio in enumerate(_RATIOS):
            plan[index].append(_plan(transcript, ratio))
        gc.collect()
    return min(encode), [min(seconds) for seconds in plan]


def _encode(transcript: Transcript) -> float:
    count = make_counter().counter.count
    started = time.process_time()
    for message in transcript.messages:
        for part in message.parts:
            count(part.text)
    return time.process_time() - started


def _plan(transcript: Transcript, ratio: float) -> float:
    settings = Settings(strategy="adaptive", target_ratio=ratio)
    tools = replace(tools_for(transcript, make_counter().counter, settings), clock=time.process_time)
    return dict(compact(transcript, tools, settings).stages)["plan"]


if __name__ == "__main__":
    sys.exit(main())
