"""JSON is read as Python reads it, whatever library does it."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from compactor_cli.text.json_values import (
    MAX_DEPTH,
    is_nested_too_deeply,
    json_value,
    looks_like_json,
    parse_json,
    plain_members,
    without_blanks,
)
from tests.drawing import example_count

PIECES = [
    *('"', "\\", "u", "{", "}", "[", "]", ":", ",", "1", "0", ".", "e", "-", "+", "é", "\ud800", "😀", "null", "true"),
    *(" ", "\n", "\x00", "\\u0041", "\\ud83d\\ude00", "\\udc00", '"a"', '"k":', "NaN", "Infinity", "9" * 25, "\\n"),
]
TEXTS = st.lists(st.sampled_from(PIECES), max_size=9).map("".join)


def read(by, text):
    try:
        return repr(by(text))
    except ValueError as error:
        return type(error), str(error)


@given(text=st.one_of(TEXTS, TEXTS.map(lambda text: f'{{"k":{text}}}'), TEXTS.map(lambda text: f'"{text}"')))
@example(text='{"a":1,"b":2,"a":3}')
@example(text='"\\ud800"')
@example(text="[NaN, Infinity, -0, -0.0, 1e400]")
@example(text="9" * 5000)
@settings(max_examples=example_count(300, share=4))
def test_any_text_gives_the_value_or_the_error_that_json_gives(text):
    assert read(json_value, text) == read(json.loads, text)


def test_what_only_python_reads_is_read():
    assert math.isnan(json_value("NaN"))
    assert json_value(b'"\\ud800"') == "\ud800"
    with pytest.raises(RecursionError):
        json_value("[" * 100_000)


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
        lambda v: st.lists(v) | st.dictionaries(st.text(), v),
    )
)
@example({"a, b": [1, 2], "c": {"d": "e: f, g"}})
def test_json_without_blanks_has_the_same_value_and_is_no_longer(value):
    text = json.dumps(value)
    dense = without_blanks(text)
    assert json.loads(dense) == value
    assert dense == (json.dumps(value, separators=(",", ":")) if isinstance(value, (dict, list)) else text)


@pytest.mark.parametrize(
    "text",
    [
        "[INFO] started: 3 workers, 1 queue",
        '{"a": 1, "b": NaN}',
        '{"a": 1, "b": 2} and more, as it goes',
        json.dumps({"a": [1, 2], "b": 3}, indent=2),
        "[" * 5000 + "1, 2" + "]" * 5000,
    ],
)
def test_what_is_no_json_or_stands_on_several_lines_keeps_its_blanks(text):
    assert without_blanks(text) == text


@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ('{"a":', "}"), ('[1,{"a":', "}]")])
def test_only_what_is_nested_deeper_than_can_be_followed_is_refused(opening, closing):
    levels = MAX_DEPTH // (opening.count("[") + opening.count("{"))
    deepest = f"{opening * levels}1{closing * levels}"
    assert parse_json(deepest) == json.loads(deepest)
    assert not is_nested_too_deeply(deepest, json.loads(deepest))
    for deeper in (f"[{deepest}]", f'{{"b":[{", ".join(["1"] * 999)}],"a":{deepest}}}'):
        assert is_nested_too_deeply(deeper, json.loads(deeper))
        with pytest.raises(ValueError, match="nested too deeply"):
            parse_json(deeper)


def test_many_brackets_side_by_side_are_not_deep():
    for text in (f"[{', '.join(['[]'] * 1_000)}]", json.dumps("[" * 1_000)):
        assert parse_json(text) == json.loads(text)


@pytest.mark.parametrize(
    ("text", "begins"),
    [
        *(
            (text, True)
            for text in ('{"a": 1', "{}", ' [\n {"a"', "[[1]]", "[]", '["a', "[1, 2]", "[-1.5 , 2]", "[true", "[null]")
        ),
        *(
            (text, False)
            for text in ("[12] a line", "{name} is it", "[x] done", "{ a: 1 }", "plain", "[1]", "[nullable]")
        ),
    ],
)
def test_how_json_begins(text: str, begins: bool) -> None:
    assert looks_like_json(text) == begins


def test_plain_values_beside_records_are_found() -> None:
    value = {"dry_run": True, "gone": 158, "errors": [{"id": "s-1"}], "note": "x" * 90, "of": {"a": 1}, "saves": 38.4}
    text = json.dumps(value)
    assert [text[start:end] for start, end in plain_members(text)] == [
        '"dry_run": true',
        '"gone": 158',
        '"saves": 38.4',
    ]
    assert plain_members(json.dumps({**value, "errors": ["s-1"]})) == []
    assert plain_members(json.dumps(value["errors"])) == []
