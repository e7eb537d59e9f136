"""Claude Code, as its versions since 2.1.267 write: attachments as they were sent, errors of the API among the answers,
who speaks under the role user, and the inputs of calls as the model wrote them."""

from __future__ import annotations

import json

import pytest

from compactor_cli.formats import FORMATS, jsonedit
from tests.builders import (
    ClaudeSession,
    assert_chain_whole,
    compact,
    listing_output,
    load,
    text_block,
    tool_use,
    values_of,
)


def messages_of(session):
    return load(session.data).transcripts[0].messages


def reminder(text):
    return f"<system-reminder>\n{text}\n</system-reminder>"


def attach(session, kind, sent, **fields):
    rendered = {"rendered": [{"content": sent}], "renderedRole": "system"} if sent else {}
    return session.add("attachment", attachment={"type": kind, **fields}, **rendered)


RULES = "Contents of /srv/harbour/CLAUDE.md (project instructions):\n\nNever edit a migration after it was merged."


@pytest.mark.parametrize(
    ("kind", "fields"),
    [
        ("instructions", {"files": [{"path": "CLAUDE.md", "content": "Never edit a migration after it was merged."}]}),
        ("environment", {"snapshot": {"platform": "linux"}}),
        ("hook_success", {"hookEvent": "PostToolUse", "content": ""}),
        ("of_a_later_version", {}),
    ],
)
def test_what_was_sent_of_an_attachment_is_a_message_of_nobody(kind, fields):
    session = ClaudeSession()
    session.add_answer("Build a lamp.")
    attach(session, kind, reminder(RULES), **fields)
    session.add_call(text_block("Yes."))
    message = messages_of(session)[1]
    assert (message.role, message.text(), message.origin) == ("user", reminder(RULES), "injected")


@pytest.mark.parametrize("kind", ["prompt_snapshot", "deferred_tools_record", "environment"])
def test_an_attachment_of_which_nothing_was_sent_is_no_message(kind):
    session = ClaudeSession()
    session.add_answer("Build a lamp.")
    attach(session, kind, "", systemPrompt=["You are an agent."])
    session.add_call(text_block("Yes."))
    assert len(messages_of(session)) == 2


def test_rules_that_only_an_attachment_holds_are_in_a_small_output():
    session = ClaudeSession()
    session.add_answer("Build a lamp.")
    attach(session, "instructions", reminder(RULES), files=[])
    session.exchanges(20)
    out = compact(session.data, target_ratio=0.15)
    assert "Never edit a migration after it was merged." in out.data.decode()


def test_what_the_user_typed_meanwhile_is_the_users_without_what_the_agent_puts_around_it():
    session = ClaudeSession()
    session.add_answer("Build a lamp.")
    attach(session, "queued_command", reminder("The user sent a new message:\nAnd a bell."), prompt="And a bell.")
    session.add_call(text_block("Yes."))
    message = messages_of(session)[1]
    assert (message.text(), message.origin) == ("And a bell.", "request")


@pytest.mark.parametrize(("kind", "key"), [("edited_text_file", "snippet"), ("queued_command", "prompt")])
def test_the_attachment_and_what_was_sent_of_it_are_shortened_together(kind, key):
    text = listing_output("kiln", 200)
    session = ClaudeSession()
    session.add_answer("Build a lamp.")
    attach(session, kind, reminder(f"Note, before it:\n{text}"), **{key: text})
    transcript = load(session.data).transcripts[0]
    part = transcript.messages[1].parts[0]
    changes = FORMATS["claude-code"].edits(transcript.raw(1), [(part, "kiln ... 190 lines left out")])
    value = json.loads(jsonedit.replace(transcript.raw(1), changes))
    sent = value["rendered"][0]["content"]
    assert value["attachment"][key] == "kiln ... 190 lines left out"
    assert sent in ("kiln ... 190 lines left out", reminder("Note, before it:\nkiln ... 190 lines left out"))
    assert value["attachment"]["type"] == kind


@pytest.mark.parametrize(
    ("kind", "text", "origin"),
    [
        ("human", "Go on, please.", "request"),
        ("auto-continuation", "Your usage limit has reset. Continue the task.", "injected"),
        ("peer", "The session berths says: slot is now slots[].", "injected"),
        ("coordinator", "Stop after this step.", "injected"),
        ("task-notification", "The build is done.", "injected"),
        ("of_a_later_version", "Go on, please.", "request"),
    ],
)
def test_who_speaks_under_the_role_user_is_told_by_the_origin(kind, text, origin):
    session = ClaudeSession()
    session.add_answer("Build a lamp.", origin={"kind": "human"})
    session.add_call(text_block("Yes."))
    session.add_answer(text, origin={"kind": kind})
    attach(session, "queued_command", "", prompt=text, commandMode="prompt", origin={"kind": kind})
    assert [message.origin for message in messages_of(session)[2:]] == [origin, origin]


def failing(session, text):
    session.add_call(text_block(text), isApiErrorMessage=True, error="server_error", apiErrorStatus=529)


def test_errors_of_the_api_are_no_answers_and_go_where_the_message_before_them_goes():
    session = ClaudeSession()
    for at in range(8):
        session.exchanges(1, f"topic {at}")
        failing(session, f"API Error: 529 Overloaded ({at})")
    session.add_answer("Go on.")
    failing(session, "You've hit your session limit")
    assert len(messages_of(session)) == 17
    assert not any("Overloaded" in message.text() for message in messages_of(session))
    out = compact(session.data, target_ratio=0.3)
    left = [value for value in values_of(out.data) if value.get("isApiErrorMessage")]
    assert 0 < len(left) < 9
    assert_chain_whole(values_of(out.data))
    assert b"Overloaded" not in b"".join(m.text().encode() for m in load(out.data).transcripts[0].messages)


def test_what_else_the_agent_says_in_the_place_of_the_model_stays_an_answer():
    session = ClaudeSession()
    session.add_answer("Build a lamp.")
    session.add_call(text_block("No response requested."), isApiErrorMessage=False)
    assert [message.role for message in messages_of(session)] == ["user", "assistant"]


def edited_call(input, wire, shorter):
    """The record of a call whose arguments are shortened."""
    session = ClaudeSession()
    session.add_answer("Build a lamp.")
    session.add_call(tool_use("t1", "Write", **input), wireToolInputs={"t1": wire}, wireIngestContext={"t1": {}})
    transcript = load(session.data).transcripts[0]
    (part,) = transcript.messages[1].calls
    changes = FORMATS["claude-code"].edits(transcript.raw(1), [(part, json.dumps(shorter))])
    return json.loads(jsonedit.replace(transcript.raw(1), changes))


def test_the_input_as_the_model_wrote_it_is_shortened_with_the_one_that_was_run():
    text = listing_output("kiln", 100)
    value = edited_call({"path": "a.py", "content": text}, {"path": "a.py", "content": text}, {"content": "kiln ..."})
    assert value["wireToolInputs"] == {"t1": {"path": "a.py", "content": "kiln ..."}}


def test_what_only_the_model_wrote_stays():
    command = "echo " + "kiln " * 100
    value = edited_call({"command": command}, {"command": f"cd /work && {command}"}, {"command": "echo kiln ..."})
    assert value["wireToolInputs"] == {"t1": {"command": "cd /work && echo kiln ..."}}
    value = edited_call({"command": command}, {"command": command, "timeout": 5}, {"command": command})
    assert value["wireToolInputs"] == {"t1": {"command": command, "timeout": 5}}
