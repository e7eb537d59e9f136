"""Failed calls of data bases: those that only asked leave nothing to do, those that were to act do."""

from __future__ import annotations

import pytest

from compactor_cli.features.work.call_keys import is_query
from tests.features.working import Session

_DENIED = "ERROR:  permission denied for database harbour"


@pytest.mark.parametrize(
    "statement",
    [
        "select nam from ships",
        "/* ships */ -- of today\n select nam from ships;",
        "select count(*), to_char(day, 'MM') from port.ships",
        'SELECT nam FROM "Port"."Ships" WHERE length(nam) > 3',
        "SELECT * FROM (SELECT 1) AS one",
        "SELECT nam FROM `port-1.tides.ships`",
        "select 1",
        "select 'a ship'",
        "show tables",
        "explain select 1",
        "with late as (select 1) select * from late",
    ],
)
def test_a_failed_statement_that_only_asks_is_no_open_error(statement: str) -> None:
    assert Session().calls("psql", _DENIED, sql=statement).texts("error") == []


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT my_migrate()",
        "select settle_ships('from a')",
        "SELECT pg_terminate_backend(1)",
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity",
        "SELECT * FROM move_ships()",
        "SELECT * INTO ships_old FROM ships",
        "SELECT setval('ship_id', 1) FROM ships",
        "SELECT 1; SELECT settle()",
        "with late as (select 1) select cancel_all(1) from late",
        "/* select */ vacuum ships",
        "-- select 1 from ships",
    ],
)
def test_a_failed_statement_that_may_act_is_an_open_error(statement: str) -> None:
    assert len(Session().calls("psql", _DENIED, sql=statement).texts("error")) == 1


@pytest.mark.parametrize(
    "statement",
    [
        "/* a */\n" * 20_000 + "insert",
        "-- a\n" * 20_000 + "insert",
        "/*" + "*" * 100_000,
        "select" + " " * 100_000 + "(",
        "create table ships" + " " * 100_000 + ";x",
        "select " + "from a(" * 10_000,
    ],
    ids=("comments", "line comments", "stars", "blanks", "blanks behind a name", "functions"),
)
def test_what_a_long_statement_does_is_known_at_once(statement: str) -> None:
    assert not is_query({"sql": statement})
    assert len(Session().calls("psql", _DENIED, sql=statement).texts("error")) == 1
