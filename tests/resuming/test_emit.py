"""What an agent sends of a session to which a compaction was appended, or which got an id of its own."""

from __future__ import annotations

import json

import pytest

from compactor_cli.errors import UsageError
from compactor_cli.formats import FORMATS as READERS
from compactor_cli.resuming import AGENTIC
from compactor_cli.resuming.base import NOTICE
from compactor_cli.resuming.emit import append_compaction, new_id, rename_session
from tests.builders import ClaudeSession, assistant, compact, jsonl, load, prose, text_block, tool_use, user
from tests.formats.roundtrip import CASES
from tests.resuming.sending import lines, sent_values
from tests.resuming.sessions import FORMATS, session

pytestmark = pytest.mark.one_test_in(3)

LED = {"pi": 1, "opencode": 2, "copilot-cli": 1}
"""Agents that send a summary in front of what a compaction keeps, and in how many messages."""


def native(format, **settings):
    """A compacted session, and the file to which it is appended."""
    data = session(format)
    out = compact(data, **settings).data
    assert out != data
    return out, append_compaction(load(data), load(out))


def texts(source):
    return [(message.role, message.text()) for message in source.transcripts[0].messages]


@pytest.mark.drawn(4)
@pytest.mark.parametrize("ratio", [0.5, 0.15])
@pytest.mark.parametrize("format", FORMATS)
def test_the_agent_sends_what_the_compaction_left(format, ratio):
    out, made = native(format, target_ratio=ratio)
    now, after = sent_values(format, made), sent_values(format, out)
    if format in LED:
        led = load(out).transcripts[0].messages[0].origin == "summary"
        lead = led and load(out).transcripts[0].messages[0].text()
        assert json.dumps(lead or NOTICE) in json.dumps(now[: LED[format]])
        now, after = now[LED[format] :], after[led:]
    assert now == after
    assert after != sent_values(format, session(format))


@pytest.mark.drawn(3)
@pytest.mark.parametrize("format", FORMATS)
def test_it_is_read_as_the_agent_reads_it(format):
    out, made = native(format, target_ratio=0.25)
    expected = texts(load(out))
    found = texts(load(made))
    assert found[-len(expected) :] == expected
    assert len(found) <= len(expected) + 1


@pytest.mark.drawn(3)
@pytest.mark.parametrize("format", [one for one in FORMATS if one != "opencode"])
def test_what_was_in_a_file_of_records_stays_to_the_byte(format):
    data = session(format)
    _, made = native(format, target_ratio=0.25)
    assert made.startswith(data)
    assert append_compaction(load(data.rstrip(b"\n")), load(made)).startswith(data)  # the last line gets its end


def test_what_was_in_a_document_stays():
    data = session("opencode")
    _, made = native("opencode", target_ratio=0.25)
    before, after = json.loads(data), json.loads(made)
    assert after["messages"][: len(before["messages"])] == before["messages"]
    assert {**after, "messages": []} == {**before, "messages": []}


def test_a_summary_at_the_beginning_is_the_agents_summary():
    records = [user("Build the shop."), *(assistant(f"Step {n}: " + "words " * 60) for n in range(30))]
    from compactor_cli.converting import TARGETS
    from compactor_cli.converting.convert import Options, convert

    (made,) = convert(load(jsonl(*records)), TARGETS["pi"], Options())
    out = compact(made.data, target_ratio=0.2, strategy="handoff").data
    assert load(out).transcripts[0].messages[0].origin == "summary"
    (compaction,) = (r for r in lines(append_compaction(load(made.data), load(out))) if r["type"] == "compaction")
    assert compaction["summary"] == load(out).transcripts[0].messages[0].text()
    assert NOTICE not in compaction["summary"]


@pytest.mark.drawn(3)
@pytest.mark.parametrize("format", FORMATS)
def test_no_record_is_taken_for_one_of_the_old_history(format):
    """Claude Code looks for pieces of an answer and for results in all of the file: their ids must be new."""
    data = session(format)
    out, made = native(format, target_ratio=0.25)
    if format == "claude-code":
        old, new = lines(data), lines(made)[len(lines(data)) :]
        for path in (("uuid",), ("message", "id")):
            assert not values(old, path) & values(new, path)
        assert not calls(old) & calls(new)
    # once more on top
    assert sent_values(format, append_compaction(load(made), load(out)))[-1] == sent_values(format, out)[-1]


def values(records, path):
    found = set()
    for record in records:
        value = record
        for step in path:
            value = value.get(step) if isinstance(value, dict) else None
        found |= {value} - {None}
    return found


def calls(records):
    blocks = (b for r in records if isinstance(r.get("message"), dict) for b in r["message"]["content"])
    return {b.get("id") or b.get("tool_use_id") for b in blocks if isinstance(b, dict)} - {None}


@pytest.mark.drawn(3)
@pytest.mark.parametrize("format", FORMATS)
def test_a_session_has_its_new_id_wherever_the_format_has_it(format):
    data = session(format)
    old, new = load(data).transcripts[0].session_id, new_id(format, data)
    made = rename_session(format, data, old, new)
    assert new != old
    assert load(made).transcripts[0].session_id == new
    assert b'"%s"' % old.encode() not in made
    assert texts(load(made)) == texts(load(data))
    assert sent_values(format, made) == sent_values(format, data)
    assert new_id(format, data) == new  # the same each time


def test_messages_and_parts_of_opencode_are_new_for_its_database():
    data = session("opencode")
    made = rename_session("opencode", data, load(data).transcripts[0].session_id, "ses_new")
    ids = [
        {m["info"]["id"] for m in json.loads(one)["messages"]}
        | {part["id"] for m in json.loads(one)["messages"] for part in m["parts"]}
        for one in (data, made)
    ]
    assert len(ids[0]) == len(ids[1])
    assert not ids[0] & ids[1]


def test_other_threads_of_a_rollout_keep_their_names():
    data = session("codex")
    fork = json.loads(data.splitlines()[0])
    fork["payload"]["id"] = "019ed836-0000-7000-8000-000000000000"
    made = rename_session(
        "codex", data + json.dumps(fork).encode() + b"\n", load(data).transcripts[0].session_id, "new"
    )
    assert b"019ed836-0000-7000-8000-000000000000" in made


@pytest.mark.parametrize(
    ("data", "word"),
    [
        ((CASES / "gemini-cli" / "herons.json").read_bytes(), "a single document"),
        ((CASES / "pi" / "first-version.jsonl").read_bytes(), "first version"),
        (jsonl(user("Hello."), assistant("Hi.")), "openai-chat"),
    ],
)
def test_what_nothing_can_be_appended_to_is_refused(data, word):
    with pytest.raises(UsageError, match=word):
        append_compaction(load(data), load(data))


def test_each_says_what_it_appends():
    assert set(AGENTIC) <= set(READERS)
    assert all(way.appends and way.format == name for name, way in AGENTIC.items())


def test_a_block_whose_type_is_no_word_is_copied_as_it_is():
    session = ClaudeSession()
    for at in range(8):
        session.add_answer(prose(f"topic {at}", 9))
        session.add_call(text_block(prose(f"answer {at}", 9)))
    odd = {"type": ["tool_use"], "id": "t1", "text": "Hm."}
    session.add_answer("Go on.")
    session.add_call(odd)
    made = append_compaction(load(session.data), load(compact(session.data, target_ratio=0.5).data))
    assert made.count(json.dumps(odd, separators=(",", ":")).encode()) + made.count(json.dumps(odd).encode()) == 2


def test_inputs_as_the_model_wrote_them_are_found_by_the_new_ids_of_their_calls():
    session = ClaudeSession()
    session.exchanges(8)
    session.add_call(tool_use("t1", "Bash", command="ls"), wireToolInputs={"t1": {"command": "cd /work && ls"}})
    session.add_result("t1", "a.py")
    session.add_answer("And now?")
    out = compact(session.data, target_ratio=0.5).data
    copies = lines(append_compaction(load(session.data), load(out)))[len(session.records) :]
    call = next(value for value in copies if "wireToolInputs" in value)
    (block,) = call["message"]["content"]
    assert block["id"] != "t1"
    assert call["wireToolInputs"] == {block["id"]: {"command": "cd /work && ls"}}
