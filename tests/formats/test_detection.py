"""The format is told from the content; --format overrides; two formats in one file are refused."""

from __future__ import annotations

import json
from contextlib import suppress

import pytest

from compactor_cli.errors import CompactorError, InputError, UsageError
from tests.builders import (
    ROOT,
    ClaudeSession,
    assistant,
    call,
    calling_message,
    codex_exchanges,
    codex_meta,
    jsonl,
    load,
    read_records,
    result,
    system,
    text_block,
    tool_result,
    tool_use,
    user,
)


def claude_code():
    session = ClaudeSession()
    session.add_answer("hello")
    session.add_call(text_block("hi"))
    return session.data


MEMORY = {"id": "m1", "content": "note", "type": "message", "importance": "low", "timestamp": "2026-03-02T09:00:00Z"}

FILES = {
    "openai-chat": [
        jsonl(user("hi"), assistant("hello")),
        jsonl(system(), user("hi")),
        jsonl(user("hi"), calling_message(call("a")), result("a", "done")),
        jsonl(user([{"type": "text", "text": "hi"}, {"type": "image_url", "image_url": {"url": "x"}}])),
    ],
    "conversations": [
        jsonl({"messages": [user("hi")]}, {"messages": [user("ho")], "tools": []}),
        jsonl({"custom_id": "1", "method": "POST", "url": "/v1", "body": {"model": "m", "messages": [user("hi")]}}),
        json.dumps({"messages": [user("hi"), assistant("hello")]}, indent=2).encode(),
        json.dumps([user("hi"), assistant("hello")], indent=1).encode(),
        jsonl({"system": "Be kind.", "messages": [user([text_block("hi")])], "tools": [{"name": "Bash"}]}),
    ],
    "anthropic": [
        jsonl(user("hi"), {"role": "assistant", "content": [text_block("ok"), tool_use("t1")]}),
        jsonl(user([tool_result("t1", "out")]), assistant([{"type": "thinking", "thinking": "x", "signature": "s"}])),
    ],
    "claude-code": [
        claude_code(),
        jsonl({"type": "summary", "summary": "A title", "leafUuid": "x"}) + claude_code(),
    ],
    "codex": [jsonl(codex_meta(), *codex_exchanges(1))],
    "memory": [jsonl({**MEMORY, "metadata": {}}), jsonl(MEMORY)],
    "ai-sdk": [
        jsonl(user("hi"), assistant([{"type": "tool-call", "toolCallId": "1", "toolName": "ls", "args": {}}])),
        jsonl(user("hi"), assistant("ok", toolCalls=[{"toolCallId": "1", "toolName": "ls", "args": {}}])),
    ],
}
CASES = [(name, data) for name, files in FILES.items() for data in files]
CASES_BY_FORMAT = ROOT / "tests" / "formats" / "cases"


@pytest.mark.parametrize(("name", "data"), CASES, ids=[f"{name}-{at}" for at, (name, _) in enumerate(CASES)])
def test_the_format_is_told_from_the_content(name, data):
    assert load(data).format == name


@pytest.mark.parametrize("file", sorted((ROOT / "sample_transcripts").glob("*.jsonl")), ids=lambda file: file.stem)
def test_the_samples_are_told_apart(file):
    expected = {"anthropic-messages": "anthropic", "memory-entries": "memory"}.get(file.stem, file.stem)
    assert load(file.read_bytes()).format == expected


TALK = [message for at in range(12) for message in (user(f"question {at}"), assistant(f"answer {at}"))]


@pytest.mark.parametrize(
    ("name", "exchange"),
    [
        ("anthropic", [assistant([tool_use("t1")]), user([tool_result("t1", "out")])]),
        ("ai-sdk", [assistant([{"type": "tool-call", "toolCallId": "1", "toolName": "ls", "args": {}}])]),
        ("openai-chat", [calling_message(call("a")), result("a", "out")]),
    ],
)
@pytest.mark.parametrize("order", ["first", "last"])
def test_one_tool_exchange_in_a_long_talk_tells_the_format(name, exchange, order):
    # plain texts look the same in all three formats
    records = [*TALK, *exchange] if order == "last" else [TALK[0], *exchange, *TALK[1:]]
    assert load(jsonl(*records)).format == name


def test_a_named_format_overrides_detection():
    data = jsonl(user("hi"), assistant("hello"))
    assert [load(data, format=name).format for name in ("openai-chat", "anthropic", "ai-sdk")] == [
        "openai-chat",
        "anthropic",
        "ai-sdk",
    ]


def test_the_format_anthropic_can_be_named_for_a_whole_request_on_one_line():
    # a request {system?, messages, tools?} is as much of the format as a message a line
    source = load(jsonl({"system": "Be kind.", "messages": [user("hi")]}), format="anthropic")
    assert [m.role for m in source.transcripts[0].messages] == ["system", "user"]


def test_the_format_anthropic_can_be_named_for_a_whole_request_over_several_lines():
    source = load(json.dumps({"system": "Be kind.", "messages": [user("hi")]}, indent=2).encode(), format="anthropic")
    assert [m.role for m in source.transcripts[0].messages] == ["system", "user"]


def test_an_unknown_format_names_the_known_ones():
    with pytest.raises(UsageError, match=r"openai-chat.*claude-code.*conversations"):
        load(jsonl(user("hi")), format="word")


@pytest.mark.parametrize("data", [b"1\n2\n", b'"a"\n', b"null\n", b"[]\n", b'{"a": 1}\n', b"{}\n"])
def test_json_that_is_no_transcript_is_refused_with_the_names_of_the_formats(data):
    with pytest.raises(InputError, match=r"file\.jsonl:1: .*--format"):
        load(data)


@pytest.mark.parametrize(
    ("data", "line"),
    [
        (jsonl(user("a"), assistant("b"), codex_meta()), 3),
        (jsonl(user("a"), assistant("b")) + claude_code(), 3),
        (claude_code() + jsonl(user("a"), assistant("b"), result("x", "y")), 3),
        (jsonl(*codex_exchanges(2)) + jsonl(*[{**MEMORY, "metadata": {}}]), 9),
        (jsonl({"messages": [user("a")]}, user("b")), 2),
    ],
    ids=["chat-codex", "chat-claude", "claude-chat", "codex-memory", "conversations-chat"],
)
def test_two_formats_in_one_file_are_refused_at_the_line_where_the_second_starts(data, line):
    with pytest.raises(InputError, match=rf"file\.jsonl:{line}: two formats in one file"):
        load(data)


@pytest.mark.parametrize(
    "record",
    [
        {"role": ["user"], "content": "x"},
        {"role": {"a": 1}, "content": "x"},
        {"role": "user", "content": [{"type": ["text"], "text": "x"}]},
        {"role": "user", "content": {"a": 1}},
        {"role": "assistant", "content": None, "tool_calls": [{"id": {}, "function": []}]},
        {"type": "user", "message": {"role": "user", "content": [{"type": {}}], "id": []}, "uuid": "u"},
        {"type": "response_item", "payload": {"type": [], "role": {}}},
        {"type": "response_item", "payload": {"type": "reasoning", "summary": "text", "content": 5}},
        {"type": "event_msg", "payload": {"type": {}, "message": []}},
        {"id": [], "content": {}, "type": 1, "importance": [], "timestamp": {}, "metadata": {"role": []}},
    ],
    ids=lambda record: json.dumps(record)[:60],
)
@pytest.mark.parametrize("name", ["", "openai-chat", "anthropic", "claude-code", "codex", "memory", "ai-sdk"])
def test_values_of_unexpected_types_are_read_or_refused_but_no_crash(record, name):
    with suppress(CompactorError):  # refused in words
        load(jsonl(user("hi"), record), format=name)


def test_records_before_the_first_message_do_not_hide_the_format():
    titles = [{"type": "file-history-snapshot", "messageId": f"x{n}", "snapshot": {}} for n in range(5)]
    assert load(jsonl(*titles) + claude_code()).format == "claude-code"


def test_a_single_message_is_enough():
    assert [m.role for m in read_records(user("hi"))] == ["user"]


@pytest.mark.parametrize(
    "path", sorted(CASES_BY_FORMAT.glob("*/*.*")), ids=lambda path: f"{path.parent.name}/{path.name}"
)
def test_each_format_is_told_from_all_others(path):
    assert load(path.read_bytes()).format == path.parent.name


def test_a_record_with_nothing_but_a_role_does_not_make_two_formats_of_one():
    call = {"type": "tool-call", "toolCallId": "c1", "toolName": "grep", "args": {}}
    answer = {"type": "tool-result", "toolCallId": "c1", "toolName": "grep", "result": {"matches": []}}
    records = [*(turn for _ in range(5) for turn in (user("Go on."), assistant("Yes."))), {"role": "user"}]
    records += [{"role": "assistant", "content": [call]}, {"role": "tool", "content": [answer]}]
    assert load(jsonl(*records)).format == "ai-sdk"


def test_calls_of_another_agent_are_not_taken_for_anthropics():
    call = {"type": "toolRequest", "id": "t1", "toolCall": {"value": {"name": "shell", "arguments": {}}}}
    with pytest.raises(InputError, match="unknown format"):
        load(jsonl(user([{"type": "text", "text": "go"}, call]), assistant([{"type": "text", "text": "ok"}, call])))
