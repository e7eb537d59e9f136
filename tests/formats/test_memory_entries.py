"""Memory entries as seed 000 describes them."""

from __future__ import annotations

import json

import pytest

from tests.builders import compact, jsonl, lines_of, prose, read_records, values_of


def entry(id, content, *, type="message", importance="low", at=0, **metadata):
    stamp = f"2026-03-02T09:{at // 60:02}:{at % 60:02}.000Z"
    return {
        "id": id,
        "content": content,
        "type": type,
        "importance": importance,
        "timestamp": stamp,
        "metadata": metadata,
    }


def test_marks_roles_and_times_are_read():
    message, tool, plain = read_records(
        entry("msg-123", "We decided to use OAuth 2.0.", type="task", importance="high", agent="architect"),
        entry("msg-124", "tests failed", toolResult={"success": False}, isToolError=True, at=61),
        entry("msg-125", "hello"),
    )
    assert (message.id, message.role, message.text()) == ("msg-123", "assistant", "We decided to use OAuth 2.0.")
    assert (message.marks.type, message.marks.importance) == ("task", "high")
    assert (tool.role, tool.marks.tool_success, tool.marks.tool_error) == ("tool", False, True)
    assert (plain.role, plain.origin) == ("user", "request")
    assert tool.timestamp - message.timestamp == 61


@pytest.mark.parametrize(
    ("stamp", "seconds"),
    [
        ("2026-03-02T09:00:00Z", 1772442000.0),
        ("2026-03-02T10:00:00+01:00", 1772442000.0),
        ("2026-03-02T09:00:00", 1772442000.0),
        ("2026-03-02T09:00:00.123Z", 1772442000.123),
        ("2026-03-02T09:00:00.123456789Z", 1772442000.123456),
        (1772442000, 1772442000.0),
        (1772442000000, 1772442000.0),
        ("yesterday", None),
        (None, None),
        (True, None),
    ],
)
def test_times_are_read_in_the_ways_that_they_are_written(stamp, seconds):
    # Python 3.10 by itself reads fractions of three or six digits only
    found = read_records({**entry("a", "x"), "timestamp": stamp})[0].timestamp
    assert found == pytest.approx(seconds, abs=1e-3) if seconds is not None else found is None


def test_entries_without_metadata_and_with_contents_that_are_no_strings_are_read():
    bare = {"id": "a", "content": {"k": [1]}, "type": "context", "timestamp": "2026-03-02T09:00:00Z"}
    message = read_records(bare, entry("b", "x"))[0]
    assert message.text() == '{"k":[1]}'


def test_a_summary_is_an_entry_and_kept_entries_keep_their_bytes():
    entries = [entry(f"m{at}", f"Note {at}: {prose(f'note {at}')}", at=at, agent="worker") for at in range(60)]
    data = jsonl(*entries)
    out = compact(data, target_ratio=0.3).data
    added = [value for value in values_of(out) if value["type"] == "summary"]
    assert added
    for value in added:
        assert set(value) >= {"id", "content", "type", "timestamp", "metadata"}
    originals = {value["id"]: line for value, line in zip(entries, lines_of(data), strict=True)}
    kept = [line for value, line in zip(values_of(out), lines_of(out), strict=True) if value["type"] != "summary"]
    assert len(kept) > len(added)
    for line in kept:
        value = json.loads(line)
        if "characters left out" not in value["content"]:
            assert line == originals[value["id"]]
        assert {**value, "content": ""} == {**json.loads(originals[value["id"]]), "content": ""}
    again = read_records(*lines_of(out))
    assert [m.origin for m in again].count("summary") == len(added)
