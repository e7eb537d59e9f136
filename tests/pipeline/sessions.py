"""Short ways to write transcripts, for tests of the pipeline."""

from __future__ import annotations

import json
from typing import Any

from compactor_cli import api
from compactor_cli.model.report import Compaction
from compactor_cli.model.transcript import Source, Transcript
from compactor_cli.settings import Settings

Json = dict[str, Any]


def system(text: str = "Be brief.") -> Json:
    return {"role": "system", "content": text}


def user(text: str) -> Json:
    return {"role": "user", "content": text}


def assistant(text: str | None = None, *calls: tuple[str, str, Json] | str) -> Json:
    """Return an assistant message. A call is given by its id, or as (id, tool, arguments)."""
    value: Json = {"role": "assistant", "content": text}
    if calls:
        given = [call if isinstance(call, tuple) else (call, "Bash", {"command": "ls"}) for call in calls]
        value["tool_calls"] = [
            {"id": i, "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}
            for i, name, arguments in given
        ]
    return value


def result(call_id: str, text: str = "done") -> Json:
    return {"role": "tool", "tool_call_id": call_id, "content": text}


def to_bytes(records: list[Json]) -> bytes:
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records).encode()


def load(records: list[Json], *, format: str = "", tokenizer: str = "chars") -> Source:
    return api.load(to_bytes(records), "session.jsonl", format=format, tokenizer=tokenizer)


def transcript(records: list[Json], **more: str) -> Transcript:
    (one,) = load(records, **more).transcripts
    return one


def compact(records: list[Json], *, tokenizer: str = "chars", format: str = "", **settings: Any) -> Compaction:
    """Compact records, and return their only conversation."""
    source = load(records, format=format, tokenizer=tokenizer)
    (part,) = api.compact(source, Settings(**settings), tokenizer=tokenizer).parts
    return part


def records_of(part: Compaction) -> list[Any]:
    return [json.loads(line) for line in part.data.decode().splitlines()]


def filler(number: int, words: int = 60) -> list[Json]:
    """Return an exchange without anything notable: a call and its long result."""
    text = " ".join(f"row{number}x{i}" for i in range(words))
    call = (f"fill_{number}", "Read", {"path": f"data/part{number}.csv"})
    return [assistant(f"Reading part {number}.", call), result(f"fill_{number}", text)]


def long_session(exchanges: int = 40, *, words: int = 60) -> list[Json]:
    """Return a session with a system prompt, a first and a last request, and plain exchanges between them."""
    records = [system(), user("Please add up the totals of all parts.")]
    for number in range(exchanges):
        records += filler(number, words)
    return [*records, user("Now write the sum to out.txt."), assistant("I am on it.")]
