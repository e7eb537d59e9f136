"""Rounds and the sessions they belong to."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from compactor_cli.archive.manifest import session_keys
from compactor_cli.archive.stored import archive
from compactor_cli.archive.stored.rounds import history, rounds_of
from compactor_cli.render.archive import compression_event
from tests.builders import assistant as said
from tests.builders import jsonl, load, prose, system, user
from tests.db.sessions import compact_file, plain_compaction
from tests.pipeline.sessions import long_session

pytestmark = pytest.mark.one_test_in(2)


def rounds(database, keys=(), ids=()):
    with database.read() as connection:
        return history(connection, keys, ids)


def test_a_round_comes_back_as_it_was_kept(database):
    done = compact_file(jsonl(*long_session()), strategy="rolling", target_ratio=0.3)
    kept = done.keep(database, at=1_234.5)
    (past,) = rounds(database, ids=[kept])
    assert past.round == done.manifest.rounds[0]
    assert past.round.summary.startswith("## Session Summary")
    assert (past.compaction, past.at, past.kept, past.written) == (kept, 1_234.5, True, False)
    assert (past.input_path, past.output_path) == ("in.jsonl", "out.jsonl")
    assert past.session == f"content:{done.manifest.input.sha256}"
    assert compression_event(past.round)["tokensBefore"] == load(done.data).tokens


def test_rounds_are_counted_also_where_nothing_in_the_file_says_so(database):
    records = long_session(60)
    first = compact_file(jsonl(*records[:60]), strategy="tiered", target_ratio=0.6, keep_last=60)
    assert b"Session Summary" not in first.output
    first.keep(database)
    second = compact_file(first.output + jsonl(*records[60:]), strategy="tiered", target_ratio=0.6)
    last = second.keep(database, at=2_000.0)
    assert [past.round.round for past in rounds(database, ids=[last])] == [1, 2]


def test_a_file_that_says_more_rounds_than_are_known_is_believed(database):
    records = long_session(60)
    first = compact_file(jsonl(*records[:60]), strategy="rolling", target_ratio=0.4)
    second = compact_file(first.output + jsonl(*records[60:]), strategy="rolling", target_ratio=0.3)
    assert [past.round.round for past in rounds(database, ids=[second.keep(database)])] == [2]


def test_compacting_the_same_file_again_is_the_same_round_of_the_same_session(database):
    data = jsonl(*long_session())
    ids = [compact_file(data, target_ratio=ratio).keep(database) for ratio in (0.5, 0.3)]
    found = rounds(database, ids=ids[:1])
    assert [(past.compaction, past.round.round) for past in found] == [(ids[0], 1), (ids[1], 1)]
    assert len({past.session for past in found}) == 1


def test_a_session_without_an_id_is_the_same_when_its_original_has_grown(database):
    records = long_session(60)
    first = compact_file(jsonl(*records[:60]), target_ratio=0.5).keep(database)
    second = compact_file(jsonl(*records), target_ratio=0.5).keep(database, at=2_000.0)
    assert [past.compaction for past in rounds(database, ids=[second])] == [first, second]


def test_sessions_with_an_id_are_told_apart_and_found_wherever_they_were_written(database):
    ids = [
        plain_compaction(f"{n}".encode() * 50, b"out", session=name).keep(database, at=n)
        for n, name in enumerate("aba")
    ]
    assert [past.compaction for past in rounds(database, ["id:openai-chat:a"])] == [ids[0], ids[2]]
    assert [past.session for past in rounds(database, ids=[ids[1]])] == ["id:openai-chat:b"]
    assert [past.round.session for past in rounds(database, ids=[ids[1]])] == ["b"]
    assert rounds(database, ["id:openai-chat:c"]) == rounds(database) == []


def test_conversations_of_one_file_are_sessions_of_their_own(database):
    def conversation(name, length):
        talk = [m for n in range(length) for m in (user(prose(f"{name}{n}")), said(prose(f"a{name}{n}")))]
        return {"messages": [system(), *talk]}

    data = jsonl(conversation("x", 12), conversation("y", 12))
    first = compact_file(data, strategy="rolling", target_tokens=400)
    kept = first.keep(database)
    more = compact_file(first.output + jsonl(conversation("z", 12)), strategy="rolling", target_tokens=400)
    last = more.keep(database, at=2_000.0)
    with database.read() as connection:
        before, after = rounds_of(connection, kept), rounds_of(connection, last)
    assert [past.round.conversation for past in before] == [0, 1]
    assert [past.round.conversation for past in after] == [2]
    assert len({past.session for past in [*before, *after]}) == 3
    assert len(rounds(database, ids=[kept])) == 2


def test_conversations_that_share_an_id_get_their_number_behind_it():
    source = load(jsonl(user("a"), said("b")))
    (one,) = source.transcripts
    both = replace(source, transcripts=(replace(one, session_id="s"), replace(one, session_id="s"), one))
    assert session_keys(both) == ("id:openai-chat:s#0", "id:openai-chat:s#1")
    assert session_keys(replace(source, transcripts=(replace(one, session_id="s"),))) == ("id:openai-chat:s",)


def test_the_session_of_an_earlier_round_is_kept_when_the_file_was_left_alone_in_between(database):
    records = long_session(60)
    first = compact_file(jsonl(*records[:60]), target_ratio=0.5)
    ids = [first.keep(database)]
    alone = compact_file(first.output + jsonl(records[60]), target_tokens=1_000_000)
    assert not alone.manifest.changed
    alone.keep(database, at=1_500.0)
    third = compact_file(alone.output + jsonl(*records[61:]), target_ratio=0.3)
    ids.append(third.keep(database, at=2_000.0))
    assert [past.compaction for past in rounds(database, ids=ids[1:])] == ids
    with database.read() as connection:
        assert len(archive.compaction_chain(connection, ids[1])) == 3
