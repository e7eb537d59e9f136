"""The provider's newest count in an output: agents compact a session when it is near the limit."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest

from compactor_cli.formats import FORMATS
from tests.builders import ClaudeSession, compact, load, text_block
from tests.resuming.sessions import session

FULL = 190_000
ANSWER = "The amber parts go to Ravenna on 4 May."


def counted(format):
    """A session in which the provider counted nearly all of a context of 200,000 tokens, each time."""
    data = session(format)
    if format == "opencode":
        document = json.loads(data)
        for message in document["messages"]:
            if message["info"]["role"] == "assistant":
                cache = {"read": FULL - 1_100, "write": 0}
                message["info"]["tokens"] = {"input": 1_000, "output": 100, "reasoning": 0, "cache": cache}
        return json.dumps(document).encode()
    return b"".join(_line(format, json.loads(line)) for line in data.splitlines())


def _line(format, record):
    records = [record]
    usage = {"input_tokens": 1_000, "cache_creation_input_tokens": 0, "cache_read_input_tokens": FULL - 1_100}
    if format == "claude-code" and record["type"] == "assistant":
        record["message"]["usage"] = {**usage, "output_tokens": 100}
    elif format == "qwen" and record["type"] == "assistant":
        record["usageMetadata"] = {"promptTokenCount": FULL - 100, "candidatesTokenCount": 100, "totalTokenCount": FULL}
    elif format == "pi" and record.get("message", {}).get("role") == "assistant":
        count = {"input": 1_000, "output": 100, "cacheRead": FULL - 1_100, "cacheWrite": 0, "totalTokens": FULL}
        record["message"]["usage"] = count | {"cost": {"total": 0}}
    elif format == "codex" and record["payload"].get("role") == "assistant":
        last = {"input_tokens": FULL - 100, "cached_input_tokens": 9, "output_tokens": 100, "total_tokens": FULL}
        info = {"last_token_usage": last, "total_token_usage": {"total_tokens": 9_999_999}}
        payload = {"type": "token_count", "info": info}
        records.append({"timestamp": record["timestamp"], "type": "event_msg", "payload": payload})
    return "".join(json.dumps(one) + "\n" for one in records).encode()


def counts(format, data):
    """What the provider counted, record by record."""
    reader = FORMATS[format]
    (transcript,) = load(data).transcripts
    values = (json.loads(transcript.raw(record)) for record in range(len(transcript.records)))
    return [count for value in values if (count := reader.usage(value))]


@pytest.mark.drawn(3)
@pytest.mark.parametrize("format", ["claude-code", "codex", "qwen", "pi", "opencode"])
def test_the_newest_count_is_that_of_what_is_left(format):
    data = counted(format)
    assert set(counts(format, data)) == {FULL}
    part = (result := compact(data, target_ratio=0.25)).parts[0]
    *earlier, newest = counts(format, result.data)
    assert set(earlier) <= {FULL}  # nobody goes by them
    # behind the newest answer at most a few messages are left
    assert 0.5 * part.tokens / part.before.tokens < newest / FULL < 1.05 * part.tokens / part.before.tokens
    assert b"9999999" in result.data or format != "codex"  # what was used in all stays


def test_a_count_in_a_record_of_its_own_is_that_of_what_is_left():
    records: list[dict[str, Any]] = [{"role": "user", "content": "Build."}]
    for n in range(30):
        records.append({"role": "assistant", "content": f"Step {n}: " + "words " * 60})
        records.append({"role": "user", "content": f"And step {n}?"})
    records.append({"role": "_usage", "token_count": FULL})
    data = b"".join(json.dumps(record).encode() + b"\n" for record in records)
    result = compact(data, target_ratio=0.2, format="kimi")
    (newest,) = (r["token_count"] for r in map(json.loads, result.data.splitlines()) if r["role"] == "_usage")
    assert newest < 0.25 * FULL


def test_what_stands_behind_the_newest_count_does_not_lower_it():
    """The count is of the context before it, so its share is that of what was before it and still is."""
    session = ClaudeSession()
    session.exchanges(20)
    session.add_answer("And now?")
    usage = {"input_tokens": FULL, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0, "output_tokens": 0}
    session.add_call(text_block(ANSWER))["message"]["usage"] = usage
    session.add_answer("Thanks. " * 400)
    session.add_call(text_block("Nothing to add."))
    result = compact(session.data, target_ratio=0.6)
    (part,) = result.parts
    place = next(at for at, message in enumerate(part.messages) if message.text() == ANSWER)
    before = sum(m.tokens for m in part.before.messages[:42])
    left = sum(m.tokens for m in part.messages[: place + 1])
    assert counts("claude-code", result.data) == [math.ceil(FULL * left / before)]


@pytest.mark.parametrize("format", ["claude-code", "codex"])
def test_what_is_not_compacted_keeps_its_counts(format):
    data = counted(format)
    assert compact(data, target_tokens=10**7).data == data
