"""Full text search: the same hits in the same order on both databases."""

from __future__ import annotations

import random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from compactor_cli.db.database import open_database
from compactor_cli.memory.search_terms import term_text
from compactor_cli.memory.stored.memories import Filters, add_memories, search_memories
from compactor_cli.memory.stored.memory_search import ALL
from compactor_cli.model.memory import Memory
from tests.drawing import example_count, loop_step

pytestmark = pytest.mark.one_test_in(3)

NOW = 1_000_000_000.0
SAME_LOG = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=example_count(60))


def memory(text, **other):
    return Memory(**{"text": text, "category": "fact", "importance": 50.0, "confidence": 0.5, "created": NOW, **other})


def put(database, *memories):
    with database.write() as connection:
        add_memories(connection, memories, NOW)


def found(database, query, limit=10, **filters):
    with database.read() as connection:
        return [
            hit.memory.text
            for hit in search_memories(connection, query, limit=limit, now=NOW, filters=Filters(**filters))
        ]


def test_words_names_phrases_and_beginnings_find(database):
    texts = [
        "The read_timeout of the server is 30 seconds",
        "Crème brûlée for dessert",
        "東京都に行く",
        "HTTPServer fails with ECONNREFUSED 1e5 12ab -7",
        "The parser lives in net/http/parser.py since v1.2.3",
    ]
    put(database, *map(memory, texts))
    for query, text in (
        ("readTimeout", 0),
        ("READ timeouts", 0),
        ("readtimeout", 0),
        ('"timeout of the server"', 0),
        ("serv* 30", 0),
        ("creme BRULEE", 1),
        ("京都", 2),
        ("行", 2),
        ("http server", 3),
        ("econnrefused", 3),
        ("1e5", 3),
        ("12ab", 3),
        ("net/http/parser.py", 4),
        ("v1.2.3", 4),
        ("http/parser", 4),
    ):
        assert found(database, query)[0] == texts[text], query
    for query in ("", " ", '"', "*", "nothing", '"server timeout"', "eco", "'); DROP TABLE memories; --"):
        assert [text for text in found(database, query) if "DROP" not in query] == [], query


def test_what_has_all_words_comes_first_and_rare_words_count_more(database):
    put(database, *[memory(f"common stone {n}") for n in range(300)], memory("rare"), memory("common rare"))
    assert found(database, "common rare")[:2] == ["common rare", "rare"]


def test_of_very_common_words_the_newest_and_the_most_important_are_found(database):
    first = memory("common and old but important", importance=99)
    put(database, first, *[memory(f"common {n}", created=NOW - n) for n in range(3 * ALL)])
    hits = found(database, "common", limit=20)
    assert first.text in hits
    assert len(hits) == 20
    assert len(found(database, "comm*", limit=2 * ALL)) == 2 * ALL


def test_words_that_say_nothing_do_not_rank(database):
    put(
        database,
        memory("Don't use localStorage for what we do in this app.", importance=99),
        memory("Database is PostgreSQL 15"),
        memory("Die Zeitzone der Berichte ist UTC."),
    )
    assert found(database, "what database do we use")[0] == "Database is PostgreSQL 15"
    assert found(database, "welche Zeitzone ist für die Berichte")[0] == "Die Zeitzone der Berichte ist UTC."
    assert found(database, "what do we use") == ["Don't use localStorage for what we do in this app."], "all there is"
    assert found(database, '"what we do"') == ["Don't use localStorage for what we do in this app."], "in a phrase"


@pytest.mark.parametrize(
    "query", ["trade", "trades", "trading", "traded", "TRADING", "tradin*", "trad*", '"trade app"']
)
def test_forms_of_a_word_meet(database, query):
    put(database, memory("User works on a crypto trading app"), memory("Deploys are on Tuesdays"))
    assert found(database, query) == ["User works on a crypto trading app"]


def test_what_was_meant_is_marked_whatever_its_form(database):
    put(database, memory("User works on a crypto trading app"))
    with database.read() as connection:
        (hit,) = search_memories(connection, "trades", limit=5, now=NOW)
    assert [text for text, marked in hit.snippet.pieces if marked] == ["trading"]


def test_filters_hold_for_what_is_found(database):
    put(database, *[memory(f"common {n}", tags=("seven",) if n % 7 == 0 else ()) for n in range(600)])
    assert set(found(database, "common", limit=200, tag="seven")) == {f"common {n}" for n in range(0, 600, 7)}
    assert found(database, "common 14", tag="seven")[0] == "common 14"
    assert found(database, "common", tag="eight") == []


@pytest.fixture
def both(tmp_path, postgresql):
    url = postgresql.fresh()
    logs = [open_database(str(tmp_path / "log.sqlite3")), open_database(url)]
    yield logs
    for log in logs:
        log.close()
    postgresql.drop(url)


def test_both_databases_rank_alike(both):
    chance = random.Random(3)
    vocabulary = [f"word{n}" for n in range(40)] + ["read_timeout", "readTimeout", "東京都", "naïve"]
    vocabulary += ["trading", "traded", "queries", "use", "what", "the"]
    many = [
        memory(
            " ".join(chance.choices(vocabulary, weights=[1 / (n + 1) for n in range(len(vocabulary))], k=8)) + f" {n}",
            importance=chance.uniform(0, 100),
            created=NOW - chance.randrange(10_000_000),
            pinned=chance.random() < 0.02,
        )
        for n in range(3_000 // loop_step(4))
    ]
    for log in both:
        put(log, *many)
    for _ in range(60 // loop_step(4)):
        query = " ".join(
            chance.choices(
                [*vocabulary, "trade", "tradin*", "we", '"word0 word1"', "word1*", "wor*", "nowhere"],
                k=chance.randint(1, 5),
            )
        )
        answers = []
        for log in both:
            with log.read() as connection:
                hits = search_memories(connection, query, limit=15, now=NOW)
                answers.append([(hit.memory, hit.score, hit.snippet) for hit in hits])
        assert answers[0] == answers[1], query


@SAME_LOG
@given(text=st.text(max_size=200), query=st.text(max_size=100))
def test_every_word_of_any_text_finds_it_and_no_query_is_an_error(both, text, query):
    for log in both:
        with log.write() as connection:
            put_there = add_memories(connection, [memory(f"a {text}.")], NOW)
            said = (put_there.new or put_there.known)[0]
            search_memories(connection, query, limit=5, now=NOW)
            for word in set(term_text(text).split()):
                hits = search_memories(connection, word, limit=10_000, now=NOW)
                assert said in [hit.memory for hit in hits], word


@SAME_LOG
@given(query=st.text(alphabet="ab京 \"*()^:{}+-'\\&|!<>%_\0\ud800", max_size=40))
def test_what_databases_take_for_operators_is_no_error(both, query):
    for log in both:
        with log.write() as connection:
            assert len(search_memories(connection, query, limit=5, now=NOW)) <= 5


@pytest.mark.drawn(4)
@pytest.mark.parametrize(
    ("query", "there"),
    [
        ("word " * 100_000, True),
        ('"' + "word " * 1_000, False),  # a phrase
        ("x" * 1_000_000, False),
        ("a/" * 5_000, True),
        ("京" * 5_000, False),
    ],
    ids=lambda value: str(value)[:10],
)
def test_a_very_long_query_is_answered(database, query, there):
    put(database, memory("a word"))
    assert found(database, query) == (["a word"] if there else [])


def test_the_index_is_used(database):
    put(database, *[memory(f"common {n}") for n in range(5_000)])
    with database.read() as connection:
        statements = []

        def note(conn, cursor, statement, parameters, context, executemany):
            statements.append((statement, parameters))

        from sqlalchemy import event

        event.listen(connection, "before_cursor_execute", note)
        assert len(search_memories(connection, "common 4321", limit=5, now=NOW)) == 5
        event.remove(connection, "before_cursor_execute", note)
        sqlite = connection.dialect.name == "sqlite"
        explain = "EXPLAIN QUERY PLAN " if sqlite else "EXPLAIN "
        if not sqlite:
            connection.exec_driver_sql("SET LOCAL enable_seqscan = off")
        asked = [s for s in statements if ("MATCH" if sqlite else "MATERIALIZED") in s[0]]
        assert asked
        for statement, parameters in asked:
            shown = "\n".join(map(str, connection.exec_driver_sql(explain + statement, parameters)))
            assert ("VIRTUAL TABLE INDEX" if sqlite else "memory_vectors_words") in shown
            assert "SCAN memories " not in shown
            assert "Seq Scan" not in shown
