"""The same tests against SQLite and PostgreSQL: fixture `url` is the address of an empty database of each."""

from __future__ import annotations

import pytest

from compactor_cli.db.database import open_database
from tests.db.servers import server
from tests.warm import Warm


@pytest.fixture(scope="session")
def postgresql():
    """The PostgreSQL server of this test process."""
    with server() as running:
        yield running


@pytest.fixture(params=["sqlite", "postgresql"])
def fresh_url(request, tmp_path):
    """Gives the address of a further empty database each time it is called."""
    made: list[str] = []

    def fresh():
        if request.param == "sqlite":
            made.append(str(tmp_path / f"store{len(made)}" / "compactor.sqlite3"))
        else:
            made.append(request.getfixturevalue("postgresql").fresh())
        return made[-1]

    yield fresh
    for address in made if request.param == "postgresql" else ():
        request.getfixturevalue("postgresql").drop(address)


@pytest.fixture
def url(fresh_url):
    return fresh_url()


@pytest.fixture(scope="session")
def forking():
    """What `command` has its processes from."""
    warm = Warm("tests.db.warm")
    yield warm
    warm.close()


@pytest.fixture
def command(forking, tmp_path, url):
    """Run `compactor ARGS...` as a process in tmp_path, with the database at `url`."""

    def runner(*arguments, **options):
        return forking.run(*arguments, **{"cwd": tmp_path, "COMPACTOR_DATABASE_URL": url, **options})

    return runner


@pytest.fixture
def database(url):
    opened = open_database(url)
    yield opened
    opened.close()
