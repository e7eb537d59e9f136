"""Queries, the order of hits, and snippets."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from compactor_cli.memory.queries import MAX_TERMS, Candidate, QueryWords, make_snippet, parse_query, rank_candidates
from compactor_cli.memory.search_terms import term_text

DAY = 86_400.0


def candidate(id, text, importance=50.0, pinned=False, fresh=0.0):
    return Candidate(id, f"{id:064x}", term_text(text), importance, pinned, fresh)


def order(query, *candidates, shares=None):
    wanted = parse_query(query)
    given = dict(zip(wanted, shares or (), strict=False))
    return [found.id for found, _ in rank_candidates(candidates, wanted, given, now=0.0, limit=10)]


def says(query, text):
    return all(one.is_in(QueryWords(term_text(text))) for one in parse_query(query))


def test_a_query_is_words_names_phrases_and_beginnings():
    assert says("Timeouts READ", "read_timeout is low")
    assert says("readTimeout", "the read_timeout")
    assert says("read_timeout", "readTimeout")
    assert says("readtimeout", "the read_timeout")
    assert says('"timeout is"', "read_timeout is low")
    assert not says('"is timeout"', "read_timeout is low")
    assert says("time*", "the timeout")
    assert not says("time", "the timeout")
    assert says("京", "東京都")
    assert says("京都", "東京都")
    assert not says("東都", "東京都")
    assert parse_query('"" * ( ) -') == ()


def test_of_a_long_query_the_longest_words_are_taken():
    wanted = parse_query(" ".join("w" * n for n in range(1, 60)))
    assert len(wanted) == MAX_TERMS
    assert {one.size for one in wanted} == set(range(60 - MAX_TERMS, 60))


def test_what_has_everything_comes_first_even_if_it_is_old_and_unimportant():
    both = candidate(1, "amber is near basalt", importance=0, fresh=-900 * DAY)
    one = candidate(2, "amber amber", importance=100, pinned=True)
    assert order("amber basalt", one, both) == [1, 2]


def test_a_rare_word_counts_more_than_a_common_one():
    assert order("amber basalt", candidate(1, "amber"), candidate(2, "basalt"), shares=(0.5, 0.001)) == [2, 1]


def test_words_that_stand_together_come_first_then_importance_pins_and_age():
    assert order("amber basalt", candidate(1, "basalt x x x x x x x amber"), candidate(2, "amber basalt")) == [2, 1]
    assert order("amber", candidate(1, "amber", 10), candidate(2, "amber", 90)) == [2, 1]
    assert order("amber", candidate(1, "amber"), candidate(2, "amber", pinned=True)) == [2, 1]
    assert order("amber", candidate(1, "amber", fresh=-90 * DAY), candidate(2, "amber")) == [2, 1]


def test_ties_do_not_depend_on_the_order_of_candidates():
    same = [candidate(n, "amber") for n in range(5)]
    assert order("amber", *same) == order("amber", *reversed(same)) == [0, 1, 2, 3, 4]


def test_what_says_nothing_of_the_query_is_left_out():
    assert order("amber", candidate(1, "basalt"), candidate(2, "amber")) == [2]


def test_a_snippet_shows_the_words_that_were_asked_for():
    found = make_snippet("The read_timeout of configs is set in HTTPServer.", parse_query("readTimeout config server"))
    assert [text for text, is_word in found.pieces if is_word] == ["read", "timeout", "configs", "HTTPServer"]
    assert str(found) == "The read_timeout of configs is set in HTTPServer."


def test_a_snippet_shows_a_word_at_the_very_end():
    assert make_snippet("There is amber", parse_query("amber")).pieces == (("There is ", False), ("amber", True))


def test_a_snippet_of_a_long_text_begins_near_the_words():
    text = "filler " * 100 + "the amber stone " + "filler " * 100
    found = make_snippet(text, parse_query("amber"), width=80)
    assert ("amber", True) in found.pieces
    assert str(found)[0] == str(found)[-1] == "…"
    assert len(str(found)) <= 81


def test_a_snippet_begins_at_the_beginning_as_long_as_the_first_word_asked_for_is_in_it():
    for before in range(20, 60):
        found = make_snippet(f"{'x' * before} amber {'filler ' * 20}", parse_query("amber"), width=40)
        assert [text for text, is_word in found.pieces if is_word] == ["amber"]
        assert str(found).startswith("x") == (before + len(" amber") <= 38)


def test_a_snippet_marks_words_only_as_far_as_it_goes():
    found = make_snippet(f"amber {'filler ' * 20} amber", parse_query("amber"), width=40)
    assert [text for text, is_word in found.pieces if is_word] == ["amber"]
    assert len(str(found)) == 40
    assert str(found).endswith("…")


@given(st.text(), st.text(), st.integers(10, 200))
def test_a_snippet_is_a_part_of_the_text_safe_for_a_terminal(text, query, width):
    shown = str(make_snippet(text, parse_query(query), width=width))
    assert len(shown) <= width + 1
    assert not any(bad in shown for bad in "\x00\x07\x1b\x9b\n\r\t\u2028\u202e")
    assert "".join(shown.strip("…").split()) in "".join(text.split()) or not text.isprintable()
