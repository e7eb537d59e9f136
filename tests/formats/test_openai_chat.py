"""OpenAI chat, a message a line, with the quirks that were counted in real files."""

from __future__ import annotations

import json

import pytest

from compactor_cli.model.pairing import pair_calls
from compactor_cli.tokens.base import IMAGE_TOKENS
from tests.builders import (
    assert_changed_only_at,
    assistant,
    call,
    calling_message,
    compact,
    find_faults,
    jsonl,
    lines_of,
    listing_output,
    load,
    plain_exchanges,
    prose,
    read_records,
    result,
    system,
    user,
    values_of,
)


def kinds(message):
    return [part.kind for part in message.parts]


def test_roles_are_read_and_developer_and_function_have_their_places():
    messages = read_records(
        {"role": "developer", "content": "rules"},
        system(),
        user("do it"),
        calling_message(call("c1"), content="I look."),
        result("c1", "files"),
        {"role": "function", "name": "old", "content": "x"},
    )
    assert [m.role for m in messages] == ["system", "system", "user", "assistant", "tool", "tool"]


def test_a_request_of_the_user_is_told_from_what_a_harness_put_there():
    messages = read_records(
        user("please fix it"),
        user("<system-reminder>be careful</system-reminder>"),
        user("## Session Summary (Compaction Round 1)\nStands for messages 1-3 (tier 3; 10 tokens; ctx_00000000)."),
        assistant("## Session Summary of #4-9\n#4 user: Fix it."),
        assistant("[#10-12]\n#11: Done."),
        assistant("done"),
    )
    assert [m.origin for m in messages] == ["request", "injected", "summary", "summary", "summary", "other"]


def test_a_message_that_only_begins_like_a_summary_is_none():
    messages = read_records(
        user("## Session Summary (Compaction Round 1)\nx"), assistant("## Session Summary of #4-9"), assistant("[#1]\n")
    )
    assert [m.origin for m in messages] == ["request", "other", "other"]


def test_null_content_beside_calls_is_no_text():
    message = read_records(user("x"), calling_message(call("c1"), content=None))[1]
    assert kinds(message) == ["tool_call"]


def test_an_empty_assistant_message_is_kept_as_a_message():
    messages = read_records(user("x"), assistant(None), assistant(""), user("y"))
    assert [(m.role, m.parts) for m in messages[1:3]] == [("assistant", ()), ("assistant", ())]


def test_text_beside_calls_is_read_with_them():
    message = read_records(
        user("x"), calling_message(call("c1", "read", '{"path": "a.py"}'), call("c2"), content="I read both.")
    )[1]
    assert kinds(message) == ["text", "tool_call", "tool_call"]
    first = message.calls[0]
    assert (first.name, first.call_id, json.loads(first.text)) == ("read", "c1", {"path": "a.py"})
    assert message.text("text") == "I read both."


def test_ids_that_are_used_again_are_paired_in_order_of_occurrence():
    records = [user("x")]
    for at in range(3):
        records += [calling_message(call("same", arguments=f'{{"n": {at}}}')), result("same", f"answer {at}")]
    source = load(jsonl(*records))
    answers = pair_calls(source.transcripts[0].messages).call_of
    assert {spot[0]: of[0] for spot, of in answers.items()} == {2: 1, 4: 3, 6: 5}
    assert find_faults(source) == []


def test_parallel_calls_with_results_in_another_order_are_no_fault():
    data = jsonl(
        user("x"), calling_message(call("a"), call("b")), result("b", "2"), result("a", "1"), assistant("done")
    )
    assert find_faults(load(data)) == []


def test_a_list_of_ids_answers_each_of_them():
    # SWE-agent writes one message for all calls of a step
    together = {"role": "tool", "content": "both done", "tool_call_ids": ["a", "b"]}
    source = load(jsonl(user("x"), calling_message(call("a"), call("b")), together, assistant("ok"), user("next")))
    message = source.transcripts[0].messages[2]
    assert [part.call_id for part in message.results] == ["a", "b"]
    assert message.text() == "both done"
    assert find_faults(source) == []


def test_arguments_as_an_object_and_the_function_as_a_string_are_read():
    # Inspect logs
    message = read_records(
        user("x"), calling_message({"id": "a", "function": "bash", "arguments": {"cmd": "ls"}, "type": "function"})
    )[1]
    assert (message.calls[0].name, json.loads(message.calls[0].text)) == ("bash", {"cmd": "ls"})


def test_arguments_as_an_object_stay_an_object_when_they_are_shortened():
    long = {"path": "notes.md", "text": prose("the notes", 200)}
    inspect_call = calling_message({"id": "a", "function": "write", "arguments": long, "type": "function"})
    chat_call = calling_message(call("b", "write", json.dumps(long)))
    data = jsonl(
        user("Write it."), inspect_call, result("a", "ok"), chat_call, result("b", "ok"), assistant("Written.")
    )
    out = values_of(compact(data, target_tokens=1000, keep_last=5).data)
    calls = [value["tool_calls"][0] for value in out if value.get("tool_calls")]
    arguments = [one.get("arguments") or one["function"]["arguments"] for one in calls]
    assert [type(value) for value in arguments] == [dict, str]
    assert arguments[0]["path"] == json.loads(arguments[1])["path"] == "notes.md"


def test_keys_that_are_present_but_null_are_as_good_as_absent():
    nulls = {"name": None, "tool_calls": None, "function_call": None, "tool_call_id": None, "refusal": None}
    messages = read_records(
        user("x", **nulls), assistant("y", **nulls), calling_message(call("a"), name=None), result("a", None)
    )
    assert [kinds(m) for m in messages] == [["text"], ["text"], ["tool_call"], ["tool_result"]]


def test_several_users_in_a_row_and_no_system_message_are_as_they_are():
    source = load(jsonl(user("one"), user("two"), user("three"), assistant("ok")))
    assert [(m.role, m.origin) for m in source.transcripts[0].messages] == [
        ("user", "request"),
        ("user", "request"),
        ("user", "request"),
        ("assistant", "other"),
    ]
    assert find_faults(source) == []


def test_legacy_function_calls_without_ids_are_paired_by_order():
    def step(name, at):
        yield assistant(None, function_call={"name": name, "arguments": f'{{"n": {at}}}'})
        yield {"role": "function", "name": name, "content": f"answer {at}"}

    source = load(jsonl(user("x"), *step("add", 1), *step("add", 2), *step("mul", 3), assistant("done")))
    messages = source.transcripts[0].messages
    assert {spot[0]: of[0] for spot, of in pair_calls(messages).call_of.items()} == {2: 1, 4: 3, 6: 5}
    assert find_faults(source) == []


def test_a_legacy_call_without_an_answer_gets_one_in_the_legacy_shape():
    records = [user("x"), assistant(None, function_call={"name": "add", "arguments": "{}"}), *plain_exchanges(12)]
    out = compact(jsonl(*records), target_tokens=10_000, keep=("add",)).data
    assert out == jsonl(*records), "within its target nothing changes, faults or not"
    values = values_of(compact(jsonl(*records), target_ratio=0.5, keep=("add",)).data)
    if any(value.get("function_call") for value in values):
        answer = next(value for value in values if value["role"] == "function")
        assert answer["name"] == "add"


def test_a_transcript_that_ends_on_an_open_call_has_no_fault_and_keeps_it():
    data = jsonl(*plain_exchanges(10), user("go"), calling_message(call("open")))
    assert find_faults(load(data)) == []
    assert lines_of(compact(data, target_ratio=0.3).data)[-1] == lines_of(data)[-1]


def test_faults_are_named_by_kind():
    data = jsonl(
        user("x"),
        calling_message(call("a")),
        user("y"),
        result("nobody", "?"),
        calling_message(call("b")),
        user("z"),
        result("b", "!"),
    )
    assert [(fault.kind, fault.call_id) for fault in find_faults(load(data))] == [
        ("unanswered_call", "a"),
        ("orphan_result", "nobody"),
        ("misplaced_result", "b"),
    ]


def test_images_have_a_fixed_cost_whatever_their_size():
    def picture(size):
        url = "data:image/png;base64," + "A" * size
        return user([{"type": "text", "text": "look"}, {"type": "image_url", "image_url": {"url": url}}])

    small, large = read_records(picture(10), picture(1_000_000))
    assert small.tokens == large.tokens == 2 + 1 + IMAGE_TOKENS
    assert kinds(large) == ["text", "image"]


def test_a_request_that_is_only_a_picture_is_a_request():
    assert read_records(user([{"type": "image_url", "image_url": {"url": "x"}}]))[0].origin == "request"


def test_sounds_and_files_are_not_counted_by_their_data():
    block = {"type": "input_audio", "input_audio": {"data": "A" * 400_000, "format": "wav"}}
    assert read_records(user([{"type": "text", "text": "listen"}, block]))[0].tokens < 100


def test_reasoning_content_is_thinking():
    message = read_records(user("x"), assistant("y", reasoning_content="because"))[1]
    assert [(part.kind, part.text) for part in message.parts] == [("thinking", "because"), ("text", "y")]


def test_what_a_command_printed_under_the_role_user_is_no_request():
    # SWE-agent
    messages = read_records(
        user("Fix the issue.", message_type="observation"),
        assistant("ls", message_type="action"),
        user("a.py b.py", message_type="observation"),
    )
    assert [m.origin for m in messages] == ["request", "other", "injected"]


def acting(number):
    printed = ("error: this bed is broken\n" if number % 3 == 2 else "") + listing_output(f"bed {number}", 20)
    return assistant(f"I read bed {number}.\n```\ncat bed{number}.txt\n```"), user(printed)


@pytest.mark.parametrize(("ratio", "strategy"), [(0.5, "adaptive"), (0.4, "truncate")])
def test_an_action_written_as_text_and_what_it_printed_are_kept_or_left_out_together(ratio, strategy):
    said = [message for number in range(14) for message in acting(number)]
    data = jsonl(user("Count the beds. Never write a file."), *said, assistant("All.\n```\nsubmit\n```"))
    messages = load(data).transcripts[0].messages
    assert [m.origin for m in messages if m.role == "user"] == ["request"] + ["injected"] * 14
    out = load(compact(data, target_ratio=ratio, strategy=strategy).data).transcripts[0].messages
    kept = [m for m in out if m.role == "user" and m.origin != "summary"][1:]
    assert kept
    assert all(out[m.index - 1].role == "assistant" for m in kept)
    assert sum(m.origin == "request" for m in out) == 1


def test_unknown_keys_and_their_order_stay_when_a_body_is_shortened():
    odd = (
        '{"x_first": [1, 2.50, 1e3], "role" :"tool","content":%s ,  "tool_call_id": "a", "näme": null, "z": {"k": []}}'
    )
    raw = odd % json.dumps(listing_output("grep", 300))
    data = jsonl(user("Find it."), calling_message(call("a", "grep")), raw, assistant("Found."))
    out = lines_of(compact(data, target_tokens=600).data)
    shortened = next(line for line in out if line.startswith(b'{"x_first"'))
    assert len(shortened) < len(raw) / 2
    assert_changed_only_at(raw.encode(), shortened, ("content",))


@pytest.mark.parametrize("key", ["name", "refusal", "audio", "weight", "cache_control", "annotations", "x_unknown"])
def test_keys_beside_the_message_are_kept(key):
    data = jsonl(
        user("start", **{key: {"kept": True}}), *plain_exchanges(12), assistant("end", **{key: {"kept": True}})
    )
    values = values_of(compact(data, target_ratio=0.3).data)
    assert values[0][key] == values[-1][key] == {"kept": True}


def test_a_shortened_result_made_of_blocks_stays_a_list_of_blocks():
    blocks = [
        {"type": "text", "text": listing_output("part", 100)},
        {"type": "text", "text": listing_output("more", 100)},
    ]
    data = jsonl(user("x"), calling_message(call("a")), result("a", blocks), assistant("done"))
    out = values_of(compact(data, target_tokens=500).data)
    body = next(value for value in out if value["role"] == "tool")["content"]
    assert [block["type"] for block in body] == ["text"]
    assert "left out" in body[0]["text"]


def test_records_of_no_known_role_are_no_requests():
    said = read_records(user("start"), {"role": "note", "content": "aside"}, *plain_exchanges(1))
    assert [message.origin for message in said] == ["request", "injected", "request", "other"]


@pytest.mark.parametrize(("error", "failed"), [("no such file", True), ({"code": 2}, True), ("", None), (None, None)])
def test_a_result_with_an_error_beside_it_failed(error, failed):
    said = read_records(user("Read it."), calling_message(call("c1")), {**result("c1", "x"), "error": error})
    assert said[2].parts[0].failed is failed


def test_rows_of_swe_agents_trajectories_are_read_and_written_with_their_own_keys():
    rows = [{"role": "system", "system_prompt": "You mend programs.", "mask": True}]
    for at in range(20):
        found = "".join(f"src/case{at}.py:{line}: the header of part {line * at} has no colon\n" for line in range(12))
        rows += [
            {"role": "user", "text": f"Case {at} fails since the reader was changed:\n{found}", "mask": True},
            {"role": "ai", "text": f"The header of src/case{at}.py has no colon, which I mend.", "mask": False},
        ]
    line = json.dumps({"trajectory": rows})
    said = read_records(line)
    assert [m.role for m in said][:3] == ["system", "user", "assistant"]
    assert said[0].parts[0].text == "You mend programs."
    out = json.loads(compact(line.encode(), target_ratio=0.1).data)["trajectory"]
    assert len(out) < len(rows)
    assert not any("content" in row for row in out)
    assert any("Session Summary" in row.get("text", "") for row in out)
