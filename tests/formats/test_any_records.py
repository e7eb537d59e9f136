"""Readers meet records that nobody foresaw: they are read or refused in words, and never crash."""

from __future__ import annotations

import json
from contextlib import suppress

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from compactor_cli.errors import CompactorError
from compactor_cli.formats import FORMATS
from tests.builders import compact, jsonl, load
from tests.drawing import example_count

# making a failing example smaller takes a minute here, and the traceback says enough
QUICK = (Phase.explicit, Phase.reuse, Phase.generate)

# the words of the formats, so that arbitrary values reach the places where formats look
KEYS = st.sampled_from(
    [
        "role",
        "content",
        "type",
        "text",
        "message",
        "messages",
        "tool_calls",
        "tool_call_id",
        "tool_call_ids",
        "function",
        "function_call",
        "arguments",
        "id",
        "uuid",
        "parentUuid",
        "isSidechain",
        "toolUseResult",
        "isMeta",
        "payload",
        "call_id",
        "output",
        "action",
        "summary",
        "replacement_history",
        "name",
        "input",
        "tool_use_id",
        "toolCalls",
        "toolCallId",
        "toolName",
        "args",
        "result",
        "timestamp",
        "metadata",
        "toolResult",
        "importance",
        "system",
        "subtype",
        "image_url",
        "thinking",
        "value",
        "success",
    ]
)
WORDS = st.sampled_from(
    [
        "user",
        "assistant",
        "system",
        "developer",
        "tool",
        "function",
        "text",
        "image",
        "image_url",
        "tool_use",
        "tool_result",
        "thinking",
        "tool-call",
        "tool-result",
        "response_item",
        "event_msg",
        "session_meta",
        "compacted",
        "message",
        "function_call",
        "function_call_output",
        "reasoning",
        "local_shell_call",
        "custom_tool_call",
        "user_message",
        "agent_message",
        "progress",
        "compact_boundary",
        "task",
        "high",
        "a",
        "b",
    ]
)
VALUES = st.recursive(
    WORDS | st.none() | st.booleans() | st.integers(-2, 2**70) | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=5),
    max_leaves=8,
)
BLOCKS = st.builds(lambda kind, rest: {**rest, "type": kind}, WORDS, st.dictionaries(KEYS, VALUES, max_size=4))
INSIDE = st.builds(
    lambda kind, role, content, rest: {**rest, "type": kind, "role": role, "content": content},
    WORDS | VALUES,
    WORDS | VALUES,
    st.lists(BLOCKS, max_size=3) | VALUES,
    st.dictionaries(KEYS, VALUES, max_size=4),
)
TURNS = st.builds(
    lambda kind, key, inside, rest: {**rest, "type": kind, key: inside},
    st.sampled_from(["user", "assistant", "system", "response_item", "event_msg", "compacted", "session_meta"]),
    st.sampled_from(["message", "payload"]),
    INSIDE,
    st.dictionaries(KEYS, VALUES, max_size=4),
)
RECORDS = st.one_of(st.dictionaries(KEYS, VALUES, min_size=1, max_size=8), INSIDE, TURNS)


@pytest.mark.drawn(3)
@pytest.mark.parametrize("name", ["", *FORMATS, "conversations"])
def test_any_records_are_read_or_refused(name):
    @settings(max_examples=example_count(50), phases=QUICK)
    @given(st.lists(RECORDS, min_size=1, max_size=4))
    def check(records):
        with suppress(CompactorError):  # refused in words
            load(jsonl(*map(json.dumps, records)), format=name)

    check()


@settings(max_examples=example_count(50), phases=QUICK)
@given(st.lists(st.fixed_dictionaries({"role": WORDS, "content": VALUES}, optional={"tool_calls": VALUES})))
def test_any_messages_are_compacted_or_refused(records):
    data = jsonl(*map(json.dumps, records), {"role": "user", "content": "go " * 50})
    with suppress(CompactorError):  # refused in words
        compact(data, target_ratio=0.5)
