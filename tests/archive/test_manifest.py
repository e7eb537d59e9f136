"""What a manifest says of a compaction, and how an original is found with it."""

from __future__ import annotations

import hashlib
import re

import pytest
from msgspec.structs import replace

from compactor_cli.archive.manifest import find_entry, make_manifest_of, original_bytes
from compactor_cli.archive.removals import removed_entries
from compactor_cli.errors import InputError, UsageError
from compactor_cli.model.decisions import DROPPED, MessageKey
from compactor_cli.pipeline.decision_files import by_conversation
from compactor_cli.pipeline.run import compact_source
from compactor_cli.settings import Settings
from compactor_cli.text.shorten import reference
from compactor_cli.tokens import make_counter
from compactor_cli.wiring import tools_for
from tests.builders import assistant, compact, jsonl, listing_output, load, prose, system, user
from tests.pipeline.sessions import assistant as calling
from tests.pipeline.sessions import long_session, result

TWINS = (49_150, 97_316)
"""Numbers of two outputs whose digests share their first 8 hex digits, found by trying."""


def manifest(data, *, skip_damaged=False, **settings):
    source = load(data, skip_damaged=skip_damaged)
    done = compact(data, skip_damaged=skip_damaged, **settings)
    return make_manifest_of(source, done.data, done.parts, "out.jsonl", "chars"), source, done


def marks(data):
    return set(re.findall(r"ctx_[0-9a-f]{8}", data.decode()))


def test_files_rounds_and_sizes():
    data = jsonl(*long_session())
    made, source, done = manifest(data, strategy="rolling", target_ratio=0.3)
    assert (made.input.path, made.input.size) == ("file.jsonl", len(data))
    assert made.input.sha256 == hashlib.sha256(data).hexdigest()
    assert (made.output.path, made.output.size) == ("out.jsonl", len(done.data))
    assert made.output.sha256 == hashlib.sha256(done.data).hexdigest()
    assert (made.format, made.counter, made.changed) == ("openai-chat", "chars", True)
    (one,) = made.rounds
    assert (one.round, one.strategy, one.summarizer, one.conversation) == (1, "rolling", "extractive", 0)
    assert (one.tokens_before, one.tokens_after) == (source.tokens, done.parts[0].tokens)
    assert one.messages_before == len(source.transcripts[0].messages)
    assert one.messages_after == len(done.parts[0].messages) == len(done.data.splitlines())
    assert one.summary.startswith("## Session Summary (Compaction Round 1)")
    kept = set(done.data.splitlines())
    lost = [m.id for m, line in zip(source.transcripts[0].messages, data.splitlines(), strict=True) if line not in kept]
    assert list(one.compacted) == lost


def test_an_unchanged_file_has_nothing_to_say():
    made, _, _ = manifest(jsonl(user("a"), assistant("b")), target_tokens=1_000)
    assert not made.changed
    assert (made.rounds, made.removed) == ((), ())


def test_a_shortened_output_is_found_by_its_mark():
    data = jsonl(
        system(), user("Go."), calling(None, "c1"), result("c1", listing_output("rows")), user("On."), assistant("Yes.")
    )
    made, source, done = manifest(data, strategy="tiered", target_ratio=0.4, keep_last=6)
    (mark,) = marks(done.data)
    entry = find_entry(made.removed, mark)
    assert (entry.loss, entry.kind, entry.marked, entry.role) == ("shortened", "text", True, "tool")
    assert (entry.messages, entry.records) == ((3,), (3,))
    assert original_bytes(source, entry) == listing_output("rows").encode()


def test_strings_in_arguments_are_found_by_their_marks():
    call = calling(
        None, ("c1", "Write", {"path": "a.txt", "content": listing_output("rows"), "edits": [prose("edits", 30)]})
    )
    data = jsonl(
        system(), user("Go."), call, result("c1"), *(user(prose(f"t{n}")) for n in range(4)), assistant("Yes.")
    )
    made, source, done = manifest(data, strategy="tiered", target_ratio=0.4, keep_last=6)
    found = {original_bytes(source, find_entry(made.removed, mark)) for mark in marks(done.data)}
    assert {listing_output("rows").encode(), prose("edits", 30).encode()} <= found


def test_a_summary_leads_to_the_records_it_stands_for_and_each_of_them_has_its_own_entry():
    data = jsonl(*long_session())
    made, source, done = manifest(data, strategy="rolling", target_ratio=0.3)
    lines = data.splitlines()
    (summary,) = [m for m in done.parts[0].messages if m.origin == "summary"]
    (mark, *_) = re.findall(r"ctx_[0-9a-f]{8}", summary.text())
    entry = find_entry(made.removed, mark)
    assert (entry.loss, entry.kind, entry.marked) == ("summarized", "records", True)
    assert original_bytes(source, entry) == b"".join(lines[record] for record in entry.records)
    for record in entry.records:
        own = find_entry(made.removed, reference([lines[record]]))
        assert original_bytes(source, own) == lines[record]
        assert (own.messages, own.marked) == ((record,), False)


PICTURE = {"type": "image_url", "image_url": {"url": "data:image/png;base64," + "A" * 400}}


@pytest.mark.parametrize("strategy", ["adaptive", "tiered"])
def test_pictures_that_were_left_out_are_found_in_their_records(strategy):
    shown = {"role": "user", "content": [{"type": "text", "text": prose("shapes", 40)}, PICTURE]}
    data = jsonl(system(), user("Go."), assistant("Show it."), shown, assistant("Seen."))
    made, source, done = manifest(data, strategy=strategy, target_tokens=240, keep_last=6)
    assert b"[image left out]" in done.data
    (entry,) = [one for one in made.removed if one.kind == "records"]
    assert (entry.loss, entry.messages, entry.marked) == ("shortened", (3,), False)
    assert original_bytes(source, entry) == data.splitlines()[3]
    (mark,) = marks(done.data)
    assert original_bytes(source, find_entry(made.removed, mark)) == prose("shapes", 40).encode()


@pytest.mark.parametrize(("strategy", "target", "keep_last"), [("adaptive", 500, 0), ("tiered", 240, 6)])
def test_pictures_in_a_tool_output_are_found_in_its_records(strategy, target, keep_last):
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "A" * 400}}
    shown = [{"type": "text", "text": listing_output("rows", 80)}, image]
    output = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1", "content": shown}]}
    call = {"role": "assistant", "content": [{"type": "tool_use", "id": "c1", "name": "Look", "input": {}}]}
    data = jsonl(
        user("Go, see rows line 40."), call, output, assistant("Seen."), user("Now line 41."), assistant("Yes.")
    )
    made, source, done = manifest(data, strategy=strategy, target_tokens=target, keep_last=keep_last)
    assert b"[image left out]" in done.data
    (entry,) = [one for one in made.removed if one.kind == "records"]
    assert (entry.loss, original_bytes(source, entry)) == ("shortened", data.splitlines()[2])
    (mark,) = marks(done.data)
    assert original_bytes(source, find_entry(made.removed, mark)).startswith(listing_output("rows", 80).encode())


def test_a_cut_without_a_mark_is_found_in_its_record():
    command = "echo " + " ".join(f"alpha{number}" for number in range(120))
    call = calling(None, ("c1", "Bash", {"command": command, "note": "short"}))
    data = jsonl(system(), user("Go."), call, result("c1"), user("On."), assistant("Yes."))
    _, source, done = manifest(data, strategy="tiered", target_tokens=150, keep_last=6)
    (part,) = done.parts
    assert [entry.kind for entry in removed_entries(part, 0)] == ["text"]
    decisions = tuple(
        decision._replace(edits=tuple(e._replace(text=e.text.replace(" · ctx_", "")) for e in decision.edits))
        for decision in part.plan.decisions
    )
    (entry,) = removed_entries(replace(part, plan=replace(part.plan, decisions=decisions)), 0)
    assert (entry.loss, entry.kind, entry.marked) == ("shortened", "records", False)
    assert original_bytes(source, replace(entry, reference="ctx_any")) == data.splitlines()[2]


def test_what_a_repair_took_out_is_listed():
    data = jsonl(system(), user("Go."), result("nobody", "an answer to no call"), *long_session(10)[2:])
    made, source, _ = manifest(data, strategy="truncate", target_ratio=0.5)
    (entry,) = [one for one in made.removed if one.loss == "repaired"]
    assert (entry.messages, entry.records, entry.marked) == ((2,), (2,), False)
    assert "no call for it" in entry.reason
    assert original_bytes(source, entry) == data.splitlines()[2]


def test_what_a_repair_changed_in_a_message_is_listed_with_why():
    stray = [{"type": "tool_result", "tool_use_id": name, "content": f"rows of {name}"} for name in ("nobody", "c1")]
    data = jsonl(
        user("Go."),
        {"role": "assistant", "content": [{"type": "tool_use", "id": "c1", "name": "Bash", "input": {}}]},
        {"role": "user", "content": [*stray, {"type": "text", "text": "And see that."}]},
        assistant(prose("one", 60)),
        user(prose("two", 60)),
        assistant("Yes."),
    )
    made, source, _ = manifest(data, strategy="adaptive", target_ratio=0.9)
    (entry,) = [one for one in made.removed if one.loss == "repaired"]
    assert (entry.messages, entry.records) == ((2,), (2,))
    assert "no call for it" in entry.reason
    assert original_bytes(source, entry) == data.splitlines()[2]


def test_what_a_person_dropped_is_listed_as_dropped():
    data = jsonl(*long_session(10))
    source, settings = load(data), Settings(target_ratio=0.5)
    tools = [tools_for(one, make_counter("chars").counter, settings) for one in source.transcripts]
    output, parts = compact_source(source, tools, settings, decided=by_conversation({MessageKey(0, 4): "drop"}, 1))
    made = make_manifest_of(source, output, parts, "out.jsonl", "chars")
    gone = [one for one in made.removed if one.reason == DROPPED]
    assert {(one.messages, one.loss) for one in gone} == {((4,), "dropped"), ((5,), "dropped")}
    assert not [one for one in made.removed if one.loss == "repaired"]


def test_originals_that_share_8_digits_get_longer_references():
    first, second = (listing_output("rows") + f"\nlast row {number}" for number in TWINS)
    short = reference([first.encode()])
    assert short == reference([second.encode()])
    exchanges = [calling(None, "c1"), result("c1", first), calling(None, "c2"), result("c2", second)]
    data = jsonl(system(), user("Go."), *exchanges, user("On."), assistant("Yes."))
    made, source, done = manifest(data, strategy="tiered", target_ratio=0.3, keep_last=6)
    assert marks(done.data) == {short}
    with pytest.raises(UsageError, match="ambiguous") as refused:
        find_entry(made.removed, short)
    longer = re.findall(r"ctx_[0-9a-f]{9,}", str(refused.value))
    assert {original_bytes(source, find_entry(made.removed, one)) for one in longer} == {
        first.encode(),
        second.encode(),
    }
    assert all(len(entry.reference) == 12 for entry in made.removed if entry.reference not in longer)


def test_originals_of_several_manifests_that_share_8_digits_are_told_apart():
    removed, contents = [], []
    for number in TWINS:
        output = listing_output("rows") + f"\nlast row {number}"
        data = jsonl(system(), user("Go."), calling(None, "c1"), result("c1", output), user("On."), assistant("Yes."))
        made, source, done = manifest(data, strategy="tiered", target_ratio=0.4, keep_last=6)
        assert marks(done.data) == {reference([output.encode()])}
        removed += made.removed
        contents.append((source, output.encode()))
    with pytest.raises(UsageError, match="ambiguous") as refused:
        find_entry(removed, next(iter(marks(done.data))))
    first, second = re.findall(r"ctx_[0-9a-f]{9,}", str(refused.value))
    found = [
        original_bytes(source, find_entry(removed, name))
        for (source, _), name in zip(contents, (first, second), strict=True)
    ]
    assert found == [content for _, content in contents]


def test_references_may_be_given_in_part_and_are_refused_with_words():
    made, _, _ = manifest(jsonl(*long_session()), strategy="rolling", target_ratio=0.3)
    entry = next(one for one in made.removed if one.marked)
    for digits in (entry.reference, entry.digest, entry.digest[:6].upper(), f" {entry.reference[:9]} "):
        assert find_entry(made.removed, digits) is entry
    for bad in ("ctx_12", "nothing", "", "ctx_xyz12345", "f" * 65):
        with pytest.raises(UsageError, match="is not a reference"):
            find_entry(made.removed, bad)
    with pytest.raises(UsageError, match=r"no removed content has the reference ctx_00000000000"):
        find_entry(made.removed, "0" * 11)


def test_another_file_does_not_pass_for_the_input():
    made, _, _ = manifest(jsonl(*long_session()), strategy="rolling", target_ratio=0.3)
    for other in (jsonl(user("a")), jsonl(*long_session(41, words=50))):
        with pytest.raises(InputError, match="does not hold the original"):
            original_bytes(load(other), next(one for one in made.removed if one.marked))


def test_conversations_of_one_file_are_told_apart():
    def conversation(name):
        talk = [message for n in range(12) for message in (user(prose(f"{name}{n}")), assistant(prose(f"a{name}{n}")))]
        return {"messages": [system(), *talk]}

    data = jsonl(conversation("x"), conversation("y"), {"messages": [user("short")]})
    made, source, done = manifest(data, strategy="rolling", target_tokens=400)
    assert [one.conversation for one in made.rounds] == [0, 1]
    assert {entry.conversation for entry in made.removed} == {0, 1}
    for mark in marks(done.data):
        entry = find_entry(made.removed, mark)
        assert re.search(rb" of a?x\d" if entry.conversation == 0 else rb" of a?y\d", original_bytes(source, entry))
