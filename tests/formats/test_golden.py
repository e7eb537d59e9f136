"""Figures of whole files in the formats of APIs and data sets, counted from the raw JSON, not by the program."""

from __future__ import annotations

from pathlib import Path

import pytest

from compactor_cli.errors import InputError
from tests.builders import load
from tests.formats.roundtrip import REAL, figures, loaded

SAMPLES = Path(__file__).resolve().parents[2] / "sample_transcripts"
# format, messages by role, requests, parts by kind, results that failed
GOLDEN = {
    "openai-chat": ({"system": 1, "user": 13, "assistant": 47, "tool": 48}, 13, (37, 48, 48), 0),
    "anthropic": ({"user": 10, "assistant": 32, "tool": 22}, 10, (33, 37, 37), 2),
    "ai-sdk": ({"system": 1, "user": 10, "assistant": 33, "tool": 24}, 10, (33, 50, 50), 0),
    "memory": ({"assistant": 66, "tool": 21}, 0, (87, 0, 0), 0),
}
NAMES = {"anthropic": "anthropic-messages.jsonl", "memory": "memory-entries.jsonl"}
AIRLINE = ({"system": 1, "user": 4, "assistant": 30, "tool": 27}, 4, (10, 27, 27), 0)
GOLDEN_REAL = {
    "tau-bench/task2_trial1.jsonl": ("openai-chat", *AIRLINE),
    "langchain/dumpd.json": ("langchain", *AIRLINE),
    "langchain/flat.json": ("langchain", *AIRLINE),
    "langchain/messages_to_dict.json": ("langchain", *AIRLINE),
    "toolbench/G1_answer_57_ChatGPT_DFS_woFilter_w2_4.jsonl": (
        "openai-chat",
        {"system": 1, "user": 2, "assistant": 5, "tool": 3},
        2,
        (5, 4, 3),
        0,
    ),
    "swe-agent-traj/marshmallow-1867.function_calling.traj": (
        "conversations",
        {"system": 1, "user": 1, "assistant": 11, "tool": 11},
        1,
        (13, 11, 11),
        0,
    ),
    # actions as text: what they printed is no request
    "swe-agent-traj/ctf-web-i_got_id_demo.traj": (
        "conversations",
        {"system": 1, "user": 21, "assistant": 21},
        1,
        (43, 0, 0),
        0,
    ),
    "mini-swe-agent/rfc-1.13.4.traj.json": ("conversations", {"system": 1, "user": 4, "assistant": 3}, 1, (7, 0, 0), 0),
    # seven rows; 9 of the 24 messages under user are what a terminal showed
    "hf-datasets/harbor-traces.json": ("conversations", {"user": 24, "assistant": 20}, 15, (44, 0, 0), 0),
}
KINDS = ("text", "tool_call", "tool_result")


def counted(source):
    found = figures(source)
    assert set(found["parts"]) <= set(KINDS)
    parts = tuple(found["parts"].get(kind, 0) for kind in KINDS)
    return source.format, found["roles"], found["requests"], parts, found["failed"]


@pytest.mark.parametrize("name", GOLDEN)
def test_messages_of_the_samples_are_those_counted_by_hand(name):
    assert counted(loaded(SAMPLES / NAMES.get(name, f"{name}.jsonl"))) == (name, *GOLDEN[name])


@pytest.mark.skipif(not REAL.is_dir(), reason="the folder of real transcripts is not here")
@pytest.mark.parametrize("name", GOLDEN_REAL)
def test_real_messages_are_those_counted_by_hand(name):
    assert counted(loaded(REAL / name)) == GOLDEN_REAL[name]


def test_rows_of_a_data_set_in_parquet_are_refused_with_what_to_do():
    with pytest.raises(InputError, match="a Parquet file, which only `compact` reads; save its rows as JSON lines"):
        load(b"PAR1\x15\x04\x15 rows PAR1")
