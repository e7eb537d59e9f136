"""Bytes to records: spans are exact, quirks are told apart from damage."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compactor_cli.errors import InputError
from compactor_cli.formats.jsonl import read_records
from tests.builders import as_bytes, compact, load, user

OBJECTS = st.dictionaries(
    st.text(max_size=4),
    st.integers() | st.text(max_size=8) | st.none() | st.lists(st.booleans(), max_size=3) | st.just({"deep": ["川"]}),
    max_size=4,
)
SEPARATORS = st.sampled_from(["\n", "\r\n", "\n\n", "\r\n\r\n", "\n \t\n", "\r\r\n", "", " ", "\t"])
PADDING = st.sampled_from(["", " ", "\t", "  "])


@st.composite
def files(draw):
    """Objects, their bytes in a file, and where each stands."""
    objects = draw(st.lists(OBJECTS, min_size=1, max_size=8))
    data = b"\xef\xbb\xbf" if draw(st.booleans()) else b""
    data += draw(st.sampled_from([b"", b"\n", b"\r\n", b" \n"]))
    texts = []
    for at, value in enumerate(objects):
        if at:
            data += draw(SEPARATORS).encode()
        text = json.dumps(value, ensure_ascii=draw(st.booleans())).encode()
        data += draw(PADDING).encode() + text + draw(PADDING).encode()
        texts.append(text)
    return objects, texts, data + draw(st.sampled_from([b"", b"\n", b"\r\n", b"\n\n"]))


@given(files())
def test_any_objects_with_any_white_space_are_read_with_their_exact_bytes(case):
    objects, texts, data = case
    records, notes = read_records(data, skip_damaged=False)
    assert [item.value for item in records] == objects
    found = [data[item.record.start : item.record.end] for item in records]
    assert [raw.strip() for raw in found] == texts
    assert [item.record.line for item in records] == [1 + data[: item.record.start].count(b"\n") for item in records], (
        "lines are counted from 1, blank ones too"
    )
    assert {note.kind for note in notes} <= {"glued_records"}


@given(files(), st.binary(min_size=1, max_size=20))
def test_what_is_damaged_is_an_error_with_a_line_and_never_anything_else(case, junk):
    _, _, data = case
    try:
        read_records(data[: len(data) // 2] + junk + data[len(data) // 2 :], skip_damaged=False)
    except InputError as error:
        assert error.line is not None


def test_glued_records_are_two_and_noted():
    records, notes = read_records(b'{"a": 1}{"b": 2}\n{"c": 3}\n', skip_damaged=False)
    assert [item.value for item in records] == [{"a": 1}, {"b": 2}, {"c": 3}]
    assert [item.record.line for item in records] == [1, 1, 2]
    assert [(note.kind, note.index) for note in notes] == [("glued_records", 1)]


def test_a_cut_off_last_line_is_left_out_and_noted():
    records, notes = read_records(b'{"a": 1}\n{"b": 2}\n{"c": "unfini', skip_damaged=False)
    assert [item.value for item in records] == [{"a": 1}, {"b": 2}]
    assert [(note.kind, note.index) for note in notes] == [("cut_off_line", 3)]


def test_a_last_line_that_is_cut_off_inside_a_character_is_left_out_too():
    records, notes = read_records('{"a": 1}\n{"b": "川'.encode()[:-1], skip_damaged=False)
    assert [item.value for item in records] == [{"a": 1}]
    assert [(note.kind, note.index) for note in notes] == [("cut_off_line", 2)]


def test_a_record_that_is_cut_off_behind_a_whole_one_on_the_last_line_is_left_out():
    records, notes = read_records(b'{"a": 1}\n{"b": 2}{"c": ', skip_damaged=False)
    assert [item.value for item in records] == [{"a": 1}, {"b": 2}]
    assert [(note.kind, note.index) for note in notes] == [("cut_off_line", 2)]


def test_a_damaged_line_in_the_middle_is_an_error_with_its_line():
    with pytest.raises(InputError) as caught:
        read_records(b'{"a": 1}\n\n{"b": \n{"c": 3}\n', skip_damaged=False)
    assert caught.value.line == 3
    assert "--skip-damaged" in str(caught.value)


def test_with_skip_damaged_such_lines_are_left_out_and_noted():
    data = b'{"a": 1}\nnonsense\n{"b": 2}\n\xff\xfe\n{"c": 3}\n'
    records, notes = read_records(data, skip_damaged=True)
    assert [item.value for item in records] == [{"a": 1}, {"b": 2}, {"c": 3}]
    assert [(note.kind, note.index) for note in notes] == [("damaged_line", 2), ("damaged_line", 4)]


def test_a_number_of_many_digits_is_no_crash():
    # Python refuses to turn more than 4,300 digits into a number, with an error of its own
    data = b'{"a": 1}\n{"n": ' + b"1" * 5000 + b'}\n{"b": 2}\n'
    try:
        records, _ = read_records(data, skip_damaged=False)
    except InputError as error:
        assert error.line == 2
    else:
        assert len(records) == 3


def test_a_whole_line_that_is_nested_too_deeply_is_not_called_cut_off():
    deep = b'{"a": ' + b"[" * 100_000 + b"]" * 100_000 + b"}\n"
    with pytest.raises(InputError) as caught:
        read_records(b'{"a": 1}\n' + deep, skip_damaged=False)
    assert caught.value.line == 2


@pytest.mark.parametrize("padded", [b"\0\0\0", b"\0"])
def test_nul_bytes_before_a_record_and_at_the_end_of_a_file_are_no_damage(padded):
    lines = [as_bytes(user(f"Request {at}")) for at in range(4)]
    data = b"\n".join([lines[0], padded + lines[1], lines[2] + lines[3], padded])
    source = load(data)
    assert [message.text() for message in source.transcripts[0].messages] == [f"Request {at}" for at in range(4)]
    assert [source.transcripts[0].raw(record) for record in range(4)] == lines
    assert compact(data, target_tokens=10**9).data == data
