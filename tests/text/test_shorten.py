"""Shortened texts: within their limit, never larger, what matters kept, what was cut is said."""

from __future__ import annotations

import hashlib
import json
import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from compactor_cli.text.json_values import without_blanks
from compactor_cli.text.shorten import (
    MIN_TOKENS,
    reference,
    shorten_arguments,
    shorten_output,
    shorten_prose,
    text_reference,
)
from tests.builders import listing_output, prose


def count(text):
    return -(-len(text) // 4)


def output(text, limit):
    return shorten_output(text, count(text), limit, count)


TEXTS = st.one_of(
    st.text(max_size=3000),
    st.lists(st.text(alphabet="ab error:\t川", max_size=80), max_size=120).map("\n".join),
    st.integers(0, 20_000).map(lambda size: "x" * size),
)


@given(TEXTS, st.integers(0, 400), st.sampled_from([shorten_output, shorten_prose]))
def test_no_text_gets_larger_and_every_text_fits(text, limit, shorten):
    short = shorten(text, count(text), limit, count)
    assert short.tokens == count(short.text)
    assert short.tokens <= count(text)
    assert short.tokens <= max(limit, MIN_TOKENS)


@given(TEXTS, st.integers(0, 400))
def test_a_text_within_its_limit_stays_as_it_is(text, limit):
    if count(text) <= limit:
        assert output(text, limit).text == text


def test_an_output_keeps_first_lines_error_lines_and_last_lines_and_says_what_is_gone():
    lines = listing_output("make", 400).splitlines()
    lines[200] = "error: cannot find header foo.h"
    lines[-1] = "exit code: 2"
    text = "\n".join(lines)
    short = output(text, 150).text
    assert short.splitlines()[0] == lines[0]
    assert short.splitlines()[-1] == "exit code: 2"
    assert "error: cannot find header foo.h" in short
    assert "lines left out" in short
    assert text_reference(text) in short


def test_a_reference_is_the_beginning_of_the_sha_256_of_all_contents():
    digest = hashlib.sha256("Grüße, all of it".encode()).hexdigest()
    assert text_reference("Grüße, all of it") == f"ctx_{digest[:8]}"
    assert reference(["Grüße, ".encode(), b"all ", b"of it"]) == f"ctx_{digest[:8]}"


def test_every_line_of_a_shortened_output_is_a_line_of_the_original_or_a_mark():
    text = listing_output("cat", 300)
    short = output(text, 200).text
    assert all(line in text or "left out" in line for line in short.splitlines())
    kept = [line for line in short.splitlines() if "left out" not in line]
    left = sum(int(line.split()[1].replace(",", "")) for line in short.splitlines() if "left out" in line)
    assert len(kept) + left == 300, "the numbers are right"


def test_one_long_line_is_cut_inside():
    text = " ".join(f"word{at}" for at in range(2000))
    short = output(text, 100).text
    assert short.startswith("word0 ")
    assert short.endswith("word1999")
    assert "characters left out" in short


def test_prose_keeps_its_head_and_its_tail():
    text = "The beginning. " + prose("the middle", 100) + " The end."
    short = shorten_prose(text, count(text), 120, count).text
    assert short.startswith("The beginning.")
    assert short.endswith("The end.")


@given(
    st.recursive(
        st.text(max_size=300) | st.integers() | st.none(),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
        max_leaves=8,
    ).filter(lambda value: isinstance(value, (dict, list))),
    st.integers(20, 200),
)
def test_shortened_arguments_are_json_of_the_same_shape(value, longest):
    text = json.dumps(value)
    short = shorten_arguments(text, count(text), longest, count)
    assert short.tokens <= count(text)
    short.text.encode()  # can be written
    assert_same_shape(value, json.loads(short.text))


def assert_same_shape(before, after):
    assert type(before) is type(after)
    if isinstance(before, dict):
        assert list(before) == list(after)
        for key in before:
            assert_same_shape(before[key], after[key])
    elif isinstance(before, list):
        assert len(before) == len(after)
        for one, other in zip(before, after, strict=True):
            assert_same_shape(one, other)
    elif not isinstance(before, str):
        assert before == after


def test_short_strings_in_arguments_such_as_paths_stay_whole():
    text = json.dumps({"path": "src/a/very/long/path/to/some/module.py", "content": "x" * 5000})
    short = json.loads(shorten_arguments(text, count(text), 100, count).text)
    assert short["path"] == "src/a/very/long/path/to/some/module.py"
    assert len(short["content"]) < 300


def test_arguments_that_are_no_json_are_cut_as_text():
    patch = "*** Begin Patch\n" + listing_output("+", 300) + "\n*** End Patch"
    short = shorten_arguments(patch, count(patch), 300, count)
    assert short.tokens < count(patch) / 2
    assert short.text.startswith("*** Begin Patch")


@pytest.mark.parametrize("text", ["\ud800" * 5000, "😀" * 5000, "\n" * 5000, " " * 5000, "a\r\n" * 3000])
def test_odd_texts_are_shortened_as_well(text):
    assert output(text, 100).tokens <= 100
    assert text_reference(text).startswith("ctx_")


@given(st.integers(300, 20_000), st.integers(40, 200), st.sampled_from([shorten_output, shorten_prose]))
def test_the_figure_of_characters_left_out_is_what_is_missing(size, limit, shorten):
    text = " ".join(f"word{at}" for at in range(size))[:size]
    short = shorten(text, count(text), limit, count).text
    found = re.search(r" ?\[… ([\d,]+) characters left out · [^\]]+\] ?", short)
    if short != text:
        assert found is not None
        kept = len(short[: found.start()].rstrip()) + len(short[found.end() :])
        assert abs(len(text) - kept - int(found[1].replace(",", ""))) <= 1, "but for a blank at the cut"


@given(st.integers(10, 60), st.integers(1, 9), st.integers(60, 300), st.sampled_from([None, 2]))
@example(10, 3, 152, None)
def test_no_member_of_an_object_stands_beside_another_object(flights, members, limit, indent):
    """A price behind the mark belongs to the flight that stands before it there."""
    listed = [
        {"flight": f"HAT{n:03}", **{f"seat{m}": m * n for m in range(members)}, "price": n} for n in range(flights)
    ]
    text = json.dumps(listed, indent=indent)
    short = output(text, limit).text
    if "characters left out" not in short:
        assert json.loads(short) == listed
        return
    head, _, tail = re.split(r"\[… ([\d,]+) characters left out · ctx_[0-9a-f]{8}\]", short)
    assert without_blanks(text).startswith(head.rstrip(" "))
    assert re.match(r'\s*(?:\{\s*"flight"|$)', tail), tail
    assert json.loads("[" + tail.strip() if tail.strip() else "[]") == listed[len(listed) - tail.count("flight") :]
    names = re.findall(r'"\w+": ?(?:"\w+"|\d+)', head)
    assert all(name in without_blanks(text) for name in names)
    assert len(names) == head.count('":'), "no member is cut"


@pytest.mark.parametrize(
    "value, end",
    [
        ({"stdout": "line of text\n" * 300, "stderr": "", "exit_code": 2}, '"stderr":"","exit_code":2}'),
        ({"rows": [{"row": n} for n in range(300)], "total": 300}, '"total":300}'),
    ],
)
def test_the_last_members_of_an_object_stay(value, end):
    assert output(json.dumps(value), 60).text.endswith(f"] {end}")


def test_where_no_member_has_room_the_mark_stands_alone():
    text = json.dumps([{"text": "word " * 40, "number": n} for n in range(90)])
    assert re.fullmatch(r"\[… [\d,]+ characters left out · ctx_[0-9a-f]{8}\]", output(text, 40).text)


@pytest.mark.parametrize("limit", [200, 400, 800])
def test_as_many_members_stay_as_have_room_more_of_them_the_first(limit):
    text = json.dumps([{"row": n, "name": f"row {n}"} for n in range(900)])
    short = output(text, limit)
    head, left_out, tail = re.split(r" \[… ([\d,]+) characters left out · ctx_[0-9a-f]{8}\] ", short.text)
    assert limit - 60 <= short.tokens <= limit
    assert 1.15 * len(tail) < len(head)
    assert len(head) + int(left_out.replace(",", "")) + len(tail) == len(without_blanks(text))


def test_json_that_fits_without_its_blanks_is_not_cut():
    rows = [{"flight_number": f"HAT{n}", "date": "2024-05-21", "price": n} for n in range(20, 29)]
    text = json.dumps(rows)
    dense = json.dumps(rows, separators=(",", ":"))
    assert shorten_output(text, len(text), len(dense), len).text == dense
    cut = shorten_output(text, len(text), len(dense) - 1, len).text
    assert "left out" in cut
    assert cut.startswith('[{"flight_number":"HAT20","date":"2024-05-21","price":20},{')
