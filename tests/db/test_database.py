"""Opening, schemas and transactions, on both databases."""

from __future__ import annotations

from compactor_cli.db.database import open_database, open_existing, version_of
from compactor_cli.db.tables import HEAD


def test_a_new_database_has_the_newest_schema(database):
    with database.read() as connection:
        assert version_of(connection) == HEAD


def test_nothing_is_made_by_looking(url):
    assert open_existing(url) is None
    assert open_existing(url) is None
    open_database(url).close()
    there = open_existing(url)
    assert there is not None
    there.close()
