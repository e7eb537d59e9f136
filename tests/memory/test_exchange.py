"""Memories as JSONL."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compactor_cli.errors import InputError
from compactor_cli.memory.exchange import line_of, read_lines
from compactor_cli.memory.merging import MAX_TIMESTAMP, check_memory, import_memory
from compactor_cli.model.memory import CATEGORIES, Memory, MemorySource

TEXTS = st.text(max_size=60)
MOMENTS = st.floats(0, MAX_TIMESTAMP)
MEMORIES = st.builds(
    Memory,
    text=TEXTS.map("a {}".format),
    category=st.sampled_from(CATEGORIES),
    importance=st.floats(0, 100),
    confidence=st.floats(0, 1),
    tags=st.lists(TEXTS, max_size=3).map(tuple),
    sources=st.lists(
        st.builds(MemorySource, TEXTS, TEXTS, st.lists(st.integers(), max_size=3).map(tuple), st.just(("m1",))),
        max_size=3,
    ).map(tuple),
    created=MOMENTS,
    used=st.none() | MOMENTS,
    uses=st.integers(0, 2**31 - 1),
    pinned=st.booleans(),
    decayed=st.none() | MOMENTS,
)
GOOD = json.loads(line_of(Memory(text="x", category="fact", importance=1.0, confidence=1.0, created=1.0)))


@given(st.lists(MEMORIES.map(check_memory), max_size=5))
def test_what_is_written_is_read_the_same(memories):
    data = "".join(map(line_of, memories)).encode()
    assert list(read_lines(data, "f")) == memories
    assert data.count(b"\n") == len(memories)


@given(MEMORIES.map(check_memory))
def test_importing_the_same_again_changes_nothing(memory):
    assert import_memory(memory, memory) == memory


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"memory": 2}, "newer than version"),
        ({"memory": "1"}, "not a memory"),
        ({"memory": True}, "not a memory"),
        ({"text": None}, "text"),
        ({"text": "  "}, "text"),
        ({"text": "x" * 2_001}, "2,000"),
        ({"category": "rumour"}, "rumour"),
        ({"importance": 101}, "importance"),
        ({"importance": float("nan")}, "importance"),
        ({"importance": "high"}, "importance"),
        ({"importance": 10**400}, "importance"),
        ({"confidence": -0.1}, "confidence"),
        ({"created": float("inf")}, "created"),
        ({"created": -1}, "created"),
        ({"created": True}, "created"),
        ({"uses": 2**31}, "uses"),
        ({"uses": 10**400}, "uses"),
        ({"uses": 1.5}, "uses"),
        ({"pinned": 1}, "pinned"),
        ({"tags": "a"}, "tags"),
        ({"tags": [1]}, "tags"),
        ({"sources": {}}, "sources"),
        ({"sources": [{"transcript": 1}]}, "transcript"),
        ({"sources": [{"messages": ["1"]}]}, "messages"),
        ({"sources": [{"mesages": []}]}, "mesages"),
        ({"imprtance": 3}, "imprtance"),
        ({"sources": [{"messages": [1, "2"]}]}, r"`\$\.sources\[0\]\.messages\[1\]`.* memory export"),
        ({"\ud800": 3}, "ud800"),
    ],
)
def test_a_wrong_line_is_named(change, words):
    data = (json.dumps(GOOD) + "\n\n" + json.dumps({**GOOD, **change}) + "\n").encode()
    with pytest.raises(InputError, match=rf"^in\.jsonl:3: .*{words}"):
        list(read_lines(data, "in.jsonl"))


@pytest.mark.parametrize(
    "line", [b"{", b"\xff\xfe", b"[1]", b"null", b'"x"', b"[" * 100_000, b'{"memory": 1}', b"\x00", b"{}"]
)
def test_what_is_no_memory_is_refused(line):
    with pytest.raises(InputError, match=r"^f:1: "):
        list(read_lines(line, "f"))


def test_what_is_missing_has_its_usual_value():
    (found,) = read_lines(b'\xef\xbb\xbf{"memory": 1, "text": "x", "created": 5}\r\n', "f")
    assert (found.category, found.importance, found.created, found.tags) == ("observation", 50.0, 5.0, ())
    assert (found.uses, found.used, found.pinned, found.sources) == (0, None, False, ())
