"""Sessions that a fuzzer made out of real ones: what they showed stays mended."""

from __future__ import annotations

import json
from typing import Any

import pytest

from compactor_cli import api
from compactor_cli.errors import InputError
from compactor_cli.model.content import read_all
from compactor_cli.strategies import STRATEGIES
from tests.builders import compact, jsonl, load, prose, read_records, user, values_of


def again(data: bytes, **settings):
    """The output of a compaction, read again."""
    return load(read_all(compact(data, **settings).data))


def openhands(action: str, **more):
    return {"action": action, "action_risk": None, **more}


def test_a_conversation_of_which_few_records_are_left_is_still_told_among_others():
    asked = openhands("message", content="Mend the header. " + prose("header"), wait_for_response=False)
    steps = [
        openhands("run", command=f"ls {at}", thought=prose(f"step {at}"), is_confirmed="confirmed") for at in range(9)
    ]
    renamed = {"action_": "run", "code": "ls", "thought": "Look."}
    end = {"outputs": {}, "thought": "", "action": "finish"}
    whole = {"instance_id": "1", "instruction": "x", "history": [asked, *steps, end]}
    said = openhands("message", content="Hm.", wait_for_response=False)
    odd = {"instance_id": "2", "instruction": "x", "history": [asked, renamed, said, end]}
    assert len(load(jsonl(whole, odd)).transcripts) == 2


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_result_in_the_message_of_its_call_that_has_no_place_for_text_stays_a_fault_of_the_input(strategy):
    both = {"role": "user", "content": [{"type": "tool_use"}, {"type": "tool_result"}]}
    said = {"role": "assistant", "content": [{"type": "text", "text": "Yes."}]}
    records = [*(user(prose(f"topic {at}")) for at in range(12)), both, user("Go on."), said, user("OK.")]
    out = compact(jsonl(*records), format="anthropic", strategy=strategy, target_ratio=0.5).data
    assert b"no response" not in read_all(out)


def test_texts_in_parts_of_a_history_can_be_shortened():
    words = "\n".join(f"{at}: {prose(f'line {at}')}" for at in range(40))
    history = [
        {"role": "user", "parts": [{"text": words}], "ts": 1},
        {"role": "gemini", "parts": [{"text": "Done."}], "ts": 2},
    ]
    data = json.dumps({"history": history}).encode()
    assert api.load(data, tokenizer="chars").format == "gemini-cli"
    done = compact(data, target_ratio=0.5)
    assert done.parts[0].dispositions.shortened == 1
    (first, _) = json.loads(read_all(done.data))["history"]
    assert len(first["parts"][0]["text"]) < len(words)


def test_a_summary_alone_is_read_again_where_the_first_record_has_its_text_elsewhere():
    records = [{"role": "user", "text": "We're on."}, *(user(prose(f"topic {at}", 2)) for at in range(60))]
    for strategy in ("handoff", "rolling"):
        source = again(jsonl(*records), strategy=strategy, target_ratio=0.2)
        assert source.message_count > 0
    rows = [{"role": "system", "system_prompt": "You mend.", "text": None, "mask": False}]
    for at in range(30):
        said = {"system_prompt": None, "text": prose(f"line {at}"), "mask": False}
        rows += [{"role": "user", **said}, {"role": "ai", **said}]
    out = compact(jsonl(*rows), strategy="handoff", target_ratio=0.2).data
    (summary,) = [value for value in values_of(read_all(out)) if value not in rows]
    assert set(summary) == {"role", "system_prompt", "text", "mask"}
    assert load(jsonl(summary)).message_count == 1


def test_a_message_that_says_nothing_may_be_all_that_is_left():
    records = [{"role": "system"}, {"source": "input", "role": "user"}, {"content": "[hedgehog]", "role": "assistant"}]
    assert again(jsonl(*records), target_ratio=0.5).message_count == 1


LONG = "\n".join(f"{at}: {prose(f'line {at}')}" for at in range(60))

ASKED = {"role": "user", "content": [{"type": "text", "text": "Look."}]}
CALLS_WITH_TEXT: dict[str, list[dict[str, Any]]] = {
    "anthropic": [
        ASKED,
        {"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "bash", "input": LONG}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "OK."}]},
    ],
    "droid": [
        {"type": "message", "role": "user", "id": "m1", "text": "Look.", "session_id": "s", "timestamp": 1},
        {
            "type": "tool_call",
            "id": "t1",
            "messageId": "m2",
            "toolId": "Execute",
            "toolName": "Execute",
            "parameters": LONG,
            "session_id": "s",
            "timestamp": 2,
        },
        {
            "type": "tool_result",
            "id": "t1",
            "messageId": "m3",
            "toolId": "Execute",
            "isError": False,
            "value": "OK.",
            "session_id": "s",
            "timestamp": 3,
        },
    ],
    "opencode": [
        {
            "info": {"id": "m1", "sessionID": "s", "role": "user"},
            "parts": [{"type": "text", "text": "Look."}],
        },
        {
            "info": {"id": "m2", "sessionID": "s", "role": "assistant", "parentID": "m1"},
            "parts": [
                {
                    "type": "tool",
                    "tool": "bash",
                    "callID": "t1",
                    "state": {"status": "completed", "input": LONG, "output": "OK."},
                }
            ],
        },
    ],
    "pi": [
        {
            "type": "message",
            "id": "1",
            "parentId": None,
            "timestamp": "2026-01-01T00:00:00Z",
            "message": {"role": "user", "content": "Look.", "timestamp": 1},
        },
        {
            "type": "message",
            "id": "2",
            "parentId": "1",
            "timestamp": "2026-01-01T00:00:01Z",
            "message": {
                "role": "assistant",
                "content": [{"type": "toolCall", "id": "t1", "name": "bash", "arguments": LONG}],
                "timestamp": 2,
            },
        },
        {
            "type": "message",
            "id": "3",
            "parentId": "2",
            "timestamp": "2026-01-01T00:00:02Z",
            "message": {
                "role": "toolResult",
                "toolCallId": "t1",
                "toolName": "bash",
                "content": [{"type": "text", "text": "OK."}],
                "timestamp": 3,
            },
        },
    ],
    "memory": [
        {
            "id": "e1",
            "type": "conversation",
            "importance": 3,
            "timestamp": "2026-01-01T00:00:00Z",
            "content": {"said": LONG, "list": list(range(500))},
            "metadata": {"role": "user"},
        }
    ],
}


@pytest.mark.parametrize("strategy", ["truncate", "adaptive"])
@pytest.mark.parametrize("format", CALLS_WITH_TEXT)
def test_a_text_where_arguments_should_be_is_shortened_to_a_text(format, strategy):
    data = jsonl(*CALLS_WITH_TEXT[format])
    assert load(data).format == format
    done = compact(data, strategy=strategy, target_tokens=250)
    assert done.parts[0].dispositions.shortened == 1
    values_of(read_all(done.data))  # each record is JSON
    assert again(data, strategy=strategy, target_tokens=250).transcripts[0].tokens <= 250


def droid(number, role, *blocks):
    return {
        "type": "message",
        "id": f"m{number}",
        "parentId": f"m{number - 1}" if number else "",
        "timestamp": f"2026-01-01T00:00:0{number}Z",
        "message": {"role": role, "content": list(blocks)},
    }


def grown(number, role, text):
    return {
        "id": f"e{number}",
        "timestamp": f"2026-01-01T00:00:0{number}",
        "source": "user" if role == "user" else "agent",
        "kind": "MessageEvent",
        "parent_id": f"e{number - 1}" if number else "__root__",
        "llm_message": {"role": role, "content": [{"type": "text", "text": text}]},
    }


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_entries_of_a_tree_that_stand_before_their_parents_are_written_behind_them(strategy):
    said = [{"type": "text", "text": f"{at}: {prose(f'topic {at}', 6)}"} for at in range(8)]
    call = {"type": "tool_use", "id": "t1", "name": "Execute", "input": {"command": "make"}}
    result = {"type": "tool_result", "tool_use_id": "t1", "content": "Built."}
    head = {"type": "session_start", "id": "s", "title": "Build"}
    entries = [
        droid(0, "user", said[0]),
        droid(1, "assistant", said[1]),
        droid(2, "assistant", call),
        droid(3, "user", result),
        droid(4, "assistant", said[4]),
        droid(5, "user", said[5]),
        droid(6, "assistant", said[6]),
    ]
    shuffled = [head, entries[0], entries[2], entries[1], *entries[3:]]
    before = load(jsonl(head, *entries)).transcripts[0]
    assert [m.parts for m in load(jsonl(*shuffled)).transcripts[0].messages] == [m.parts for m in before.messages]
    for ratio in (0.3, 0.6, 0.9):
        straight = compact(jsonl(head, *entries), strategy=strategy, target_ratio=ratio)
        assert compact(jsonl(*shuffled), strategy=strategy, target_ratio=ratio).data == straight.data


def test_events_of_a_list_that_stand_before_their_parents_are_written_behind_them():
    events = [grown(at, "user" if at % 2 == 0 else "assistant", f"{at}: {prose(f'topic {at}', 6)}") for at in range(8)]
    shuffled = [events[2], *events[:2], *events[3:]]
    straight, other = (json.dumps(one).encode() for one in (events, shuffled))
    assert compact(other, target_ratio=0.5).data == compact(straight, target_ratio=0.5).data


def test_one_message_of_a_list_is_enough_to_tell_its_format():
    def said(number, role, **more):
        info = {"id": f"m{number}", "sessionID": "s", "role": role}
        return {"info": info, "parts": [{"type": "text", "text": prose(f"topic {number}", 6)}], **more}

    unknown = [{"info": {"id": f"x{at}", "sessionID": "s"}, "parts": []} for at in range(2)]
    held = {"info": {"id": "s"}, "messages": [said(1, "user"), *unknown, said(2, "assistant")]}
    for strategy in ("truncate", "handoff", "tiered"):
        source = again(json.dumps(held).encode(), strategy=strategy, target_ratio=0.5)
        assert (source.format, source.message_count) == ("opencode", 1)


OPENCODE_MESSAGE = {"id": "m2", "sessionID": "s", "role": "user", "time": {"created": 1}, "agent": "opencode"}
"""As opencode stores it, without what it says."""


@pytest.mark.parametrize("strategy", ["tiered", "adaptive", "truncate"])
def test_a_record_of_no_known_format_is_no_message_and_passes_through(strategy):
    said = {"role": "assistant", "content": prose("weather", 12)}
    source = load(jsonl(said, OPENCODE_MESSAGE))
    assert [message.records for message in source.transcripts[0].messages] == [(0,)]
    out = read_all(compact(jsonl(said, OPENCODE_MESSAGE), strategy=strategy, target_ratio=0.6).data)
    assert OPENCODE_MESSAGE in values_of(out)
    assert load(out).message_count == 1


def test_a_result_without_its_call_stays_where_nothing_else_is_said():
    orphan = {"role": "tool", "tool_call_id": "c1", "content": prose("flights", 12)}
    for record in (OPENCODE_MESSAGE, {"role": "user", "name": "Bob"}):
        assert again(jsonl(record, orphan), strategy="adaptive").message_count == 1


def test_records_that_nobody_knows_are_refused_whatever_a_format_could_read_out_of_them():
    people = [{"role": "user", "name": "Bob"}, {"type": "user", "name": "Bob"}]
    for record in (OPENCODE_MESSAGE, *people, {"content": "x"}, {"role": "admin", "content": "x"}):
        with pytest.raises(InputError, match=r"unknown format.*--format"):
            load(jsonl(record, record))


def test_with_a_format_that_is_named_its_messages_need_not_look_like_it():
    assert load(jsonl(OPENCODE_MESSAGE, user("Hello.")), format="openai-chat").message_count == 2


@pytest.mark.parametrize(
    ("format", "record"),
    [
        ("openai-chat", {"role": "tool", "tool_call_id": "c1", "name": "think"}),
        ("openai-chat", {"role": "assistant", "function_call": {"name": "look", "arguments": "{}"}}),
        ("openhands", {**grown(0, "user", "Look."), "source": {}}),
        ("openhands", {key: value for key, value in grown(0, "user", "Look.").items() if key != "timestamp"}),
    ],
)
def test_a_record_that_lacks_a_member_is_told_by_the_others(format, record):
    source = load(jsonl(record))
    assert source.format == format
    assert source.message_count == 1


def test_of_a_list_a_record_that_its_format_does_not_know_is_no_message():
    def event(number, text, source="agent"):
        return {"id": number, "source": source, "action": "message", "args": {"content": text}, "message": text}

    odd = event(3, "Go on.", source="nobody")
    data = json.dumps([*(event(at, prose(f"topic {at}", 12)) for at in range(3)), odd]).encode()
    for tokens in (30, 60, 100):
        out = read_all(compact(data, strategy="truncate", target_tokens=tokens).data)
        assert odd in json.loads(out)
        assert load(out).format == "openhands"


def test_what_droid_prints_is_not_taken_for_claude_code_where_little_of_it_is_left():
    head = {"type": "system", "subtype": "init", "sessionId": "s", "timestamp": 1, "model": "m", "id": "sys1"}
    asked = {"type": "message", "sessionId": "s", "timestamp": 2, "role": "user", "text": "Look.", "id": "m1"}
    unknown = {"type": "odd", "sessionId": "s", "timestamp": 3, "id": "c1"}
    orphan = {"type": "tool_result", "sessionId": "s", "id": "c1", "toolId": "Execute", "value": "OK."}
    done = {"type": "completion", "sessionId": "s", "timestamp": 5, "finalText": "Done.", "id": "end"}
    error = {"type": "error", "source": "cli", "message": "No key.", "timestamp": 0, "session_id": "s"}
    source = again(jsonl(head, asked, unknown, orphan, done, error), strategy="adaptive")
    assert (source.format, source.message_count) == ("droid", 2)


@pytest.mark.parametrize("created", ["1e400", "NaN", "-1", '"noon"'])
def test_a_summary_of_opencode_stands_behind_a_message_of_any_time(created):
    def said(number):
        info = {"id": f"m{number}", "sessionID": "s", "role": "user", "time": {"created": number}}
        return {"info": info, "parts": [{"type": "text", "text": prose(f"topic {number}", 12)}]}

    lines = jsonl(*(said(number) for number in range(8))).replace(b'"created": 0', f'"created": {created}'.encode())
    assert created.encode() in lines
    assert again(lines, strategy="rolling", target_ratio=0.3).message_count > 1


def test_the_newest_count_of_opencode_may_stand_beside_parts_that_are_none():
    turns: list[Any] = [
        {"info": {**OPENCODE_MESSAGE, "id": f"m{at}"}, "parts": [{"type": "text", "text": prose(f"topic {at}", 9)}]}
        for at in range(9)
    ]
    counted = {"info": {"id": "m9", "sessionID": "s", "role": "assistant", "tokens": {"input": 900}}, "parts": 1.5}
    data = json.dumps([*turns, counted]).encode()
    for strategy in STRATEGIES:
        assert again(data, strategy=strategy, target_ratio=0.5).format == "opencode"


def test_a_new_event_of_openhands_has_a_number_of_its_own_whatever_others_have():
    def event(number, text):
        return {"id": number, "source": "agent", "action": "message", "args": {"content": text}, "message": text}

    run = {"id": 2, "source": "agent", "action": "run", "args": {"command": "make"}, "message": "make"}
    data = json.dumps([event(1, prose("topic", 9)), run, event([1], "Hm."), event(4, prose("end", 9))]).encode()
    for strategy in STRATEGIES:
        assert again(data, strategy=strategy, target_ratio=0.5).format == "openhands"


def test_ids_and_places_that_are_none_do_not_end_the_reading_of_compactions():
    part = {"type": "compaction", "auto": True}
    asked = {"info": {"id": ["m1"], "sessionID": "s", "role": "user"}, "parts": [part]}
    said = {"info": {"id": "m2", "sessionID": "s", "role": "user"}, "parts": [{"type": "text", "text": "Go on."}]}
    assert load(json.dumps([asked, said]).encode()).message_count == 1
    condensed = {
        "id": "e9",
        "timestamp": "2026-01-01T00:00:09",
        "source": "environment",
        "kind": "Condensation",
        "forgotten_event_ids": ["e0"],
        "summary": "They talked.",
        "summary_offset": 12345678901234567890123,
        "parent_id": "e1",
    }
    events = [grown(0, "user", "Look."), grown(1, "assistant", "Yes."), condensed]
    assert [message.text() for message in read_records(*events)] == ["Yes.", "They talked."]
