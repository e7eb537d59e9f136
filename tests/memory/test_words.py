"""Words by which memories are found."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compactor_cli.memory.words import BORDER, LONGEST, terms, words


@pytest.mark.parametrize(
    ("text", "own"),
    [
        ("The Read TIMEOUT, 30 seconds!", "the read timeout 30 second"),
        ("Crème brûlée, STRASSE straße, ﬁne", "creme brulee strasse strasse fine"),
        ("classes boxes queries uses status", "class box query use status"),
        ("string red being", "string red being"),
        ("東京都に行く", "東京 京都 都に に行 行く"),
        ("no. -5 +3 1e5 v2 12ab", "no 5 3 1e5 v2 12ab"),
        ("", ""),
        ("... \x00 \ud800 _ *", ""),
    ],
)
def test_words_of_a_text_are_normalized(text, own):
    assert terms(text).split(BORDER)[0] == own


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("read_timeout", "read timeout readtimeout"),
        ("readTimeout", "readtimeout read timeout"),
        ("HTTPServer", "httpserver http server"),
        ("net/read_timeout.py", "net read timeout py readtimeout netreadtimeoutpy"),
        ("1.2.3", "1 2 3 123"),
        ("PostgreSQL", "postgresql postgre sql"),
        ("東京", "東京 京"),
    ],
)
def test_names_give_their_parts_and_the_whole(text, found):
    assert set(found.split()) == set(words(text))


def test_the_whole_of_a_name_stands_apart_so_that_phrases_go_on_over_it():
    assert terms("the read_timeout is 3") == f"the read timeout is 3{BORDER}readtimeout"


@given(st.text())
def test_every_word_is_found_by_itself(text):
    for word in words(text):
        assert words(word)[:1] == [word]
        assert len(word) <= LONGEST
        assert not set(word) & set(" '\"\\*()\0\t\n")


@given(st.text(alphabet="abcsxyz 0189_-./,"))
def test_case_does_not_matter(text):
    whole = terms(text).split(BORDER)[0]
    assert whole == terms(text.upper()).split(BORDER)[0] == terms(text.title()).split(BORDER)[0]
