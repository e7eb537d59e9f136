"""Sentences that somebody said, without what is pasted into a message."""

from __future__ import annotations

import pytest

from compactor_cli.memory.ephemeral import Speaker, is_ephemeral
from compactor_cli.memory.extract import spoken_sentences

LINE = "We keep the totals in cents because the report rounds them"
"""Long enough that it may be wrapped."""


def sentences(text: str, longest: int = 3_000) -> list[str]:
    return [said.text for said in spoken_sentences(text, longest)]


def test_a_wrapped_line_goes_on_in_the_next_one() -> None:
    assert sentences(f"{LINE} up,\nas documented.") == [f"{LINE} up, as documented."]


def test_what_follows_a_wrapped_line_is_another_one() -> None:
    assert sentences(f"{LINE} up,\nas documented.\nWe keep parts.") == [
        f"{LINE} up, as documented.",
        "We keep parts.",
    ]


@pytest.mark.parametrize(("characters", "goes_on"), [(59, False), (60, True)])
def test_a_line_may_be_wrapped_from_60_characters_on(characters: int, goes_on: bool) -> None:
    assert (len(sentences(f"{LINE} {'of ' * 9}"[:characters].rstrip() + "\nsome parts.")) == 1) is goes_on


@pytest.mark.parametrize(
    "lines",
    [
        (f"{LINE} up.", "as documented."),
        (f"{LINE} up:", "as documented."),
        (f"{LINE} up", "As documented."),
        (f"{LINE} up", "- as documented."),
        ("We keep totals", "as documented."),
    ],
)
def test_a_line_that_ends_or_is_short_and_one_that_begins_anew_do_not(lines: tuple[str, str]) -> None:
    assert len(sentences("\n".join(lines))) == 2


@pytest.mark.parametrize(
    "pasted",
    [
        "    total = sum(parts)",
        "\treturn total",
        "> We keep it.",
        "$ make test",
        "+++ b/file.py",
        "@@ -1,3 +1,4 @@",
        "diff --git a/x b/x",
        "index 83db48f..bf2a1c3",
        "+added = 1",
        "✓ passed",
        "<div>",
        "Traceback (most recent call last):",
        '  File "x.py", line 3',
        "at main.run (x.js)",
        "goroutine 1 [running]:",
        "ValueError: no such part",
        "E   assert 1 == 2",
        "panic: no memory",
        "#12 0x00ff in main",
        "2026-01-02 03:04 started",
        "03:04:05 started",
        "Sep 3, it started",
        "Oct 3, it started",
        "[WARN] it is slow",
        "sam@host: make",
        '{"key": "value"}',
        "let total = 0;",
        "src/billing/totals.py",
        "12→ the twelfth line",
        "import totals from (x);",
        "#include <x.h>;",
        "private int total = 0;",
        "from x import (y)",
    ],
)
def test_a_pasted_line_is_nothing_that_somebody_said(pasted: str) -> None:
    assert sentences(f"We keep totals.\n{pasted}\nWe keep parts.") == ["We keep totals.", "We keep parts."]


def test_lists_are_said_and_their_marks_are_not() -> None:
    assert sentences("# Rules\n**We keep** totals.\n[x] We keep parts.") == [
        "Rules",
        "We keep totals.",
        "We keep parts.",
    ]


@pytest.mark.parametrize("open_, shut", [("```", "```"), ("~~~", "~~~"), ("```", ""), ("<log>", "</log>")])
def test_what_is_fenced_is_not_said(open_: str, shut: str) -> None:
    assert sentences(f"We keep totals.\n{open_}\nThis is pasted.\n{shut}") == ["We keep totals."]


def test_what_stands_beside_a_fence_on_its_line_is_said() -> None:
    assert sentences("We keep totals. ```x = 1``` We keep parts.") == ["We keep totals.", "We keep parts."]
    assert sentences("We keep totals. <log>x</log> We keep parts.") == ["We keep totals.", "We keep parts."]


def test_sentences_of_a_short_line_are_told_apart_and_know_the_one_before() -> None:
    found = list(spoken_sentences("We keep totals. They are in cents!\nThe next paragraph."))
    assert [(said.text, said.before) for said in found] == [
        ("We keep totals.", ""),
        ("They are in cents!", "We keep totals."),
        ("The next paragraph.", ""),
    ]


def test_only_paragraphs_with_a_word_that_are_not_too_long_are_looked_at() -> None:
    assert sentences("We keep totals.\n-----\nWe keep parts.") == ["We keep totals.", "We keep parts."]
    assert sentences("We keep it.", longest=11) == ["We keep it."]
    assert sentences("We keep it.", longest=10) == []


@pytest.mark.parametrize(
    ("sentence", "speaker"),
    [
        ("The server listens on 8080 for the moment.", "user"),
        ("The server listens on 8080 until we move.", "user"),
        ("The server just got a new port.", "user"),
        ("The server was merged with it, just merged.", "user"),
        ("First, the server listens on 8080.", "user"),
        ("The port changes afterwards by itself.", "user"),
        ("The server follows my changes.", "user"),
        ("The server is up now.", "user"),
        ("The approach is described in item 3.", "user"),
        ("The server is in case #2 as well.", "user"),
        ("See the server at line 12.", "user"),
        ("The latest PR has the server.", "user"),
        ("The server has the latest failure.", "user"),
        ("It seems the server is on 8080.", "user"),
        ("Which may be the server on 8080.", "user"),
        ("I suspect the server is on 8080.", "user"),
        ("I am not sure of the server.", "user"),
        ("The server is likely on 8080.", "user"),
        ("It looks like the server is up.", "user"),
        ("The server is up at 10:30.", "user"),
        ("The server {name} is up.", "user"),
        ("The server is up, yeah.", "user"),
        ("Hmm the server is up.", "user"),
        ("So is the server on 8080", "user"),
        ("Isn't it the server on 8080", "user"),
        ("The server is up, isn't it", "user"),
        ("I would really rather take the server.", "user"),
        ("People like to book the server.", "user"),
        ("The server is passing all of it.", "assistant"),
        ("The server is ready for it.", "assistant"),
        ("Checking the server for its port.", "assistant"),
        ("Running the server on its port.", "assistant"),
        ("You're absolutely right about the server.", "assistant"),
        ("Also I start the server.", "assistant"),
        ("So I start the server.", "assistant"),
        ("My server is on 8080.", "assistant"),
    ],
)
def test_what_is_over_with_the_session_or_not_sure(sentence: str, speaker: Speaker) -> None:
    assert is_ephemeral(sentence, speaker)


@pytest.mark.parametrize(
    ("sentence", "speaker"),
    [
        ("From now on the server listens on 8080.", "user"),
        ("The server listens on port 8080.", "user"),
        ("I prefer the server on 8080.", "user"),
        ("I decided to put the server on 8080.", "assistant"),
        ("We have settled on a server.", "assistant"),
        ("Decision: my server stays on 8080.", "assistant"),
        ("Our server was chosen over theirs.", "assistant"),
        ("Our server is deliberately slow.", "assistant"),
    ],
)
def test_what_lasts_and_what_was_decided(sentence: str, speaker: Speaker) -> None:
    assert not is_ephemeral(sentence, speaker)
