"""What is kept comes out as it went in: values that Python or JSON handle badly, line ends, marks."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from compactor_cli.formats import FORMATS
from tests.builders import ROOT, assistant, compact, jsonl, lines_of, load, plain_exchanges, system, user
from tests.drawing import example_count

pytestmark = pytest.mark.one_test_in(2)

ODD = {
    "lone surrogate": r'{"role":"user","content":"half \ud83d of a pair"}',
    "2**70": '{"role":"user","content":"big","n":1180591620717411303424}',
    "NaN": '{"role":"user","content":"odd","n":NaN,"m":-Infinity}',
    "number as written": '{"role":"user","content":"x","n":1.500,"m":1E+2,"k":-0}',
    "escapes as written": r'{"role":"user","content":"\u5ddd \/ \u0041 \u001b[31m \u0000"}',
    "white space": '{ "role" :\t"user" , "content" : "x" }',
    "repeated key": '{"role":"user","content":"first","content":"second"}',
    "key order and unknown keys": '{"zz":{"b":1,"a":[{}]},"content":"x","é":null,"role":"user"}',
    "line separators": '{"role":"user","content":"a\u2028b\u2029c\u0085d"}',
}


@pytest.mark.parametrize("name", ODD)
def test_a_kept_record_has_its_original_bytes(name):
    raw = ODD[name].encode()
    data = jsonl(raw, *plain_exchanges(12), raw)
    out = compact(data, target_tokens=1_300).data
    assert len(out) < len(data)
    assert [out.split(b"\n")[0], out.split(b"\n")[-2]] == [raw, raw]


@pytest.mark.parametrize(
    "layout",
    [{"newline": "\r\n"}, {"final": False}, {"bom": True}, {"newline": "\r\n", "final": False, "bom": True}],
    ids=str,
)
def test_line_ends_final_newline_and_byte_order_mark_stay(layout):
    data = jsonl(system(), *plain_exchanges(12), **layout)
    out = compact(data, target_ratio=0.4).data
    newline = layout.get("newline", "\n").encode()
    assert out.startswith(b"\xef\xbb\xbf") == layout.get("bom", False)
    assert out.endswith(b"\n") == layout.get("final", True)
    assert out.count(b"\n") == out.count(newline)
    assert out.count(b"\xef\xbb\xbf") == layout.get("bom", False)
    assert all(json.loads(line) for line in lines_of(out))


def test_blank_lines_are_no_messages():
    data = jsonl("", user("a"), "   ", "", assistant("b"), "\t")
    assert len(load(data).transcripts[0].messages) == 2


def test_a_file_within_its_target_comes_out_byte_for_byte_blank_lines_and_all():
    data = jsonl("", ODD["white space"], "  ", assistant("b"), "", newline="\r\n", final=False, bom=True)
    assert compact(data, target_tokens=1000).data == data
    assert compact(data, target_ratio=1.0).data == data


@pytest.mark.drawn(3)
@pytest.mark.parametrize("file", sorted((ROOT / "sample_transcripts").glob("*.jsonl")), ids=lambda file: file.stem)
def test_of_the_samples_every_record_that_is_kept_whole_has_its_bytes(file):
    data = file.read_bytes()
    result = compact(data, target_ratio=0.3)
    originals = set(lines_of(data))
    out: list[Any]
    if load(data).format == "conversations":  # one line is many records
        originals = {m for line in originals for m in map(json.dumps, json.loads(line)["messages"])}
        out = [m for line in lines_of(result.data) for m in map(json.dumps, json.loads(line)["messages"])]
    else:
        out = lines_of(result.data)
    new = [line for line in out if line not in originals]
    changed = sum(part.dispositions.shortened for part in result.parts)
    summaries = sum(part.messages.count(m) for part in result.parts for m in part.messages if m.index < 0)
    relinked = sum(1 for line in new if b"parentUuid" in line) if file.stem == "claude-code" else 0
    recounted = any(FORMATS[load(data).transcripts[0].format].counts(json.loads(line)) for line in new)
    assert len(new) <= changed + summaries + relinked + recounted


TEXT = st.text(max_size=30) | st.sampled_from(["\ud83d", "\x00", "\x1b[1m", "川" * 40, "## Session Summary"])
EXTRA = st.dictionaries(
    st.text(min_size=1, max_size=5).filter(lambda key: key not in ("role", "content")),
    st.integers() | st.none() | TEXT,
    max_size=2,
)


@st.composite
def chats(draw):
    roles = st.sampled_from(["user", "assistant", "system"])
    records = draw(st.lists(st.tuples(roles, TEXT, EXTRA), min_size=1, max_size=25))
    return [
        json.dumps({**extra, "role": role, "content": text * draw(st.integers(1, 20))}).encode()
        for role, text, extra in records
    ]


@settings(max_examples=example_count(60))
@given(chats(), st.floats(0.2, 1.0), st.sampled_from(["\n", "\r\n"]), st.booleans())
def test_kept_messages_of_any_chat_have_their_bytes_and_their_order(records, ratio, newline, final):
    from compactor_cli.errors import BudgetError

    data = jsonl(*records, newline=newline, final=final)
    try:
        out = compact(data, target_ratio=ratio).data
    except BudgetError:
        return
    kept = [line for line in lines_of(out) if line in set(records)]
    places = iter(records)
    assert all(line in places for line in kept), "a subsequence of the input"
    assert out.endswith(b"\n") == final
