"""Prompts around histories of every format: order, size, bytes of the history, validity, parent links."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compactor_cli.errors import BudgetError, UsageError
from compactor_cli.pipeline.verify import last_turn
from compactor_cli.prompt.assembly import assemble_prompt
from compactor_cli.prompt.definition import AFTER, BEFORE, Prompt, PromptPart
from compactor_cli.prompt.segments import size_parts
from compactor_cli.settings import Settings
from compactor_cli.tokens import make_counter
from compactor_cli.wiring import tools_for
from tests.builders import (
    ROOT,
    ClaudeSession,
    assert_chain_whole,
    assistant,
    call,
    calling_message,
    codex_exchanges,
    codex_item,
    codex_meta,
    codex_says,
    find_faults,
    jsonl,
    lines_of,
    listing_output,
    load,
    plain_exchanges,
    prose,
    result,
    system,
    text_block,
    tool_result,
    tool_use,
    user,
    values_of,
)
from tests.properties.profile import examples

COUNTER = make_counter("chars").counter
SAMPLES = sorted((ROOT / "sample_transcripts").glob("*.jsonl"))
ALL = {name: f"The {name.replace('_', ' ')} of the test." for name in (*BEFORE, *AFTER)}
ROOM = 1_000_000


def assembled(data, texts, total, **sizes):
    """The prompt of bytes with parts of these texts and sizes, and a system prompt only where one is given."""
    source = load(data)
    transcript = source.transcripts[0]
    given = {name: PromptPart(name=name, given="text", text=text) for name, text in texts.items()}
    given |= {name: PromptPart(name=name, given="tokens", reserved=size) for name, size in sizes.items()}
    own = sum(message.tokens for message in transcript.messages if message.role == "system")
    parts = size_parts(Prompt(parts=given), (), COUNTER.count, COUNTER.per_message, own)
    settings = Settings(target_tokens=total)
    return assemble_prompt(transcript, parts, tools_for(transcript, COUNTER, settings), settings, total)


def first_conversation(path):
    data = path.read_bytes()
    return data.split(b"\n", 1)[0] + b"\n" if path.stem == "conversations" else data


def texts_of(data):
    return [message.text() for message in load(data).transcripts[0].messages]


@pytest.mark.parametrize("share", [0.2, 2])
@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
def test_parts_stand_around_the_history_in_the_order_of_seed_000(path, share):
    data = first_conversation(path)
    done = assembled(data, ALL, int(load(data).transcripts[0].tokens * share) + 300)
    again = load(done.data).transcripts[0].messages
    texts = [message.text() for message in again]
    assert texts[:4] == [ALL[name] for name in BEFORE]
    assert texts[-2:] == [ALL[name] for name in AFTER]
    assert [m.role for m in again[-2:]] == ["user", "user"]
    assert len({m.role for m in again[:4]} & {"system", "user"}) == 1
    assert texts[4:-2] == [message.text() for message in done.history.messages]
    assert find_faults(load(done.data)) == []


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
def test_a_history_that_has_room_keeps_its_bytes(path):
    data = first_conversation(path)
    texts = {name: ALL[name] for name in (*BEFORE[1:], *AFTER)}
    done = assembled(data, texts, ROOM)
    assert not done.history.changed or done.history.repairs
    if path.stem == "conversations":
        records = [json.dumps(value, ensure_ascii=False).encode() for value in json.loads(data)["messages"]]
        assert [record for record in records if record not in done.data] == []
        return
    before, after = lines_of(data), set(lines_of(done.data))
    changed = [line for line in before if line not in after]
    # the root of a chain continues from the parts before it
    assert len(changed) == (1 if path.stem == "claude-code" else 0)


SAMPLE = jsonl(
    system(),
    *plain_exchanges(4),
    user("Look into the log."),
    calling_message(call("a")),
    result("a", listing_output("log")),
    assistant("It is the clock."),
    *plain_exchanges(3, start=4),
)


@examples(60)
@given(
    total=st.integers(1, 3_000),
    system_prompt=st.integers(0, 300),
    task=st.integers(0, 300),
    reserved=st.integers(0, 400),
)
def test_a_prompt_fits_or_the_smallest_total_is_told_and_that_one_fits(total, system_prompt, task, reserved):
    texts = {"system_prompt": "word " * system_prompt, "task_prompt": "word " * task}
    try:
        done = assembled(SAMPLE, texts, total, system_llm=reserved)
    except BudgetError as error:
        assert error.floor > total
        assert sum(tokens for _, tokens in error.items) == error.floor or "history" in str(error)
        assert f"--total {error.floor}" in str(error)
        done = assembled(SAMPLE, texts, error.floor, system_llm=reserved)
        total = error.floor
    again = load(done.data)
    assert again.tokens + reserved + 50 == done.tokens <= total - 100
    assert find_faults(again) == []


def test_a_total_that_is_too_small_itemises_the_parts_and_the_smallest_history():
    with pytest.raises(BudgetError) as caught:
        assembled(SAMPLE, {"system_prompt": "word " * 100, "task_prompt": "Do it."}, 200, actions=30)
    words = str(caught.value)
    for line in ("127  system prompt", "30  actions", "4  task prompt", "50  current message", "100  safety margin"):
        assert line in words
    assert "history: " in words
    assert caught.value.exit_code == 4


@pytest.mark.parametrize(
    "ending",
    [
        [calling_message(call("b"))],
        [calling_message(call("b"), call("c")), result("b", "done")],
        [calling_message(call("b")), result("b", "done")],
    ],
    ids=["a call in flight", "one of two calls in flight", "a tool result"],
)
@pytest.mark.parametrize("total", [ROOM, 900])
def test_the_history_is_closed_before_a_turn_of_the_user(ending, total):
    done = assembled(jsonl(*plain_exchanges(6), user("Run it."), *ending), ALL, total)
    again = load(done.data)
    assert find_faults(again) == []
    messages = again.transcripts[0].messages
    assert last_turn(messages) == len(messages), "nothing is in flight"
    assert messages[-3].role == "assistant"
    assert not messages[-3].calls
    assert done.history.repairs or total != ROOM


def test_the_system_messages_of_the_transcript_are_replaced_or_stay_first():
    data = jsonl(
        system("Old one."), system("Old two."), *plain_exchanges(1), system("In between."), *plain_exchanges(1)
    )
    replaced = texts_of(assembled(data, {"system_prompt": "New.", "agent_identity": "Me."}, ROOM).data)
    assert replaced[:2] == ["New.", "Me."]
    assert not {"Old one.", "Old two.", "In between."} & set(replaced)
    kept = texts_of(assembled(data, {"agent_identity": "Me."}, ROOM).data)
    assert kept[:3] == ["Old one.", "Old two.", "Me."]
    assert kept[5] == "In between."
    reserved = assembled(data, {"agent_identity": "Me."}, ROOM, system_prompt=40)
    assert texts_of(reserved.data)[0] == "Me."
    assert reserved.reserved == 90


@pytest.mark.parametrize("own", ['"Be good."', '[{"type": "text", "text": "Be good."}]'])
def test_a_top_level_system_prompt_is_replaced_at_its_place(own):
    messages = json.dumps([user("hi"), {"role": "assistant", "content": [text_block("yes")]}])
    for data in (f'{{"system": {own}, "messages": {messages}}}\n', f'{{"messages": {messages}, "system": {own}}}\n'):
        value = json.loads(assembled(data.encode(), ALL, ROOM).data)
        assert value["system"] == ALL["system_prompt"]
        assert [m["role"] for m in value["messages"]] == ["user"] * 4 + ["assistant", "user", "user"]
        kept = json.loads(assembled(data.encode(), {"task_prompt": "Go."}, ROOM).data)
        assert kept["system"] == json.loads(own)
        gone = json.loads(assembled(data.encode(), {"task_prompt": "Go."}, ROOM, system_prompt=10).data)
        assert gone["system"] == ""


def test_a_summary_under_the_role_system_is_history():
    summary = system("## Session Summary (Round 1)\nStands for messages 0-3 (ctx_84e763ad).\n\n#0 asked")
    data = jsonl(system("Old."), summary, *plain_exchanges(1))
    texts = texts_of(assembled(data, {"system_prompt": "New."}, ROOM).data)
    assert texts[0] == "New."
    assert texts[1] == summary["content"]


@pytest.mark.parametrize("total", [ROOM, 1_500])
def test_the_parent_chain_of_claude_code_stays_whole(total):
    session = ClaudeSession()
    session.exchanges(8)
    session.add_call(tool_use("t1"))
    session.add_result("t1", "done")
    session.add_raw({"type": "summary", "summary": "x", "leafUuid": session.last})
    values = values_of(assembled(session.data, ALL, total).data)
    assert_chain_whole(values)
    turns = [value for value in values if value.get("uuid")]
    assert [v["uuid"] for v in turns[:-1]] == [v["parentUuid"] for v in turns[1:]]
    assert turns[0]["parentUuid"] is None
    assert {v["sessionId"] for v in turns} == {"session-1"}


def test_parts_stand_behind_the_boundary_of_a_compacted_claude_code_session():
    session = ClaudeSession()
    session.exchanges(3, topic="early")
    session.add("system", subtype="compact_boundary", parentUuid=None)
    session.add_answer("This session is being continued.", isCompactSummary=True)
    session.exchanges(3)
    done = assembled(session.data, ALL, ROOM)
    values = values_of(done.data)
    assert_chain_whole(values)
    assert texts_of(done.data)[:5] == [*(ALL[name] for name in BEFORE), "This session is being continued."]
    assert lines_of(done.data)[:6] == lines_of(session.data)[:6]


def test_the_session_of_a_sub_agent_stays_one_chain():
    session = ClaudeSession()
    for at in range(6):
        for add in (session.add_answer, lambda text, **extra: session.add_call(text_block(text), **extra)):
            record = add(f"Turn {at}. {prose(f'turn {at}')}", isSidechain=True, agentId="agent-1")
            session.last = record["uuid"]
    for total in (ROOM, 900):
        values = values_of(assembled(session.data, ALL, total).data)
        assert_chain_whole(values)
        assert [v["uuid"] for v in values[:-1]] == [v["parentUuid"] for v in values[1:]]
        assert {(v["isSidechain"], v["agentId"]) for v in values} == {(True, "agent-1")}


def test_a_codex_rollout_that_was_compacted_by_codex_has_no_place_before_its_history():
    compacted = {"timestamp": "2026-03-02T09:00:00Z", "type": "compacted", "payload": {"message": "Before: much."}}
    data = jsonl(codex_meta(), codex_says("user", "old"), compacted, *codex_exchanges(2))
    with pytest.raises(UsageError, match=r"line 3 replaces all history before it, so system_prompt .*openai-chat"):
        assembled(data, ALL, ROOM)
    texts = texts_of(assembled(data, {"task_prompt": "Go."}, ROOM, system_prompt=30).data)
    assert (texts[0], texts[-1]) == ("Before: much.", "Go.")


def test_a_system_prompt_that_is_still_sent_makes_no_place_before_a_context_that_was_cleared():
    data = (ROOT / "tests/formats/cases/copilot-cli/weir.jsonl").read_bytes()
    with pytest.raises(UsageError, match="line 6 replaces all history before it, so agent_identity"):
        assembled(data, {"agent_identity": "You draw weirs."}, ROOM)


def test_codex_parts_are_response_items_behind_the_head_of_the_file():
    head = [codex_meta(), codex_item(type="message", role="developer", content=[text_block("Rules.")])]
    values = values_of(assembled(jsonl(*head, *codex_exchanges(2)), ALL, ROOM).data)
    assert values[0]["type"] == "session_meta"
    assert [v["payload"]["role"] for v in values[1:5]] == ["developer"] * 4
    assert "Rules." not in json.dumps(values)


def test_memory_entries_say_what_they_are():
    path = ROOT / "sample_transcripts/memory-entries.jsonl"
    values = values_of(assembled(path.read_bytes(), ALL, 3_000).data)
    assert [(v["type"], v["metadata"]["role"]) for v in values[:4]] == [("conversation", "system")] * 4
    assert [(v["type"], v["metadata"]["role"]) for v in values[-2:]] == [("task", "user"), ("conversation", "user")]
    assert len({v["id"] for v in values}) == len(values)
    summaries = [v for v in values if v["content"].startswith("## Session Summary")]
    assert summaries
    assert {v["type"] for v in summaries} == {"summary"}


def test_anthropic_results_at_the_end_are_followed_by_the_assistant():
    data = jsonl(
        user("Run it."),
        {"role": "assistant", "content": [tool_use("t1")]},
        {"role": "user", "content": [tool_result("t1", "done")]},
    )
    values = values_of(assembled(data, {"current_message": "And now?"}, ROOM).data)
    assert [v["role"] for v in values] == ["user", "assistant", "user", "assistant", "user"]


def test_odd_bytes_of_the_file_stay():
    data = jsonl(*plain_exchanges(2), newline="\r\n", final=False, bom=True)
    done = assembled(data, ALL, ROOM).data
    assert done.startswith(b"\xef\xbb\xbf{")
    assert done.count(b"\r\n") == done.count(b"\n") == 9
    assert data.removeprefix(b"\xef\xbb\xbf") in done


def test_a_line_that_was_cut_off_is_left_out():
    done = assembled(SAMPLE + b'{"role": "user", "cont', ALL, ROOM)
    assert texts_of(done.data)[-2:] == [ALL[name] for name in AFTER]


def test_a_prompt_may_have_no_message_at_all():
    done = assembled(b'{"messages": [{"role": "system", "content": "Old."}]}', {}, 500, system_prompt=20)
    assert (done.data, done.messages, done.tokens) == (b'{"messages": []}', (), 70)


def test_the_same_input_gives_the_same_bytes():
    assert assembled(SAMPLE, ALL, 1_200).data == assembled(SAMPLE, ALL, 1_200).data
