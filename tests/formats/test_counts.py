"""The provider's counts, in every format whose records, or what stands around them, hold one."""

from __future__ import annotations

import json
from typing import Any

import pytest

from compactor_cli.cli.gathering import read_session
from compactor_cli.formats import FORMATS
from compactor_cli.pipeline.recorded_context import recorded_context
from tests.builders import assistant, compact, jsonl, listing_output, load, user
from tests.formats.roundtrip import CASES, REAL

STAGE = "agent-sessions-fixtures/stage0/agents"
# read off the files by hand, with nothing of the program: what was sent, cached or not, and what came back
REAL_COUNTS = {
    "claude-code/2026-01-28-68d61609-708d-431d-b552-dc582ffc947b.jsonl": 46469,
    "codex/019ed836-b1da-78f1-8a0c-e598363d10f4.jsonl": 29567,
    "codex/019f15f7-b472-7bc3-8651-5547781e25cf.jsonl": 123059,
    "gemini-cli/2026-01-09-faff42ab-6ea5-4f78-b8c4-f7dd6272af08.json": 12108,
    f"{STAGE}/qwen/019f0000-0000-7000-8000-000000000004.jsonl": 12 + 4,
    "pi/large-session.jsonl": 53 + 176585 + 1019,
    "opencode/explore.export.json": 4951 + 764 + 23240,
    f"{STAGE}/opencode/storage_v2/session/proj_test/ses_s_stage0_large.json": 120 + 16,
    "copilot-cli/1afc31c8-d97f-4331-bae9-b6417f1b79a9.jsonl": 11468,
    "kimi/context_read_1.jsonl": 39635,
    f"{STAGE}/kimi/subagent_agent-0.jsonl": 271 + 119 + 14080,
    "cline/1784094124598_rruoq/1784094124598_rruoq.messages.json": 12238 + 10,
    "openhands/events-0.x.rfc.json": 5996 + 44,
    "atif/hello-world-context-summarization-linear-history.trajectory.cont-1.json": 850 + 30,
    "atif/openhands-hello-world.trajectory.json": 120 + 30,
    "mini-swe-agent/rfc-1.13.4.traj.json": 919 + 77,
    "inspect/2025-05-12T20-28-13-04-00_popularity.json": 64 + 2,
    "inspect/log_images_tc.json": 323 + 5,
    "langsmith/js_wrap_openai_default.json": 9,
    "langsmith/py_wrap_openai_reasoning.json": 43,
}
NO_COUNTS = (  # none in their records, or totals alone
    "swe-agent-traj/marshmallow-1867.function_calling.traj",
    "grok/019f6000-0000-7000-8000-000000000001/chat_history.jsonl",
    f"{STAGE}/droid/stream_json_schema_drift.jsonl",
    f"{STAGE}/hermes/large.json",
)
SAID = [user("Count the rows of tides.csv."), assistant("It has 60 rows."), user("And of gauges.csv?")]
AS_API: list[Any] = [
    {"role": "user", "content": "Count."},
    {"role": "assistant", "content": [{"type": "text", "text": "60"}]},
]


def count_of(data):
    """The tokens that were counted, and the last message that they hold."""
    transcript = load(data).transcripts[0]
    found = recorded_context(transcript, FORMATS[transcript.format])
    return (found.tokens, found.message) if found else None


@pytest.mark.skipif(not REAL.is_dir(), reason="the folder of real transcripts is not here")
@pytest.mark.parametrize("name", [*REAL_COUNTS, *NO_COUNTS])
def test_real_counts_are_those_read_off_by_hand(name):
    found = count_of(read_session(str(REAL / name)))
    assert (found[0] if found else None) == REAL_COUNTS.get(name)


def test_an_atif_step_counts_what_its_agent_sent_and_answered():
    document = json.loads((CASES / "atif" / "timetable.json").read_bytes())
    steps = [step for step in document["steps"] if step["source"] == "agent"]
    steps[0]["metrics"] = {"prompt_tokens": 5, "completion_tokens": 5}
    steps[-1]["metrics"] = {"prompt_tokens": 900, "completion_tokens": 40, "cached_tokens": 700}
    tokens, message = count_of(json.dumps(document).encode())
    assert tokens == 940
    assert message == max(
        m.index for m in load(json.dumps(document).encode()).transcripts[0].messages if m.role == "assistant"
    )


def test_a_reply_of_the_api_that_was_saved_with_its_message_has_the_count():
    counts = {"prompt_tokens": 700, "completion_tokens": 20, "total_tokens": 720}
    kept = {**assistant("60"), "extra": {"response": {"usage": counts}}}
    assert count_of(jsonl(SAID[0], kept, user("Thanks."))) == (720, 1)
    assert count_of(jsonl(SAID[0], {**assistant("60"), "usage": counts}, user("Thanks."))) == (720, 1)
    assert count_of(jsonl(*SAID)) is None


def test_of_the_anthropic_api_what_was_cached_stands_apart():
    counts = {"input_tokens": 5, "cache_read_input_tokens": 800, "cache_creation_input_tokens": 30, "output_tokens": 7}
    asked, answer = AS_API
    call = {"type": "tool_use", "id": "c1", "name": "count", "input": {}}
    answer = {**answer, "id": "msg_1", "type": "message", "content": [call], "usage": counts}
    data = jsonl(
        asked, answer, {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1", "content": "60"}]}
    )
    assert (load(data).format, count_of(data)) == ("anthropic", (842, 1))


def inspected(usage):
    sample = {"id": 1, "epoch": 1, "target": "", "messages": SAID, "output": {"usage": usage}}
    return json.dumps({"version": 2, "eval": {}, "samples": [sample, {**sample, "epoch": 2, "output": {}}]}).encode()


def test_the_output_of_an_inspect_sample_counts_up_to_its_last_answer():
    data = inspected({"input_tokens": 500, "input_tokens_cache_read": 400, "output_tokens": 9, "total_tokens": 509})
    assert count_of(data) == (509, 1)
    again = load(data).transcripts[1]
    assert recorded_context(again, FORMATS["inspect"]) is None
    assert count_of(inspected({})) is None


RUN = {"id": "r", "trace_id": "t", "run_type": "llm", "dotted_order": "1", "inputs": {"messages": SAID}}
OBSERVED = {"id": "o", "traceId": "t", "type": "GENERATION", "startTime": "2026", "input": SAID, "output": "done"}


@pytest.mark.parametrize(
    ("document", "tokens"),
    [
        ([{**RUN, "outputs": {"usage_metadata": {"input_tokens": 70, "output_tokens": 5}}}], 70),
        ([{**RUN, "outputs": {"usage": {"prompt_tokens": 71, "completion_tokens": 5}}}], 71),
        ([{**RUN, "outputs": {"llm_output": {"token_usage": {"prompt_tokens": 72}}}}], 72),
        ({**RUN, "outputs": {"usage_metadata": {"input_tokens": 73}}}, 73),
        ({"post": [RUN], "patch": [{"id": "r", "outputs": {"usage_metadata": {"input_tokens": 74}}}]}, 74),
        ({"post": [RUN], "patch": [{"id": "other", "outputs": {"usage_metadata": {"input_tokens": 74}}}]}, None),
        ([{**OBSERVED, "usageDetails": {"input": 50, "input_cached_tokens": 25, "output": 4, "total": 79}}], 75),
        ([{**OBSERVED, "usage": {"input": 76, "output": 4, "unit": "TOKENS", "inputCost": 0.1}}], 76),
        ([RUN], None),
    ],
)
def test_a_run_has_the_count_of_what_it_was_sent(document, tokens):
    assert count_of(json.dumps(document).encode()) == ((tokens, 2) if tokens else None)


def test_what_stands_around_the_records_does_not_count_after_a_compaction():
    long = [
        user("Count."),
        assistant(listing_output("row", 300)),
        user("Again."),
        assistant(listing_output("row", 300)),
        *SAID,
    ]
    run = {**RUN, "inputs": {"messages": long}, "outputs": {"usage_metadata": {"input_tokens": 9000}}}
    data = json.dumps([run]).encode()
    assert count_of(data) == (9000, 6)
    assert count_of(compact(data, target_ratio=0.3).data) is None
