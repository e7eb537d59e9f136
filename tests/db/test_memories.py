"""The memory log on both databases."""

from __future__ import annotations

import time

import pytest
from msgspec.structs import replace

from compactor_cli.db.database import open_database
from compactor_cli.errors import UsageError
from compactor_cli.memory.exchange import line_of, read_lines
from compactor_cli.memory.stored.memories import (
    Filters,
    add_memories,
    count_memories,
    decay_memories,
    forget_memories,
    get_memory,
    import_memories,
    list_memories,
    mark_used,
    merge_memories,
    set_pinned,
)
from compactor_cli.model.memory import CATEGORIES, Memory, MemorySource
from tests.drawing import loop_step

pytestmark = pytest.mark.one_test_in(3)

DAY = 86_400.0
NOW = 1_000 * DAY


def memory(text, at=NOW, **other):
    values = {"category": "fact", "importance": 50.0, "confidence": 0.5, **other}
    return Memory(text=text, created=at, **values)


def put(database, *memories, at=NOW):
    with database.write() as connection:
        return add_memories(connection, memories, at)


def everything(database, **options):
    with database.read() as connection:
        return list_memories(connection, **options)


SOURCE = MemorySource("a.jsonl", "session", (1, 2), ("m1", "m2"))


def test_what_is_added_comes_back_as_it_was(database):
    said = memory("Wörter 東京 😀 'quoted' \\ %", tags=("b", "a", "Ä"), sources=(SOURCE,), pinned=True)
    added = put(database, said)
    kept = replace(said, tags=("a", "b", "Ä"))
    assert (added.new, added.known) == ((kept,), ())
    assert everything(database) == [kept]


def test_what_is_said_again_is_one_memory_with_both_sources(database):
    other = MemorySource("b.jsonl", "", (7,))
    put(database, memory("The user prefers tabs", tags=("a",), sources=(SOURCE,), importance=80))
    again = memory("The  user prefers tabs.", tags=("b",), sources=(SOURCE, other), confidence=0.9)
    added = put(database, again, again, at=NOW + DAY)
    assert added.new == ()
    (kept,) = everything(database)
    assert added.known == (kept,)
    assert kept.text == "The user prefers tabs"
    assert (kept.tags, kept.sources) == (("a", "b"), (SOURCE, other))
    assert (kept.importance, kept.confidence, kept.decayed) == (80, 0.9, NOW + DAY)


def test_the_same_twice_in_one_call_is_added_once(database):
    added = put(database, memory("one", tags=("a",)), memory("two"), memory("one.", tags=("b",)))
    assert [(m.text, m.tags) for m in added.new] == [("one", ("a", "b")), ("two", ())]
    assert everything(database, order="oldest") == sorted(added.new, key=lambda m: m.digest)


def test_many_are_added_in_batches(database):
    many = [memory(f"memory number {n}", at=NOW + n, tags=("x",), sources=(SOURCE,)) for n in range(1_201)]
    assert len(put(database, *many, *many).new) == 1_201
    assert everything(database, order="oldest") == many


@pytest.mark.parametrize("text", ["a\0b", "a\ud800b", "\udfff\0 word"])
def test_what_no_database_takes_is_replaced_and_found_under_its_id(database, text):
    (kept,) = put(database, memory(text, tags=(text,), sources=(MemorySource(text, text, (), (text,)),))).new
    assert "\ufffd" in kept.text
    with database.read() as connection:
        assert get_memory(connection, kept.id) == kept
    assert put(database, memory(text)).known[0].digest == kept.digest


@pytest.mark.drawn(8)
@pytest.mark.parametrize(
    "wrong",
    [
        {"text": "x" * 1_000_000},
        {"text": "x" * 2_001},
        {"text": " \n"},
        {"text": "..."},
        {"text": "!? --"},
        {"category": "rumour"},
        {"importance": 100.1},
        {"importance": float("nan")},
        {"confidence": 2.0},
        {"created": float("inf")},
        {"uses": 2**31},
    ],
)
def test_what_cannot_be_stored_is_refused_and_nothing_is_stored(database, wrong):
    with pytest.raises(UsageError):
        put(database, memory("fine"), replace(memory("not fine"), **wrong))
    assert everything(database) == []
    put(database, memory("x" * 2_000), memory("😀" * 2_000), memory("w " * 1_000))


def test_ids_and_their_beginnings_name_one_memory(database):
    kept = put(database, *[memory(f"memory {n}") for n in range(400)]).new
    with database.read() as connection:
        assert get_memory(connection, kept[5].id) == kept[5]
        assert get_memory(connection, kept[5].digest) == kept[5]
        assert get_memory(connection, kept[5].id[4:].upper()) == kept[5]
        for wrong in ("", "mem_", "mem_abc", "zzzzzz", "%%%%", "mem_000000000000"):
            with pytest.raises(UsageError):
                get_memory(connection, wrong)


def test_an_ambiguous_beginning_names_the_candidates(database):
    texts: list[Memory] = []
    seen: dict[str, Memory] = {}
    for n in range(2_000):
        one = memory(f"memory {n}")
        if one.digest[:4] in seen:
            texts = [seen[one.digest[:4]], one]
            break
        seen[one.digest[:4]] = one
    put(database, *texts)
    with database.read() as connection, pytest.raises(UsageError) as caught:
        get_memory(connection, texts[0].digest[:4])
    assert all(one.id in str(caught.value) and one.text in str(caught.value) for one in texts)


def test_filters_choose(database):
    put(
        database,
        memory("a", at=1 * DAY, category="preference", importance=10),
        memory("b", at=2 * DAY, tags=("x",), importance=90),
        memory("c", at=3 * DAY, pinned=True, sources=(SOURCE,)),
    )
    for filters, texts in (
        (Filters(), "cba"),
        (Filters(category="preference"), "a"),
        (Filters(tag="x"), "b"),
        (Filters(tag="%"), ""),
        (Filters(since=2 * DAY), "cb"),
        (Filters(until=2 * DAY), "a"),
        (Filters(since=2 * DAY, until=3 * DAY), "b"),
        (Filters(pinned=True), "c"),
        (Filters(transcripts=("x", "a.jsonl")), "c"),
        (Filters(least=50), "cb"),
        (Filters(tag="x", pinned=True), ""),
    ):
        assert "".join(m.text for m in everything(database, filters=filters)) == texts
        with database.read() as connection:
            assert count_memories(connection, filters) == len(texts)
    assert [m.text for m in everything(database, order="importance", limit=2)] == ["b", "c"]


def test_use_and_pins_are_noted(database):
    (kept,) = put(database, memory("a")).new
    with database.write() as connection:
        mark_used(connection, [kept, kept, memory("unknown")], NOW + 5)
        set_pinned(connection, [kept])
    (after,) = everything(database)
    assert (after.used, after.uses, after.pinned) == (NOW + 5, 1, True)
    with database.write() as connection:
        mark_used(connection, [kept], NOW + 1)
        set_pinned(connection, [kept], pinned=False)
    (after,) = everything(database)
    assert (after.used, after.uses, after.pinned) == (NOW + 5, 2, False)


def test_decay_lowers_what_is_not_used_once(database):
    put(database, *[memory(f"old {n}", at=NOW - 30 * DAY) for n in range(600)])
    put(database, memory("pinned", at=NOW - 30 * DAY, pinned=True), memory("new"))
    before = everything(database)
    with database.write() as connection:
        assert len(decay_memories(connection, NOW, 30, dry_run=True)) == 600
    assert everything(database) == before
    with database.write() as connection:
        changes = decay_memories(connection, NOW, 30)
        assert decay_memories(connection, NOW, 30) == []
    assert {(c.before.importance, c.after.importance) for c in changes} == {(50, 25)}
    after = {m.text: m.importance for m in everything(database)}
    assert (after["pinned"], after["new"], after["old 7"]) == (50, 50, 25)


@pytest.mark.parametrize("half_life", [float("nan"), float("inf"), 0.0, -1.0])
def test_a_half_life_that_is_none_changes_nothing(database, half_life):
    put(database, memory("old", at=NOW - 30 * DAY))
    before = everything(database)
    with pytest.raises(UsageError), database.write() as connection:
        decay_memories(connection, NOW, half_life)
    assert everything(database) == before


def test_no_number_that_is_none_is_ever_written(database):
    (kept,) = put(database, memory("a")).new
    with pytest.raises(UsageError), database.write() as connection:
        mark_used(connection, [kept], float("nan"))
    assert everything(database) == [kept]


def test_what_differs_in_case_or_signs_is_another_memory(database):
    texts = ["-v is verbose", "-V is verbose", "use go", "use Go", "no tabs", "no tabs!", "~ is home", "1", "Ω"]
    assert len(put(database, *map(memory, texts)).new) == len(texts)
    assert put(database, memory("Cafe\u0301"), memory("Café."), memory(" Café ")).new == (memory("Cafe\u0301"),)


def test_an_old_export_brings_back_nothing_that_has_faded(database):
    put(database, memory("a", at=NOW, importance=70), memory("b", at=NOW, importance=40, pinned=True))
    old = exported(database)
    for days in (90, 180):
        with database.write() as connection:
            decay_memories(connection, NOW + days * DAY, 90)
        faded = exported(database)
        for _ in range(2):
            with database.write() as connection:
                assert import_memories(connection, read_lines(old, "x")).new == ()
            assert exported(database) == faded
    assert {m.text: m.importance for m in everything(database)} == {"a": 17.5, "b": 40}


def test_dry_runs_wait_for_nobody(database):
    """They only read: another process may be writing."""
    put(database, memory("a", at=NOW - 30 * DAY), memory("A", at=NOW), memory("a!", at=NOW))
    with database.write() as writing:
        mark_used(writing, list_memories(writing), NOW)
        begun = time.monotonic()
        with database.read() as connection:
            assert len(decay_memories(connection, NOW, 30, dry_run=True)) == 1
            assert len(merge_memories(connection, 30, dry_run=True)) == 1
        assert time.monotonic() - begun < 5


def test_consolidation_keeps_one_with_all_sources(database):
    other = MemorySource("b.jsonl", "", (7,))
    put(
        database,
        memory("The read_timeout of the server is 30 seconds", sources=(SOURCE,), tags=("a",), pinned=True),
        memory("The read_timeout of server is actually 30 seconds", sources=(other,), tags=("b",), importance=99),
        memory("The read_timeout of the server is 20 seconds"),
    )
    with database.write() as connection:
        found = merge_memories(connection, 90, dry_run=True)
        assert len(found) == 1
        assert count_memories(connection) == 3
        assert merge_memories(connection, 90) == found
        assert merge_memories(connection, 90) == []
    kept, apart = sorted(everything(database), key=lambda m: -m.importance)
    assert (kept.importance, kept.pinned, kept.tags, set(kept.sources)) == (99, True, ("a", "b"), {SOURCE, other})
    assert "20" in apart.text


def test_what_is_forgotten_is_gone_and_an_unknown_id_forgets_nothing(database):
    first, second = put(database, memory("first", tags=("x",), sources=(SOURCE,)), memory("second")).new
    with pytest.raises(UsageError), database.write() as connection:
        forget_memories(connection, [first.id, "mem_000000000000"])
    assert len(everything(database)) == 2
    with database.write() as connection:
        assert forget_memories(connection, [first.id, first.digest]) == [first]
    assert everything(database) == [second]
    assert put(database, memory("third")).new[0].tags == ()


def exported(database):
    return "".join(map(line_of, everything(database, order="oldest"))).encode()


def test_an_export_makes_the_same_log_in_the_other_database(tmp_path, postgresql):
    count = 700 // loop_step(4)
    log = open_database(str(tmp_path / "first.sqlite3"))
    put(
        log,
        *[
            memory(
                f"memory {n} Ä 東京 \ud800 {'x' * (n % 7)}",
                at=NOW + (n * 7919 % 1_000) / 7,
                category=CATEGORIES[n % 5],
                importance=n / 13 % 100,
                tags=(f"t{n % 3}", "Z", "a", "é"),
                sources=(replace(SOURCE, messages=(n,)), SOURCE),
                pinned=n % 11 == 0,
            )
            for n in range(count)
        ],
    )
    with log.write() as connection:
        mark_used(connection, list_memories(connection, limit=50), NOW + DAY / 3)
        decay_memories(connection, NOW + 7 * DAY, 9)
    first = exported(log)
    url = postgresql.fresh()
    for at, address in enumerate((url, str(tmp_path / "second.sqlite3"))):
        there = open_database(address)
        for new in (count, 0):
            with there.write() as connection:
                assert len(import_memories(connection, read_lines(first, "x")).new) == new
            assert exported(there) == first, at
        there.close()
    log.close()
    postgresql.drop(url)
