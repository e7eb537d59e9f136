"""What counts as an identifier, and what does not."""

from __future__ import annotations

import pytest

from compactor_cli.evaluation.retention.measured_names import identifiers, keys, readable, spellings

FOUND = {
    "a path": ("look at src/api/routes.py, please", "src/api/routes.py"),
    "an absolute path": ("in /etc/hosts.", "/etc/hosts"),
    "a path from here": ("run ./scripts/build.sh now", "scripts/build.sh"),
    "the file name of a path": ("look at src/api/routes.py, please", "routes.py"),
    "a file name": ("open (settings.toml)", "settings.toml"),
    "a URL": ("see https://example.org/a?b=c#d.", "https://example.org/a?b=c#d"),
    "an e-mail address": ("ask jo.doe@example.org,", "jo.doe@example.org"),
    "an error name": ("raises OSError here", "OSError"),
    "an error number": ("failed with ENOENT", "ENOENT"),
    "an error code": ("ruff says E501.", "E501"),
    "a uuid": ("id 0b8cfa3e-1111-4222-8333-944445555566", "0b8cfa3e-1111-4222-8333-944445555566"),
    "an id with digits": ("ticket ABC-4711!", "ABC-4711"),
    "a number of an issue": ("see #a12b", "#a12b"),
    "a date": ("since 2026-03-01", "2026-03-01"),
    "a time": ("at 2026-03-01 10:20:30", "2026-03-01 10:20:30"),
    "a number": ("costs 1,250 now", "1250"),
    "a sum of money": ("costs $99.50 now", "99.50"),
    "a share": ("12.5% of it", "12.5"),
    "a version": ("needs 1.20.3", "1.20.3"),
    "a dotted symbol": ("os.path.join()", "os.path.join"),
    "a snake symbol": ("call load_all()", "load_all"),
    "a constant": ("set MAX_ROWS", "MAX_ROWS"),
    "a dunder": ("in __init__", "__init__"),
    "a camel symbol": ("class LineReader:", "LineReader"),
    "a camel symbol in lower case": ("call readLine", "readLine"),
    "a flag": ("pass --dry-run", "--dry-run"),
    "a quoted string": ('called "Monthly report"', "Monthly report"),
    "code in backticks": ("use `bar`baz and `the bar`", "the bar"),
    "single quotes": ("named 'blue door' here", "blue door"),
    "a value inside JSON inside a string": (r'{"a": "{\"path\": \"x/y.txt\"}"}', "x/y.txt"),
    "what follows an escaped line break": (r'{"text": "one\nload_all two"}', "load_all"),
}
NOT_FOUND = {
    "plain words": "nothing but some plain words here",
    "short ones": "a1 b_c 12 x.y",
    "words that stand everywhere": '"message" "content" `true` "undefined"',
    "sentences in quotes": '"this is a rather long sentence that somebody said to us"',
    "digits beside digits": "12 34 56",
    "punctuation": '---- "...." //// ____ ====',
    "words of other languages": "обычные слова простого текста",
    "nothing": "",
}


@pytest.mark.parametrize("name", FOUND)
def test_an_identifier_is_found_without_the_punctuation_around_it(name):
    text, identifier = FOUND[name]
    assert identifier in identifiers(text)


@pytest.mark.parametrize("name", NOT_FOUND)
def test_what_is_no_identifier_is_left_alone(name):
    assert identifiers(NOT_FOUND[name]) == []


def test_quotes_after_a_long_quoted_text_still_pair_up():
    assert "main door" in identifiers(f'"{"long words " * 20}", "main door"')
    assert '", ' not in "".join(identifiers(f'"{"long words " * 20}", "main door"'))


def test_each_is_named_once_and_always_in_the_same_order():
    text = "load_all src/a_b.py load_all 1,250 1250 `src/a_b.py`"
    assert len(set(identifiers(text))) == len(identifiers(text))
    assert identifiers(text) == identifiers(text)


def test_numbers_are_looked_for_with_and_without_separators():
    assert spellings("1250") == ("1250", "1,250")
    assert spellings("12.50") == ("12.50",)
    assert spellings("load_all") == ("load_all",)


def test_keys_of_json_are_words_of_a_schema_also_inside_strings():
    assert keys(r'{"file_path": 1, "inner": "{\"line-no\": 2}"}') == {"file_path", "inner", "line-no"}


def test_a_text_is_read_as_people_see_it():
    assert readable("\x1b[31mred\x1b[0m") == "red"
    assert readable(r"a\nb \"c\" d\/e") == 'a\nb "c" d/e'


@pytest.mark.drawn(4)
@pytest.mark.parametrize("run", ["a", "_", "/", "a/", "a.", "1,", '"', "aA", "a@", "-", "\\", "A1", "a.b-", "'a"])
def test_long_runs_of_anything_are_read_in_one_pass(run):
    # ten times the text in hardly more than ten times the steps: a quadratic pattern would not end here
    assert len(identifiers(run * 200_000)) <= 2
