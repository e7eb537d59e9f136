"""A value inside a JSON text is replaced, and not a byte beside it."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compactor_cli.formats import jsonedit

SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=12)
    | st.sampled_from(["\ud800", "😀", "川", '"', "\\", "\x00", "\u2028", "a/b", "}", "]", ",", ":"])
)
KEYS = st.text(max_size=6) | st.sampled_from(["a", "content", '"', "\\u0041", "{", "é", "😀"])
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=12,
)
BLANKS = st.text(alphabet=" \t\r\n", max_size=3)


@st.composite
def written(draw, value):
    """A JSON text of a value with any white space and any escapes that JSON allows."""

    def string(text):
        return json.dumps(text, ensure_ascii=draw(st.booleans()) or not encodable(text))

    def write(item):
        before, after = draw(BLANKS), draw(BLANKS)
        if isinstance(item, dict):
            members = [f"{draw(BLANKS)}{string(key)}{draw(BLANKS)}:{write(member)}" for key, member in item.items()]
            text = "{" + (",".join(members) or draw(BLANKS)) + "}"
        elif isinstance(item, list):
            text = "[" + (",".join(write(member) for member in item) or draw(BLANKS)) + "]"
        else:
            text = string(item) if isinstance(item, str) else json.dumps(item)
        return before + text + after

    return write(value)


def encodable(text):
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def paths_of(value, path=()):
    yield path
    members = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, member in members:
        yield from paths_of(member, (*path, key))


def at_path(value, path):
    for step in path:
        value = value[step]
    return value


def with_replaced(value, path, new):
    if not path:
        return new
    copy = dict(value) if isinstance(value, dict) else list(value)
    copy[path[0]] = with_replaced(value[path[0]], path[1:], new)
    return copy


@st.composite
def texts_and_paths(draw):
    value = draw(VALUES)
    return draw(written(value)), value, draw(st.sampled_from(sorted(paths_of(value), key=repr)))


@given(texts_and_paths())
def test_the_span_of_a_path_holds_exactly_its_value(case):
    text, value, path = case
    start, end = jsonedit.locate(text, path)
    assert json.loads(text[start:end]) == at_path(value, path)
    assert text[start:end] == text[start:end].strip()


@given(texts_and_paths(), VALUES)
def test_a_replacement_changes_its_value_and_leaves_every_other_byte(case, new):
    text, value, path = case
    start, end = jsonedit.locate(text, path)
    encoded = jsonedit.encode(new, text)
    changed = jsonedit.replace(text.encode(), {path: encoded}).decode()
    assert changed == text[:start] + encoded + text[end:]
    assert json.loads(changed) == with_replaced(value, path, new)


@given(st.lists(st.text(max_size=5), min_size=2, max_size=6), st.data())
def test_several_values_are_replaced_at_once_whatever_the_order_they_are_given_in(members, data):
    text = data.draw(written({"list": members, "after": 1}))
    chosen = data.draw(st.lists(st.sampled_from(range(len(members))), unique=True, min_size=1))
    changes: dict[tuple[str | int, ...], str] = {("list", at): json.dumps(f"new {at}") for at in chosen}
    expected = {"list": [f"new {at}" if at in chosen else old for at, old in enumerate(members)], "after": 1}
    assert json.loads(jsonedit.replace(text.encode(), changes)) == expected


@given(VALUES, st.text(max_size=20))
def test_encoded_text_can_always_be_written_and_reads_back(value, like):
    text = jsonedit.encode(value, like)
    assert json.loads(text.encode()) == value
    assert json.loads(jsonedit.dump(value).encode()) == value


def test_numbers_that_a_float_cannot_hold_stay_as_they_are_written():
    raw = b'{"big": 1180591620717411303424, "odd": NaN, "zero": 1.00, "exp": 1E400, "content": "old"}'
    expected = raw.replace(b'"old"', b'"new"')
    assert jsonedit.replace(raw, {("content",): '"new"'}) == expected


def test_of_a_repeated_key_the_last_one_counts_as_it_does_for_readers():
    raw = b'{"content": "first", "x": {"content": 1}, "content": "second"}'
    assert jsonedit.replace(raw, {("content",): '"new"'}) == raw.replace(b'"second"', b'"new"')


def test_a_key_is_found_however_it_is_escaped():
    assert jsonedit.locate(r'{"\u0063ontent": 1}', ("content",)) == (17, 18)


@pytest.mark.parametrize("text", ["", '"', "\\", '\\"', '"\\', "\\\\", '\\\\"', '\\\\\\" "', '", "b": "'])
def test_a_string_ends_at_the_first_quotation_mark_that_is_not_escaped(text):
    raw = json.dumps({"a": text, "b": "old", "c": text})
    start, end = jsonedit.locate(raw, ("a",))
    assert json.loads(raw[start:end]) == text
    replaced = jsonedit.replace(raw.encode(), {("b",): '"new"'})
    assert json.loads(replaced) == {"a": text, "b": "new", "c": text}


@pytest.mark.parametrize("path", [("missing",), ("list", 5), ("list", "0"), ("text", 0)])
def test_a_path_that_is_not_there_is_a_key_error(path):
    with pytest.raises(KeyError):
        jsonedit.locate('{"list": [1, 2], "text": "abc"}', path)


def test_a_text_is_escaped_the_way_the_record_is():
    assert jsonedit.encode("川", '{"a": "\\u5ddd"}') == '"\\u5ddd"'
    assert jsonedit.encode("川", '{"a": "川"}') == '"川"'
    assert jsonedit.encode("\ud800", '{"a": "川"}') == '"\\ud800"'
