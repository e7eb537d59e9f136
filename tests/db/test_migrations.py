"""Schemas: each earlier version becomes the newest one by itself and keeps its rows; a newer one is refused."""

from __future__ import annotations

from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory

from compactor_cli.db import migrations
from compactor_cli.db.database import migrate, open_database, open_existing, version_of
from compactor_cli.db.tables import HEAD, metadata
from compactor_cli.errors import StoreError
from compactor_cli.memory.stored.memories import search_memories

pytestmark = pytest.mark.one_test_in(2)

SCRIPTS = ScriptDirectory(str(Path(migrations.__file__).parent))
REVISIONS = [script.revision for script in reversed(list(SCRIPTS.walk_revisions()))]
EARLIER = REVISIONS[:-1]
SEARCH = ("memories_fts", "memory_vectors", "compactor_schema")
"""Tables of the full text search, of which each database has only its own, and that of the version."""


def empty_then(url, revision):
    """A database whose schema is that of an earlier version."""
    opened = open_database(url)
    with opened.write() as connection:
        _drop_all(connection)
        migrate(connection, revision)
    return opened


def _drop_all(connection):
    for trigger in ("memories_added", "memories_gone", "memories_changed"):
        if connection.dialect.name == "sqlite":
            connection.execute(sa.text(f"DROP TRIGGER IF EXISTS {trigger}"))
    if connection.dialect.name == "sqlite":
        connection.execute(sa.text("DROP TABLE IF EXISTS memories_fts"))
    metadata.drop_all(connection)
    connection.execute(sa.text("DROP TABLE compactor_schema"))


def fill(connection):
    """One row in every table that is there; returns the rows by table."""
    reflected = sa.MetaData()
    reflected.reflect(connection, only=lambda name, _: not name.startswith(SEARCH))
    for table in reflected.sorted_tables:
        connection.execute(table.insert().values({c.name: _value(c) for c in table.columns if c.computed is None}))
    return rows(connection, reflected)


def rows(connection, tables):
    found = {}
    for table in tables.sorted_tables:
        columns = [column for column in table.columns if column.computed is None]
        found[table.name] = [tuple(row) for row in connection.execute(sa.select(*columns))]
    return found


def without_terms(row):
    """A memory without its last column: what is searched is made anew of the text."""
    return row[:-1]


def test_memories_of_an_earlier_schema_are_found_by_other_forms_of_their_words(url):
    opened = empty_then(url, "0002")
    said = {"id": 1, "digest": "ab", "text": "The user is trading options.", "category": "fact", "importance": 50.0}
    said |= {"confidence": 0.5, "created": 1.0, "uses": 0, "pinned": False, "terms": "the user is trading option"}
    with opened.write() as connection:
        connection.execute(sa.insert(metadata.tables["memories"]), [said])
        if connection.dialect.name == "postgresql":
            words = "'the':1 'user':2 'is':3 'trading':4 'option':5"
            connection.execute(
                sa.text("INSERT INTO memory_vectors VALUES (1, CAST(:words AS tsvector))"), {"words": words}
            )
    opened.close()
    opened = open_database(url)
    with opened.read() as connection:
        assert [hit.memory.text for hit in search_memories(connection, "who trades", limit=5, now=1.0)] == [
            said["text"]
        ]
    opened.close()


def _value(column):
    if column.name == "previous":
        return None
    kinds = {int: 1, float: 1.5, bool: True, bytes: b"\x00kept", str: f"kept {column.name}"}
    return kinds[column.type.python_type]


def test_the_revisions_are_one_line_that_ends_at_the_newest():
    assert REVISIONS[-1] == HEAD
    assert sorted(REVISIONS) == REVISIONS
    assert len(EARLIER) >= 1


@pytest.mark.parametrize("revision", EARLIER)
def test_an_earlier_schema_becomes_the_newest_and_keeps_its_rows(url, revision):
    opened = empty_then(url, revision)
    with opened.write() as connection:
        before = fill(connection)
        assert version_of(connection) == revision
    opened.close()
    opened = open_database(url)
    with opened.read() as connection:
        assert version_of(connection) == HEAD
        reflected = sa.MetaData()
        reflected.reflect(connection, only=list(before))
        after = rows(connection, reflected)
        assert [without_terms(row) for row in after.pop("memories", [])] == [
            without_terms(row) for row in before.pop("memories", [])
        ]
        assert after == before
    opened.close()


@pytest.mark.parametrize("revision", [*EARLIER, HEAD])
def test_what_migrations_make_is_what_the_tables_say(url, revision):
    opened = empty_then(url, revision)
    opened.close()
    opened = open_database(url)
    with opened.read() as connection:
        differences = compare_metadata(MigrationContext.configure(connection), metadata)
    opened.close()
    assert [d for d in differences if not any(name in repr(d) for name in SEARCH)] == []


def test_a_migration_that_fails_leaves_the_schema_as_it_was(url):
    opened = empty_then(url, EARLIER[0])
    with opened.write() as connection:
        connection.execute(sa.text("CREATE TABLE memory_tags (in_the_way INTEGER)"))
    opened.close()
    with pytest.raises(StoreError):
        open_database(url)
    # the table that is in the way is gone: now it works, and nothing of the first attempt was left behind
    engine = opened.engine
    with engine.begin() as connection:
        assert version_of(connection) == EARLIER[0]
        connection.execute(sa.text("DROP TABLE memory_tags"))
    engine.dispose()
    open_database(url).close()


@pytest.mark.parametrize("look", [open_database, open_existing])
def test_a_newer_schema_is_refused_and_left_alone(url, look):
    opened = open_database(url)
    with opened.write() as connection:
        connection.execute(sa.text("UPDATE compactor_schema SET version_num = '9999'"))
    opened.close()
    with pytest.raises(StoreError, match=r"9999 is newer than .*update compactor"):
        look(url)
    with opened.engine.connect() as connection:
        assert version_of(connection) == "9999"
    opened.engine.dispose()


def test_the_database_of_another_program_is_said_to_be_one(url):
    opened = open_database(url)
    with opened.write() as connection:
        connection.execute(sa.text("UPDATE compactor_schema SET version_num = 'a1b2c3'"))
    opened.close()
    with pytest.raises(StoreError, match="'a1b2c3' is not one of compactor's; name another database"):
        open_database(url)


def test_a_database_that_another_program_migrates_is_no_trouble(url):
    opened = open_database(url)
    with opened.write() as connection:
        connection.execute(sa.text("CREATE TABLE alembic_version (version_num VARCHAR(32))"))
        connection.execute(sa.text("INSERT INTO alembic_version VALUES ('0001abc')"))
    opened.close()
    again = open_database(url)
    with again.read() as connection:
        assert version_of(connection) == HEAD
        assert connection.execute(sa.text("SELECT version_num FROM alembic_version")).scalar() == "0001abc"
    again.close()
