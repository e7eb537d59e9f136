"""Compactions kept and restored, on both databases."""

from __future__ import annotations

import hashlib
import zlib
from itertools import pairwise
from pathlib import Path

import pytest
from msgspec.structs import replace
from sqlalchemy import delete, func, select, update

from compactor_cli import api
from compactor_cli.archive.manifest import find_entry, original_bytes, session_keys
from compactor_cli.archive.stored import archive
from compactor_cli.archive.stored.rounds import history
from compactor_cli.db.tables import compactions, objects, pieces
from compactor_cli.errors import NotKeptError, StoreError
from compactor_cli.model.archived import FoundCompaction
from compactor_cli.strategies import STRATEGIES
from tests.builders import jsonl, user
from tests.db.sessions import compact_file, noise, plain_compaction, restore_bytes
from tests.drawing import draw_items
from tests.pipeline.sessions import long_session

pytestmark = pytest.mark.one_test_in(3)

FOLDER = Path(__file__).resolve().parents[3] / "shared" / "transcripts"
REAL = (
    "claude-code/2026-01-27-3cd520f7-d4af-469f-97ac-bcad4933d9d4.jsonl",
    "codex/019f15f7-b472-7bc3-8651-5547781e25cf.jsonl",
    "openai-long/derived-pi-pi-mono/large-session.jsonl",
)
SAMPLES = sorted((Path(__file__).resolve().parents[2] / "sample_transcripts").glob("*.jsonl"))


def size(database):
    with database.read() as connection:
        return archive.archive_size(connection)


def found(database, data, keys=()):
    with database.read() as connection:
        return archive.find_compaction(connection, data, keys)


def parts_of(data, number):
    """A file in parts of about as many lines."""
    lines = data.splitlines(keepends=True)
    borders = [len(lines) * part // number for part in range(number + 1)]
    return [b"".join(lines[start:end]) for start, end in pairwise(borders)]


@pytest.mark.drawn(16)
@pytest.mark.parametrize("strategy", sorted(STRATEGIES))
def test_every_sample_comes_back_byte_for_byte(database, strategy):
    for path in draw_items(SAMPLES, 4, strategy):
        done = compact_file(path.read_bytes(), strategy=strategy, target_ratio=0.6)
        kept = done.keep(database)
        assert restore_bytes(database, kept) == done.data
        with database.read() as connection:
            assert archive.manifest(connection, kept) == done.manifest


@pytest.mark.drawn(12)
@pytest.mark.skipif(not FOLDER.is_dir(), reason="the folder of real transcripts is not here")
@pytest.mark.parametrize("name", REAL, ids=lambda name: name.partition("/")[0])
@pytest.mark.parametrize("strategy", ["adaptive", "rolling"])
def test_five_rounds_of_a_growing_session_restore_every_earlier_state(database, name, strategy):
    output, done, ids = b"", [], []
    for number, more in enumerate(parts_of((FOLDER / name).read_bytes(), 5)):
        done.append(compact_file(output + more, strategy=strategy, target_ratio=0.3))
        ids.append(done[-1].keep(database, at=1_000.0 + number))
        output = done[-1].output
    assert all(one.manifest.changed for one in done)
    assert [restore_bytes(database, kept) for kept in ids] == [one.data for one in done]
    with database.read() as connection:
        assert [one.id for one in archive.compaction_chain(connection, ids[-1])] == ids
        for kept, one in zip(ids, done, strict=True):
            found = archive.find_compaction(connection, one.output)
            assert found is not None
            assert found.id == kept
            assert archive.manifest(connection, kept).removed == one.manifest.removed
        rounds = history(connection, ids=ids[-1:])
    assert [past.compaction for past in rounds] == ids
    assert [past.round.round for past in rounds] == [1, 2, 3, 4, 5]
    assert len({past.session for past in rounds}) == 1
    for kept, one in zip(ids, done, strict=True):
        again = api.load(restore_bytes(database, kept), tokenizer="chars", format=one.manifest.format)
        for entry in one.manifest.removed:
            if entry.marked:
                assert original_bytes(again, find_entry(one.manifest.removed, entry.reference))


def test_a_second_compaction_of_the_same_file_stores_nothing_more(database):
    data = jsonl(*long_session(200))
    compact_file(data, target_ratio=0.5).keep(database)
    once = size(database)
    second = compact_file(data, target_ratio=0.2).keep(database)
    assert (size(database).pieces, size(database).stored) == (once.pieces, once.stored)
    assert size(database).compactions == 2
    assert restore_bytes(database, second) == data


def test_a_session_that_grew_stores_little_more(database):
    records = long_session(200)
    compact_file(jsonl(*records[:-20]), target_ratio=0.5).keep(database)
    once = size(database)
    compact_file(jsonl(*records), target_ratio=0.5).keep(database)
    assert size(database).stored - once.stored < once.stored * 0.3


def test_how_a_file_belongs_to_a_compaction(database):
    one = plain_compaction(b"first\nsecond\nthird\n", b"short\nthird\n", session="s-1")
    kept = one.keep(database)
    assert found(database, one.output) == FoundCompaction(kept, "output")
    assert found(database, one.data) == FoundCompaction(kept, "input")
    assert found(database, one.output + b"more\n") == FoundCompaction(kept, "begins")
    assert found(database, b"other\n") is None
    assert found(database, b"other\n", ("id:openai-chat:s-2",)) is None
    assert found(database, b"other\n", ("id:x:y", "id:openai-chat:s-1")) == FoundCompaction(kept, "session")


def test_a_file_belongs_to_the_newest_compaction_of_its_session_and_to_no_other_session(database):
    ids = [plain_compaction(noise(50, at), b"%d" % at, session=f"s-{at % 2}").keep(database) for at in range(4)]
    assert found(database, b"other\n", ("id:openai-chat:s-0",)) == FoundCompaction(ids[2], "session")
    assert found(database, b"other\n", ("id:openai-chat:s-1",)) == FoundCompaction(ids[3], "session")


def test_a_text_with_marks_belongs_to_the_newest_compaction_that_left_them(database):
    done = compact_file(jsonl(*long_session()), strategy="rolling", target_ratio=0.3)
    ids = [done.keep(database, at) for at in (10.0, 20.0)]
    plain_compaction(b"abc", b"a").keep(database, at=30.0)
    marked, unmarked = (
        next(one.digest[:8] for one in done.manifest.removed if one.marked == wanted) for wanted in (True, False)
    )

    def by_marks(*references):
        with database.read() as connection:
            return archive.find_by_marks(connection, references)

    assert by_marks("00000000", marked) == FoundCompaction(ids[1], "marks")
    assert by_marks(unmarked) is None, "no mark leads to it"
    assert by_marks() is None


def test_of_several_compactions_with_the_same_output_the_newest_that_changed_something_counts(database):
    output = b"the same\n"
    ids = [plain_compaction(noise(50, seed), output).keep(database, at) for seed, at in ((1, 10.0), (2, 20.0))]
    assert found(database, output).id == ids[1]
    assert found(database, output + b"more").id == ids[1]
    longer = plain_compaction(noise(50, 3), output + b"mo").keep(database)
    assert found(database, output + b"more").id == longer


def test_an_unchanged_file_is_noted_once_and_only_when_it_is_not_known(database):
    same = compact_file(jsonl(user("Hello."), user("Bye.")), target_tokens=500)
    assert not same.manifest.changed
    kept = same.keep(database)
    assert same.keep(database) == kept
    assert (size(database).pieces, size(database).kept) == (0, 0)
    changed = plain_compaction(noise(400, 1), same.data).keep(database)
    assert same.keep(database) == changed
    assert found(database, same.data).id == changed


def test_the_state_of_a_file_that_was_left_alone_comes_back_once_it_has_grown_and_was_compacted(database):
    records = long_session(30)
    small, larger = jsonl(*records[:3]), jsonl(*records[:5])
    first, second = (compact_file(data, target_tokens=1_000) for data in (small, larger))
    ids = [first.keep(database), second.keep(database)]
    with pytest.raises(NotKeptError) as refused:
        restore_bytes(database, ids[0])
    assert str(refused.value) == (
        f"compaction {ids[0]} changed nothing, so its input was not stored: the file itself is the original "
        f"({len(small):,} bytes, SHA-256 {hashlib.sha256(small).hexdigest()})"
    )
    last = compact_file(jsonl(*records), target_tokens=1_000)
    ids.append(last.keep(database))
    assert [restore_bytes(database, kept) for kept in ids] == [small, larger, last.data]
    with database.read() as connection:
        assert [one.id for one in archive.compaction_chain(connection, ids[-1])] == ids


def test_whether_the_output_was_written_is_known_once_it_is_confirmed(database):
    kept = plain_compaction(b"abc", b"a").keep(database)
    with database.write() as connection:
        assert not archive.get_compaction(connection, kept).written
        archive.confirm(connection, kept)
    with database.read() as connection:
        one = archive.get_compaction(connection, kept)
        assert (one.written, one.kept, one.changed, one.at, one.used) == (True, True, True, 1_000.0, 1_000.0)
        assert archive.newest_compactions(connection) == [one]


def test_restoring_is_noted(database):
    kept = plain_compaction(b"abc", b"a").keep(database)
    restore_bytes(database, kept, at=5_000.0)
    with database.read() as connection:
        assert archive.get_compaction(connection, kept).used == 5_000.0


def test_what_is_not_there_or_damaged_is_said(database):
    kept = plain_compaction(noise(3_000, 1), b"a").keep(database)
    with pytest.raises(StoreError, match="has no compaction 77"):
        restore_bytes(database, 77)
    with database.write() as connection:
        connection.execute(update(objects).values(data=zlib.compress(b"other")))
    with pytest.raises(StoreError, match=f"a piece of compaction {kept} is damaged"):
        restore_bytes(database, kept)
    with database.write() as connection:
        connection.execute(update(compactions).values(removed=b"\x00"))
    with pytest.raises(StoreError, match="manifest of compaction"), database.read() as connection:
        archive.manifest(connection, kept)


def test_pieces_that_went_missing_are_noticed(database):
    kept = plain_compaction(noise(3_000, 1), b"a").keep(database)
    with database.write() as connection:
        connection.execute(delete(pieces).where(pieces.c.position == 1))
    with pytest.raises(StoreError, match="no longer make up its input"):
        restore_bytes(database, kept)


def test_a_compaction_is_one_transaction(database):
    done = compact_file(jsonl(*long_session()), target_ratio=0.5)
    broken = replace(done.manifest, rounds=(done.manifest.rounds[0],) * 2)  # two rounds of the same conversation
    with pytest.raises(StoreError), database.write() as connection:
        archive.keep(connection, broken, done.pieces, 1_000.0)
    with database.read() as connection:
        for table in (compactions, objects):
            assert connection.execute(select(func.count()).select_from(table)).scalar_one() == 0


def test_bytes_that_are_not_the_input_are_not_kept(database):
    done = plain_compaction(b"abc", b"a")
    with pytest.raises(AssertionError), database.write() as connection:
        archive.keep(connection, done.manifest, [b"abd"], 1_000.0)


def test_paths_and_ids_that_a_database_refuses_are_kept_without_what_it_refuses(database):
    done = plain_compaction(b"abc", b"a", session="s\0\udc80", summary="a\0b \udc80")
    kept = done.keep(database)
    with database.read() as connection:
        (past,) = history(connection, ids=[kept])
    assert past.round.summary.startswith("a\ufffdb ")


def test_the_session_id_of_a_format_finds_the_session(database):
    (path,) = [one for one in SAMPLES if one.name == "claude-code.jsonl"]
    source = api.load(path.read_bytes(), tokenizer="chars")
    kept = compact_file(path.read_bytes(), target_ratio=0.5).keep(database)
    assert found(database, b"{}", session_keys(source)) == FoundCompaction(kept, "session")
