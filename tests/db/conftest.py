"""Run the same tests on SQLite and PostgreSQL. The fixture `url` is the address of an empty database of each."""

from __future__ import annotations

import shutil

import pytest

from compactor_cli.db.database import open_database
from tests.db.servers import server
from tests.warm import WarmProcess


@pytest.fixture(scope="session")
def postgresql():
    """The PostgreSQL server of this test process."""
    with server() as running:
        yield running


@pytest.fixture(scope="session")
def with_tables(tmp_path_factory):
    """A file of SQLite with the tables. Copying it takes no time, but making the tables does."""
    path = tmp_path_factory.mktemp("tables") / "compactor.sqlite3"
    open_database(str(path)).close()
    return path


@pytest.fixture(params=["sqlite", "postgresql"])
def fresh_url(request, tmp_path):
    """Return a function that makes another empty database, with the tables if asked, and returns its address."""
    made: list[str] = []

    def fresh(*, tables=False):
        if request.param == "sqlite":
            place = tmp_path / f"store{len(made)}" / "compactor.sqlite3"
            if tables:
                place.parent.mkdir()
                shutil.copy(request.getfixturevalue("with_tables"), place)
            made.append(str(place))
        else:
            made.append(request.getfixturevalue("postgresql").fresh(tables=tables))
        return made[-1]

    yield fresh
    for address in made if request.param == "postgresql" else ():
        request.getfixturevalue("postgresql").drop(address)


@pytest.fixture
def url(request, fresh_url):
    """The address of a database; it has the tables if the fixture `database` opens it before the test begins."""
    return fresh_url(tables="database" in request.fixturenames)


@pytest.fixture(scope="session")
def forking():
    """The process that forks the processes of `command`."""
    warm = WarmProcess("tests.db.warm")
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
