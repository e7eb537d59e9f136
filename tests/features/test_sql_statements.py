"""Statements of SQL: what surely was carried out is told, and nothing else."""

from __future__ import annotations

import time
from typing import Any

import pytest

from compactor_cli.features.work.sql_statements import sql_changes
from tests.features.working import Session

DROP = "drop table quays"


def _told(script: str, said: str = "ok") -> list[str]:
    return [text.removeprefix("execute_sql ") for text in Session().calls("execute_sql", said, sql=script).texts()]


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("tavily", {"query": "Create user story for login"}),
        ("google", {"query": "create database migration in Django"}),
        ("rag_query", {"query": "delete from cart button is broken"}),
        ("retrieve", {"query": "merge into main"}),
        ("recall", {"query": "drop table lamp"}),
        ("jira_jql", {"query": "update users set up"}),
        ("splunk", {"statement": "delete from index"}),
        ("db_docs", {"query": "grant access to anna"}),
        ("search_database", {"query": DROP}),
        *((f"{word}_sql", {"sql": DROP}) for word in ("format", "lint", "validate", "parse", "explain", "translate")),
        *((f"sql_{word}", {"sql": DROP}) for word in ("convert", "beautify", "build", "check", "plan", "preview")),
    ],
)
def test_of_a_tool_that_carries_out_no_statements_none_is_told(tool: str, arguments: dict[str, Any]) -> None:
    assert Session().calls(tool, "ok", **arguments).texts("effect") == []


@pytest.mark.parametrize(
    "tool", ["psql", "mcp__shop__postgres_query", "MySQL", "bigquery_query", "execute_db_statement"]
)
def test_a_tool_of_a_database_carries_out_its_query(tool: str) -> None:
    assert Session().calls(tool, "ok", query=DROP).texts() == [f"{tool.rpartition('__')[2]} {DROP}"]


def test_a_statement_that_only_comes_back_is_not_told() -> None:
    assert _told("DROP TABLE QUAYS", "DROP TABLE\n  QUAYS") == []


@pytest.mark.parametrize(
    "said",
    ["", "[]", "{}", "OK", "DELETE 3", "Query OK, 3 rows affected (0.01 sec)", "3 rows affected", '{"success": true}',
     '{"rowCount": 3}', " msg\n-----\n ERROR: disk full\n(1 row)\n\nDELETE 3"],
)  # fmt: skip
def test_what_a_result_confirms_is_told_as_done(said: str) -> None:
    assert _told("delete from quays returning msg", said) == ["delete from quays returning msg"]


@pytest.mark.parametrize(
    "said",
    ["This is destructive. Call again with confirm=true.", "Only SELECT queries are allowed.", "would process 12 GB",
     "valid", "DELETE 0", "0 rows affected", '{"rowCount": 0}', "Query OK, 0 rows affected", "UPDATE 3", "id\n--\n 7",
     '[{"type": "text", "text": "Query was refused"}]', "DELETE 3\nROLLBACK", '{"id": "q-1"}'],
)  # fmt: skip
def test_what_a_result_does_not_confirm_is_told_neither_as_done_nor_as_failed(said: str) -> None:
    assert _told("delete from quays", said) == []


@pytest.mark.parametrize(
    "said",
    ["error: no such relation", "Error: locked", "psql: error: connection refused", "ORA-00942: table does not exist",
     "Msg 208, Level 16, State 1", "SQL compilation error:\nno object", 'near "x": syntax error',
     "You have an error in your SQL syntax; check it", "cannot execute DELETE in a read-only transaction",
     "Query failed: permission denied", '{"status": "error", "message": "locked"}', '{"error": "locked"}',
     "sqlite3.OperationalError: locked"],
)  # fmt: skip
def test_what_plainly_failed_is_told_so(said: str) -> None:
    (told,) = _told("delete from quays", said)
    assert told.startswith("failed: execute_sql delete from quays: ")


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("drop table if exists quays", 'NOTICE:  table "quays" does not exist, skipping\nDROP TABLE'),
        ("drop table if exists quays", "Query OK, 0 rows affected, 1 warning (0.01 sec)"),
        ("delete from quays returning msg", "msg\n-----\nERROR: disk full"),
        ("begin; insert into quays values (1); commit", "BEGIN\nINSERT 0 1\nERROR:  deferred constraint"),
    ],
)
def test_a_tag_alone_is_no_proof(script: str, said: str) -> None:
    assert _told(script, said) == []


@pytest.mark.parametrize(
    "script",
    [
        "insert into a values ('it\\'s; drop table b; ok')",
        "insert into a values (E'it\\'s; drop table b; --')",
        "select 1 # it's\n; drop table b",
        "/* a /* b */ drop table b; */ select 1",
        "select [a;drop table b;c] from x",
        "drop table b; select 'open",
        "drop table b; /* open",
        "drop table b; do $$ open",
        "create procedure p as\ndelete from a;\ndelete from b",
        "alter procedure p as\ndelete from a;\ndelete from b",
        "create rule r as on delete to a do instead delete from b; delete from c",
        "create definer=x trigger t after insert on a for each row begin delete from b; delete from c; end",
        "create event e on schedule every 1 day do delete from b; delete from c",
        "if 1 = 0 begin delete from a; delete from b; end",
        "declare x int; begin delete from a; delete from b; end",
        "with d as (select 1 from logs where note like '%delete from cart%') select * from d",
        'with d as (select "delete from cart") select * from d',
        "with d as (select 1 /* then delete from t */) select * from d",
        "copy a from stdin;\n1\tx;drop table b;\n\\.\n",
    ],
)
def test_of_a_script_that_is_not_surely_understood_nothing_is_told(script: str) -> None:
    assert _told(script) == []


@pytest.mark.parametrize(
    ("script", "told"),
    [
        ("begin; delete from a", []),
        ("begin transaction; delete from a; select 1", []),
        ("begin tran; delete from a; rollback tran", []),
        ("begin; delete from a; rollback and no chain", []),
        ("begin; delete from a; rollback to savepoint s; commit", []),
        ("set autocommit=0; delete from a", []),
        ("begin; delete from a; commit", ["delete from a"]),
        ("begin; delete from a; commit; begin; delete from b", []),
        ("start transaction; delete from a; end; drop table b", ["drop table b", "delete from a"]),
        ("delete from a; commit", ["delete from a"]),
    ],
)
def test_of_a_transaction_only_what_is_committed_is_told(script: str, told: list[str]) -> None:
    assert _told(script) == told


@pytest.mark.parametrize(
    ("failed", "later", "is_over"),
    [
        ("update a set x = 1 where id = 1", "update a set x = 1 where id = 2", False),
        ("update a set x = 1 where id = 1", "UPDATE a\nSET x = 1 WHERE id = 1", True),
        ("update a set x = 1 where key = 'b'", "update a set x = 1 where key = 'c'", False),
        ("insert into a values (1)", "insert into a values (2)", False),
        ("insert into a values (1)", "insert into a values (1);", True),
        ("delete from a where id = 1", "delete from a where id = 2", False),
        ("grant select on a to ann", "grant delete on b to ann", False),
        ("alter table a enable row level security", "alter table a owner to bob", False),
        ("alter table a add x int", "alter table a alter column x type text", False),
        ("alter table a add constraint fk check (b > 0)", "alter table a add constraint uq unique (d)", False),
        ("create table a (b int)", "create table if not exists a (b int, c int)", True),
    ],
)
def test_a_failure_is_made_up_for_by_the_same_only(failed: str, later: str, is_over: bool) -> None:
    tag = {"insert": "INSERT 0 1", "update": "UPDATE 1", "delete": "DELETE 1"}.get(later[:6].lower(), "OK")
    session = Session().calls("psql", "ERROR: locked", sql=failed).calls("psql", tag, sql=later)
    assert any(text.startswith("failed: ") for text in session.texts()) == (not is_over)


@pytest.mark.parametrize(
    "script",
    [
        "create user ann with password 'hunter2'",
        "alter user ann identified by 'hunter2'",
        "alter user ann identified by hunter2",
        "update users set api_key = 'hunter2'",
        "create subscription s connection 'host=a password=hunter2' publication p",
        "insert into users values ('hunter2')",
    ],
)
def test_no_secret_is_told(script: str) -> None:
    (told,) = _told(script)
    assert "hunter2" not in told
    assert "hunter2" not in "".join(_told(script, "ERROR: locked"))


def test_two_clients_in_a_command_share_their_results() -> None:
    command = "psql shop -c 'delete from a'; psql shop -c 'delete from b'"
    assert Session().runs(command, "ERROR:  locked\nDELETE 2").texts("effect") == []
    told = ["psql shop delete from b", "psql shop delete from a"]
    assert Session().runs(command, "DELETE 3\nDELETE 2").texts() == told


@pytest.mark.parametrize(
    "script",
    ["/* " * 6_600, "".join(f"${at}x" for at in range(3_500)), "'" * 19_999, "insert " + " " * 19_900,
     "create " + "function " * 2_200, " \\ " * 6_600, "update a set x='" + "key" * 6_600 + "'",
     "with " + "a update " * 2_200, "drop table a;" * 100_000],
)  # fmt: skip
def test_a_hostile_script_is_read_in_no_time(script: str) -> None:
    begin = time.process_time()
    sql_changes(script)
    assert time.process_time() - begin < 1
