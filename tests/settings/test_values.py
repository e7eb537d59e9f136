"""What is allowed for a key, in files and as text."""

from __future__ import annotations

import re

import pytest

from compactor_cli.configuration.checked_values import check_value, describe_allowed, parse_value
from compactor_cli.configuration.keys import keys
from compactor_cli.scoring import SCORERS
from compactor_cli.tokens import TOKENIZERS

ALLOWED = [
    *(("tokenizer", name, name) for name in TOKENIZERS),
    ("keep_last", 3, 3),
    ("scoring.threshold", 70, 70),
    ("scoring.threshold", 70.5, 70.5),
    ("target_ratio", 1, 1),
    ("target_tokens", None, None),
    ("context.threshold", 0, 0),
    ("query", "", ""),
    ("strategy", "", ""),
    ("summary_role", "user", "user"),
    ("tiers.borders", [1, 2, 3], (1, 2, 3)),
    ("keep", [], ()),
    ("skip_damaged", True, True),
    ("scoring.now", "2026-03-01T12:00:00Z", 1772366400.0),
    ("scoring.now", 1772366400, 1772366400.0),
]
REFUSED = [
    ("keep_last", -1, "a whole number of at least 0"),
    ("keep_last", True, "a whole number of at least 0"),
    ("keep_last", 1.0, "a whole number of at least 0"),
    ("keep_last", "3", "a whole number of at least 0"),
    ("keep_last", None, "a whole number of at least 0"),
    ("target_ratio", 1.5, "a number from 0 to 1"),
    ("target_ratio", float("nan"), "a number from 0 to 1"),
    ("scoring.threshold", float("inf"), "a number of at least 0"),
    ("skip_damaged", 1, "true or false"),
    ("skip_damaged", "true", "true or false"),
    ("strategy", "best", "one of adaptive, tiered"),
    ("scoring.scorer", "best", f"one of {', '.join(SCORERS)}, or empty"),
    ("summarizer", "best", "one of extractive"),
    ("format", "best", "one of openai-chat"),
    ("tokenizer", "best", f"one of {', '.join(TOKENIZERS)}, or empty"),
    ("preset", "best", "one of window, chat, agent, or empty"),
    ("query", 3, "a text"),
    ("keep", "todo", "a list of regular expressions"),
    ("keep", [3], "a list of regular expressions"),
    ("keep", ["("], "is not a regular expression"),
    ("tiers.borders", [1, 2], "a list of 3 rising whole numbers of at least 0"),
    ("tiers.borders", [10, 50, 25], "a list of 3 rising whole numbers of at least 0"),
    ("tiers.keep", [1, 0.5, 0.2, 2], "a list of 4 numbers from 0 to 1"),
    ("tiers.keep", {"a": 1}, "a list of 4 numbers from 0 to 1"),
    ("scoring.now", "noon", "a time such as"),
]
TEXTS = [
    ("keep_last", "3", 3),
    ("target_tokens", "80_000", 80_000),
    ("target_tokens", "4k", 4_000),
    ("target_tokens", "+4000", 4_000),
    ("target_tokens", "4,000", 4_000),
    ("target_ratio", "25%", 0.25),
    ("tiers.keep", "100%, 70%, 0.4, 15%", (1.0, 0.7, 0.4, 0.15)),
    ("scoring.threshold", "70", 70.0),
    ("tiers.borders", "1, 2,3", (1, 2, 3)),
    ("tiers.borders", "[1, 2, 3]", (1, 2, 3)),
    ("keep", "", ()),
    ("keep", "todo,fixme", ("todo", "fixme")),
    ("keep", '["a, b", "c"]', ("a, b", "c")),
    ("keep", "[Dd]ecided", ("[Dd]ecided",)),
    ("keep", "a{1,2}, b", ("a{1,2}", "b")),
    ("keep", r"x(a,[b,)]|c),y\,z", ("x(a,[b,)]|c)", r"y\,z")),
    ("keep", "{x,y", ("{x", "y")),
    ("query", " as it is ", " as it is "),
    ("scoring.now", "1772366400", 1772366400.0),
    *(("skip_damaged", text, True) for text in ("true", "1", "yes", "on", "TRUE")),
    *(("skip_damaged", text, False) for text in ("false", "0", "no", "off", "No")),
]


@pytest.mark.parametrize(("key", "value", "expected"), ALLOWED)
def test_a_value_that_is_allowed_is_taken(key, value, expected):
    assert check_value(keys()[key], value) == expected


@pytest.mark.parametrize(("key", "value", "words"), REFUSED)
def test_a_value_that_is_not_allowed_is_refused_with_what_is(key, value, words):
    with pytest.raises(ValueError, match=re.escape(words)):
        check_value(keys()[key], value)


@pytest.mark.parametrize(("key", "text", "expected"), TEXTS)
def test_a_text_is_read_by_the_type_of_its_key(key, text, expected):
    assert parse_value(keys()[key], text) == expected


@pytest.mark.parametrize(
    ("key", "text"),
    [
        *(("keep_last", text) for text in ("three", "1.5", "\uff14")),
        *(("target_tokens", text) for text in ("4,00,0", "\uff14k", "0", "9" * 400)),
        *(("target_ratio", text) for text in ("", "nan", "125%")),
        ("skip_damaged", "maybe"),
    ],
)
def test_a_text_that_is_none_is_refused(key, text):
    with pytest.raises(ValueError, match="must be"):
        parse_value(keys()[key], text)


def test_every_key_says_what_it_means_and_what_is_allowed():
    for key in keys().values():
        assert len(key.meaning.split()) >= 2, key.name
        assert describe_allowed(key)
        assert check_value(key, list(key.default) if key.many else key.default) == key.default, key.name


def test_no_two_keys_share_a_variable():
    variables = [variable for key in keys().values() for variable in key.variables]
    assert len(set(variables)) == len(variables)


def test_brackets_without_end_are_no_array():
    key = keys()["tiers.borders"]
    with pytest.raises(ValueError, match="whole numbers"):
        parse_value(key, "[" * 100_000)
    with pytest.raises(ValueError, match="whole numbers"):
        parse_value(key, "[" * 100_000 + "]" * 100_000)
