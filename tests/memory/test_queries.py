"""What a query asks for, and which texts say it."""

from __future__ import annotations

import pytest

from compactor_cli.memory.queries import MAX_TERMS, QueryWords, SearchTerm, parse_query
from compactor_cli.memory.search_terms import term_text


def places(query: str, text: str) -> list[int]:
    (wanted,) = parse_query(query)
    return wanted.places(QueryWords(term_text(text)))


def says(query: str, text: str) -> bool:
    said = QueryWords(term_text(text))
    return all(wanted.is_in(said) for wanted in parse_query(query))


def test_words_that_say_nothing_count_only_where_there_are_no_others() -> None:
    assert [wanted.spellings[0][0] for wanted in parse_query("what is the database")] == ["databa"]
    assert [wanted.spellings[0][0] for wanted in parse_query("what is the")] == ["what", "is", "the"]
    assert parse_query(" , ") == ()


def test_each_thing_is_asked_for_once_in_the_order_of_the_query() -> None:
    assert [wanted.spellings[0] for wanted in parse_query("yellow fox yellow bird")] == [
        ("yellow",),
        ("fox",),
        ("bird",),
    ]


def test_of_a_long_query_the_longest_words_are_asked_for_in_their_order() -> None:
    names = [f"word{'x' * at}" for at in range(MAX_TERMS + 3)]
    assert [wanted.spellings[0][0] for wanted in parse_query(" ".join(names))] == names[3:]
    assert len(parse_query(" ".join(names[:MAX_TERMS]))) == MAX_TERMS


def test_of_a_very_long_query_the_first_20000_characters_are_read() -> None:
    (wanted,) = parse_query("." * 19_993 + " yellow fox")
    assert wanted.spellings[0] == ("yellow",)
    (cut,) = parse_query("." * 19_994 + " yellow")
    assert cut.spellings[0] == ("yello",)


def test_a_phrase_is_found_where_its_words_follow_each_other() -> None:
    assert places('"red apple"', "A red apple, a red pear, a red apple.") == [1, 7]
    assert places('"red apple"', "An apple that is red.") == []
    assert places('"red apple"', "All of it was red") == []
    assert not says('"red apple"', "apple red")


def test_the_last_word_of_a_prefix_may_go_on_and_no_other() -> None:
    assert [wanted.prefix for wanted in parse_query("migra*")] == [True]
    assert says("migra*", "migrations")
    assert not says("migra", "migrations")
    assert places("mig*", "A migration, then migrations.") == [1, 3]
    assert not says("run_mig*", "rerun migrations")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("a build step", [1]),
        ("a build stepper here, build steps", [1, 4]),
        ("a build", []),
        ("step build", []),
        ("build a step", []),
        ("rebuild step", []),
    ],
)
def test_a_phrase_whose_last_word_may_go_on(text: str, found: list[int]) -> None:
    assert SearchTerm((("build", "step"),), phrase=True, prefix=True).places(QueryWords(text)) == found


def test_a_phrase_of_three_words_whose_last_may_go_on() -> None:
    wanted = SearchTerm((("a", "build", "step"),), phrase=True, prefix=True)
    assert wanted.places(QueryWords("a build steps a plan steps a build")) == [0]
    assert wanted.is_in(QueryWords("a build steps"))
    assert not wanted.is_in(QueryWords("a build plan steps"))


def test_a_name_is_found_as_it_is_written_in_its_parts_and_as_one_word() -> None:
    assert says("rateLimit", "The rate limit is 3.")
    assert says("rateLimit", "The rateLimit is 3.")
    assert says("rate_limit", "The rateLimit is 3.")
    assert not says("rateLimit", "The limit is 3.")


def test_a_term_says_each_of_its_words_in_any_way() -> None:
    wanted = SearchTerm((("rate", "limit"), ("ratelimit",)), prefix=True)
    assert [word for word in ("rate", "rates", "limit", "limits", "ratelimits", "late") if wanted.has_word(word)] == [
        "rate",
        "limit",
        "limits",
        "ratelimits",
    ]
    exact = SearchTerm((("rate", "limit"),))
    assert exact.size == 9
    assert exact.has_word("limit")
    assert not exact.has_word("limits")
