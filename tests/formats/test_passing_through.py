"""Records that are no messages: they pass through, or go with the message that they accompany."""

from __future__ import annotations

import json

import pytest

from compactor_cli.errors import InputError
from tests.builders import (
    assistant,
    call,
    calling_message,
    compact,
    jsonl,
    listing_output,
    load,
    result,
    text_block,
    tool_use,
    user,
)


def test_records_of_unknown_kinds_in_a_chat_pass_through_wherever_they_stand():
    unknown = ({"foo": 1}, {"type": "meta", "x": 2}, 42)
    exchanges = [
        turn for n in range(12) for turn in (calling_message(call(f"c{n}")), result(f"c{n}", listing_output("cat", 60)))
    ]
    data = jsonl(user("Look."), unknown[0], *exchanges, unknown[1], assistant("Done."), unknown[2])
    out = compact(data, target_tokens=900).data
    assert len(out) < len(data) / 2
    assert [v for v in map(json.loads, out.splitlines()) if v in unknown] == list(unknown)


def test_what_both_formats_could_have_said_is_not_where_the_second_starts():
    chat = [
        user("Look."),
        calling_message(call("a")),
        result("a", "out"),
        assistant("Seen."),
        {"role": "system", "content": "x"},
    ]
    other = [user("And here?"), assistant([tool_use("t1")]), assistant([text_block("Fine."), tool_use("t2")])]
    with pytest.raises(InputError) as caught:
        load(jsonl(*chat, *other))
    assert caught.value.line == len(chat) + 2  # the plain request before it is at home in both


def test_events_of_a_codex_rollout_go_with_what_they_repeat():
    said = "The parser is fixed and the tests pass."
    items = [{"type": "session_meta", "payload": {"id": "s"}}, _item(_message("user", "Fix the parser."))]
    for n in range(20):
        items.append(_item({"type": "function_call", "name": "exec", "arguments": "{}", "call_id": f"c{n}"}))
        items.append(
            _item({"type": "function_call_output", "call_id": f"c{n}", "output": listing_output(f"run {n}", 50)})
        )
    items.append(_item(_message("assistant", said)))
    items.append({"type": "event_msg", "payload": {"type": "task_complete", "last_agent_message": said}})
    for n in range(20):
        items.append(_item(_message("user", f"More of it, part {n}.")))
        items.append(_item(_message("assistant", listing_output(f"part {n}", 30))))
    out = compact(jsonl(*items), target_tokens=500).data.decode()
    messages = [json.loads(line) for line in out.splitlines()]
    kept = any(
        said in json.dumps(v) for v in messages if v["type"] == "response_item" and "Summary" not in json.dumps(v)
    )
    assert ("task_complete" in out) == kept


def _message(role, text):
    kind = "output_text" if role == "assistant" else "input_text"
    return {"type": "message", "role": role, "content": [{"type": kind, "text": text}]}


def _item(payload):
    return {"timestamp": "2026-03-02T09:00:00Z", "type": "response_item", "payload": payload}
