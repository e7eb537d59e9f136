"""`python -m benchmarks.large [MEGABYTES]`: compact two large files, each in a separate process.

One is a session with long tool outputs, the other a Codex rollout with pictures. Both are also measured at a quarter of
the size. Limits: peak memory of at most 600 MB, and processor time that does not grow faster than the file (a tenth is
allowed for scatter). The exit code is 1 if a limit is exceeded.
"""

from __future__ import annotations

import base64
import json
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

from benchmarks.compact import Run, run_process
from benchmarks.sessions import _Writer

_MB = 1_000_000
_MAX_MEMORY = 600 * _MB
_MAX_SCATTER = 1.1
_POOL_BYTES = 24 * _MB
"""Approximate characters of the text that outputs are cut from."""
_OUTPUT_CHARS = (20_000, 400_000)
"""Minimum and maximum characters of an output."""
_PICTURE_BYTES = (300_000, 2_000_000)
"""Minimum and maximum bytes of a picture."""


def outputs(size: int) -> Iterator[bytes]:
    """Yield the lines of an OpenAI-chat session of about `size` bytes, most of them in tool outputs."""
    random = Random(18)
    writer = _Writer(random)
    pool = "\n".join(
        writer.lines(60_000, kind) for _ in range(_POOL_BYTES // 240_000) for kind in ("code", "search", "log", "tests")
    )
    yield _line({"role": "system", "content": f"You are a careful engineer. {writer.prose(600)}"})
    written = number = 0
    while written < size:
        if number % 12 == 0:
            yield _line({"role": "user", "content": f"Please look into `{writer.name()}`. {writer.prose(300)}"})
        number += 1
        command = f"cat {writer.path()} var/{writer.name()}.log"
        function = {"name": "bash", "arguments": json.dumps({"command": command})}
        call = {"id": f"call_{number}", "type": "function", "function": function}
        start, length = random.randrange(len(pool)), random.randint(*_OUTPUT_CHARS)
        result = {"role": "tool", "tool_call_id": call["id"], "content": pool[start : start + length]}
        message = {"role": "assistant", "content": writer.prose(120), "tool_calls": [call]}
        for line in (_line(message), _line(result)):
            written += len(line)
            yield line


def pictures(size: int) -> Iterator[bytes]:
    """Yield the lines of a Codex rollout of about `size` bytes, most of them in pictures returned by tools."""
    random = Random(19)
    writer = _Writer(random)
    stamp = "2026-03-01T09:00:00.000Z"

    def item(payload: dict[str, object], kind: str = "response_item") -> bytes:
        return _line({"timestamp": stamp, "type": kind, "payload": payload})

    meta = {
        "id": "0199a213-81c0-7800-8aa1-bbab2a035a53",
        "timestamp": stamp,
        "cwd": "/home/dev/shop",
        "cli_version": "0.169.0",
    }
    yield item({**meta, "originator": "codex_cli_rs"}, "session_meta")
    written = number = 0
    while written < size:
        if number % 12 == 0:
            text = f"Please look at {writer.path()}. {writer.prose(300)}"
            yield item({"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]})
            yield item({"type": "user_message", "message": text, "kind": "plain"}, "event_msg")
        number += 1
        call_members = {"call_id": f"call_{number}"}
        arguments = json.dumps({"path": f"shots/{writer.name()}.png"})
        yield item({"type": "function_call", "name": "view_image", "arguments": arguments, **call_members})
        url = f"data:image/png;base64,{base64.b64encode(random.randbytes(random.randint(*_PICTURE_BYTES))).decode()}"
        line = item(
            {"type": "function_call_output", **call_members, "output": [{"type": "input_image", "image_url": url}]}
        )
        written += len(line)
        yield line
        content = [{"type": "output_text", "text": writer.prose(400)}]
        yield item({"type": "message", "role": "assistant", "content": content})


def _line(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode() + b"\n"


def measure(folder: Path, kind: Callable[[int], Iterator[bytes]], size: int) -> tuple[int, Run]:
    """Return the size of a generated file, and the run that compacted it."""
    path = folder / f"{kind.__name__}.jsonl"
    with path.open("wb") as file:
        file.writelines(kind(size))
    out = folder / "out.jsonl"
    command = [sys.executable, "-m", "compactor_cli", "compact", str(path), "--target-tokens", "150000", "--quiet"]
    return path.stat().st_size, run_process([*command, "-o", str(out)])


def main() -> int:
    size = int(sys.argv[1]) * _MB if len(sys.argv) > 1 else 1_000 * _MB
    exceeded = []
    for kind in (outputs, pictures):
        with tempfile.TemporaryDirectory(prefix="compactor-bench-", dir="/var/tmp") as folder:
            small, less = measure(Path(folder), kind, size // 4)
            large, more = measure(Path(folder), kind, size)
        for file_bytes, measured_run in ((small, less), (large, more)):
            time_text = f"{measured_run.processor:,.1f} s ({file_bytes / _MB / measured_run.processor:,.0f} MB/s)"
            print(
                f"{kind.__name__}: {file_bytes / _MB:,.0f} MB, {time_text}, peak {measured_run.memory / _MB:,.0f} MB",
                flush=True,
            )
        grown, cost = large / small, more.processor / less.processor
        print(f"{kind.__name__}: the file grows {grown:.2f} times, the time {cost:.2f} times", flush=True)
        if more.memory > _MAX_MEMORY:
            exceeded.append(f"{kind.__name__} takes {more.memory / _MB:,.0f} MB")
        if cost > _MAX_SCATTER * grown:
            exceeded.append(f"the time of {kind.__name__} grows {cost:.2f} times, the file {grown:.2f} times")
    for line in exceeded:
        print(f"limit exceeded: {line}", file=sys.stderr)
    return 1 if exceeded else 0


if __name__ == "__main__":
    sys.exit(main())
