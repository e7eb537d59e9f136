"""Every real session by every strategy (one in three by a strategy that is drawn, without --everything): what was
compacted comes back byte for byte, and so does each original.

The folder is not part of this project; the tests skip where it is absent.
"""

from __future__ import annotations

import re

import pytest

from compactor_cli import api
from compactor_cli.archive.manifest import cut_chunks, find_entry, make_manifest_of, original_bytes
from compactor_cli.archive.stored import archive
from compactor_cli.db.database import open_database
from compactor_cli.errors import BudgetError, InputError
from compactor_cli.settings import Settings
from compactor_cli.strategies import STRATEGIES
from tests.drawing import draw_items
from tests.test_real_transcripts import FILES, SMALL, _name

pytestmark = pytest.mark.skipif(not FILES, reason="the folder of real transcripts is not here")
REFERENCE = re.compile(rb"ctx_[0-9a-f]{8,}")
MOST = 40
"""References of an output that are followed."""


@pytest.fixture(scope="module")
def filled(tmp_path_factory):
    """One database for all of them."""
    opened = open_database(str(tmp_path_factory.mktemp("archive") / "store.sqlite3"))
    yield opened
    opened.close()


def there_and_back(database, source, strategy):
    """Compact, keep, restore, and follow the references of the output."""
    try:
        result = api.compact(source, Settings(strategy=strategy, target_ratio=0.25), tokenizer="chars")
    except BudgetError:
        return
    manifest = make_manifest_of(source, result.data, result.parts, "out.jsonl", "chars")
    with database.write() as connection:
        archive.keep(connection, manifest, cut_chunks(source), 0.0)
        found = archive.find_compaction(connection, result.data)
        assert found is not None
        chosen = archive.get_compaction(connection, found.id)
        back = archive.restore(connection, found.id, 0.0) if chosen.changed else source.stored
        removed = archive.manifest(connection, found.id).removed
    assert back == source.stored
    assert chosen.changed or result.data == source.data
    earlier = set(REFERENCE.findall(source.data))
    for name in sorted(set(REFERENCE.findall(result.data)) - earlier)[:MOST]:
        assert original_bytes(source, find_entry(removed, name.decode()))


def read(path):
    try:
        return api.load(path.read_bytes(), str(path), tokenizer="chars", skip_damaged=True)
    except InputError:
        pytest.skip("a format of another tool")


@pytest.mark.drawn(35)
@pytest.mark.parametrize("path", FILES, ids=_name)
def test_every_session_by_every_strategy(path, filled):
    source = read(path)
    for strategy in draw_items(STRATEGIES, 1, _name(path)):
        there_and_back(filled, source, strategy)


@pytest.mark.drawn(13)
@pytest.mark.parametrize("path", SMALL[::4], ids=_name)
def test_some_of_them_on_both_databases(path, database):
    source = read(path)
    for strategy in draw_items(STRATEGIES, 1, _name(path)):
        there_and_back(database, source, strategy)
