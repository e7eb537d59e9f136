"""The same tests against SQLite and PostgreSQL: fixture `url` is the address of an empty database of each."""

from __future__ import annotations

import pytest

from compactor_cli.store.database import open_database
from tests.store.servers import server


@pytest.fixture(scope="session")
def postgresql():
    """The PostgreSQL server of this test process."""
    with server() as running:
        yield running


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request, tmp_path):
    if request.param == "sqlite":
        yield str(tmp_path / "store" / "compactor.sqlite3")
        return
    running = request.getfixturevalue("postgresql")
    address = running.fresh()
    yield address
    running.drop(address)


@pytest.fixture
def database(url):
    opened = open_database(url)
    yield opened
    opened.close()
