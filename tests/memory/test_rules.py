"""Each rule of what is worth remembering: what it finds, what it is worth then, and what it does not find."""

from __future__ import annotations

import pytest

from compactor_cli.memory import habits, rules
from compactor_cli.memory.ephemeral import Speaker
from compactor_cli.memory.extract import extract
from compactor_cli.memory.habits import HABITS
from compactor_cli.memory.rules import RULES, find_rule
from tests.conftest import DATA
from tests.pipeline.sessions import assistant, transcript, user

BY_NAME = {rule.name: rule for rule in (*RULES, *HABITS)}
WHO: dict[str, tuple[Speaker, ...]] = {"user": ("user",), "assistant": ("assistant",), "both": ("user", "assistant")}


def rows(document: str | None) -> list[list[str]]:
    """Rows of the table in a docstring."""
    lines = [line for line in (document or "").splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[1:]]


TABLE = [*rows(rules.__doc__), *rows(habits.__doc__)]


def found(sentence: str, speaker: Speaker) -> str:
    rule = find_rule(sentence, speaker)
    return rule.name if rule else ""


@pytest.mark.parametrize("row", TABLE, ids=lambda row: row[0])
def test_the_table_says_what_each_rule_finds_and_what_that_is_worth(row: list[str]) -> None:
    name, who, category, importance, confidence, sentence = row
    for speaker in WHO[who]:
        assert find_rule(sentence, speaker) is BY_NAME[name]
    rule = BY_NAME[name]
    assert (rule.speakers, rule.category) == (WHO[who], category)
    assert (rule.importance, rule.confidence) == (float(importance), float(confidence))


def test_the_table_has_all_rules_in_the_order_in_which_they_are_tried() -> None:
    assert [row[0] for row in TABLE] == [rule.name for rule in (*RULES, *HABITS)]


RULED = [line.split("\t") for line in (DATA / "ruled.tsv").read_text().splitlines() if line[:1] != "#"]
"""Sentences with other words than those of the table, and the rule that finds each."""


@pytest.mark.parametrize(("rule", "speaker", "sentence"), RULED, ids=lambda value: value[:40])
def test_which_rule_finds_a_sentence(rule: str, speaker: Speaker, sentence: str) -> None:
    assert found(sentence, speaker) == rule.strip("-")


@pytest.mark.parametrize("name", ["comes from", "holds for all", "from now on"])
def test_a_message_that_says_one_sentence_is_remembered_whatever_its_words(name: str) -> None:
    (row,) = (row for row in TABLE if row[0] == name)
    record = (assistant, user)[row[1] == "user"](row[-1])
    (memory,) = extract(transcript([record]), threshold=0, created=0)
    assert memory.text == row[-1]


@pytest.mark.parametrize("end", ["?", ":", "…", ",", "...", " | x", " " + "and so on " * 20])
def test_what_is_asked_or_broken_off_and_rows_of_tables_are_nothing_to_remember(end: str) -> None:
    sentence = "Always run the linter before a push"
    assert found(f"{sentence}.", "user") == "always or never"
    assert found(sentence, "user") == "always or never"
    assert found(sentence + end, "user") == ""


NAMELESS = {
    "corrects": "No, the address is served by something else.",
    "has": "Our database is in the large cluster.",
    "is set up so": "The server listens on another machine.",
    "decided": "We decided to keep the parser for old files.",
    "root cause": "The root cause was a stale lock in the cache.",
    "turned out": "It turned out that standard input is read twice.",
    "works only when": "The suite only works when the database is shared.",
    "fixed by": "The timeout was fixed by raising the patience to ten.",
    "is the problem": "The issue is that the setup reads standard input.",
    "fails because": "The build fails because the compiler is not set.",
    "place": "State files are stored under the home folder.",
    "measures": "The machines have 2 cores.",
    "limit": "Uploads never accept any larger files.",
    "limits itself": "Uploads are dropped unless somebody keeps a copy.",
    "behaves so when": "The user.name drops its domain when it is empty.",
    "comes from": "The leak came from a cache on a method.",
}


@pytest.mark.parametrize("name", NAMELESS)
def test_rules_about_systems_need_something_that_is_named(name: str) -> None:
    speaker = BY_NAME[name].speakers[0]
    assert {**RULES, **HABITS}[BY_NAME[name]].search(NAMELESS[name])
    assert find_rule(NAMELESS[name], speaker) is None
    with_name = NAMELESS[name].rstrip(".") + ", see `setup.cfg`."
    assert find_rule(with_name, speaker) is BY_NAME[name]


@pytest.mark.parametrize(
    ("name", "speaker", "shortest"),
    [
        ("prefers", "user", "I prefer small commits."),
        ("must stay so", "user", "Keys must stay as documented."),
        ("forbids", "user", "Don't use local storage."),
        ("corrects", "user", "No, the API is under nginx."),
        ("works on", "user", "I'm working on crypto trading."),
        ("is set up so", "assistant", "The server needs port 8080."),
        ("limit", "assistant", "pi-cli does not support any URLs."),
        ("decided", "user", "We decided to keep `parser.py` unchanged."),
        ("root cause", "assistant", "The root cause was `cache.db` itself."),
        ("turned out", "assistant", "It turned out that `os.Stdin` blocks."),
        ("works only when", "assistant", "`pytest -n` only works when shared."),
        ("fixed by", "assistant", "It was fixed by raising `PATIENCE`."),
        ("is the problem", "assistant", "The issue is that `setup()` blocks."),
        ("fails because", "assistant", "The build fails because `CC` vanished."),
        ("behaves so when", "assistant", "`load_env()` ignores files when they're empty."),
        ("holds for all", "user", "Every log line needs tenants."),
        ("what we do", "user", "We write British English here."),
        ("measures", "user", "The CI machines have 2."),
        ("place", "assistant", "State files are stored under `.harbor/sessions`."),
        ("limits itself", "assistant", "S3 rejects parts under 5 MB."),
        ("comes from", "assistant", "Leaks came from `lru_cache` on methods."),
    ],
)
def test_a_sentence_needs_so_many_words(name: str, speaker: Speaker, shortest: str) -> None:
    rule = BY_NAME[name]
    assert find_rule(shortest, speaker) is rule
    assert len(shortest.split()) == rule.least
