"""Words by which memories are found."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compactor_cli.memory.search_terms import BORDER, MAX_WORD_CHARS, stem, term_text


@pytest.mark.parametrize(
    ("text", "own"),
    [
        ("The Read TIMEOUT, 30 seconds!", "the read timeout 30 second"),
        ("Crème brûlée, STRASSE straße, ﬁne", "creme brule strass strass fine"),
        ("classes boxes queries uses status", "class box queri use status"),
        ("string red meeting", "string red meet"),
        ("東京都に行く", "東京 京都 都に に行 行く"),
        ("no. -5 +3 1e5 v2 12ab", "no 5 3 1e5 v2 12ab"),
        ("", ""),
        ("... \x00 \ud800 _ *", ""),
    ],
)
def test_words_of_a_text_are_normalized(text, own):
    assert term_text(text).split(BORDER)[0] == own


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("read_timeout", "read timeout readtimeout"),
        ("readTimeout", "readtimeout read timeout"),
        ("HTTPServer", "httpserver http server"),
        ("net/read_timeout.py", "net read timeout py readtimeout netreadtimeoutpi"),
        ("1.2.3", "1 2 3 123"),
        ("PostgreSQL", "postgresql postgr sql"),
        ("東京", "東京 京"),
    ],
)
def test_names_give_their_parts_and_the_whole(text, found):
    assert set(found.split()) == set(term_text(text).split())


def test_the_whole_of_a_name_stands_apart_so_that_phrases_go_on_over_it():
    assert term_text("the read_timeout is 3") == f"the read timeout is 3{BORDER}readtimeout"


@given(st.text())
def test_every_word_is_found_by_itself(text):
    for word in term_text(text).split():
        assert term_text(word).split()[0] in term_text(text).split()
        assert len(word) <= MAX_WORD_CHARS
        assert not set(word) & set(" '\"\\*()\0\t\n")


@given(st.text(alphabet="abcsxyz 0189_-./,"))
def test_case_does_not_matter(text):
    whole = term_text(text).split(BORDER)[0]
    assert whole == term_text(text.upper()).split(BORDER)[0] == term_text(text.title()).split(BORDER)[0]


@pytest.mark.parametrize(
    "forms",
    [
        ["trade", "trades", "traded", "trading"],
        ["migrate", "migration", "migrations", "migrating"],
        ["query", "queries", "querying"],
        ["test", "tests", "tested", "testing"],
    ],
)
def test_forms_of_a_word_are_one_word(forms):
    assert len({term_text(form).split(BORDER)[0] for form in forms}) == 1


def test_a_form_stands_apart_so_that_its_beginning_finds_it():
    assert term_text("trading") == f"trade{BORDER}trading"
    assert term_text("trade") == "trade"


@pytest.mark.parametrize("pair", [("string", "str"), ("server", "serve"), ("RS256", "RS25"), ("Москва", "Москв")])
def test_other_words_stay_apart(pair):
    first, second = (term_text(word).split(BORDER)[0] for word in pair)
    assert first != second


@given(st.text(alphabet=st.characters(max_codepoint=0x7F, categories=["Ll"]), min_size=1, max_size=30))
def test_the_stem_of_a_stem_is_itself(word):
    assert stem(stem(word)) == stem(word)
