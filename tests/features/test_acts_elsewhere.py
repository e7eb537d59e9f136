"""Programs that act elsewhere, called by tools that are named after them, and statements of SQL."""

from __future__ import annotations

from typing import Any

import pytest

from tests.features.working import Session


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("kubectl", {"args": "-n shop get pods"}),
        ("kubectl", {"args": "-n shop rollout history deploy/web"}),
        ("kubectl", {"args": "apply -f web.yaml --dry-run=server"}),
        ("kubectl", {"args": "logs deploy/web | grep delete"}),
        ("gcloud", {"args": "config configurations create shop"}),
        ("gcloud", {"args": "compute instances list --filter create"}),
        ("az", {"args": "vm show -n update"}),
        ("kubectl_docs", {"args": "apply -f web.yaml"}),
        ("docker", {"command": "push now", "container": "web"}),
        ("apply", {"args": "web"}),
        ("helm_chart_search", {"args": "upgrade"}),
        ("kubectl", {"args": {"verb": "delete"}}),
    ],
)
def test_what_only_looks_or_is_no_command_line_is_not_told(tool: str, arguments: dict[str, Any]) -> None:
    assert Session().calls(tool, "Done.", **arguments).texts() == []


@pytest.mark.parametrize(
    ("tool", "arguments", "said", "told"),
    [
        (
            "psql",
            {"db": "shop", "sql": "alter table orders add column big bigint;"},
            "ALTER TABLE",
            "psql shop alter table orders add column big bigint",
        ),
        (
            "execute_sql",
            {"query": "UPDATE orders SET paid = true WHERE id = 3"},
            "UPDATE 1",
            "execute_sql UPDATE orders SET paid = true WHERE id = 3",
        ),
        ("query", {"sql": "-- tidy up\nDELETE FROM carts"}, '{"rowCount": 7}', "query DELETE FROM carts"),
        (
            "run_db_query",
            {"backend": "shop", "query": "grant select on orders to anna"},
            "GRANT",
            "run_db_query shop grant select on orders to anna",
        ),
        (
            "psql",
            {"sql": "create function f() returns int as $$ begin delete from a; end $$"},
            "CREATE FUNCTION",
            "psql create function f() returns int as …",
        ),
        (
            "db",
            {"sql": "with old as (select 1) delete from carts using old"},
            "ok",
            "db with old as (select 1) delete from carts using old",
        ),
        (
            "bash",
            {"command": 'psql "postgres://u:pw@h/shop?x=1" -c "truncate carts"'},
            "TRUNCATE TABLE",
            "psql shop truncate carts",
        ),
    ],
)
def test_statements_that_change_something_are_told(tool: str, arguments: dict[str, Any], said: str, told: str) -> None:
    assert Session().calls(tool, said, **arguments).texts() == [told]


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("psql", {"sql": "select * from updates where note = 'x; drop table y'"}),
        ("psql", {"sql": "explain analyze update orders set a = 1"}),
        ("psql", {"sql": "begin; update orders set a = 1; rollback;"}),
        ("psql", {"sql": "set role anna; reset role"}),
        ("psql", {"sql": "create temp table t (a int)"}),
        ("psql", {"sql": "with new as (select 1) select * from new"}),
        ("psql", {"sql": "/* delete from orders */ select 1"}),
        ("web_search", {"query": "drop table lamp"}),
        ("run_query", {"query": "update on the delete from command"}),
        ("run_query", {"query": "create a table for two"}),
        ("ask", {"query": "insert into what?"}),
        ("translate", {"text": "delete from orders"}),
    ],
)
def test_statements_that_change_nothing_are_not_told(tool: str, arguments: dict[str, Any]) -> None:
    assert Session().calls(tool, "ok", **arguments).texts() == []


def test_a_statement_that_failed_is_told_until_it_succeeds() -> None:
    makes = "create subscription s connection 'host=a' publication p"
    session = Session().calls("psql", 'ERROR:  relation "x" does not exist', db="shop", sql=makes)
    (failed,) = session.texts()
    assert failed == f'failed: psql shop {makes}: ERROR: relation "x" does not exist'
    other = session.calls("psql", "CREATE SUBSCRIPTION", db="copy", sql=makes).texts()
    assert other == [f"psql copy {makes}", failed]
    session.calls("psql", "CREATE SUBSCRIPTION", db="shop", sql=makes.replace("publication p", "publication q"))
    assert failed not in session.texts()


def test_of_several_statements_the_one_is_told_that_failed() -> None:
    session = Session().calls(
        "psql", "CREATE TABLE\nERROR:  permission denied", sql="create table a (x int); drop table b; drop table c"
    )
    assert session.texts() == ["failed: psql drop table b: ERROR: permission denied"]


def test_statements_in_the_body_of_a_trigger_are_not_told_as_done() -> None:
    body = "create trigger t before insert on a for each row begin delete from b; delete from c; end"
    assert Session().calls("mysql", "ok", query=body).texts() == []


def test_lines_for_the_client_are_no_part_of_a_statement() -> None:
    script = "\\set ON_ERROR_STOP on\n\\timing\ndrop table a;"
    assert Session().runs(f"psql shop <<EOF\n{script}\nEOF", "DROP TABLE").texts() == ["psql shop drop table a"]


def test_a_statement_that_failed_in_an_earlier_round_is_made_up_for() -> None:
    failed = "failed: psql shop create index by_day on orders: ERROR: permission denied"
    assert Session().texts(earlier=[failed]) == [failed]
    session = Session().calls("psql", "CREATE INDEX", db="shop", sql="create index by_day on orders (day)")
    assert session.texts(earlier=[failed]) == ["psql shop create index by_day on orders (day)"]
