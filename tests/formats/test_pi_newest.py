"""pi since 0.87, and OpenClaw: edits of the context, summaries and the agent's own words among the messages."""

from __future__ import annotations

import json

import pytest

from compactor_cli.resuming.emit import append_compaction
from tests.builders import compact, find_faults, jsonl, listing_output, load, prose, values_of
from tests.formats.checkers.pi import check_sent, context

HEAD = {"type": "session", "version": 3, "id": "s", "timestamp": "2026-10-01T09:00:00.000Z", "cwd": "/work"}
ANSWERED = {"api": "x", "provider": "x", "model": "x", "usage": {"totalTokens": 9}, "timestamp": 1}


class Entries:
    """Entries of a session, each behind the one before it."""

    def __init__(self):
        self.values = [HEAD]

    def add(self, type, **fields):
        own = f"{len(self.values):08x}"
        parent = self.values[-1]["id"] if len(self.values) > 1 else None
        time = f"2026-10-01T09:00:{len(self.values):02}.000Z"
        self.values.append({"type": type, "id": own, "parentId": parent, "timestamp": time, **fields})
        return own

    def says(self, text, **fields):
        return self.add("message", message={"role": "user", "content": text, "timestamp": 1, **fields})

    def calls(self, number):
        call = {"type": "toolCall", "id": f"c{number}", "name": "read", "arguments": {"path": "a.py"}}
        content = [{"type": "text", "text": prose(f"step {number}", 2)}, call]
        self.add("message", message={"role": "assistant", "content": content, "stopReason": "toolUse", **ANSWERED})
        output = [{"type": "text", "text": listing_output(f"f{number}")}]
        result = {"role": "toolResult", "toolCallId": f"c{number}", "toolName": "read", "content": output}
        return self.add("message", message={**result, "isError": False, "timestamp": 1})

    def edits(self, target, text=None):
        content = None if text is None else {"content": [{"type": "text", "text": text}]}
        return self.add("context_edit", targetId=target, replacement=content)

    @property
    def data(self):
        return jsonl(*self.values)


def edited_session():
    session = Entries()
    session.says("Build a lamp.")
    results = [session.calls(number) for number in range(1, 9)]
    wrong = session.says("Paint it red.")
    session.add("usage", kind="cache_warm", usage={"totalTokens": 7})
    for result in results[:3]:
        session.edits(result, "[output left out]")
    session.edits(results[2], "[left out again]")
    session.edits(wrong)
    session.says("And a bell.")
    return session


def test_what_an_edit_has_sent_is_read_in_the_place_of_the_entry():
    source = load(edited_session().data)
    texts = [message.text() for message in source.transcripts[0].messages]
    assert [texts[2], texts[4], texts[6]] == ["[output left out]", "[output left out]", "[left out again]"]
    assert texts[8] == listing_output("f4")
    assert "Paint it red." not in texts
    assert find_faults(source) == []


@pytest.mark.parametrize("strategy", ["adaptive", "rolling", "handoff", "tiered"])
@pytest.mark.parametrize("ratio", [0.7, 0.2])
def test_an_edit_stays_as_long_as_what_it_names(strategy, ratio):
    out = compact(edited_session().data, target_ratio=ratio, strategy=strategy).data
    sent = context(values_of(out))
    check_sent(sent)
    assert "Paint it red." not in json.dumps(sent)
    assert listing_output("f1")[:40] not in json.dumps(sent)


def test_an_omitted_entry_goes_with_its_edit_when_what_is_not_sent_goes():
    out = compact(edited_session().data, target_tokens=10**9, drop_outside=True).data
    assert b"Paint it red." not in out
    assert len(values_of(out)) == len(edited_session().values) - 2
    check_sent(context(values_of(out)))


def test_a_content_that_an_edit_has_sent_is_shortened_there():
    session = Entries()
    session.says("Build a lamp.")
    result = session.calls(1)
    session.edits(result, listing_output("again", 300))
    session.says("And a bell.")
    out = compact(session.data, target_ratio=0.3).data
    (edit,) = [value for value in values_of(out) if value["type"] == "context_edit"]
    assert len(json.dumps(edit)) < len(listing_output("again", 300)) / 2
    assert json.dumps(listing_output("f1")).encode() in out, "the entry that it names stays as it is"


def test_what_is_appended_has_the_content_that_was_sent():
    data = edited_session().data
    made = values_of(append_compaction(load(data), load(compact(data, target_ratio=0.9).data)))
    sent = context(made)
    assert "[output left out]" in json.dumps(sent)
    assert listing_output("f1")[:40] not in json.dumps(sent)


def test_summaries_and_what_the_agent_says_among_the_messages_are_nobodys():
    session = Entries()
    session.says("Build a lamp.")
    session.says("The memory says: no candles.", runtimeContext=True)
    session.add("message", message={"role": "branchSummary", "summary": "A candle was tried.", "timestamp": 1})
    session.add("message", message={"role": "compactionSummary", "summary": "A lamp was begun.", "timestamp": 1})
    session.says("And a bell.")
    messages = load(session.data).transcripts[0].messages
    assert [(m.text(), m.origin) for m in messages] == [
        ("Build a lamp.", "request"),
        ("The memory says: no candles.", "injected"),
        ("A candle was tried.", "injected"),
        ("A lamp was begun.", "summary"),
        ("And a bell.", "request"),
    ]
