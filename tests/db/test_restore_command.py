"""`compact --archive` and `restore` as processes: what was taken away comes back byte for byte, on both databases."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

from compactor_cli import api
from tests.builders import ROOT, jsonl, plain_exchanges, prose, system, user
from tests.db.warm import APPENDS

pytestmark = pytest.mark.one_test_in(4)

SAMPLES = sorted((ROOT / "sample_transcripts").glob("*.jsonl"))
REFERENCE = re.compile(rb"ctx_[0-9a-f]{8,}")


@pytest.fixture
def compacted(command, session, tmp_path):
    """The fixed session and what `compact --archive` made of it."""
    original, small = session.read_bytes(), tmp_path / "small.jsonl"
    done = command("compact", session, "--target-ratio", "0.3", "--archive", "-o", small)
    assert done.code == 0, done.stderr
    assert small.stat().st_size < len(original)
    return original, small


def test_the_original_comes_back_to_a_file_and_to_standard_output(command, compacted, tmp_path):
    original, small = compacted
    done = command("restore", small, "-o", tmp_path / "back.jsonl")
    assert done.code == 0, done.stderr
    assert (tmp_path / "back.jsonl").read_bytes() == original
    assert command("restore", small).stdout == original
    assert command("restore", "-", input=small.read_bytes()).stdout == original


def test_in_place_there_and_back(command, session):
    original = session.read_bytes()
    assert command("compact", session, "--target-ratio", "0.3", "--archive", "--in-place").code == 0
    assert session.read_bytes() != original
    assert command("restore", session, "--in-place").code == 0
    assert session.read_bytes() == original


def test_the_file_may_be_anywhere_and_the_setting_may_stand_in_a_file(command, session, tmp_path):
    original = session.read_bytes()
    (tmp_path / "compactor.toml").write_text("[archive]\nenabled = true\n")
    small = command("compact", session, "--target-ratio", "0.3").stdout
    session.unlink()
    elsewhere = tmp_path / "far" / "away.txt"
    elsewhere.parent.mkdir()
    elsewhere.write_bytes(small)
    assert command("restore", elsewhere).stdout == original


@pytest.mark.drawn(7)
@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.name)
def test_every_sample_by_default_settings(command, path, tmp_path):
    small = tmp_path / "small.jsonl"
    done = command("compact", path, "--target-ratio", "0.5", "--archive", "-o", small)
    assert done.code == 0, done.stderr
    assert command("restore", small).stdout == path.read_bytes()


def test_a_file_that_was_not_changed_is_its_own_original(command, session, tmp_path):
    same = tmp_path / "same.jsonl"
    assert command("compact", session, "--target-tokens", "1000000", "--archive", "-o", same).code == 0
    assert command("restore", same).stdout == session.read_bytes()
    # looking again at what was compacted does not hide its original
    small = tmp_path / "small.jsonl"
    command("compact", session, "--target-ratio", "0.3", "--archive", "-o", small)
    command("compact", small, "--target-ratio", "0.3", "--archive", "-o", tmp_path / "again.jsonl")
    assert command("restore", small).stdout == session.read_bytes()


def test_every_reference_in_the_output_leads_to_its_original(command, compacted):
    original, small = compacted
    listed = command("restore", small, "--list", "--json").json
    entries = {entry["reference"]: entry for entry in listed["manifests"][0]["removed"]}
    found = {name.decode() for name in REFERENCE.findall(small.read_bytes())}
    assert found
    assert found <= set(entries)
    texts = {part.text for m in api.load(original).transcripts[0].messages for part in m.parts}
    for name in sorted(found):
        one = command("restore", small, "--ref", name)
        assert one.code == 0, one.stderr
        if entries[name]["kind"] == "text":
            assert any(one.text in text for text in texts)
        else:
            lines = original.splitlines()
            assert one.stdout == b"".join(lines[record] for record in entries[name]["records"])


def test_a_reference_is_found_in_every_round(command, compacted, tmp_path):
    _, small = compacted
    first = REFERENCE.findall(small.read_bytes())[0].decode()
    smaller = tmp_path / "smaller.jsonl"
    shown = command("restore", small, "--ref", first).stdout
    done = command("compact", small, "--target-tokens", "900", "--archive", "-o", smaller)
    assert done.code == 0, done.stderr
    assert command("restore", smaller, "--ref", first).stdout == shown
    assert command("restore", smaller, "--ref", first.removeprefix("ctx_")).stdout == shown


def test_list_names_everything_that_was_taken_away(command, compacted):
    _, small = compacted
    value = command("restore", small, "--list", "--json").json
    (round_,) = value["rounds"]
    assert round_["kept"] and round_["written"]
    event = round_["event"]
    assert event["originalTokens"] == event["tokensBefore"] > event["optimizedTokens"] == event["tokensAfter"]
    assert event["compressionRatio"] == pytest.approx(event["tokensAfter"] / event["tokensBefore"])
    assert event["round"] == 1
    assert event["compactedMessageIds"]
    manifest = value["manifests"][0]
    gone = {index for entry in manifest["removed"] for index in entry["messages"]}
    report = command("diff", manifest["input"]["path"], small, "--json").json
    assert len(gone) == sum(report["messages"][fate] for fate in ("shortened", "summarized", "dropped"))
    shown = command("restore", small, "--list").text
    assert all(entry["reference"] in shown for entry in manifest["removed"] if entry["marked"])


def test_a_session_that_went_on_keeps_what_came_since(command, compacted):
    original, small = compacted
    more = jsonl(*plain_exchanges(2, start=90))
    small.write_bytes(small.read_bytes() + more)
    done = command("restore", small)
    assert done.stdout == original + more
    assert f"{len(more):,} bytes that were appended after the compaction" in done.stderr


def test_five_rounds_on_a_growing_session_restore_any_earlier_state(command, tmp_path):
    path = tmp_path / "growing.jsonl"
    path.write_bytes(jsonl(system(), user("Build the harbour tool.")))
    states = []
    for round_ in range(5):
        path.write_bytes(path.read_bytes() + jsonl(*plain_exchanges(8, start=10 * round_)))
        states.append(path.read_bytes())
        done = command("compact", path, "--target-tokens", str(1000 + 300 * round_), "--archive", "--in-place")
        assert done.code == 0, done.stderr
        assert path.read_bytes() != states[-1]
    for number, state in enumerate(states, start=1):
        assert command("restore", path, "--round", str(number)).stdout == state
    assert command("restore", path).stdout == states[-1]
    rounds = command("inspect", path, "--json").json["history"]
    assert [each["event"]["round"] for each in rounds] == [1, 2, 3, 4, 5]
    assert len({each["session"] for each in rounds}) == 1
    shown = command("inspect", path).text
    assert "Rounds" in shown
    assert f"{rounds[3]['event']['tokensBefore']:,}" in shown
    missing = command("restore", path, "--round", "6")
    assert missing.code == 2
    assert "5 compactions of it are archived" in missing.stderr


def test_of_a_file_that_was_edited_only_what_is_asked_for_comes_back(command, tmp_path):
    original = (ROOT / "sample_transcripts" / "claude-code.jsonl").read_bytes()
    path, other = tmp_path / "session.jsonl", tmp_path / "agent-1.jsonl"
    path.write_bytes(original)
    other.write_bytes(b"".join(original.splitlines(keepends=True)[:-20]))  # another file of the same session
    shorter = other.read_bytes()
    for each in (path, other):
        assert command("compact", each, "--target-ratio", "0.5", "--archive", "--in-place").code == 0
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(edited := b"".join(lines[:1] + lines[2:]))
    for arguments in ((), ("--in-place",)):
        done = command("restore", path, *arguments)
        assert done.code == 1
        assert "does not match the output of any compaction" in done.stderr
        assert "2 compactions of its session are archived" in done.stderr
        assert path.read_bytes() == edited
    listed = command("restore", path, "--list")
    assert "agent-1.jsonl" in listed.text
    assert "session.jsonl" in listed.text
    assert command("restore", path, "--round", "1").stdout == original
    assert command("restore", path, "--round", "2").stdout == shorter


def test_an_edited_file_without_a_session_id_is_known_by_its_marks(command, compacted):
    original, small = compacted
    reference = REFERENCE.findall(small.read_bytes())[0].decode()
    shown = command("restore", small, "--ref", reference).stdout
    small.write_bytes(b"\n".join(small.read_bytes().splitlines()[1:]) + b"\n")
    assert command("restore", small).code == 1
    assert command("restore", small, "--ref", reference).stdout == shown
    assert command("restore", small, "--round", "1").stdout == original


def test_all_that_is_kept_is_listed_and_can_be_had_by_its_number(command, compacted, tmp_path):
    original, small = compacted
    small.unlink()
    listed = command("restore", "--list")
    assert "session.jsonl" in listed.text
    (number,) = {each["compaction"] for each in command("restore", "--list", "--json").json["rounds"]}
    assert command("restore", "--compaction", number).stdout == original
    assert command("restore", "--compaction", "999").code == 6


def test_a_round_that_changed_nothing_comes_back_as_well(command, tmp_path):
    path = tmp_path / "session.jsonl"
    path.write_bytes(jsonl(user("Build the harbour tool."), *plain_exchanges(5)))
    first = path.read_bytes()
    assert command("compact", path, "--target-tokens", "100000", "--in-place", "--archive").code == 0
    path.write_bytes(first + jsonl(*plain_exchanges(30, start=5)))
    second = path.read_bytes()
    assert command("compact", path, "--target-ratio", "0.2", "--in-place", "--archive").code == 0
    assert path.read_bytes() != second
    assert command("restore", path, "--round", "1").stdout == first
    assert command("restore", path, "--round", "2").stdout == second


def test_looking_at_an_original_again_hides_nothing(command, compacted, session):
    _, small = compacted
    reference = REFERENCE.findall(small.read_bytes())[0].decode()
    done = command("compact", session, "--target-tokens", "1000000", "--archive", "-o", "same.jsonl")
    assert "archived" not in done.stderr
    assert command("restore", session, "--ref", reference).code == 0
    assert reference in command("restore", session, "--list").text


@pytest.mark.parametrize("work", ["compact", "restore"])
def test_what_is_written_by_another_program_in_the_meantime_is_not_lost(command, session, work):
    if work == "restore":
        assert command("compact", session, "--target-ratio", "0.3", "--in-place", "--archive").code == 0
    before = session.read_bytes()
    arguments = (
        ("compact", session, "--target-ratio", "0.3", "--in-place", "--archive")
        if work == "compact"
        else ("restore", session, "--in-place")
    )
    done = command(*arguments, **{APPENDS: str(session)})
    assert done.code == 3
    assert "was changed by another program in the meantime, so it was left unchanged" in done.stderr
    assert session.read_bytes() == before + b"appended\n"


def test_what_is_itself_the_original_says_so(command, compacted, session):
    done = command("restore", session)
    assert done.stdout == compacted[0]
    assert "is itself the input of a compaction" in done.stderr


def test_nothing_kept_is_the_answer_no(command, session):
    for _ in range(2):
        done = command("restore", session)
        assert done.code == 1
        assert "nothing of it is archived" in done.stderr
        assert "--archive" in done.stderr
        assert done.stdout == b""
        done = command("compact", session, "--target-ratio", "0.3", "--archive", "-o", "other.jsonl")
        assert done.code == 0
        session.write_bytes(jsonl(user("quite another session"), *plain_exchanges(3)))


def test_without_the_archive_a_manifest_says_what_was_taken_away(command, session, tmp_path):
    small = tmp_path / "small.jsonl"
    done = command("compact", session, "--target-ratio", "0.3", "--manifest", "-o", small, "--json")
    manifest = Path(done.json["manifest"])
    assert manifest == tmp_path / "small.jsonl.manifest.json"
    value = json.loads(manifest.read_bytes())
    found = {name.decode() for name in REFERENCE.findall(small.read_bytes())}
    assert found <= {entry["reference"] for entry in value["removed"]}
    # nothing that was said is in it
    said = [line for m in api.load(session.read_bytes()).transcripts[0].messages for line in m.text().splitlines()]
    assert not [line for line in said if len(line) > 20 and line in manifest.read_text()]
    listed = command("restore", small, "--list")
    assert listed.code == 0
    assert all(entry["reference"] in listed.text for entry in value["removed"] if entry["marked"])
    refused = command("restore", small)
    assert refused.code == 1
    assert "restore --list shows what was removed" in refused.stderr
    small.write_bytes(small.read_bytes() + b"\n")
    assert "belongs to an earlier state" in command("restore", small, "--list").stderr


def test_the_manifest_is_written_before_anything_is_lost(command, session, tmp_path):
    original = session.read_bytes()
    (tmp_path / "session.jsonl.manifest.json").mkdir()
    done = command("compact", session, "--target-ratio", "0.3", "--in-place", "--manifest")
    assert done.code == 2
    assert session.read_bytes() == original


def test_purge_takes_the_whole_session_and_no_other(command, compacted, tmp_path):
    _, small = compacted
    other, other_small = tmp_path / "other.jsonl", tmp_path / "other-small.jsonl"
    other.write_bytes(jsonl(user("quite another session"), *plain_exchanges(20)))
    assert command("compact", other, "--target-ratio", "0.3", "--archive", "-o", other_small).code == 0
    smaller = tmp_path / "smaller.jsonl"
    assert command("compact", small, "--target-tokens", "900", "--archive", "-o", smaller).code == 0
    done = command("restore", smaller, "--purge")
    assert done.code == 0
    assert "2 compactions" in done.stderr
    for gone in (small, smaller):
        assert command("restore", gone).code == 1
    assert command("restore", other_small).stdout == other.read_bytes()
    assert command("restore", small, "--purge").code == 1


def test_purge_names_other_files_with_the_same_text_and_asks(command, tmp_path):
    path, longer = tmp_path / "a.jsonl", tmp_path / "b.jsonl"
    path.write_bytes(jsonl(user("Build the harbour tool."), *plain_exchanges(20)))
    longer.write_bytes(path.read_bytes() + jsonl(*plain_exchanges(20, start=20)))
    original = path.read_bytes()
    for each in (path, longer):
        assert command("compact", each, "--target-ratio", "0.3", "--archive", "--in-place").code == 0
    asked = command("restore", longer, "--purge")
    assert asked.code == 2
    assert str(path) in asked.stderr
    assert command("restore", path).stdout == original
    assert command("restore", longer, "--purge", "--yes").code == 0
    assert command("restore", path).code == 1


def test_several_files_and_conversations(command, tmp_path):
    files = []
    for name in ("one", "two"):
        path = tmp_path / f"{name}.jsonl"
        conversations = [{"messages": [user(f"{name} {at}"), *plain_exchanges(6, start=7 * at)]} for at in range(3)]
        path.write_bytes(jsonl(*conversations))
        files.append(path)
    done = command("compact", *files, "--target-ratio", "0.4", "--archive", "--out-dir", tmp_path / "out")
    assert done.code == 0, done.stderr
    for path in files:
        assert command("restore", tmp_path / "out" / path.name).stdout == path.read_bytes()
    history = command("inspect", tmp_path / "out" / "one.jsonl", "--json").json["history"]
    assert [each["conversation"] for each in history] == [0, 1, 2]


def test_dry_runs_and_checks_keep_nothing(command, session, url):
    for option in ("--dry-run", "--check"):
        command("compact", session, "--target-ratio", "0.3", "--archive", option)
        assert "nothing of it is archived" in command("restore", session).stderr
    if "://" not in url:
        assert not Path(url).exists()


@pytest.mark.drawn(8)
@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--ref", "ctx_1234abcd", "--list"], "--ref and --list exclude each other"),
        (["--in-place", "-o", "x"], "--in-place excludes"),
        (["--list", "--round", "1"], "--list excludes --round"),
        (["--purge", "-o", "x"], "--purge excludes -o"),
        (["--round", "1", "--compaction", "1"], "exclude each other"),
        (["--json"], "--json works with --list, --search and --ref"),
        (["--search", "word", "--list"], "--list and --search exclude each other"),
        (["--search", "word", "--in-place"], "--search excludes --in-place"),
        (["--search", " "], "--search: no words"),
        (["--ref", ""], "is not a reference"),
        (["--ref", "nonsense"], "is not a reference"),
        (["--ref", "ctx_00000000"], "no removed content has the reference"),
    ],
)
def test_wrong_usage(command, compacted, arguments, words):
    done = command("restore", compacted[1], *arguments)
    assert done.code == 2
    assert words in done.stderr


def test_a_prose_tail_of_a_document_is_kept(command, tmp_path):
    path = tmp_path / "whole.json"
    messages = [user(prose("harbour")), *plain_exchanges(12)]
    path.write_text(json.dumps({"id": "x", "messages": messages, "note": prose("kelp")}, indent=2) + "\n\n")
    original = path.read_bytes()
    assert command("compact", path, "--target-ratio", "0.4", "--archive", "--in-place").code == 0
    assert command("restore", path, "--in-place").code == 0
    assert path.read_bytes() == original


def test_a_copy_of_the_database_has_everything(run, session, tmp_path):
    url, original = tmp_path / "store.sqlite3", session.read_bytes()
    run("compact", session, "--target-ratio", "0.3", "--archive", "-o", "small.jsonl", "--database", url)
    moved = shutil.move(url, tmp_path / "moved.sqlite3")
    assert run("restore", "small.jsonl", "--database", moved).stdout == original
    assert run("restore", "small.jsonl", "--database", url).code == 1
    assert not url.exists()


def test_words_are_found_in_every_archived_file_and_lead_to_their_originals(command, compacted):
    _, small = compacted
    everywhere = command("restore", "--search", "kawa pytest", "--json")
    assert everywhere.code == 0, everywhere.stderr
    hits = json.loads(everywhere.stdout)["hits"]
    assert 0 < len(hits) <= 10
    assert [hit["matched"] for hit in hits] == sorted((hit["matched"] for hit in hits), reverse=True)
    referred = [hit for hit in hits if hit["reference"]]
    for hit in referred:
        found = command("restore", small, "--ref", hit["reference"]).stdout
        assert found and (b"kawa" in found.lower() or b"pytest" in found.lower())
    assert json.loads(command("restore", small, "--search", "kawa", "--json").stdout)["hits"]
    nothing = command("restore", small, "--search", "xyzzy")
    assert nothing.code == 1
    assert "no archived message" in nothing.stderr
